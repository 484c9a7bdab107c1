"""The moves of a stepping session: forwards, backwards, into nested graphs, and again with other values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from aotgui.engine.half import Half
from aotgui.engine.step_checks import is_hit_before
from aotgui.engine.step_edits import Edits
from aotgui.engine.step_execution import Execution
from aotgui.engine.step_into import NestedMoves
from aotgui.engine.step_moves import end_of_scope, end_of_step, next_to_enter, start_of_previous
from aotgui.engine.step_record import Record
from aotgui.engine.step_rewrites import rewrite
from aotgui.engine.step_stop import Moves, Stop
from aotgui.engine.step_stops import Stops
from aotgui.engine.timeline import Position, Timeline
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.stepping import Granularity, NestedFrame
from aotgui.protocol.messages import ReplaceValue, RestoreValue, StartStepping, Step, StepAction, StopReason


class StepRun:
    """One execution of a region under the hands of a person."""

    def __init__(self, request: StartStepping, halves: Mapping[GraphKind, Half], is_wanted: Callable[[], bool]) -> None:
        """Stands before the first node.

        Args:
            request: what to step through.
            halves: of the region.
            is_wanted: whether somebody has something to say or a report is due.
        """
        self._execution = Execution(request, halves)
        self._is_wanted = is_wanted
        self._nested = NestedMoves(self._execution, is_wanted)

    @property
    def timeline(self) -> Timeline:
        """Where it stands and what was computed."""
        return self._execution.timeline

    @property
    def record(self) -> Record:
        """What is known of executed nodes, and what is new."""
        return self._execution.record

    @property
    def edits(self) -> Edits:
        """The values that are replaced."""
        return self._execution.edits

    def set_stops(self, stops: Stops) -> None:
        """Replaces the breakpoints."""
        self._execution.set_stops(stops)

    def frames(self) -> list[NestedFrame]:
        """The nested graphs that it stands in."""
        return self._nested.frames()

    def seen(self, graph: GraphKind, node: int, at: int, inside: int) -> Any:
        """The value of an executed node, also of one inside of the node that runs next.

        Raises:
            LookupError: it has not been executed.
        """
        return self._nested.seen(inside, node, at) if inside else self.timeline.seen(graph, node, at)

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
                yield from self._nested.leave()
                yield from self._run_on(step)

    def edit(self, request: ReplaceValue | RestoreValue) -> Stop:
        """Replaces a value or takes that back, and stands right after its node."""
        self._nested.clear()
        return rewrite(self._execution, request)

    def switch_reference(self, enabled: bool) -> Moves:
        """Switches the run in float64 on, and catches up with what was executed, or off."""
        comparisons = self._execution.comparisons
        comparisons.has_reference = enabled
        if not enabled:
            self.record.forget_errors()
        for _ in comparisons.catch_up(self.timeline):
            if self._is_wanted():
                yield None
        yield Stop(StopReason.STEP)

    @property
    def _graph(self) -> Graph:
        return self._execution.halves[self.timeline.graph].graph

    def _restart(self, start: GraphKind) -> None:
        self._nested.clear()
        self._execution.restart(start)

    # Forwards

    def _step(self, step: Step) -> Moves:
        if self._nested:
            yield from self._nested.step(step)
            return
        if self.timeline.at_end:
            yield Stop(StopReason.FINISHED)
            return
        note = self._nested.enter() if step.action is StepAction.STEP_INTO else ""
        if self._nested:
            yield Stop(StopReason.STEP)
            return
        action = StepAction.STEP if note else step.action
        yield from self._run(self._aim_of_step(action, step.granularity), StopReason.STEP, note=note)

    def _aim_of_step(self, action: StepAction, granularity: Granularity) -> Position:
        graph, node = self._graph, self.timeline.node
        if action is StepAction.STEP_INTO:
            node = next_to_enter(graph, node)
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
        half = self._execution.halves.get(kind)
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
        execution, timeline = self._execution, self.timeline
        leaving = True  # a breakpoint where it stands does not stop it again
        while timeline.position != aim:
            if timeline.at_end:
                yield Stop(StopReason.FINISHED, note=note)
                return
            if obeys_stops and not leaving and (hits := execution.hits_before()):
                yield Stop(StopReason.BREAKPOINT, hits=hits, note=note)
                return
            if not leaving and self._is_wanted():
                yield None
            leaving = False
            at = timeline.position
            stop = execution.advance(obeys_stops)
            if stop is None and until_nonfinite and not execution.record.stats(timeline, *at).is_finite:
                stop = Stop(StopReason.NONFINITE)
            if stop is not None:
                yield stop._replace(note=note)
                return
        yield Stop(StopReason.FINISHED if timeline.at_end else reason, note=note)

    # Backwards

    def _step_back(self, granularity: Granularity) -> Stop:
        timeline = self.timeline
        if timeline.at_start:
            return Stop(StopReason.ENTRY)
        kind, node = timeline.back()
        graph = self._execution.halves[kind].graph
        timeline.move(kind, start_of_previous(graph, node + 1, granularity))
        return Stop(StopReason.ENTRY if timeline.at_start else StopReason.STEP)

    def _run_back(self) -> Moves:
        """Goes back node by node to where a breakpoint would have stopped it."""
        timeline = self.timeline
        while not timeline.at_start:
            timeline.move(*timeline.back())
            kind, node = timeline.position
            hits = [is_hit_before(point, kind, node) for point in self._execution.stops.before(kind, node)]
            if not hits and not timeline.at_start:
                hits = self._execution.checks.hits(*timeline.back(), backwards=True)
            if hits:
                yield Stop(StopReason.BREAKPOINT, hits=hits)
                return
            if self._is_wanted():
                yield None
        yield Stop(StopReason.ENTRY)
