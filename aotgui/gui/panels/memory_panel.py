"""Memory over time: live bytes after each node, and what is alive at the peak or wherever one clicks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.alive_table import AliveTable
from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, is_behind
from aotgui.gui.panels.table_panel import NodeRef, select_in_shown_graph
from aotgui.gui.session.session import Session
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind
from aotgui.model.memory import MemoryKind, MemoryMap, memory_of
from aotgui.model.palette import BLUE, GREEN, ORANGE, SKY_BLUE, VERMILION, YELLOW
from aotgui.model.text import bytes_text

if TYPE_CHECKING:
    from aotgui.gui.panels.memory_plot import MemoryCurve, MemoryPlot  # brings pyqtgraph

NO_CAPTURE: Final = "The memory that forward and backward need over time appears here after a run."
NO_STORAGES: Final = (
    "This capture does not tell which values share memory: it was made by an older version. "
    "Run the script again to see its memory over time."
)
COLORS: Final = {
    MemoryKind.PARAMETERS: BLUE,
    MemoryKind.INPUTS: SKY_BLUE,
    MemoryKind.SAVED: ORANGE,
    MemoryKind.OUTPUTS: YELLOW,
    MemoryKind.GRADIENTS: VERMILION,
    MemoryKind.TEMPORARIES: GREEN,
}
_RUNNING_KINDS: Final = (GraphKind.FORWARD, GraphKind.INFERENCE, GraphKind.BACKWARD)


class MemoryPanel(QWidget):
    """A stacked plot over the nodes in the order in which they run, and a table of what is alive after one of them.

    Attributes:
        session: the truth.
        table: what is alive after the chosen step.
        peak_button: chooses the peak.
        legend: the parts with their bytes after the step under the pointer, else the chosen one.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.table = AliveTable(session)
        self.legend = QLabel()
        self.peak_button = QPushButton("Peak")
        self._memory: MemoryMap | None = None
        self._curves: dict[MemoryKind, list[int]] = {}
        self._spans: dict[NodeRef, tuple[int, int]] = {}
        self._chosen = -1
        self._is_stale = True
        self._plot: MemoryPlot | None = None
        self._empty = EmptyState(NO_CAPTURE)
        self._stack = QStackedWidget()
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._set_up_layout()
        self._connect()

    @property
    def plot(self) -> MemoryPlot | None:
        """The plot; None until the panel was first seen with something to plot."""
        return self._plot

    @property
    def memory(self) -> MemoryMap | None:
        """What is plotted."""
        return self._memory

    @property
    def chosen(self) -> int:
        """The step whose storages the table lists, -1 for none."""
        return self._chosen

    @property
    def is_empty(self) -> bool:
        """Whether the empty state is shown."""
        return self._stack.currentWidget() is self._empty

    @property
    def empty_text(self) -> str:
        """What the empty state says."""
        return self._empty.text()

    def refresh(self) -> None:
        """Plots the region shown."""
        self._is_stale = False
        region = self.session.region
        self._memory = memory_of(region) if region else None
        self._empty.setText(_empty_text(region))
        has_memory = self._memory is not None and self._memory.steps > 0
        self._stack.setCurrentWidget(self._splitter if has_memory else self._empty)
        self._head.setVisible(has_memory)
        if self._memory is None or not has_memory:
            self._choose(-1)
            return
        self._curves = {kind: self._memory.curve(kind) for kind in MemoryKind}
        self._spans = {(life.graph, life.node): (life.first, life.last) for life in self._memory.lives}
        self._show_curve(self._memory)
        self._choose(self._memory.peak())
        self._show_positions()

    def choose_peak(self) -> None:
        """Lists what is alive at the peak and selects its node."""
        if self._memory is not None and self._memory.steps:
            self._on_step_clicked(self._memory.peak())

    # --- Building ---------------------------------------------------------------------------------------------

    def _set_up_layout(self) -> None:
        self.peak_button.setToolTip("List what is alive when most bytes are, and select that node.")
        self.legend.setTextFormat(Qt.TextFormat.RichText)
        self.legend.setWordWrap(True)
        # A long line goes on in the next one rather than widening the window.
        self.legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(MARGIN, 0, MARGIN, 0)
        head.setSpacing(SPACING)
        head.addWidget(self.legend, 1)
        head.addWidget(self.peak_button)
        self._splitter.addWidget(self.table)
        self._splitter.setChildrenCollapsible(False)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._splitter)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACING, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self._head)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.peak_button.clicked.connect(self.choose_peak)
        self.session.capture_changed.connect(self._on_capture_changed)
        self.session.result_changed.connect(self._on_capture_changed)
        self.session.selection_changed.connect(self._show_positions)
        self.session.stepping_changed.connect(self._show_positions)

    def _build_plot(self) -> MemoryPlot:
        if self._plot is None:
            from aotgui.gui.panels.memory_plot import MemoryPlot  # costs 0.4 s, which the window does without

            self._plot = MemoryPlot(self._describe)
            self._plot.step_clicked.connect(self._on_step_clicked)
            self._plot.step_hovered.connect(self._show_legend)
            self._splitter.insertWidget(0, self._plot)
            self._splitter.setSizes([600, 400])
        return self._plot

    def _show_curve(self, memory: MemoryMap) -> None:
        self._build_plot().show_curve(self._curve(memory))

    def _curve(self, memory: MemoryMap) -> MemoryCurve:
        import numpy as np  # comes with the plot

        from aotgui.gui.panels.memory_plot import Layer, MemoryCurve  # costs 0.4 s: see above

        layers = [Layer(kind.label, COLORS[kind], np.array(self._curves[kind], np.int64)) for kind in MemoryKind]
        return MemoryCurve(layers, memory.forward_steps, memory.peak())

    # --- What is said -----------------------------------------------------------------------------------------

    def node_name(self, step: int) -> str:
        """Name of the node that is a step, with its graph."""
        assert self._memory is not None
        kind, node = self._memory.place_of(step)
        graph = self.session.graph(kind)
        return f"{graph.title(node)} in {kind}" if graph else ""

    def _describe(self, step: int) -> str:
        assert self._memory is not None
        return f"{self.node_name(step)}\n{bytes_text(self._memory.total[step])}"

    def _show_legend(self, step: int = -1) -> None:
        step = step if step >= 0 else self._chosen
        if step < 0 or self._memory is None or step >= self._memory.steps:
            self.legend.clear()
            return
        parts = [
            f'<span style="color:{COLORS[kind]}">■</span>&nbsp;{kind.label}&nbsp;{_unbroken(bytes_text(sizes[step]))}'
            for kind, sizes in self._curves.items()
            if any(sizes)
        ]
        self.legend.setText(" &nbsp; ".join(parts))

    # --- From the session -------------------------------------------------------------------------------------

    def _on_capture_changed(self) -> None:
        self._is_stale = True
        if self.isVisible() or not is_behind(self):
            self._refresh_if_seen()

    def _refresh_if_seen(self) -> None:
        if self._is_stale and self.isVisible():
            self.refresh()

    def _show_positions(self) -> None:
        """Where the debugger stands and what is selected, on the plot."""
        if self._plot is None or self._memory is None or self._is_stale:
            return
        stepping = self.session.stepping
        stands = stepping.active and stepping.graph in _RUNNING_KINDS
        step = self._memory.step_of(stepping.graph, stepping.node) if stands and stepping.graph else -1
        self._plot.mark("stepping", step if step < self._memory.steps else -1)
        self._plot.mark("selected", self._selected_step(self._memory))
        self._plot.show_span(self._selected_span())

    def _selected_span(self) -> tuple[int, int] | None:
        """The life of the storage that the selected node brings; None for a view, whose storage another node brings."""
        places = ((kind, node) for kind in _RUNNING_KINDS for node in self.session.selected_in(kind)[:1])
        return next((self._spans[place] for place in places if place in self._spans), None)

    def _selected_step(self, memory: MemoryMap) -> int:
        """Of a node that runs in both halves the step that was chosen, else the one in the graph selected in."""
        selected = self.session.selection.graph
        kinds = sorted(_RUNNING_KINDS, key=lambda kind: kind is not selected)
        steps = [memory.step_of(kind, node) for kind in kinds for node in self.session.selected_in(kind)[:1]]
        return self._chosen if self._chosen in steps else next(iter(steps), -1)

    # --- From the person --------------------------------------------------------------------------------------

    def _on_step_clicked(self, step: int) -> None:
        if self._memory is not None:
            self._choose(step)
            select_in_shown_graph(self.session, [self._memory.place_of(step)])

    def _choose(self, step: int) -> None:
        self._chosen = step
        self.table.show_step(self._memory, step)
        self._show_legend()

    def showEvent(self, event: QShowEvent) -> None:
        """What happened behind another tab is shown now."""
        super().showEvent(event)
        self._refresh_if_seen()


def _unbroken(text: str) -> str:
    return text.replace(" ", "&nbsp;")


def _empty_text(region: Region | None) -> str:
    return NO_STORAGES if region else NO_CAPTURE
