"""Where a stepping session stands in time: a position in the forward or the backward, and all that was executed.

The position may lie before the frontier, which is how far execution has come: then going on only moves it, because
running a node again would give the same value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aotgui.engine.cursor import Cursor, backward_args
from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.half import Half
from aotgui.engine.step_edits import Edits
from aotgui.model.graph import Graph, GraphKind

Position = tuple[GraphKind, int]
"""A graph and the index of the node that would run next."""


class Timeline:
    """One execution of the halves of a region, which can be looked at at any moment.

    Attributes:
        graph: the graph that the position is in.
        node: index of the node that would run next.
        cursors: how far each graph was executed, in the order in which they run.
    """

    def __init__(self, halves: Mapping[GraphKind, Half], start: GraphKind, edits: Edits, limit_bytes: int) -> None:
        """Takes what will be executed; ``begun`` also stands before the first node."""
        self.graph = start
        self.node = 0
        self.cursors: dict[GraphKind, Cursor] = {}
        self._halves = halves
        self._edits = edits
        self._limit_bytes = limit_bytes

    @classmethod
    def begun(cls, halves: Mapping[GraphKind, Half], start: GraphKind, edits: Edits, limit_bytes: int) -> Timeline:
        """A new execution that stands before the first node of a graph.

        Args:
            halves: of a region; those that can be reached have a recorded call.
            start: the graph.
            edits: values that are replaced.
            limit_bytes: of the values kept of each graph.
        """
        timeline = cls(halves, start, edits, limit_bytes)
        timeline._enter(start, halves[start].fresh_args())
        return timeline

    @property
    def position(self) -> Position:
        """Graph and node."""
        return self.graph, self.node

    @property
    def cursor(self) -> Cursor:
        """Of the graph that the position is in."""
        return self.cursors[self.graph]

    @property
    def at_end(self) -> bool:
        """Whether nothing is left to run."""
        return self.node >= len(self.cursor.plans)

    @property
    def at_start(self) -> bool:
        """Whether nothing is left to go back to."""
        return self.position == (next(iter(self.cursors)), 0)

    @property
    def is_known(self) -> bool:
        """Whether the next node has been executed."""
        return self.node < self.cursor.position

    @property
    def forward(self) -> Graph | None:
        """The forward graph, if the region has one."""
        half = self._halves.get(GraphKind.FORWARD)
        return half.graph if half else None

    @property
    def dropped(self) -> int:
        """Number of values that were let go."""
        return sum(cursor.dropped for cursor in self.cursors.values())

    def kept_bytes(self) -> int:
        """Bytes of computed values that are kept."""
        return sum(cursor.kept_bytes() for cursor in self.cursors.values())

    @property
    def frontier(self) -> dict[GraphKind, int]:
        """How many nodes of each graph have been executed."""
        return {kind: cursor.position for kind, cursor in self.cursors.items()}

    def advance(self) -> Any:
        """Goes over the next node, which runs if it has not; returns its value where it ran, else None.

        Raises:
            NodeMismatchError: the value is not as traced; it stands after the node.
            Exception: what the operator raised; it stands before the node.
        """
        if self.is_known:
            return self._passed(None)
        try:
            value = self.cursor.execute()
        except NodeMismatchError:
            self._passed(None)
            raise
        return self._passed(value)

    def accept(self, value: Any) -> None:
        """Goes over the next node with a value that was computed elsewhere; raises ``NodeMismatchError`` likewise."""
        try:
            self.cursor.accept(value)
        finally:
            self._passed(None)

    def _passed(self, value: Any) -> Any:
        self.node += 1
        if self.at_end:
            self._go_on_into_backward()
        return value

    def move(self, graph: GraphKind, node: int) -> None:
        """Stands before an executed node, or before the first that has not been executed."""
        self.graph, self.node = graph, node
        self._go_on_into_backward()

    def back(self) -> Position:
        """The position one node before; the position itself at the start."""
        if self.node > 0:
            return self.graph, self.node - 1
        earlier = list(self.cursors)[: list(self.cursors).index(self.graph)]
        return (earlier[-1], len(self.cursors[earlier[-1]].plans) - 1) if earlier else self.position

    def normal(self, graph: GraphKind, node: int) -> Position:
        """A position as it is when it is reached: the forward's end is the backward's beginning."""
        is_end = node >= len(self._halves[graph].plan.nodes)
        return (
            (GraphKind.BACKWARD, 0) if is_end and graph is GraphKind.FORWARD and self._has_backward else (graph, node)
        )

    def is_passed(self, aim: Position) -> bool:
        """Whether a position lies before this one."""
        return aim[0] in self.cursors and self.is_before(aim, self.position)

    def is_before(self, one: Position, other: Position) -> bool:
        """Whether a position comes before another, both in graphs that were entered."""
        order = list(self.cursors)
        return (order.index(one[0]), one[1]) < (order.index(other[0]), other[1])

    def seen(self, graph: GraphKind, node: int, at: int = -1) -> Any:
        """The value of an executed node as it stood before the node ``at`` ran, by default at the position.

        Raises:
            LookupError: the node has not been executed.
        """
        cursor = self.cursors.get(graph)
        if cursor is None or not cursor.has(node):
            raise LookupError("not executed yet")
        if at < 0:
            at = max(self.node, node + 1) if graph is self.graph else cursor.position
        return cursor.value(node, at)

    def in_forward(self, graph: GraphKind, node: int) -> int | None:
        """Where the forward computed what is an argument of the backward; None where it did not in this session."""
        forward, plan = self.cursors.get(GraphKind.FORWARD), self.cursors[graph].plans[node]
        if graph is not GraphKind.BACKWARD or forward is None or plan.position < 0:
            return None
        found = forward.half.graph.index_of.get(plan.node.name)
        return found if found is not None and forward.has(found) else None

    def void(self, graph: GraphKind, node: int) -> dict[GraphKind, int]:
        """Makes all from a node on void and stands there; returns from where on each graph is void."""
        voided = {graph: node}
        for later in list(self.cursors)[list(self.cursors).index(graph) + 1 :]:
            del self.cursors[later]
            voided[later] = 0
        self.cursors[graph].go_back(node)
        self.move(graph, node)
        return voided

    def install_edits(self) -> None:
        """Makes later executions use the edits as they are now."""
        for kind, cursor in self.cursors.items():
            cursor.edits = self._edits.of(self._halves[kind].graph, self.lookup)

    def unmodified(self) -> Timeline:
        """The same execution without edits; call before the first edit."""
        other = Timeline(self._halves, self.graph, Edits(), self._limit_bytes)
        other.node = self.node
        other.cursors = {kind: cursor.fork() for kind, cursor in self.cursors.items()}
        return other

    def lookup(self, name: str) -> Any:
        """The value of an executed node by its name, first of the graph that the position is in.

        Raises:
            NameError: there is no such node, or it has not been executed.
        """
        kind, index = self._find(name)
        return self.cursors[kind].value(index, self.node if kind is self.graph else None)

    def lookup_here(self, name: str) -> Any:
        """Like ``lookup``, but only of nodes before the position: what lies ahead after going back is not known here.

        Raises:
            NameError: there is no such node before the position.
        """
        if self.is_before(self._find(name), self.position):
            return self.lookup(name)
        raise NameError(f"name '{name}' is a node that has not been executed here")

    def _find(self, name: str) -> Position:
        for kind in (self.graph, *(kind for kind in self.cursors if kind is not self.graph)):
            index = self._halves[kind].graph.index_of.get(name)
            if index is not None and self.cursors[kind].has(index):
                return kind, index
        raise NameError(f"name '{name}' is no executed node")

    def _enter(self, kind: GraphKind, args: list[Any]) -> None:
        self.cursors[kind] = Cursor(self._halves[kind], args, self._limit_bytes)
        self.install_edits()

    @property
    def _has_backward(self) -> bool:
        backward = self._halves.get(GraphKind.BACKWARD)
        return backward is not None and backward.recorded is not None

    def _go_on_into_backward(self) -> None:
        if self.graph is not GraphKind.FORWARD or not self._has_backward or not self.at_end:
            return
        if GraphKind.BACKWARD not in self.cursors:
            backward = self._halves[GraphKind.BACKWARD]
            self._enter(GraphKind.BACKWARD, backward_args(self.cursor, backward))
        self.graph, self.node = GraphKind.BACKWARD, 0
