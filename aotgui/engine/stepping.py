"""A stepping session: runs the halves of a region node by node, on the values of the recorded run.

The session has a thread of its own. The engine's main thread passes requests on through a queue that the session
looks at between two nodes, so pause, breakpoints and reading of values work while it runs.
"""

from __future__ import annotations

import ctypes
import queue
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, Final

import torch

from aotgui.engine.cursor import Cursor, backward_args
from aotgui.engine.errors import Stopped, error_text, fault, one_line
from aotgui.engine.half import Half
from aotgui.engine.interpreter import NodeMismatchError
from aotgui.engine.values import slice_of, stats_of
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.values import ValueSlice, ValueStats
from aotgui.protocol.messages import (
    EngineProblem,
    Event,
    ReadValue,
    SetBreakpoints,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    StopReason,
    ValueRead,
)

REPORT_SECONDS: Final = 0.05
"""Time between two reports while the session runs."""

END_SECONDS: Final = 1.0
"""How long ``end`` waits for a node that is at work."""


class StepSession:
    """One session; it stands before the first node once ``Stepped(ENTRY)`` was sent.

    Attributes:
        id: id of the session.
    """

    def __init__(self, request: StartStepping, halves: Mapping[GraphKind, Half], emit: Callable[[Event], None]) -> None:
        """Starts the session's thread.

        Args:
            request: what to step through.
            halves: of the region; each that can be reached has a recorded call.
            emit: sends an event; called from both threads.

        Raises:
            UserError: there is no such graph, or it has not been run.
        """
        half = halves.get(request.graph)
        if half is None or half.recorded is None:
            raise fault("step", f"The {request.graph} graph has not been run, so there are no values to step through.")
        self.id = request.session
        self._region = request.region
        self._start = request.graph
        self._halves = halves
        self._emit = emit
        self._breakpoints = _as_sets(request.breakpoints)
        self._commands: queue.SimpleQueue[Step] = queue.SimpleQueue()
        self._cursors: dict[GraphKind, Cursor] = {}
        self._current = request.graph
        self._executed: dict[GraphKind, list[ValueStats]] = {}
        self._restarted = False
        self._last_is_finite = True
        self._reported_at = 0.0
        self._lock = threading.Lock()
        self._in_node = False
        self._thread = threading.Thread(target=self._work, name="aotgui-stepping", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the session can still be told something."""
        return self._thread.is_alive()

    def handle(self, request: Step | SetBreakpoints | ReadValue) -> None:
        """Takes a request for this session; returns at once. The engine's main thread."""
        match request:
            case Step():
                self._commands.put(request)
            case SetBreakpoints():
                self._breakpoints = _as_sets(request.breakpoints)
            case ReadValue():
                self._emit(ValueRead(request=request.request, graph=request.graph, value=self._read(request)))

    def end(self) -> None:
        """Ends the session, also inside a node; waits at most ``END_SECONDS``. The engine's main thread."""
        self._commands.put(Step(session=self.id, action=StepAction.END))
        with self._lock:
            if self._in_node and self._thread.ident is not None:
                ident, stopped = ctypes.c_ulong(self._thread.ident), ctypes.py_object(Stopped)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, stopped)
        self._thread.join(END_SECONDS)

    @property
    def _cursor(self) -> Cursor:
        return self._cursors[self._current]

    def _read(self, request: ReadValue) -> ValueSlice:
        cursor = self._cursors.get(request.graph)
        if cursor is None or not cursor.has(request.node):
            return ValueSlice(node=request.node, item=request.item, text="not executed yet")
        return slice_of(cursor.value(request.node), request)

    def _work(self) -> None:
        try:
            with torch.no_grad():
                self._enter(self._start, self._halves[self._start].fresh_args())
                self._report(StopReason.ENTRY)
                while True:
                    self._obey(self._commands.get())
        except Stopped:
            pass
        except Exception as error:
            message = f"The stepper has a fault of its own: {one_line(error)}"
            problem = Problem(severity=Severity.ERROR, stage="step", message=message, details=error_text(error))
            self._emit(EngineProblem(problem=problem))

    def _obey(self, command: Step) -> None:
        match command.action:
            case StepAction.END:
                raise Stopped
            case StepAction.PAUSE:
                pass  # it stands still, which whoever asked was told
            case StepAction.RESTART:
                self._restart()
                self._report(StopReason.ENTRY)
            case StepAction.STEP:
                self._step()
            case StepAction.CONTINUE | StepAction.RUN_TO | StepAction.RUN_TO_NONFINITE:
                self._run(command)

    def _step(self) -> None:
        halt = None if self._cursor.at_end else self._execute()
        if halt:
            return self._report(*halt)
        return self._report(StopReason.FINISHED if self._cursor.at_end else StopReason.STEP)

    def _run(self, command: Step) -> None:
        """Executes node after node until there is a reason to stop, or something else to do."""
        aim = self._aim(command)
        if aim is not None and self._has_passed(aim):
            self._restart(aim[0])
        leaving = True  # a breakpoint where it stands does not stop it again
        while (self._current, self._cursor.position) != aim:
            if self._cursor.at_end:
                return self._report(StopReason.FINISHED)
            if not leaving and self._cursor.name in self._breakpoints.get(self._current, ()):
                return self._report(StopReason.BREAKPOINT)
            if not self._commands.empty():
                return self._interrupt(self._commands.get())
            leaving = False
            if halt := self._execute():
                return self._report(*halt)
            if command.action is StepAction.RUN_TO_NONFINITE and not self._last_is_finite:
                return self._report(StopReason.NONFINITE)
            self._report_progress()
        return self._report(StopReason.REACHED)

    def _interrupt(self, command: Step) -> None:
        if command.action is StepAction.PAUSE:
            self._report(StopReason.PAUSED)
        else:
            self._obey(command)

    def _aim(self, command: Step) -> tuple[GraphKind, int] | None:
        """Where to run to: graph and index of the node. A name that no graph has is never reached."""
        if command.action is not StepAction.RUN_TO:
            return None
        kind = command.graph or self._current
        half = self._halves.get(kind)
        index = half.graph.index_of.get(command.node) if half else None
        return None if index is None else (kind, index)

    def _has_passed(self, aim: tuple[GraphKind, int]) -> bool:
        kind, index = aim
        return index < self._cursor.position if kind is self._current else kind is GraphKind.FORWARD

    def _execute(self) -> tuple[StopReason, Problem] | None:
        """Runs one node; returns why to stop after it, if there is a reason in the node itself."""
        cursor, kind = self._cursor, self._current
        index = cursor.position
        halt = None
        begin = time.perf_counter()
        try:
            value = self._interruptible(cursor.execute)
        except NodeMismatchError as mismatch:
            value, halt = mismatch.value, (StopReason.MISMATCH, cursor.problem(index, mismatch))
        except (Exception, SystemExit) as error:
            return StopReason.ERROR, cursor.problem(index, error)
        stats = stats_of(index, value, (time.perf_counter() - begin) * 1000)
        self._last_is_finite = stats.is_finite
        self._executed.setdefault(kind, []).append(stats)
        if cursor.at_end:
            self._go_on_into_backward()
        return halt

    def _interruptible(self, call: Callable[[], Any]) -> Any:
        """Calls with ``Stopped`` let in: only here can it do no harm (elsewhere it could tear a message apart)."""
        with self._lock:
            self._in_node = True
        try:
            return call()
        finally:
            with self._lock:
                self._in_node = False

    def _go_on_into_backward(self) -> None:
        backward = self._halves.get(GraphKind.BACKWARD)
        if self._current is GraphKind.FORWARD and backward is not None and backward.recorded is not None:
            self._enter(GraphKind.BACKWARD, backward_args(self._cursor, backward))

    def _enter(self, kind: GraphKind, args: list[Any]) -> None:
        """Stands before the first node of a graph, with the random numbers that the recorded call had."""
        half = self._halves[kind]
        if half.random_state is not None:
            half.random_state.restore()
        self._cursors[kind] = Cursor(half, args)
        self._current = kind

    def _restart(self, kind: GraphKind | None = None) -> None:
        if kind is GraphKind.FORWARD:
            self._start = kind
        self._cursors.clear()
        self._executed.clear()
        self._restarted = True
        self._enter(self._start, self._halves[self._start].fresh_args())

    def _report_progress(self) -> None:
        if time.monotonic() - self._reported_at >= REPORT_SECONDS:
            self._report(StopReason.RUNNING)

    def _report(self, reason: StopReason, problem: Problem | None = None) -> None:
        executed, self._executed = self._executed, {}
        restarted, self._restarted = self._restarted, False
        self._reported_at = time.monotonic()
        self._emit(
            Stepped(
                session=self.id,
                region=self._region,
                graph=self._current,
                node=self._cursor.position,
                reason=reason,
                executed=executed,
                problem=problem,
                restarted=restarted,
            )
        )


def _as_sets(breakpoints: Mapping[GraphKind, list[str]]) -> dict[GraphKind, frozenset[str]]:
    return {kind: frozenset(names) for kind, names in breakpoints.items()}
