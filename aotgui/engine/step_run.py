"""The moves of a stepping session: forwards, backwards, into nested graphs, and again with other values.

A move is an iterator. It yields None where somebody has something to say or a report is due, and a ``Stop`` at its end.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.expressions import ExpressionError
from aotgui.engine.half import Half
from aotgui.engine.step_beside import Comparisons
from aotgui.engine.step_checks import Checks, is_hit_before
from aotgui.engine.step_edits import Edits, ReplacementError, replaced
from aotgui.engine.step_moves import end_of_scope, end_of_step, next_module, start_of_previous
from aotgui.engine.step_nested import CannotEnterError, NestedStack
from aotgui.engine.step_record import Record
from aotgui.engine.step_stops import Stops
from aotgui.engine.timeline import Position, Timeline
from aotgui.engine.values import stats_of
from aotgui.model.breakpoint import BreakpointHit, BreakpointKind
from aotgui.model.capture import Problem
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.stepping import Edit, Granularity, Mutation
from aotgui.protocol.messages import ReplaceValue, RestoreValue, StartStepping, Step, StepAction, StopReason


class Stop(NamedTuple):
    """Why a move ended.

    Attributes:
        reason: in one word.
        problem: what went wrong.
        hits: breakpoints that ended it.
        note: a sentence about what could not be done.
    """

    reason: StopReason
    problem: Problem | None = None
    hits: Sequence[BreakpointHit] = ()
    note: str = ""


Moves = Iterator[Stop | None]


class StepRun:
    """One execution of a region under the hands of a person.

    Attributes:
        timeline: where it stands and what was computed.
        record: what is known of executed nodes, and what is new.
        edits: the values that are replaced.
    """

    def __init__(self, request: StartStepping, halves: Mapping[GraphKind, Half], is_wanted: Callable[[], bool]) -> None:
        """Stands before the first node.

        Args:
            request: what to step through.
            halves: of the region.
            is_wanted: whether somebody has something to say or a report is due.
        """
        self.edits = Edits(request.edits)
        self.record = Record(request.statistics)
        self._halves = halves
        self._limit_bytes = request.memory_limit_bytes
        self._is_wanted = is_wanted
        self._stops = Stops([], {})
        self._nested = NestedStack()
        self._comparisons = Comparisons(halves, self.record, request.memory_limit_bytes)
        self._begin(request.graph)
        self._comparisons.has_reference = request.reference

    def set_stops(self, stops: Stops) -> None:
        """Replaces the breakpoints."""
        stops.keep_hits(self._stops)
        self._stops = stops
        self._checks = Checks(stops, self.timeline, self.record)

    def frames(self) -> list[Any]:
        """The nested graphs that it stands in."""
        return self._nested.frames()

    def perform(self, step: Step) -> Moves:
        """Does what a person asks for."""
        match step.action:
            case StepAction.RESTART:
                self._restart(next(iter(self.timeline.cursors)))
                yield Stop(StopReason.ENTRY)
            case StepAction.STEP_BACK | StepAction.REVERSE_CONTINUE if self._nested:
                self._nested.clear()
                yield Stop(StopReason.STEP)
            case StepAction.STEP_BACK:
                yield self._step_back(step.granularity)
            case StepAction.REVERSE_CONTINUE:
                yield from self._run_back()
            case StepAction.STEP | StepAction.STEP_INTO | StepAction.STEP_OUT:
                yield from self._step(step)
            case _:
                yield from self._leave_nested()
                yield from self._run_on(step)

    def edit(self, request: ReplaceValue | RestoreValue) -> Stop:
        """Replaces a value or takes that back, and stands right after its node."""
        self._nested.clear()
        if isinstance(request, ReplaceValue):
            return self._replace(request)
        return self._restore(request)

    def switch_reference(self, enabled: bool) -> Moves:
        """Switches the run in float64 on, and catches up with what was executed, or off."""
        self._comparisons.has_reference = enabled
        if not enabled:
            self.record.forget_errors()
        for _ in self._comparisons.catch_up(self.timeline):
            if self._is_wanted():
                yield None
        yield Stop(StopReason.STEP)

    @property
    def _graph(self) -> Graph:
        return self._halves[self.timeline.graph].graph

    def _begin(self, start: GraphKind) -> None:
        self.timeline = Timeline.begun(self._halves, start, self.edits, self._limit_bytes)
        self._checks = Checks(self._stops, self.timeline, self.record)
        self._comparisons.begin(self.timeline, start if self.edits else None)

    def _restart(self, start: GraphKind) -> None:
        self._nested.clear()
        self._stops.forget_hits()
        self.record.restart()
        self._begin(start)

    # Forwards

    def _step(self, step: Step) -> Moves:
        if self._nested:
            yield from self._step_nested(step)
            return
        if self.timeline.at_end:
            yield Stop(StopReason.FINISHED)
            return
        note = self._enter() if step.action is StepAction.STEP_INTO else ""
        if self._nested:
            yield Stop(StopReason.STEP)
            return
        action = StepAction.STEP if note else step.action
        yield from self._run(self._aim_of_step(action, step.granularity), StopReason.STEP, note=note)

    def _aim_of_step(self, action: StepAction, granularity: Granularity) -> Position:
        graph, node = self._graph, self.timeline.node
        if action is StepAction.STEP_INTO:
            node = next_module(graph, node)
        elif action is StepAction.STEP_OUT:
            node = end_of_scope(graph, node, granularity)
        else:
            node = end_of_step(graph, node, granularity)
        return self.timeline.normal(self.timeline.graph, node)

    def _run_on(self, step: Step) -> Moves:
        """Continues, to a node or without an aim."""
        aim = None
        if step.action in (StepAction.RUN_TO, StepAction.GO_TO):
            kind = step.graph or self.timeline.graph
            aim = self._aim(kind, step.node)
            if aim is None and step.action is StepAction.GO_TO:
                yield Stop(StopReason.REACHED, note=f"No graph that runs here has a node {step.node}.")
                return
        if aim is not None and aim[0] is GraphKind.FORWARD and aim[0] not in self.timeline.cursors:
            self._restart(GraphKind.FORWARD)
        elif aim is not None and self.timeline.is_passed(aim):
            self.timeline.move(*aim)
        yield from self._run(
            aim,
            StopReason.REACHED,
            obeys_stops=step.action is not StepAction.GO_TO,
            until_nonfinite=step.action is StepAction.RUN_TO_NONFINITE,
        )

    def _aim(self, kind: GraphKind, name: str) -> Position | None:
        """Where to run to: graph and index of the node. A name that no graph has is never reached."""
        half = self._halves.get(kind)
        index = half.graph.index_of.get(name) if half else None
        return None if index is None else (kind, index)

    def _run(
        self,
        aim: Position | None,
        reason: StopReason,
        *,
        obeys_stops: bool = True,
        until_nonfinite: bool = False,
        note: str = "",
    ) -> Moves:
        """Goes over node after node until there is a reason to stop."""
        timeline = self.timeline
        leaving = True  # a breakpoint where it stands does not stop it again
        while timeline.position != aim:
            if timeline.at_end:
                yield Stop(StopReason.FINISHED, note=note)
                return
            if obeys_stops and not leaving and (hits := self._hits_before()):
                yield Stop(StopReason.BREAKPOINT, hits=hits, note=note)
                return
            if not leaving and self._is_wanted():
                yield None
            leaving = False
            at = timeline.position
            stop = self._advance(obeys_stops)
            if stop is None and until_nonfinite and not self.record.stats(timeline, *at).is_finite:
                stop = Stop(StopReason.NONFINITE)
            if stop is not None:
                yield stop._replace(note=note)
                return
        yield Stop(StopReason.FINISHED if timeline.at_end else reason, note=note)

    def _hits_before(self) -> list[BreakpointHit]:
        kind, node = self.timeline.position
        points = self._stops.before(kind, node)
        return [is_hit_before(point, kind, node) for point in points if self._stops.counts(point)] if points else []

    def _advance(self, obeys_stops: bool) -> Stop | None:
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
            if obeys_stops and self._stops.on_mismatch:
                halt = Stop(StopReason.MISMATCH, cursor.problem(index, mismatch))
        except (Exception, SystemExit) as error:
            return Stop(StopReason.ERROR, cursor.problem(index, error))
        self._executed(kind, index, value, (time.perf_counter() - begin) * 1000)
        return halt or (self._after(kind, index) if obeys_stops else None)

    def _executed(self, kind: GraphKind, index: int, value: Any, ms: float) -> None:
        cursor = self.timeline.cursors[kind]
        self.record.executed(self.timeline, kind, index, value, ms)
        for target in cursor.plans[index].writes:
            before = stats_of(target, cursor.value(target, index))
            after = stats_of(target, cursor.value(target, index + 1))
            self.record.mutated(kind, Mutation(node=index, target=target, before=before, after=after))
        for _ in self._comparisons.catch_up(self.timeline):
            pass  # one node, but for what a person interrupted

    def _after(self, kind: GraphKind, index: int) -> Stop | None:
        """Why to stop after a node that was gone over, for the breakpoints that look at values."""
        hits = self._checks.hits(kind, index)
        if not hits:
            return None
        is_nonfinite = any(self._stops.kinds.get(hit.id) is BreakpointKind.NONFINITE for hit in hits)
        return Stop(StopReason.NONFINITE if is_nonfinite else StopReason.BREAKPOINT, hits=hits)

    # Backwards

    def _step_back(self, granularity: Granularity) -> Stop:
        timeline = self.timeline
        if timeline.at_start:
            return Stop(StopReason.ENTRY)
        kind, node = timeline.back()
        graph = self._halves[kind].graph
        timeline.move(kind, start_of_previous(graph, node + 1, granularity))
        return Stop(StopReason.ENTRY if timeline.at_start else StopReason.STEP)

    def _run_back(self) -> Moves:
        """Goes back node by node to where a breakpoint would have stopped it."""
        timeline = self.timeline
        while not timeline.at_start:
            timeline.move(*timeline.back())
            kind, node = timeline.position
            hits = [is_hit_before(point, kind, node) for point in self._stops.before(kind, node)]
            if not hits and not timeline.at_start:
                hits = self._checks.hits(*timeline.back(), backwards=True)
            if hits:
                yield Stop(StopReason.BREAKPOINT, hits=hits)
                return
            if self._is_wanted():
                yield None
        yield Stop(StopReason.ENTRY)

    # Nested graphs

    def _enter(self) -> str:
        """Stands before the first node of the graph inside the next node; why not where it has none to step through."""
        cursor = self._nested.cursor or self.timeline.cursor
        index = cursor.position if self._nested else self.timeline.node
        try:
            self._nested.enter(cursor, index)
        except CannotEnterError as error:
            return str(error) if error.has_graph else ""
        return ""

    def _step_nested(self, step: Step) -> Moves:
        note = self._enter() if step.action is StepAction.STEP_INTO else ""
        depth = len(self._nested)
        if step.action is StepAction.STEP_INTO and self._nested.is_fresh:
            yield Stop(StopReason.STEP)
            return
        aim = self._nested.aim(step.action, step.granularity)
        while len(self._nested) == depth and self._nested.position < aim:
            if stop := self._advance_nested():
                yield stop
                return
            if self._is_wanted():
                yield None
        yield Stop(StopReason.STEP, note=note)

    def _leave_nested(self) -> Moves:
        """Runs the nested graphs that it stands in to their ends."""
        while self._nested:
            if stop := self._advance_nested():
                yield stop
                return
            if self._is_wanted():
                yield None

    def _advance_nested(self) -> Stop | None:
        """Runs one node of the innermost graph; at its end the node around it has its value."""
        nested = self._nested
        try:
            nested.execute()
        except NodeMismatchError as mismatch:
            if self._stops.on_mismatch:
                return Stop(StopReason.MISMATCH, nested.problem(mismatch, passed=True))
        except (Exception, SystemExit) as error:
            return Stop(StopReason.ERROR, nested.problem(error))
        while nested and nested.at_end:
            self._finish_nested()
        return None

    def _finish_nested(self) -> None:
        timeline, finished = self.timeline, self._nested.pop()
        if self._nested:
            self._nested.accept(finished)
            return
        kind, index = timeline.position
        if timeline.is_known:
            timeline.advance()
            return
        timeline.cursor.adopt_random(index, finished.before, finished.cursor.random)
        with contextlib.suppress(NodeMismatchError):  # its graph was checked node by node
            timeline.accept(finished.result())
        self._executed(kind, index, timeline.cursors[kind].value(index), finished.ms)

    # Again, with other values

    def _replace(self, request: ReplaceValue) -> Stop:
        timeline = self.timeline
        try:
            value = timeline.seen(request.graph, request.node, request.node + 1)
            replaced(value, request.replacement, request.item, timeline.lookup)
        except LookupError:
            return Stop(StopReason.EDITED, note="This node has not been executed yet, so there is no value to replace.")
        except (ExpressionError, ReplacementError) as error:
            return Stop(StopReason.EDITED, note=str(error))
        if not self.edits:
            self._comparisons.begin_edits(timeline)
        name = timeline.cursors[request.graph].plans[request.node].node.name
        self.edits.put(Edit(graph=request.graph, node=name, item=request.item, replacement=request.replacement))
        return self._again_from(request.graph, request.node)

    def _restore(self, request: RestoreValue) -> Stop:
        timeline = self.timeline
        name = self._halves[request.graph].graph.names[request.node] if request.graph is not None else ""
        gone = self.edits.take_back(request.graph, name)
        if not gone:
            return Stop(StopReason.EDITED, note="No value is replaced here.")
        if not self.edits:
            self._comparisons.end_edits()
        places = [(e.graph, self._halves[e.graph].graph.index_of[e.node]) for e in gone if e.graph in self._halves]
        done = [at for at in places if at[0] in timeline.cursors and timeline.cursors[at[0]].has(at[1])]
        timeline.install_edits()
        if not done:
            return Stop(StopReason.EDITED)
        order = list(timeline.cursors)
        return self._again_from(*min(done, key=lambda at: (order.index(at[0]), at[1])))

    def _again_from(self, graph: GraphKind, node: int) -> Stop:
        """Runs a node again under the edits as they are now; what was computed after it is void."""
        self.timeline.install_edits()
        voided = self.timeline.void(graph, node)
        self.record.void(voided)
        self._comparisons.void(voided)
        stop = self._advance(obeys_stops=False)
        return stop or Stop(StopReason.EDITED)
