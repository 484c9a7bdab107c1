"""A blocking client for commands: one engine, one request at a time, no Qt."""

from __future__ import annotations

import contextlib
import queue
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Final, TypeVar

from aotgui.model.breakpoint import Breakpoint
from aotgui.model.capture import Capture, Problem, Severity, Stage
from aotgui.model.cause import Cause
from aotgui.model.graph import GraphKind
from aotgui.protocol.composing import composed
from aotgui.protocol.crash_text import CrashWatch
from aotgui.protocol.engine_process import ENGINE_COMMAND, EngineProcess, ProcessOutcome
from aotgui.protocol.messages import (
    AnyEvent,
    CaptureReady,
    CauseFound,
    Compare,
    CompareEnded,
    CompareProgress,
    CompareRowReady,
    CulpritFound,
    EngineProblem,
    Event,
    Exported,
    ExportFolder,
    ExportTorchScript,
    FindCause,
    FindCulprit,
    FinishRecording,
    Hello,
    Record,
    Repartition,
    Repartitioned,
    RepartitionEnded,
    Run,
    RunEnded,
    StageStarted,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    Stop,
    StopReason,
    WriteRepro,
)

STOP_SECONDS: Final = 2.0
"""How long a run may take to stop and say where it was, after its time is over."""

E = TypeVar("E", bound=Event)


class EngineError(Exception):
    """The engine gave no answer; the text is one sentence.

    Attributes:
        capture: the graphs of a run that went no further, or None.
    """

    capture: Capture | None = None


class EngineDiedError(EngineError):
    """The engine ended before it answered.

    Attributes:
        outcome: how it ended.
        stage: what it was doing, or None.
        text: what Python's fault handler printed, or empty.
    """

    def __init__(self, outcome: ProcessOutcome, stage: Stage | None, text: str = "", *, was_ready: bool = True) -> None:
        sentence = outcome.sentence if was_ready else f"The engine could not start (status {outcome.returncode})."
        super().__init__(sentence)
        self.text = text
        self.outcome = outcome
        self.stage = stage


class EngineTimeoutError(EngineError):
    """The time given is over.

    Attributes:
        problems: what the engine said about where it was.
    """

    def __init__(self, seconds: float, stage: Stage | None, problems: Sequence[Problem] = ()) -> None:
        doing = f" while {stage.label[0].lower()}{stage.label[1:]}" if stage else ""
        super().__init__(f"Stopped after {seconds:g} s{doing}, as --timeout asked.")
        self.problems = list(problems)


