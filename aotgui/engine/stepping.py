"""A stepping session: runs the halves of a region node by node, on the values of the recorded run.

The session has a thread of its own. The engine's main thread passes requests on through a queue that the session
looks at between two nodes, so pause, breakpoints and reading of values work while it runs, and no lock is needed.
"""

from __future__ import annotations

import ctypes
import queue
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final

import torch

from aotgui.engine.errors import Stopped, error_text, fault, one_line
from aotgui.engine.half import Half
from aotgui.engine.step_questions import SESSION_ENDED, Question, answered, unanswered, watched
from aotgui.engine.step_run import StepRun
from aotgui.engine.step_stop import Moves, Stop
from aotgui.engine.step_stops import Stops, named
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import WatchValue
from aotgui.protocol.messages import (
    EngineProblem,
    Event,
    ReplaceValue,
    RestoreValue,
    SetBreakpoints,
    SetReference,
    SetWatches,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    SteppingEnded,
    StepRequest,
    StopReason,
    Watched,
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
        self._request = request
        self._halves = halves
        self._emit = emit
        self._watches = list(request.watches)
        self._commands: queue.SimpleQueue[StepRequest] = queue.SimpleQueue()
        self._reported_at = 0.0
        self._lock = threading.Lock()
        self._in_node = False
        self._thread = threading.Thread(target=self._work, name="aotgui-stepping", daemon=True)
        self._thread.start()

    @property
    def is_alive(self) -> bool:
        """Whether the session can still be told something."""
        return self._thread.is_alive()

    def handle(self, request: StepRequest) -> None:
        """Takes a request for this session; returns at once. The engine's main thread."""
        if self.is_alive:
            self._commands.put(request)
            if isinstance(request, Step) and request.action is StepAction.END:
                self._leave_node()
        elif isinstance(request, Question):
            self._emit(unanswered(request, SESSION_ENDED))

    def end(self) -> None:
        """Ends the session, also inside a node; waits at most ``END_SECONDS``. The engine's main thread."""
        self._commands.put(Step(session=self.id, action=StepAction.END))
        self._leave_node()
        self._thread.join(END_SECONDS)

    def _leave_node(self) -> None:
        """Raises ``Stopped`` in a node that is at work, at its next Python instruction."""
        with self._lock:
            if self._in_node and self._thread.ident is not None:
                ident, stopped = ctypes.c_ulong(self._thread.ident), ctypes.py_object(Stopped)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(ident, stopped)

    def _work(self) -> None:
        try:
            with torch.no_grad():
                self._run = StepRun(self._request, self._halves, self._is_wanted)
                self._set_breakpoints(self._request)
                self._report(Stop(StopReason.ENTRY))
                while True:
                    self._obey(self._commands.get())
        except Stopped:
            pass
        except Exception as error:
            message = f"The stepper has a fault of its own: {one_line(error)}"
            problem = Problem(severity=Severity.ERROR, stage="step", message=message, details=error_text(error))
            self._emit(EngineProblem(problem=problem))
        finally:
            self._answer_the_rest()
            self._emit(SteppingEnded(session=self.id))

    def _answer_the_rest(self) -> None:
        while not self._commands.empty():
            if isinstance(request := self._commands.get(), Question):
                self._emit(unanswered(request, SESSION_ENDED))

    def _obey(self, request: StepRequest) -> None:
        """Does what is asked for and says where it stands then, or answers."""
        match request:
            case Step(action=StepAction.END):
                raise Stopped
            case Step(action=StepAction.PAUSE):
                pass  # it stands still, which whoever asked was told
            case Step():
                self._follow(self._run.perform(request))
            case SetBreakpoints():
                self._set_breakpoints(request)
            case SetWatches(expressions=expressions):
                self._watches = list(expressions)
                self._emit(Watched(session=self.id, watches=self._watched()))
            case ReplaceValue() | RestoreValue():
                with self._interruptible():
                    stop = self._run.edit(request)
                self._report(stop)
            case SetReference(enabled=enabled):
                self._follow(self._run.switch_reference(enabled))
            case _:
                with self._interruptible():
                    answer = answered(request, self._run)
                self._emit(answer)

    def _follow(self, moves: Moves) -> None:
        """Moves on until there is a reason to stop, or something else to do."""
        while (stop := self._next(moves)) is None:
            self._report_progress()
            while not self._commands.empty():
                request = self._commands.get()
                if isinstance(request, Step | ReplaceValue | RestoreValue | SetReference):
                    return self._interrupt(request)
                self._obey(request)
        return self._report(stop)

    def _next(self, moves: Moves) -> Stop | None:
        with self._interruptible():
            return next(moves)

    def _is_wanted(self) -> bool:
        """Whether a move is to pause for a report or a request."""
        return not self._commands.empty() or time.monotonic() - self._reported_at >= REPORT_SECONDS

    def _interrupt(self, request: StepRequest) -> None:
        if isinstance(request, Step) and request.action is StepAction.PAUSE:
            self._report(Stop(StopReason.PAUSED))
        else:
            self._obey(request)

    def _set_breakpoints(self, request: SetBreakpoints | StartStepping) -> None:
        graphs = {kind: half.graph for kind, half in self._halves.items()}
        self._run.set_stops(Stops([*named(request.breakpoints), *request.points], graphs))

    def _watched(self) -> list[WatchValue]:
        with self._interruptible():
            return watched(self._watches, self._run.timeline)

    @contextmanager
    def _interruptible(self) -> Iterator[None]:
        """Lets ``Stopped`` in: only here can it do no harm (elsewhere it could tear a message apart)."""
        with self._lock:
            self._in_node = True
        try:
            yield
        finally:
            with self._lock:
                self._in_node = False

    def _report_progress(self) -> None:
        if time.monotonic() - self._reported_at >= REPORT_SECONDS:
            self._report(Stop(StopReason.RUNNING))

    def _report(self, stop: Stop) -> None:
        is_stop = stop.reason is not StopReason.RUNNING
        watches = self._watched() if is_stop else []
        self._reported_at = time.monotonic()
        run = self._run
        self._emit(
            Stepped(
                session=self.id,
                region=self._request.region,
                graph=run.timeline.graph,
                node=run.timeline.node,
                reason=stop.reason,
                problem=stop.problem,
                hits=list(stop.hits),
                note=stop.note,
                watches=watches,
                frontier=run.timeline.frontier,
                edits=run.edits.all,
                frames=run.frames(),
                kept_bytes=run.timeline.kept_bytes() if is_stop else 0,
                dropped=run.timeline.dropped,
                **run.record.take(),
            )
        )
