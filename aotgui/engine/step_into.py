"""Moves through the graphs inside of nodes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.step_execution import Execution
from aotgui.engine.step_nested import CannotEnterError, NestedStack
from aotgui.engine.step_stop import Moves, Stop
from aotgui.model.stepping import NestedFrame
from aotgui.protocol.messages import Step, StepAction, StopReason


class NestedMoves:
    """Goes into nested graphs, through them, and out of them again."""

    def __init__(self, execution: Execution, is_wanted: Callable[[], bool]) -> None:
        self._execution = execution
        self._is_wanted = is_wanted
        self._stack = NestedStack()

    def __bool__(self) -> bool:
        """Whether it stands in a nested graph."""
        return bool(self._stack)

    def frames(self) -> list[NestedFrame]:
        """Where it stands in each, with the values that have not been reported."""
        return self._stack.frames()

    def seen(self, inside: int, node: int, at: int = -1) -> Any:
        """As ``NestedStack.seen``."""
        return self._stack.seen(inside, node, at)

    def clear(self) -> None:
        """Leaves all of them, before the node around them."""
        self._stack.clear()

    def enter(self) -> str:
        """Stands before the first node of the graph inside the next node; why not where it has none to step through."""
        cursor = self._stack.cursor or self._execution.timeline.cursor
        try:
            self._stack.enter(cursor, cursor.position if self._stack else self._execution.timeline.node)
        except CannotEnterError as error:
            return str(error) if error.has_graph else ""
        return ""

    def step(self, step: Step) -> Moves:
        """Carries out a step in the innermost graph."""
        depth = len(self._stack)
        note = self.enter() if step.action is StepAction.STEP_INTO else ""
        if len(self._stack) > depth:
            yield Stop(StopReason.STEP)
            return
        aim = self._stack.aim(step.action, step.granularity)
        while len(self._stack) == depth and self._stack.position < aim:
            if stop := self._advance():
                yield stop
                return
            if self._is_wanted():
                yield None
        yield Stop(StopReason.STEP, note=note)

    def leave(self) -> Moves:
        """Runs the graphs that it stands in to their ends; yields a stop only where one fails."""
        while self._stack:
            if stop := self._advance():
                yield stop
                return
            if self._is_wanted():
                yield None

    def _advance(self) -> Stop | None:
        """Runs one node of the innermost graph; at its end the node around it has its value."""
        stack = self._stack
        try:
            stack.execute()
        except NodeMismatchError as mismatch:
            if self._execution.stops.on_mismatch:
                return Stop(StopReason.MISMATCH, stack.problem(mismatch, passed=True))
        except (Exception, SystemExit) as error:
            return Stop(StopReason.ERROR, stack.problem(error))
        while stack and stack.at_end:
            self._finish()
        return None

    def _finish(self) -> None:
        timeline, finished = self._execution.timeline, self._stack.pop()
        if self._stack:
            self._stack.accept(finished)
            return
        kind, index = timeline.position
        if timeline.is_known:
            timeline.advance()
            return
        timeline.cursor.adopt_random(index, finished.before, finished.cursor.random)
        with contextlib.suppress(NodeMismatchError):  # its graph was checked node by node
            timeline.accept(finished.result())
        self._execution.executed(kind, index, timeline.cursors[kind].value(index), finished.ms)
