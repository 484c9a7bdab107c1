"""Other partitions of the graphs on screen: a table, a plot, and a slider for the memory budget."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSlider, QSplitter, QVBoxLayout, QWidget

from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel
from aotgui.gui.panels.partition_table import EMPTY, PartitionTable
from aotgui.gui.panels.partition_words import difference_text, entry_spot, flops_text
from aotgui.gui.session.partition_control import PartitionControl
from aotgui.gui.session.partitions import PartitionEntry
from aotgui.gui.session.session import Session
from aotgui.gui.session.spotlight import Spot
from aotgui.model.graph import GraphKind
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.model.text import bytes_text, count_text, number_text, seconds_text

if TYPE_CHECKING:
    from aotgui.gui.panels.pareto_plot import ParetoPlot, ParetoPoint  # brings pyqtgraph

STEPS: Final = 20
"""Positions of the slider: twentieths of the whole budget."""
SLIDER_PX: Final = 150
NARROW_SLIDER_PX: Final = 80
NARROW_PX: Final = 600
"""In a panel narrower than this the controls stay on one line with a shorter slider."""
LOW_PX: Final = 180
"""In a panel lower than this the rows need the room more than the hint below them."""
PLOT_PX: Final = 160
HINT: Final = "Choose a row or point to see what it would change; double click marks the nodes."


class PartitionsPanel(QWidget):
    """Compares partitions of the captured joint graph; nothing is traced again.

    Attributes:
        session: the truth.
        control: asks the engine.
        table: the partitions.
        slider: the memory budget to try.
        compare_button: compares torch's partitioners and a few budgets.
        apply_button: runs again with the chosen partition.
        differences_button: marks the nodes that the chosen partition treats otherwise.
        status: what the chosen partition changes, or why nothing can be done.
    """

    def __init__(self, session: Session, control: PartitionControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.control = control
        self.table = PartitionTable(session)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.budget = QLabel()
        self.compare_button = QPushButton("Compare")
        self.apply_button = QPushButton("Apply")
        self.differences_button = QPushButton("Mark Differences")
        self.status = MutedLabel()
        self._plot: ParetoPlot | None = None
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._set_up_controls()
        self._set_up_layout()
        self._connect()
        self._refresh()

    @property
    def plot(self) -> ParetoPlot | None:
        """The plot; None until the panel was first seen with something to plot."""
        return self._plot

    # --- Building ---------------------------------------------------------------------------------------------

    def _set_up_controls(self) -> None:
        self.slider.setRange(0, STEPS)
        self.slider.setValue(STEPS)
        self.slider.setPageStep(4)
        self.slider.setAccessibleName("Memory budget to try")
        tip = (
            "Share of activation memory that min_cut may keep. The captured joint graph is partitioned again, without "
            "tracing; nothing runs until you apply it."
        )
        self.slider.setToolTip(tip)
        self.budget.setToolTip(tip)
        self.budget.setMinimumWidth(self.fontMetrics().horizontalAdvance("Memory budget 0.00"))
        self.compare_button.setToolTip("Work out what torch's partitioners and smaller memory budgets would save.")
        self.apply_button.setToolTip("Run again with the chosen partitioner, memory budget and decisions.")
        self.differences_button.setToolTip("Mark the nodes that the chosen partition treats otherwise, in every graph.")
        self._show_budget()

    def _set_up_layout(self) -> None:
        budget = QWidget()
        budget.setFixedHeight(self.compare_button.sizeHint().height())
        line = QHBoxLayout(budget)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.budget)
        line.addWidget(self.slider)
        head = QWidget()
        head.setContentsMargins(MARGIN, 0, MARGIN, 0)
        tools = FlowLayout(head, spacing=SPACING)
        for widget in (self.compare_button, budget, self.differences_button, self.apply_button):
            tools.addWidget(widget)
        self.status.setContentsMargins(MARGIN, 0, MARGIN, 0)
        self._splitter.addWidget(self.table)
        self._splitter.setChildrenCollapsible(False)
        # A low panel squeezes the rows, which scroll, and not the controls above them.
        self._splitter.setMinimumHeight(self.fontMetrics().lineSpacing())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACING, 0, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(head)
        layout.addWidget(self._splitter, 1)
        layout.addWidget(self.status)

    def _connect(self) -> None:
        self.compare_button.clicked.connect(self.control.compare)
        self.slider.valueChanged.connect(self._on_slider_moved)
        self.apply_button.clicked.connect(self._apply)
        self.differences_button.clicked.connect(self._mark_differences)
        self.table.row_activated.connect(lambda _entry: self._mark_differences())
        self.table.view.selectionModel().selectionChanged.connect(self._refresh)
        self.session.partitions.entries_changed.connect(self._refresh)
        self.control.working_changed.connect(self._refresh)
        self.session.progress_changed.connect(self._refresh)
        self.session.capture_changed.connect(self._on_capture_changed)

    # --- State ------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        entry, obstacle = self.table.chosen(), self.control.obstacle
        can = not obstacle
        is_other = entry is not None and entry.choice != self.session.partitions.base
        self.compare_button.setEnabled(can)
        self.slider.setEnabled(can)
        self.apply_button.setEnabled(can and is_other and self._can_apply(entry))
        self.differences_button.setEnabled(self._spot() is not None)
        self.table.set_empty_text(obstacle or EMPTY)
        self._show_status()
        self._show_plot()

    def _can_apply(self, entry: PartitionEntry | None) -> bool:
        """Whether what is chosen can be run; decisions cannot everywhere."""
        return entry is not None and not (entry.choice.decisions and self.control.run_obstacle)

    def _show_status(self) -> None:
        text = self._status_text(self.table.chosen(), self.control.obstacle)
        self.status.setText(text)
        self.status.setVisible(bool(text))

    def _status_text(self, entry: PartitionEntry | None, obstacle: str) -> str:
        if self.control.is_working:
            return f"Partitioning… {count_text(self.control.waiting, 'partition')} to go."
        base = self.session.partitions.entry(self.session.partitions.base).result
        if entry is not None and entry.problem is not None:
            return entry.problem.message
        if entry is not None and entry.result is not None and base is not None and entry.result is not base:
            return f"{entry.choice}: {difference_text(base, entry.result)}."
        if not self.session.partitions.entries:
            return ""
        return obstacle or ("" if self.height() < LOW_PX else HINT)

    def _show_budget(self) -> None:
        self.budget.setText(f"Memory budget {self.slider.value() / STEPS:.2f}")

    def _on_capture_changed(self) -> None:
        settings = self.session.capture.settings if self.session.capture else None
        with QSignalBlocker(self.slider):
            self.slider.setValue(round(STEPS * settings.memory_budget) if settings else STEPS)
        self._show_budget()
        self._refresh()

    # --- The plot ---------------------------------------------------------------------------------------------

    def _show_plot(self) -> None:
        """Where there are two points at least and somebody looks."""
        known = [entry for entry in self.session.partitions.entries if entry.result is not None]
        if self._plot is None and (len(known) < 2 or not self.isVisible()):
            return
        plot = self._build_plot()
        plot.setVisible(len(known) >= 2)
        results = [entry.result for entry in known if entry.result is not None]
        points, cost = pareto_points(results)
        chosen = self.table.chosen()
        place = next((place for place, result in enumerate(results) if chosen and result.choice == chosen.choice), -1)
        plot.show_points(points, place, cost)

    def _build_plot(self) -> ParetoPlot:
        if self._plot is None:
            from aotgui.gui.panels.pareto_plot import ParetoPlot  # costs 0.4 s, which the window does without

            self._plot = ParetoPlot()
            self._plot.setMinimumWidth(PLOT_PX)
            self._plot.point_clicked.connect(self._on_point_clicked)
            self._splitter.addWidget(self._plot)
            self._splitter.setSizes([600, 400])
        return self._plot

    def _on_point_clicked(self, place: int) -> None:
        known = [entry for entry in self.session.partitions.entries if entry.result is not None]
        if place < len(known):
            self.table.choose(known[place].choice)

    # --- From the person --------------------------------------------------------------------------------------

    def _on_slider_moved(self) -> None:
        self._show_budget()
        self.control.try_budget(self.slider.value() / STEPS)

    def _apply(self) -> None:
        entry = self.table.chosen()
        if entry is not None:
            self.control.apply(entry.choice)

    def _mark_differences(self) -> None:
        spot = self._spot()
        if spot is not None:
            self.session.show_graph(GraphKind.JOINT)
            self.session.spotlight.show(spot)

    def _spot(self) -> Spot | None:
        """What can be marked of the chosen partition."""
        entry = self.table.chosen()
        is_shown = entry is not None and entry.choice == self.session.partitions.base
        return None if is_shown else entry_spot(self.session.graph(GraphKind.JOINT), entry)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A second line of controls, or a hint, would take the room of the rows."""
        self._show_status()
        self.slider.setFixedWidth(SLIDER_PX if self.width() >= NARROW_PX else NARROW_SLIDER_PX)
        super().resizeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """What happened behind another tab is plotted now."""
        super().showEvent(event)
        self._refresh()


