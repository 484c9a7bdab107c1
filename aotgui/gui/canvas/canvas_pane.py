"""One graph of the session with all that belongs around it: modules, legend, overview, nested graphs, menus."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QAction, QCursor, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from aotgui.gui.canvas.anchor import find_anchor, hold
from aotgui.gui.canvas.arranging import Arrange, Arrangement, arrange
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.dimming import Reason
from aotgui.gui.canvas.execution_marks import ExecutionMarks
from aotgui.gui.canvas.nested_graphs import graphs_of
from aotgui.gui.canvas.pane_frame import PaneFrame
from aotgui.gui.canvas.pane_menus import PaneMenus
from aotgui.gui.canvas.pane_words import empty_message
from aotgui.gui.canvas.spot_marks import SpotBar
from aotgui.gui.session.session import Session
from aotgui.gui.session.view_state import ViewState
from aotgui.layout.result import Group
from aotgui.model.graph import Graph, GraphKind


@dataclass(frozen=True, slots=True)
class _Outer:
    """A graph that one left for a graph inside it.

    Attributes:
        arrangement: how it was shown.
        camera: where one looked.
        name: of the graph inside.
    """

    arrangement: Arrangement
    camera: Camera
    name: str


class CanvasPane(PaneFrame):
    """Shows one graph of the session's region and writes back what a person does with it.

    Signals:
        run_to_requested: graph and node: execute until there.
        go_to_requested: graph and node: travel in time to there.
        breakpoint_requested: graph and node: ask for a breakpoint with a condition or a message.
        node_activated: graph and node: double click or Enter.
        layout_failed: graph and what went wrong.
        decision_requested: names of nodes of the joint graph and the ``Decision`` for them, or None.
        inner_selected: nodes of a graph inside, which only this view shows.

    Attributes:
        spot_bar: says what is marked, and takes the marks away.
        expands_to_reveal: whether modules open to show a node that is asked for.
        value_actions: what can be done with the value of the selected node.
    """

    run_to_requested = Signal(object, int)
    go_to_requested = Signal(object, int)
    breakpoint_requested = Signal(object, int)
    node_activated = Signal(object, int)
    layout_failed = Signal(object, str)
    decision_requested = Signal(object, object)
    inner_selected = Signal(list)

    def __init__(
        self,
        session: Session,
        kind: GraphKind,
        state: ViewState | None = None,
        parent: QWidget | None = None,
        work: Arrange = arrange,
    ) -> None:
        super().__init__(kind, work, parent)
        self._session = session
        self._kind = kind
        self._shown: Graph | None = None
        self._source = ""
        self._shown_place: tuple[str, int] = ("", 0)
        self._outer: list[_Outer] = []
        self._to_restore: ViewState | None = None
        self._left: ViewState | None = None
        self._to_reveal = -1
        self.expands_to_reveal = True
        self.value_actions: list[QAction] = []
        self._execution = ExecutionMarks(self.view, session, kind, lambda: self.is_current)
        self.spot_bar = SpotBar(self.view, self._dimming, session, kind, lambda: self.is_current)
        self._menus = PaneMenus(self, session, self._selecting)
        self.add_bar(self.spot_bar)
        self._connect()
        self.restore_state(state)
        self._on_capture_changed()

    @property
    def kind(self) -> GraphKind:
        """Which graph."""
        return self._kind

    @property
    def source(self) -> str:
        """The source whose graph is shown; empty for none."""
        return self._source

    @property
    def menus(self) -> PaneMenus:
        """Builds the context menus."""
        return self._menus

    def set_search(self, faded: NDArray[np.bool_] | None) -> None:
        """Fades what a search left out: bool (nodes,), True for faded, or None."""
        if not self._outer:
            self._dimming.set(Reason.SEARCH, faded)

    # --- How one looked ---------------------------------------------------------------------------------------

    def state(self) -> ViewState | None:
        """How the graph is looked at now, or was before it went away; to be restored later. None without one."""
        outermost = self._outer[0] if self._outer else None
        arrangement = outermost.arrangement if outermost else self.folds.shown
        if arrangement is None:
            return self._left
        camera = outermost.camera if outermost else self.view.camera
        expanded = arrangement.expanded
        return ViewState(
            scale=camera.scale,
            left=camera.left,
            top=camera.top,
            nodes=len(arrangement.graph),
            is_flat=expanded is None,
            expanded=tuple(sorted(expanded or ())),
            colour_mode=self.view.colour_mode.name,
        )

    def restore_state(self, state: ViewState | None) -> None:
        """Shows the next graph as it was looked at before; None: as is best for a first look."""
        self._to_restore = state
        if state is not None and state.colour_mode in ColourMode.__members__:
            self.set_colour_mode(ColourMode[state.colour_mode])

    # --- From the session -------------------------------------------------------------------------------------

    def _connect(self) -> None:
        session, view = self._session, self.view
        session.capture_changed.connect(self._on_capture_changed)
        session.result_changed.connect(self._on_result_changed)
        session.progress_changed.connect(self._on_progress_changed)
        session.selection_changed.connect(self._on_selection_changed)
        session.reveal_requested.connect(self._on_reveal_requested)
        view.selection_requested.connect(self.select)
        view.node_activated.connect(self._on_node_activated)
        view.context_menu_requested.connect(self._on_context_menu_requested)
        view.group_menu_requested.connect(self._on_group_menu_requested)
        self._selecting.selection_requested.connect(self.select)
        self._selecting.shown_elsewhere.connect(self._on_shown_elsewhere)
        self.ruler.chosen.connect(self._on_module_chosen)
        self.header.crumb_clicked.connect(self.leave_to)
        self.folds.arranged.connect(self._on_arranged)
        self.folds.failed.connect(self._on_layout_failed)
        self.folds.slow.connect(self._on_layout_slow)
        QShortcut(QKeySequence(Qt.Key.Key_Backspace), view, self.leave, context=Qt.ShortcutContext.WidgetShortcut)

    def _on_capture_changed(self) -> None:
        graph = self._session.graph(self._kind)
        self._left = self.state()
        self._outer.clear()
        self._show_path()
        if graph is None:
            self.folds.clear()
            self._shown = None
            self.view.set_graph(None, None)
            self.ruler.show_modules([])
            self.header.refresh()
            self._on_progress_changed()
            return
        state, former = self._to_restore, self.folds.shown
        if state is not None:
            self.folds.open(graph, None if state.is_flat else frozenset(state.expanded), is_opening=False)
        elif former is not None and self._source == self._session.source:
            self.folds.open(graph, former.expanded, is_opening=False)
        else:
            self.folds.open(graph)
        self._source = self._session.source

    def _on_progress_changed(self) -> None:
        if self._shown is None and not self.folds.is_running:
            self.view.show_message(empty_message(self._session, self._kind))

    def _on_arranged(self, arrangement: Arrangement, is_same: bool) -> None:
        graph = arrangement.graph
        if not self._outer and graph is not self._session.graph(self._kind):
            return
        place = (self._source, self._session.region_index)
        is_rerun = self._shown is not None and place == self._shown_place and not self._outer
        keep_view = is_same or (is_rerun and self._shown is not None and self._shown.names == graph.names)
        anchor = find_anchor(self.view, graph) if is_rerun and not keep_view and self.view.was_moved else None
        if graph is not self._shown:
            self._dimming.clear()
        self._shown, self._shown_place = graph, place
        stays = keep_view or anchor is not None
        self.view.set_graph(graph, arrangement.layout, keep_view=stays, saved_bytes=self._saved_bytes())
        if anchor is not None:
            hold(self.view, anchor)
        self.ruler.show_modules(arrangement.bands)
        if not len(graph):
            self.view.show_message("This graph has no nodes.")
        if not keep_view:
            self.legend.clear_filter()
        elif not is_same:
            self.legend.apply_filter()
        self._dimming.apply()
        self._show_state()
        self._look_again(graph)

    def _saved_bytes(self) -> dict[int, int] | None:
        """What each saved activation of the graph shown adds to what is saved; None for a graph inside it."""
        region = self._session.region
        return region.activation_bytes(self._kind) if region is not None and not self._outer else None

    def _on_result_changed(self) -> None:
        """The same graphs of another run, whose storages may be of other sizes: groups tell the new ones."""
        arrangement, scene = self.folds.shown, self.view.scene
        if arrangement is None or scene is None or self.folds.is_running or not self.is_current:
            return
        if self._saved_bytes() != scene.saved_bytes:
            self.folds.show(arrangement)

    def _look_again(self, graph: Graph) -> None:
        """Goes where one was asked to look while the graph was being laid out, or looked before."""
        state, node = self._to_restore, self._to_reveal
        self._to_restore, self._to_reveal = None, -1
        if state is not None and state.scale > 0 and state.nodes == len(graph):
            self._settle()
            self.view.look_at(Camera(state.scale, state.left, state.top))
        if node >= 0:
            self.reveal(node)

    def _on_layout_failed(self, graph: Graph, reason: str) -> None:
        self._shown = None
        self.view.set_graph(None, None)
        self.view.show_message(f"The {self._kind} graph could not be laid out. {reason}")
        self.layout_failed.emit(self._kind, reason)

    def _on_layout_slow(self) -> None:
        if self._shown is None:
            self.view.show_message("Laying out\u2026")

    def _show_state(self) -> None:
        """Everything about the nodes that the session knows."""
        if not self.is_current:
            return
        self._execution.show()
        self.spot_bar.show_spot()
        self._on_selection_changed()

    @property
    def is_current(self) -> bool:
        """Whether the view shows the session's graph: not its predecessor, nor a graph inside it."""
        return not self._outer and self._shown is not None and self._shown is self._session.graph(self._kind)

    def _on_selection_changed(self) -> None:
        if self.is_current:
            self.view.set_selection(self._session.selected_in(self._kind))

    def _on_reveal_requested(self, graph: GraphKind, node: int) -> None:
        region = self._session.region
        if region is None or graph not in region.graphs:
            return
        copies = [node] if graph is self._kind else region.counterparts(graph, node).get(self._kind, [])
        if not copies:
            return
        if self._outer and graph is self._kind:
            self.leave_to(0)
        if self.is_current:
            self.reveal(copies[0])
        elif self.folds.is_running and not self._outer:
            self._to_reveal = copies[0]

    def follow_selection(self) -> None:
        """Brings what was selected in another graph into view, without opening modules."""
        if self.is_current and self._session.selection.graph is not self._kind:
            for node in self._session.selected_in(self._kind)[:1]:
                self.view.reveal(node)

    def reveal(self, node: int) -> None:
        """Brings a node into view, opening the modules that hide it if that is wanted."""
        if not (self.expands_to_reveal and self.folds.reveal(node)):
            self.view.reveal(node)

    # --- Graphs inside ----------------------------------------------------------------------------------------

    def enter(self, name: str) -> None:
        """Shows a graph that the graph shown runs."""
        arrangement = self.folds.shown
        if arrangement is not None and name in arrangement.graph.subgraphs:
            self._outer.append(_Outer(arrangement, self.view.camera, name))
            self._show_path()
            self.folds.open(arrangement.graph.subgraphs[name])

    def leave(self) -> None:
        """Back to the graph around the one shown."""
        if self._outer:
            self.leave_to(len(self._outer) - 1)

    def leave_to(self, depth: int) -> None:
        """Back to the graph that is so many steps inside the outermost one."""
        if depth >= len(self._outer):
            return
        outer = self._outer[depth]
        del self._outer[depth:]
        self._show_path()
        self.folds.show(outer.arrangement)
        self.view.look_at(outer.camera)

    def _show_path(self) -> None:
        self.header.set_path([self._kind.value.capitalize(), *(outer.name for outer in self._outer)])

    # --- From the view ----------------------------------------------------------------------------------------

    def select(self, nodes: Iterable[int]) -> None:
        """Selects nodes of the graph shown: for everybody, or within a graph inside for this view alone."""
        if self.is_current:
            self._session.select(self._kind, nodes)
        elif self._outer:
            self.view.set_selection(nodes)
            self.inner_selected.emit(self.view.selected_nodes)

    def _on_node_activated(self, node: int) -> None:
        self.select([node])
        inside = graphs_of(self._shown, node) if self._shown is not None else []
        if len(inside) == 1:
            self.enter(inside[0])
        elif inside:
            self._menus.for_graphs(inside).popup(QCursor.pos())
        elif self.is_current:
            self.node_activated.emit(self._kind, node)

    def _on_shown_elsewhere(self, node: int) -> None:
        if (other := self._menus.other_graph_of(node)) is not None:
            self._session.select(self._kind, [node], reveal=True)
            self._session.show_graph(other)

    def _on_context_menu_requested(self, node: int, place: QPoint) -> None:
        if node >= 0 and node not in self.view.selected_nodes:
            self.select([node])
        self._menus.for_node(node).popup(place)

    def _on_group_menu_requested(self, number: int, at: QPointF, place: QPoint) -> None:
        self._menus.for_group(number, at).popup(place)

    def _on_module_chosen(self, group: Group, is_double: bool) -> None:
        self.select(group.nodes.tolist())
        if is_double:
            self.view.fit_selection()
