"""Runs the pipeline for a command: one engine, one capture, whatever happens to the engine."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from aotgui.cli.arguments import settings_of, source_of
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.export.capture_files import is_capture_file, open_capture
from aotgui.model.capture import Capture, Problem, Region, Severity, Stage
from aotgui.model.capture_file import CaptureFileError
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.settings import Settings
from aotgui.protocol.client import EngineClient, EngineDiedError, EngineError, EngineTimeoutError, RequestFailedError
from aotgui.protocol.crash_text import crash_place
from aotgui.protocol.messages import Record, Run


class Result(msgspec.Struct, frozen=True):
    """A capture and what the command exits with because of it."""

    capture: Capture
    status: ExitStatus


@contextmanager
def engine(arguments: argparse.Namespace) -> Iterator[EngineClient]:
    """An engine for one command.

    Raises:
        CommandError: it cannot be started, or there is nothing that it could run.
    """
    _request(arguments)  # wrong usage is told before anything is started
    try:
        client = EngineClient(timeout_s=arguments.timeout, on_stage=lambda stage: show_progress(f"{stage.label} ..."))
    except OSError as error:
        raise CommandError(f"The engine cannot be started: {error}.", ExitStatus.ENGINE_DIED) from error
    with client:
        yield client


def capture_of(arguments: argparse.Namespace) -> Result:
    """The capture of ``SRC``: read where it is a capture file, else made by an engine of its own.

    Raises:
        CommandError: the capture file cannot be read, the engine cannot be started, or what
            the options ask for cannot be had.
    """
    path = Path(arguments.source)
    if is_capture_file(path):
        if settings_of(arguments) != Settings():
            raise CommandError(f"{path} is a capture: the settings are those that it was made with.", ExitStatus.USAGE)
        try:
            recorded = open_capture(path)
        except CaptureFileError as error:
            recorded = _unreadable(path, error)
        result = Result(recorded, ExitStatus.FAILED if recorded.failed else ExitStatus.FINE)
    else:
        with engine(arguments) as client:
            result = capture(client, arguments)
    if result.capture.regions:
        chosen_region(result.capture, arguments.region)  # wrong usage is told also where all regions are shown
    return result


def _unreadable(path: Path, error: CaptureFileError) -> Capture:
    problem = Problem(severity=Severity.ERROR, stage=Stage.LOAD, message=str(error))
    return Capture(source=str(path), target="", torch="", settings=Settings(), problems=[problem])


def capture(client: EngineClient, arguments: argparse.Namespace) -> Result:
    """Runs the pipeline. An engine that dies or takes too long gives a capture whose problem says so."""
    request = _request(arguments)
    return result_of(request, lambda: client.run(request))


def result_of(request: Run | Record, answer: Callable[[], Capture]) -> Result:
    """What an engine answers to a request; see ``capture``."""
    try:
        captured = answer()
    except EngineError as error:
        return Result(_interrupted(request, error), status_of(error))
    finally:
        show_progress("")
    return Result(captured, ExitStatus.FAILED if captured.failed else ExitStatus.FINE)


def _request(arguments: argparse.Namespace) -> Run:
    if is_capture_file(Path(arguments.source)):
        raise CommandError(f"{arguments.source} is a capture, which can be read but not run.", ExitStatus.USAGE)
    return Run(
        run=1,
        source=source_of(arguments.source),
        target=arguments.target,
        inputs=arguments.input,
        settings=settings_of(arguments),
        trusted=arguments.trust,
    )


def problems_of(error: EngineError) -> list[Problem]:
    """What an engine that gave no answer means for a person."""
    match error:
        case RequestFailedError(problem=problem):
            return [problem]
        case EngineTimeoutError(problems=[first, *rest]):
            return [msgspec.structs.replace(first, severity=Severity.ERROR, message=str(error)), *rest]
        case EngineDiedError(stage=stage, text=text):
            file, line = crash_place(text)
            sentence, where = str(error), stage or "engine"
            return [Problem(severity=Severity.ERROR, stage=where, message=sentence, file=file, line=line, details=text)]
        case _:
            return [Problem(severity=Severity.ERROR, stage="engine", message=str(error))]


def without_graphs(result: Result) -> ExitStatus:
    """Says why nothing was captured; what the command ends with."""
    say_problems(result.capture.problems)
    return max(result.status, ExitStatus.FAILED)


def errors_of(captured: Capture) -> list[Problem]:
    """What went wrong while it was captured: the reason why it cannot be stepped through or exported."""
    return [problem for problem in captured.problems if problem.severity is Severity.ERROR]


def status_of(error: EngineError) -> ExitStatus:
    """What the command exits with."""
    return ExitStatus.ENGINE_DIED if isinstance(error, EngineDiedError) else ExitStatus.FAILED


def chosen_region(captured: Capture, index: int) -> Region:
    """The region that ``--region`` names.

    Raises:
        CommandError: there is none.
    """
    if index < len(captured.regions):
        return captured.regions[index]
    count = len(captured.regions)
    raise CommandError(f"There is no region {index}: the capture has {count}, counted from 0.", ExitStatus.USAGE)


def chosen_graph(region: Region, kind: GraphKind) -> Graph:
    """The region's graph of a kind.

    Raises:
        CommandError: it has none.
    """
    graph = region.graphs.get(kind)
    if graph is None:
        there = ", ".join(region.graphs) or "none"
        why = "" if region.is_training else " because nothing in it requires a gradient"
        raise CommandError(f"{region.name.capitalize()} has no {kind} graph{why}; it has: {there}.", ExitStatus.USAGE)
    return graph


def _interrupted(request: Run | Record, error: EngineError) -> Capture:
    """What a run gave before the engine fell silent, and why it went no further."""
    target = request.target if isinstance(request, Run) else ""
    given = error.capture or Capture(source=request.source, target=target, torch="", settings=request.settings)
    return msgspec.structs.replace(given, problems=[*given.problems, *problems_of(error)])


def show_progress(text: str) -> None:
    """Shows what is going on in one line of a terminal, and nothing where nobody watches."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\x1b[K{text}")
        sys.stderr.flush()
