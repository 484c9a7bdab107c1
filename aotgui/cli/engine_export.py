"""``aotgui export`` of what only the engine can make: TorchScript, and folders that run without aotgui."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

from aotgui.cli.capturing import (
    capture,
    chosen_region,
    engine,
    errors_of,
    problems_of,
    status_of,
    without_graphs,
)
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.model.capture import Capture
from aotgui.protocol.client import EngineError
from aotgui.protocol.messages import ExportFolder, ExportTorchScript, FolderForm

RequestOf = Callable[[Capture, str], ExportTorchScript | ExportFolder]
"""The request for a capture and the absolute path to write to."""


def export_by_engine(arguments: argparse.Namespace, request_of: RequestOf) -> ExitStatus:
    """Captures, lets the engine write, and says what was verified.

    Raises:
        CommandError: ``request_of`` finds that the capture does not have what is asked for.
    """
    with engine(arguments) as client:
        result = capture(client, arguments)
        if not result.capture.regions:
            return without_graphs(result)
        request = request_of(result.capture, str(Path(arguments.output).absolute()))
        try:
            exported = client.export(request)
        except EngineError as error:
            say_problems(problems_of(error))
            return status_of(error)
    if exported.problem:
        say_problems([*errors_of(result.capture), exported.problem])
        return ExitStatus.FAILED
    print(exported.detail or f"Wrote {exported.path}.")
    return ExitStatus.FINE


def export_folder(arguments: argparse.Namespace, form: FolderForm) -> ExitStatus:
    """Writes the folder of a region.

    Raises:
        CommandError: the output cannot be a folder, or there is no such region.
    """
    if arguments.output == "-":
        raise CommandError("A folder cannot go to standard output; name one with -o.", ExitStatus.USAGE)

    def request_of(captured: Capture, path: str) -> ExportFolder:
        chosen_region(captured, arguments.region)
        return ExportFolder(request=1, region=arguments.region, form=form, path=path)

    return export_by_engine(arguments, request_of)
