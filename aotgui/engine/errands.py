"""Requests that wait for the worker; one that is dropped while it waits is answered all the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

from aotgui.engine.worker import Worker
from aotgui.model.capture import Problem, Severity
from aotgui.protocol.messages import (
    Compare,
    CompareEnded,
    CulpritFound,
    Event,
    Exported,
    ExportFolder,
    ExportPolicy,
    ExportTorchScript,
    FindCulprit,
    RunStatus,
    WriteRepro,
)

ErrandRequest = Compare | FindCulprit | ExportTorchScript | ExportFolder | ExportPolicy | WriteRepro

_DROPPED: Final = "Stopped before it began."


class Errands:
    """Requests on their way to the worker."""

    def __init__(self, worker: Worker, emit: Callable[[Event], None]) -> None:
        self._worker = worker
        self._emit = emit
        self._numbers = itertools.count()
        self._waiting: dict[int, ErrandRequest] = {}

    def submit(self, request: ErrandRequest, work: Callable[[], None]) -> None:
        """Lets the worker do what a request asks for, after what it has to do before. The engine's main thread."""
        number = next(self._numbers)
        self._waiting[number] = request
        self._worker.submit(lambda: self._do(number, work))

    def drop(self) -> None:
        """Answers what the worker was told to forget. The engine's main thread."""
        for number in list(self._waiting):
            if (request := self._waiting.pop(number, None)) is not None:
                self._emit(stopped_answer(request))

    def _do(self, number: int, work: Callable[[], None]) -> None:
        # Whoever takes the request out of the dictionary answers it.
        if self._waiting.pop(number, None) is not None:
            work()


def stopped_answer(request: ErrandRequest) -> Event:
    """The end of a request that was stopped before anything was done."""
    problem = Problem(severity=Severity.INFO, stage="engine", message=_DROPPED)
    match request:
        case Compare(request=number):
            return CompareEnded(request=number, status=RunStatus.STOPPED)
        case FindCulprit(request=number):
            return CulpritFound(request=number, problem=problem)
    return Exported(request=request.request, problem=problem)
