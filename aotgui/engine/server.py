"""Serves requests: reads on the main thread, works on the worker thread.

The main thread only takes frames and passes them on, so that stop, pause and step arrive while a trace or an
interpreter runs.
"""

from __future__ import annotations

import platform

import torch

from aotgui.engine.channel import Channel
from aotgui.engine.comparing import Comparing
from aotgui.engine.compilers import builtin_compilers, installed_compilers
from aotgui.engine.culprit_hunt import CulpritHunt
from aotgui.engine.errands import Errands
from aotgui.engine.errors import UserError, error_text, fault, one_line
from aotgui.engine.exports import Exports
from aotgui.engine.half import Half
from aotgui.engine.pipeline import Pipeline
from aotgui.engine.repartition import PartitionDesk
from aotgui.engine.step_questions import SESSION_ENDED, Question, unanswered
from aotgui.engine.stepping import StepSession
from aotgui.engine.unfinished import remove_unfinished
from aotgui.engine.worker import Worker
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import (
    PROTOCOL_VERSION,
    AnyRequest,
    Compare,
    CompilerInfo,
    EngineProblem,
    ExportFolder,
    ExportPolicy,
    ExportTorchScript,
    FindCulprit,
    FinishRecording,
    Hello,
    Quit,
    Record,
    Repartition,
    Run,
    StartStepping,
    StepRequest,
    Stop,
    WriteRepro,
)


class Server:
    """One engine."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._pipeline = Pipeline(channel.send)
        self._hunt = CulpritHunt(self._pipeline, channel.send)
        self._exports = Exports(self._pipeline, self._hunt, channel.send)
        self._worker = Worker(self._on_crash)
        self._errands = Errands(self._worker, channel.send)
        self._stepping: StepSession | None = None
        self._partitions = PartitionDesk(channel.send, lambda: self._pipeline.regions, lambda: self._pipeline.namespace)

    def serve(self) -> None:
        """Says hello, then serves until the other side is gone or says quit."""
        self._channel.send(
            Hello(
                version=PROTOCOL_VERSION,
                torch=str(torch.__version__),
                python=platform.python_version(),
                compilers=_compiler_infos(),
            )
        )
        while (request := self._channel.receive()) is not None and not isinstance(request, Quit):
            self._handle(request)
        remove_unfinished()

    def _handle(self, request: AnyRequest) -> None:
        match request:
            case Run():
                self._end_work()
                self._worker.submit(lambda: self._pipeline.run(request))
            case Record():
                self._end_work()
                self._worker.submit(lambda: self._pipeline.record(request))
            case FinishRecording(run=run):
                if self._pipeline.finish_recording(run):
                    self._worker.stop()
            case Stop():
                self._end_work()
            case ExportTorchScript() | ExportFolder() | ExportPolicy() | WriteRepro():
                self._errands.submit(request, lambda: self._exports.answer(request))
            case Compare():
                comparing = Comparing(self._pipeline, request, self._channel.send)
                self._errands.submit(request, comparing.run)
            case FindCulprit():
                self._errands.submit(request, lambda: self._hunt.find(request))
            case Repartition():
                self._partitions.announce(request)
                self._worker.submit(lambda: self._partitions.answer(request))
            case StartStepping():
                self._end_stepping()
                self._start_stepping(request)
            case _ if isinstance(request, StepRequest):
                self._pass_on(request)

    def _end_work(self) -> None:
        self._end_stepping()
        self._worker.stop()
        self._errands.drop()
        self._partitions.drop()

    def _end_stepping(self) -> None:
        if self._stepping is not None:
            self._stepping.end()
            self._stepping = None

    def _start_stepping(self, request: StartStepping) -> None:
        try:
            self._stepping = StepSession(request, self._halves(request.region), self._channel.send)
        except UserError as error:
            self._channel.send(EngineProblem(problem=error.problem))

    def _pass_on(self, request: StepRequest) -> None:
        session = self._stepping
        if session is not None and session.id == request.session:
            session.handle(request)
        elif isinstance(request, Question):
            self._channel.send(unanswered(request, SESSION_ENDED))

    def _halves(self, region: int) -> dict[GraphKind, Half]:
        """The halves of a region of the last run.

        Raises:
            UserError: there is no such region.
        """
        regions = self._pipeline.regions
        if not 0 <= region < len(regions):
            raise fault("step", "There is nothing to step through yet: run the target first.")
        return regions[region].halves

    def _on_crash(self, error: BaseException) -> None:
        message = f"The engine has a fault of its own: {one_line(error)}"
        problem = Problem(severity=Severity.ERROR, stage="engine", message=message, details=error_text(error))
        self._channel.send(EngineProblem(problem=problem))


def _compiler_infos() -> list[CompilerInfo]:
    return [
        CompilerInfo(
            name=compiler.name,
            description=compiler.description,
            unavailable=compiler.unavailable(),
            makes_torchscript=compiler.makes_torchscript,
            needs=compiler.needs,
            options=list(compiler.options),
            origin=compiler.origin,
        )
        for compiler in [*builtin_compilers(), *installed_compilers()]
    ]