class RequestFailedError(EngineError):
    """The engine could not serve a request.

    Attributes:
        problem: why not.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class EngineClient:
    """An engine to ask, as a context manager that ends it."""

    def __init__(
        self,
        command: Sequence[str] = ENGINE_COMMAND,
        timeout_s: float | None = None,
        on_stage: Callable[[Stage], None] | None = None,
    ) -> None:
        """Starts the engine.

        Args:
            command: its command line.
            timeout_s: how long all requests together may take, from now; None for as long as it takes.
            on_stage: told of each stage that a run begins, on the caller's thread.

        Raises:
            OSError: the engine cannot be started.
        """
        self._timeout_s = timeout_s
        self._deadline = None if timeout_s is None else time.monotonic() + timeout_s
        self._on_stage = on_stage
        self._stage: Stage | None = None
        self._torch = ""
        self._session = 0
        self._events: queue.SimpleQueue[AnyEvent | ProcessOutcome] = queue.SimpleQueue()
        self._output = CrashWatch(_write_error)
        self._process = EngineProcess(self._events.put, self._events.put, self._output.feed, command)

    def __enter__(self) -> EngineClient:
        """The client itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Ends the engine: politely after an answer or Ctrl-C, at once after a failure.

        An engine that is asked removes what it has written half of.
        """
        is_asked = kind is None or issubclass(kind, KeyboardInterrupt)
        self._process.end(ask_s=1.0 if is_asked else 0.0)

    def run(self, request: Run) -> Capture:
        """Runs the pipeline; what failed is in the capture's problems.

        Raises:
            EngineDiedError: the engine ended.
            EngineTimeoutError: the time is over.
            RequestFailedError: the engine refused.
        """
        self._process.send(request)
        return self._captured(request)

    def record(self, request: Record) -> Capture:
        """Records a script. Ctrl-C ends the script, and what it compiled is captured; raises as ``run`` does."""
        self._process.send(request)
        try:
            return self._captured(request)
        except KeyboardInterrupt:
            self._process.send(FinishRecording(run=request.run))
            return self._captured(request)

    def _captured(self, request: Run | Record) -> Capture:
        ready: CaptureReady | None = None
        try:
            while not isinstance(event := self._next(), RunEnded):
                ready = event if isinstance(event, CaptureReady) else ready
        except EngineError as error:
            error.capture = ready.capture if ready else None
            if isinstance(error, EngineTimeoutError):
                error.problems = self._stop()
            raise
        return composed(request, ready, event, self._torch)

    def start_stepping(
        self,
        region: int,
        graph: GraphKind,
        *,
        points: Sequence[Breakpoint] = (),
        watches: Sequence[str] = (),
        reference: bool = False,
    ) -> Stepped:
        """Starts a stepping session, stopped before the graph's first node.

        Args:
            region: index of the region.
            graph: which graph.
            points: breakpoints.
            watches: expressions that each stop evaluates.
            reference: whether the graph also runs in float64 beside it.

        Raises:
            EngineDiedError: the engine ended.
            EngineTimeoutError: the time is over.
            RequestFailedError: the engine refused.
        """
        self._session += 1
        self._process.send(
            StartStepping(
                session=self._session,
                region=region,
                graph=graph,
                points=list(points),
                watches=list(watches),
                reference=reference,
            )
        )
        return self._wait_for(Stepped)

    def step(self, action: StepAction, graph: GraphKind, node: str = "") -> Iterator[Stepped]:
        """Carries out one action and yields each report up to the one that it stops with; raises as ``run`` does."""
        self._process.send(Step(session=self._session, action=action, node=node, graph=graph))
        while (stepped := self._wait_for(Stepped)).reason is StopReason.RUNNING:
            yield stepped
        yield stepped

    def compare(self, request: Compare) -> Iterator[CompareProgress | CompareRowReady]:
        """Compares on the target of the last run and yields what is told on the way; raises as ``run`` does."""
        self._process.send(request)
        while not isinstance(event := self._next(), CompareEnded):
            if isinstance(event, CompareProgress | CompareRowReady):
                yield event
        if event.problem is not None:
            raise RequestFailedError(event.problem)

    def find_culprit(self, request: FindCulprit) -> CulpritFound:
        """Looks for the node at which a compiler goes wrong; a failure is in the answer's problem."""
        self._process.send(request)
        return self._wait_for(CulpritFound)

    def find_cause(self, graph: GraphKind, node: int) -> Cause:
        """Where the NaN or Inf of an executed node comes from; raises as ``run`` does."""
        self._process.send(FindCause(request=1, session=self._session, graph=graph, node=node))
        return self._wait_for(CauseFound).cause

    def export(self, request: ExportTorchScript | ExportFolder | WriteRepro) -> Exported:
        """Writes what the engine makes; a failure is in the answer's problem. Raises as ``run`` does."""
        self._process.send(request)
        return self._wait_for(Exported)

    def repartition(self, request: Repartition) -> Iterator[Repartitioned]:
        """Partitions in other ways and yields each as it is worked out; raises as ``run`` does."""
        self._process.send(request)
        while not isinstance(event := self._next(), RepartitionEnded):
            if isinstance(event, Repartitioned):
                yield event
        if event.problem is not None:
            raise RequestFailedError(event.problem)

    def _wait_for(self, kind: type[E]) -> E:
        while not isinstance(event := self._next(), kind):
            pass
        return event

    def _next(self) -> AnyEvent:
        event = self._take(self._deadline)
        match event:
            case ProcessOutcome():
                raise EngineDiedError(event, self._stage, self._output.text, was_ready=bool(self._torch))
            case EngineProblem(problem=problem) if problem.severity is Severity.ERROR:
                raise RequestFailedError(problem)
            case Hello(torch=torch):
                self._torch = torch
            case StageStarted(stage=stage):
                self._stage = stage
                if self._on_stage:
                    self._on_stage(stage)
            case RunEnded():
                self._stage = None
        return event

    def _take(self, deadline: float | None) -> AnyEvent | ProcessOutcome:
        try:
            return self._events.get(timeout=None if deadline is None else max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise EngineTimeoutError(self._timeout_s or 0.0, self._stage) from None

    def _stop(self) -> list[Problem]:
        """Asks a run to stop; its problems say where it was, if it still can."""
        self._process.send(Stop())
        deadline = time.monotonic() + STOP_SECONDS
        try:
            while not isinstance(event := self._take(deadline), RunEnded | ProcessOutcome):
                pass
        except EngineTimeoutError:
            return []
        return event.problems if isinstance(event, RunEnded) else []


def _write_error(data: bytes) -> None:
    """What the script prints goes to our stderr; a closed one must not stop the script."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.buffer.write(data)
        sys.stderr.buffer.flush()
