"""What the debugger does, shown on the boxes of one view: where it stands, what ran, breakpoints, NaN and Inf."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind


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
        self._running_kinds = tuple(GraphKind) if kind is GraphKind.JOINT else (kind,)
        session.stepping_changed.connect(self._on_stepping_changed)
        session.values_changed.connect(self._on_values_changed)
        session.breakpoints_changed.connect(self._on_breakpoints_changed)

    def show(self) -> None:
        """Marks a graph that has no marks yet."""
        self._show_executed()
        self._on_breakpoints_changed()
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
        for kind in self._running_kinds:
            self._add_executed(kind, list(self._session.values(kind)))

    def _add_executed(self, graph: GraphKind, nodes: list[int]) -> None:
        """Nodes of a graph were executed."""
        if nodes:
            values, session = self._session.values(graph), self._session
            nonfinite = [node for node in nodes if not values[node].is_finite]
            shown = session.copies_in(self._kind, graph, nodes)
            self._view.add_executed(shown, session.copies_in(self._kind, graph, nonfinite))

    def _on_breakpoints_changed(self) -> None:
        if self._is_current():
            self._view.set_breakpoints(self._session.breakpoints_in(self._kind))
