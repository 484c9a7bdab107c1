"""Runs beside a session's own: the unmodified one to which edits are compared, and the one in float64.

Both follow node by node: once the session has executed a node, they do, and the difference is known at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from aotgui.engine.cursor import Cursor, backward_args
from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.half import Half
from aotgui.engine.node_error import error_of
from aotgui.engine.reference_cursor import ReferenceCursor
from aotgui.engine.step_edits import Edits
from aotgui.engine.step_record import Record
from aotgui.engine.timeline import Timeline
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import NodeError


class Unmodified:
    """The run without edits."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline

    def error(self, graph: GraphKind, node: int, value: Any) -> NodeError:
        """Runs up to a node that the session has executed, and compares its value."""
        timeline = self._timeline
        while graph not in timeline.cursors or not timeline.cursors[graph].has(node):
            kind = list(timeline.cursors)[-1]
            timeline.move(kind, timeline.cursors[kind].position)
            try:
                timeline.advance()
            except NodeMismatchError:
                continue  # the session says so of its own
            except Exception:
                return NodeError(node=node, text="without the edit this node raises an error")
        return error_of(node, value, timeline.cursors[graph].value(node))


class Reference:
    """The run in float64."""

    def __init__(self, halves: Mapping[GraphKind, Half], timeline: Timeline, limit_bytes: int) -> None:
        self._halves = halves
        self._timeline = timeline
        self._limit_bytes = limit_bytes
        self._cursors: dict[GraphKind, ReferenceCursor] = {}

    def error(self, graph: GraphKind, node: int, value: Any) -> NodeError:
        """Runs up to a node that the session has executed, and compares its value."""
        cursor = self._cursor(graph)
        while not cursor.has(node):
            cursor.execute()
        return error_of(node, value, cursor.value(node), cursor.notes.get(node, ""))

    def void(self, voided: Mapping[GraphKind, int]) -> None:
        """Takes in that the session's values are void from some nodes on."""
        for graph, node in voided.items():
            if graph not in self._timeline.cursors:
                self._cursors.pop(graph, None)
            elif graph in self._cursors:
                self._cursors[graph].go_back(node)

    def _cursor(self, graph: GraphKind) -> ReferenceCursor:
        ordinary = self._timeline.cursors[graph]
        if graph not in self._cursors:
            args = self._args(graph, ordinary)
            self._cursors[graph] = ReferenceCursor(self._halves[graph], args, ordinary, self._limit_bytes)
        cursor = self._cursors[graph]
        cursor.edits = ordinary.edits
        return cursor

    def _args(self, graph: GraphKind, ordinary: Cursor) -> list[Any]:
        """The arguments of a graph; the backward's are what the forward in float64 returned."""
        if graph is GraphKind.BACKWARD and GraphKind.FORWARD in self._timeline.cursors:
            forward = self._cursor(GraphKind.FORWARD)
            while not forward.at_end:
                forward.execute()
            return backward_args(forward, self._halves[graph])
        return ordinary.first_args()


class Comparisons:
    """What a session's values are compared with, and how far that has come.

    Attributes:
        has_reference: whether with a run in float64.
    """

    def __init__(self, halves: Mapping[GraphKind, Half], record: Record, limit_bytes: int) -> None:
        self._halves = halves
        self._record = record
        self._limit_bytes = limit_bytes
        self._unmodified: Unmodified | None = None
        self._reference: Reference | None = None
        self._compared: dict[GraphKind, int] = {}
        self._referred: dict[GraphKind, int] = {}
        self.has_reference = False

    @property
    def are_wanted(self) -> bool:
        """Whether there is anything to compare with."""
        return self.has_reference or self._unmodified is not None

    def begin(self, edited_from: GraphKind | None) -> None:
        """Takes a new execution; ``edited_from`` names its first graph where values are replaced from the start on."""
        self._reference = None
        self._compared, self._referred = {}, {}
        unmodified = edited_from and Timeline.begun(self._halves, edited_from, Edits(), self._limit_bytes)
        self._unmodified = Unmodified(unmodified) if unmodified else None

    def begin_edits(self, timeline: Timeline) -> None:
        """Keeps the execution as it is without edits; what follows is compared with it."""
        self._unmodified = Unmodified(timeline.unmodified())
        self._compared = timeline.frontier

    def end_edits(self) -> None:
        """There are no edits any more."""
        self._unmodified = None

    def void(self, voided: Mapping[GraphKind, int]) -> None:
        """Takes in that the session's values are void from some nodes on."""
        for counts in (self._compared, self._referred):
            counts.update({graph: min(node, counts.get(graph, 0)) for graph, node in voided.items()})
        if self._reference:
            self._reference.void(voided)

    def catch_up(self, timeline: Timeline) -> Iterator[None]:
        """Compares the nodes that were executed since; yields after each."""
        if not self.has_reference:
            self._reference, self._referred = None, {}
        elif self._reference is None:
            self._reference = Reference(self._halves, timeline, self._limit_bytes)
        if self._unmodified is not None:
            yield from self._compare(timeline, self._unmodified, self._compared, self._record.difference)
        if self._reference is not None:
            yield from self._compare(timeline, self._reference, self._referred, self._record.error)

    def _compare(
        self,
        timeline: Timeline,
        beside: Unmodified | Reference,
        done: dict[GraphKind, int],
        note: Callable[[GraphKind, NodeError], None],
    ) -> Iterator[None]:
        for graph, cursor in list(timeline.cursors.items()):
            while (node := done.get(graph, 0)) < cursor.position:
                note(graph, beside.error(graph, node, cursor.value(node, node + 1)))
                done[graph] = node + 1
                yield
