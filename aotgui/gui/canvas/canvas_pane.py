"""One graph of the session with all that belongs around it: legend, overview, colour modes, zoom, context menu."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QSignalBlocker, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QMenu, QToolButton, QVBoxLayout, QWidget

from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.layout_runner import LayoutRunner
from aotgui.gui.canvas.legend import Legend
from aotgui.gui.canvas.minimap import Minimap
from aotgui.gui.session.session import RunState, Session
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph, GraphKind

STEPPABLE: Final = (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE)


class CanvasPane(QWidget):
    """Shows one graph of the session's region and writes back what a person does with it.

    Signals:
        run_to_requested: graph and node: execute until there.
        node_activated: graph and node: double click or Enter.
        layout_failed: graph and what went wrong.
    """

    run_to_requested = Signal(object, int)
    node_activated = Signal(object, int)
    layout_failed = Signal(object, str)

    def __init__(self, session: Session, kind: GraphKind, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._kind = kind
        self._shown: Graph | None = None
        self._filter: NDArray[np.bool_] | None = None
        self._search: NDArray[np.bool_] | None = None
        self.view = GraphView(self)
        self.view.setAccessibleName(f"{kind.value.capitalize()} graph")
        self.minimap = Minimap(self.view)
        self.legend = Legend(self.view, self)
        self._runner = LayoutRunner(self)
        self._zoom_label = QLabel()
        self.colour_box = self._colour_box()
        self._arrange()
        self._connect()
        self._on_capture_changed()

    @property
    def kind(self) -> GraphKind:
        """Which graph."""
        return self._kind

    @property
    def is_laying_out(self) -> bool:
        """Whether a layout is at work."""
        return self._runner.is_running

    def set_search(self, faded: NDArray[np.bool_] | None) -> None:
        """Fades what a search left out: bool (nodes,), True for faded, or None."""
        self._search = faded
        self._apply_dim()

    def close_background(self) -> None:
        """Gives up a layout at work; to be called before the window goes."""
        self._runner.close()

    # --- Building ---------------------------------------------------------------------------------------------

    def _colour_box(self) -> QComboBox:
        box = QComboBox(self)
        for mode in ColourMode:
            box.addItem(mode.value, mode)
        box.setToolTip("What the colour of a box says")
        box.setAccessibleName("Colour mode")
        return box

    def _arrange(self) -> None:
        bar = QHBoxLayout()
        bar.setContentsMargins(8, 3, 8, 3)
        bar.setSpacing(4)
        bar.addWidget(self.legend, 1)
        bar.addWidget(self.colour_box)
        bar.addSpacing(6)
        bar.addWidget(self._button("\u2212", "Zoom out (Ctrl+-)", lambda: self.view.zoom_by(1 / 1.25)))
        self._zoom_label.setMinimumWidth(self._zoom_label.fontMetrics().horizontalAdvance("1000%") + 4)
        self._zoom_label.setAlignment(self._zoom_label.alignment().AlignCenter)
        bar.addWidget(self._zoom_label)
        bar.addWidget(self._button("+", "Zoom in (Ctrl++)", lambda: self.view.zoom_by(1.25)))
        bar.addWidget(self._button("1:1", "Actual size (Ctrl+0)", self.view.zoom_100))
        bar.addWidget(self._button("Fit", "Show the whole graph (Home)", self.view.fit))
        toggle = self._button("Map", "Show or hide the overview", None)
        toggle.setCheckable(True)
        toggle.setChecked(True)
        toggle.toggled.connect(self.minimap.set_wanted)
        bar.addWidget(toggle)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.view, 1)
        column.addLayout(bar)

    def _button(self, text: str, tip: str, slot: object) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        if slot is not None:
            button.clicked.connect(slot)
        return button

    def _connect(self) -> None:
        session, view = self._session, self.view
        session.capture_changed.connect(self._on_capture_changed)
        session.progress_changed.connect(self._on_progress_changed)
        session.selection_changed.connect(self._on_selection_changed)
        session.reveal_requested.connect(self._on_reveal_requested)
        session.stepping_changed.connect(self._on_stepping_changed)
        session.values_changed.connect(self._on_values_changed)
        session.breakpoints_changed.connect(self._on_breakpoints_changed)
        view.selection_requested.connect(self._on_selection_requested)
        view.node_activated.connect(self._on_node_activated)
        view.context_menu_requested.connect(self._on_context_menu_requested)
        view.view_changed.connect(self._on_view_changed)
        self.legend.filter_changed.connect(self._on_filter_changed)
        self.colour_box.currentIndexChanged.connect(self._on_colour_chosen)
        self._runner.finished.connect(self._on_laid_out)
        self._runner.failed.connect(self._on_layout_failed)
        self._runner.slow.connect(self._on_layout_slow)

    # --- From the session -------------------------------------------------------------------------------------

    def _on_capture_changed(self) -> None:
        graph = self._session.graph(self._kind)
        if graph is None:
            self._runner.cancel()
            self._shown = None
            self.view.set_graph(None, None)
            self._on_progress_changed()
        else:
            self._runner.start(graph)

    def _on_progress_changed(self) -> None:
        if self._shown is None and not self._runner.is_running:
            self.view.show_message(self._empty_message())

    def _empty_message(self) -> str:
        session = self._session
        if session.region is not None:
            return _MISSING[self._kind]
        if session.progress.state is RunState.RUNNING and session.progress.stage is not None:
            return f"{session.progress.stage.label}\u2026"
        if session.progress.state is RunState.RUNNING:
            return "Capturing\u2026"
        return "There is no graph to show." if session.source else "Open a Python script to see its graphs."

    def _on_laid_out(self, graph: Graph, layout: Layout) -> None:
        if graph is not self._session.graph(self._kind):
            return
        keep_view = self._shown is not None and self._shown.names == graph.names
        self._shown = graph
        self._search = None
        self.view.set_graph(graph, layout, keep_view=keep_view)
        if not len(graph):
            self.view.show_message("This graph has no nodes.")
        if keep_view:
            self.legend.apply_filter()
        else:
            self.legend.clear_filter()
        self._show_state()

    def _on_layout_failed(self, graph: Graph, reason: str) -> None:
        self._shown = None
        self.view.set_graph(None, None)
        self.view.show_message(f"The {self._kind} graph could not be laid out. {reason}")
        self.layout_failed.emit(self._kind, reason)

    def _on_layout_slow(self) -> None:
        self.view.show_message("Laying out\u2026")

    def _show_state(self) -> None:
        """Everything about the nodes that the session knows."""
        values = self._session.values(self._kind)
        self.view.set_executed(values)
        self.view.set_nonfinite(node for node, value in values.items() if not value.is_finite)
        self._on_breakpoints_changed()
        self._on_selection_changed()
        self._on_stepping_changed()

    @property
    def _is_current(self) -> bool:
        """Whether the view shows the session's graph, not one whose successor is being laid out."""
        return self._shown is not None and self._shown is self._session.graph(self._kind)

    def _on_selection_changed(self) -> None:
        if self._is_current:
            self.view.set_selection(self._session.selected_in(self._kind))

    def _on_reveal_requested(self, graph: GraphKind, node: int) -> None:
        region = self._session.region
        if not self._is_current or region is None or graph not in region.graphs:
            return
        copies = [node] if graph is self._kind else region.counterparts(graph, node).get(self._kind, [])
        if copies:
            self.view.reveal(copies[0])

    def _on_stepping_changed(self) -> None:
        stepping = self._session.stepping
        if not self._is_current or self._shown is None:
            return
        here = stepping.active and stepping.graph is self._kind and 0 <= stepping.node < len(self._shown)
        self.view.set_step_marker(stepping.node if here else None)
        if here:
            self.view.reveal(stepping.node)

    def _on_values_changed(self, graph: GraphKind, nodes: list[int]) -> None:
        if graph is not self._kind or not self._is_current:
            return
        values = self._session.values(graph)
        if nodes:
            self.view.add_executed(nodes, [node for node in nodes if not values[node].is_finite])
        else:
            self.view.set_executed(())
            self.view.set_nonfinite(())

    def _on_breakpoints_changed(self) -> None:
        if self._is_current and self._shown is not None:
            names = self._session.breakpoints.get(self._kind, frozenset())
            index_of = self._shown.index_of
            self.view.set_breakpoints(index_of[name] for name in names if name in index_of)

    # --- From the view ----------------------------------------------------------------------------------------

    def _on_selection_requested(self, nodes: Iterable[int]) -> None:
        if self._is_current:
            self._session.select(self._kind, nodes)

    def _on_node_activated(self, node: int) -> None:
        self._on_selection_requested([node])
        self.node_activated.emit(self._kind, node)

    def _on_context_menu_requested(self, node: int, place: QPoint) -> None:
        if node >= 0 and self.view.scene is not None and self.view.scene.item_of(node) not in self.view.marks.selected:
            self._on_selection_requested([node])
        self.context_menu(node).popup(place)

    def context_menu(self, node: int) -> QMenu:
        """The actions for a node, or for the canvas where ``node`` is -1; deletes itself when closed."""
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        if node >= 0 and self._shown is not None:
            self._add_node_actions(menu, self._shown, node)
            menu.addSeparator()
        menu.addAction("Fit graph", self.view.fit)
        fit_selection = menu.addAction("Fit selection", self.view.fit_selection)
        fit_selection.setEnabled(bool(self.view.marks.selected))
        return menu

    def _add_node_actions(self, menu: QMenu, graph: Graph, node: int) -> None:
        name = graph.names[node]
        if self._kind in STEPPABLE:
            is_set = name in self._session.breakpoints.get(self._kind, frozenset())
            menu.addAction(f"Run to {name}", lambda: self.run_to_requested.emit(self._kind, node))
            menu.addAction("Remove breakpoint" if is_set else "Set breakpoint",
                           lambda: self._session.toggle_breakpoint(self._kind, name))  # fmt: skip
            menu.addSeparator()
        inputs, users = graph.inputs(node), graph.users(node)
        select_inputs = menu.addAction("Select inputs", lambda: self._on_selection_requested(inputs))
        select_inputs.setEnabled(bool(inputs))
        select_users = menu.addAction("Select users", lambda: self._on_selection_requested(users))
        select_users.setEnabled(bool(users))
        menu.addAction("Copy name", lambda: QGuiApplication.clipboard().setText(name))

    def _on_view_changed(self) -> None:
        percent = self.view.camera.scale * 100
        self._zoom_label.setText(f"{percent:.0f}%" if percent >= 10 else f"{percent:.1f}%")

    def _on_filter_changed(self, faded: NDArray[np.bool_] | None) -> None:
        self._filter = faded
        self._apply_dim()

    def _apply_dim(self) -> None:
        masks = [mask for mask in (self._filter, self._search) if mask is not None]
        self.view.dim(np.logical_or.reduce(masks) if masks else None)

    def _on_colour_chosen(self, index: int) -> None:
        self.view.set_colour_mode(self.colour_box.itemData(index))

    def set_colour_mode(self, mode: ColourMode) -> None:
        """What the fills say, in the view and in the box that chooses it."""
        with QSignalBlocker(self.colour_box):
            self.colour_box.setCurrentIndex(self.colour_box.findData(mode))
        self.view.set_colour_mode(mode)


_MISSING: Final = {
    GraphKind.JOINT: "Nothing requires a gradient here, so there is no joint graph.",
    GraphKind.FORWARD: "Nothing requires a gradient here, so there is no forward graph.",
    GraphKind.BACKWARD: "Nothing requires a gradient here, so there is no backward graph.",
    GraphKind.INFERENCE: "This region has a backward, so there is no inference graph.",
}