def pareto_points(results: Sequence[PartitionResult]) -> tuple[list[ParetoPoint], str]:
    """Points for the plot, and what its axis of the cost says: time where every one was measured, else operations."""
    from aotgui.gui.panels.pareto_plot import ParetoPoint  # costs 0.4 s: see above

    measured = all(result.recomputed_seconds is not None for result in results)
    points = [
        ParetoPoint(
            _label(result.choice),
            result.saved_activation_bytes,
            1000 * (result.recomputed_seconds or 0.0) if measured else result.recomputed_flops / 1e6,
            _tip(result),
            is_reference=_is_reference(result.choice),
        )
        for result in results
    ]
    return points, "recomputation, ms" if measured else "recomputation, MFLOP"


def _tip(result: PartitionResult) -> str:
    time = "" if result.recomputed_seconds is None else f", {seconds_text(result.recomputed_seconds)}"
    return (
        f"{result.choice}\n{bytes_text(result.saved_activation_bytes)} of activations saved\n"
        f"{count_text(len(result.recomputed), 'node')} recomputed: {flops_text(result.recomputed_flops)}{time}"
    )


def _label(choice: PartitionChoice) -> str:
    """Of the points along the budget only the number: the others have room then."""
    is_budget = not _is_reference(choice) and choice.memory_budget != 1.0
    return number_text(choice.memory_budget, 3) if is_budget else str(choice)


def _is_reference(choice: PartitionChoice) -> bool:
    return choice.partitioner != "min_cut" or bool(choice.decisions)
