"""What the debugger does, shown on the boxes of one view.

Where it stands, what ran, breakpoints, NaN and Inf, what a what-if changed, and the numbers of the colour modes.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.measures import Measure
from aotgui.gui.canvas.node_facts import facts_line
from aotgui.gui.session.breakpoint_places import marked_nodes
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import NodeError


class ExecutionMarks(QObject):
    """Keeps a view in step with the session's debugger.

    The joint graph, which never runs itself, shows the execution of its halves.
    """

    def __init__(self, view: GraphView, session: Session, kind: GraphKind, is_current: Callable[[], bool]) -> None:
        """Listens to the session.

        Args:
            view: marked.
            session: whose debugger.
            kind: of the graph in the view.
            is_current: whether the view shows the session's graph right now.
        """
        super().__init__(view)
        self._view = view
        self._session = session
        self._kind = kind
        self._is_current = is_current
        view.more_of = self._more_of
        self._running_kinds = tuple(GraphKind) if kind is GraphKind.JOINT else (kind,)
        session.stepping_changed.connect(self._on_stepping_changed)
        session.values_changed.connect(self._on_values_changed)
        session.breakpoints.changed.connect(self._on_breakpoints_changed)
        session.debug.errors_changed.connect(self._on_errors_changed)
        session.debug.differences_changed.connect(self._on_differences_changed)
        session.debug.edits_changed.connect(self._show_changed)

    def show(self) -> None:
        """Marks a graph that has no marks yet."""
        self._show_executed()
        self._on_breakpoints_changed()
        self._show_changed()
        self._show_step_marker()

    def _on_stepping_changed(self) -> None:
        node = self._show_step_marker()
        if node is not None:
            self._view.reveal(node)

    def _show_step_marker(self) -> int | None:
        """Marks where the debugger stands; the node of this graph where it stands, or None."""
        if not self._is_current():
            return None
        node = self._stepping_node()
        self._view.set_step_marker(node)
        return node

    def _stepping_node(self) -> int | None:
        stepping = self._session.stepping
        graph = self._session.graph(stepping.graph)
        is_at_node = stepping.active and graph is not None and 0 <= stepping.node < len(graph)
        if not is_at_node or stepping.graph not in self._running_kinds:
            return None
        return next(iter(self._session.copies_in(self._kind, stepping.graph, [stepping.node])), None)

    def _on_values_changed(self, graph: GraphKind, nodes: list[int]) -> None:
        if graph not in self._running_kinds or not self._is_current():
            return
        if nodes:
            self._add_executed(graph, nodes)
        else:
            self._show_executed()

    def _show_executed(self) -> None:
        self._view.set_executed(())
        self._view.set_nonfinite(())
        self._view.forget_measures()
        debug = self._session.debug
        for kind in self._running_kinds:
            self._add_executed(kind, list(self._session.values(kind)))
            self._add_errors(Measure.ERROR, kind, debug.errors(kind))
            self._add_errors(Measure.DIFFERENCE, kind, debug.differences(kind))

    def _add_executed(self, graph: GraphKind, nodes: list[int]) -> None:
        """Nodes of a graph were executed."""
        if nodes:
            values, session = self._session.values(graph), self._session
            nonfinite = [node for node in nodes if not values[node].is_finite]
            shown = session.copies_in(self._kind, graph, nodes)
            self._view.add_executed(shown, session.copies_in(self._kind, graph, nonfinite))
            self._measure(Measure.MS, graph, {node: values[node].ms for node in nodes})

    def _on_errors_changed(self, graph: GraphKind, nodes: list[int]) -> None:
        self._on_measured(Measure.ERROR, graph, nodes, self._session.debug.errors(graph))

    def _on_differences_changed(self, graph: GraphKind, nodes: list[int]) -> None:
        self._on_measured(Measure.DIFFERENCE, graph, nodes, self._session.debug.differences(graph))
        self._show_changed()

    def _on_measured(self, measure: Measure, graph: GraphKind, nodes: list[int], errors: dict[int, NodeError]) -> None:
        if graph not in self._running_kinds or not self._is_current():
            return
        if nodes:
            self._add_errors(measure, graph, {node: errors[node] for node in nodes if node in errors})
        else:
            self._show_executed()

    def _add_errors(self, measure: Measure, graph: GraphKind, errors: dict[int, NodeError]) -> None:
        self._measure(measure, graph, {node: error.relative for node, error in errors.items()})

    def _measure(self, measure: Measure, graph: GraphKind, values: dict[int, float]) -> None:
        """Numbers of nodes of a graph, by the boxes that show them here."""
        copies = self._session.copies_in
        shown = [(copy, value) for node, value in values.items() for copy in copies(self._kind, graph, [node])]
        if shown:
            self._view.measure(measure, [node for node, _ in shown], [value for _, value in shown])

    def _show_changed(self) -> None:
        """Nodes that another value was put in, and those that it changed."""
        if not self._is_current():
            return
        debug, changed = self._session.debug, []
        for kind in self._running_kinds:
            names = self._session.graph(kind)
            found = [node for node, error in debug.differences(kind).items() if error.relative or error.max_abs]
            edited = [edit.node for edit in debug.edits if edit.graph is kind]
            found += [names.index_of[name] for name in edited if names and name in names.index_of]
            changed += self._session.copies_in(self._kind, kind, found)
        self._view.set_changed(changed)

    def _more_of(self, node: int) -> list[str]:
        """What the debugger knows of a node, for its card: a line for each graph in which it ran."""
        session, debug, lines = self._session, self._session.debug, []
        for kind in self._running_kinds if self._is_current() else ():
            values = session.values(kind)
            ran = [copy for copy in session.copies_in(kind, self._kind, [node]) if copy in values]
            lines += [
                facts_line(
                    f"ran in {kind}", values[copy], debug.errors(kind).get(copy), debug.differences(kind).get(copy)
                )
                for copy in ran[:1]
            ]
        return lines

    def _on_breakpoints_changed(self) -> None:
        if self._is_current():
            self._view.set_breakpoints(marked_nodes(self._session, self._kind))
