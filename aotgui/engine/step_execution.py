"""One execution of a region: goes over single nodes, notes what they gave, and knows why to stop at one."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.half import Half
from aotgui.engine.step_beside import Comparisons
from aotgui.engine.step_checks import Checks, is_hit_before
from aotgui.engine.step_edits import Edits
from aotgui.engine.step_record import Record
from aotgui.engine.step_stop import Stop
from aotgui.engine.step_stops import Stops
from aotgui.engine.timeline import Timeline
from aotgui.engine.values import stats_of
from aotgui.model.breakpoint import BreakpointHit, BreakpointKind
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Mutation
from aotgui.protocol.messages import StartStepping, StopReason


class Execution:
    """Executes the halves of a region one node at a time.

    Attributes:
        halves: of the region.
        timeline: where it stands and what was computed.
        record: what is known of executed nodes, and what is new.
        edits: the values that are replaced.
        comparisons: the runs beside it.
        stops: the breakpoints.
        checks: those that look at values.
    """

    def __init__(self, request: StartStepping, halves: Mapping[GraphKind, Half]) -> None:
        self.halves = halves
        self.edits = Edits(request.edits)
        self.record = Record(request.statistics)
        self.stops = Stops([], {})
        self._limit_bytes = request.memory_limit_bytes
        self.comparisons = Comparisons(halves, self.record, self._limit_bytes)
        self._begin(request.graph)
        self.comparisons.has_reference = request.reference

    def restart(self, start: GraphKind) -> None:
        """Makes everything void and stands before the first node of a graph; edits stay."""
        self.stops.forget_hits()
        self.record.restart()
        self._begin(start)

    def set_stops(self, stops: Stops) -> None:
        """Replaces the breakpoints."""
        stops.keep_hits(self.stops)
        self.stops = stops
        self.checks = Checks(stops, self.timeline, self.record)

    def advance(self, obeys_stops: bool = True) -> Stop | None:
        """Goes over one node; returns why to stop after it."""
        timeline = self.timeline
        kind, index = timeline.position
        if timeline.is_known:
            timeline.advance()
            return self._after(kind, index) if obeys_stops else None
        cursor, halt = timeline.cursor, None
        begin = time.perf_counter()
        try:
            value = timeline.advance()
        except NodeMismatchError as mismatch:
            value = mismatch.value
            if obeys_stops and self.stops.on_mismatch:
                halt = Stop(StopReason.MISMATCH, cursor.problem(index, mismatch))
        except (Exception, SystemExit) as error:
            return Stop(StopReason.ERROR, cursor.problem(index, error))
        self.executed(kind, index, value, (time.perf_counter() - begin) * 1000)
        return halt or (self._after(kind, index) if obeys_stops else None)

    def executed(self, kind: GraphKind, index: int, value: Any, ms: float) -> None:
        """Notes what a node gave that was executed in so many milliseconds."""
        cursor = self.timeline.cursors[kind]
        self.record.executed(self.timeline, kind, index, value, ms)
        if cursor.half.plan.writes:
            self._note_writes(kind, index)
        if self.comparisons.are_wanted:
            for _ in self.comparisons.catch_up(self.timeline):
                pass  # one node, but for what a person interrupted

    def _note_writes(self, kind: GraphKind, index: int) -> None:
        cursor = self.timeline.cursors[kind]
        for target in cursor.plans[index].writes:
            before = stats_of(target, cursor.value(target, index))
            after = stats_of(target, cursor.value(target, index + 1))
            self.record.mutated(kind, Mutation(node=index, target=target, before=before, after=after))

    def hits_before(self) -> list[BreakpointHit]:
        """The breakpoints that stop before the next node."""
        kind, node = self.timeline.position
        points = self.stops.before(kind, node)
        return [is_hit_before(point, kind, node) for point in points if self.stops.counts(point)] if points else []

    def again_from(self, graph: GraphKind, node: int) -> Stop:
        """Runs a node again under the edits as they are now; what was computed after it is void."""
        self.timeline.install_edits()
        voided = self.timeline.void(graph, node)
        self.record.void(voided)
        self.comparisons.void(voided)
        return self.advance(obeys_stops=False) or Stop(StopReason.EDITED)

    def _begin(self, start: GraphKind) -> None:
        self.timeline = Timeline.begun(self.halves, start, self.edits, self._limit_bytes)
        self.checks = Checks(self.stops, self.timeline, self.record)
        self.comparisons.begin(start if self.edits else None)

    def _after(self, kind: GraphKind, index: int) -> Stop | None:
        """Why to stop after a node that was gone over, for the breakpoints that look at values."""
        hits = self.checks.hits(kind, index)
        if not hits:
            return None
        is_nonfinite = any(self.stops.kinds.get(hit.id) is BreakpointKind.NONFINITE for hit in hits)
        return Stop(StopReason.NONFINITE if is_nonfinite else StopReason.BREAKPOINT, hits=hits)
