"""``aotgui export --format bundle|fx``: folders that run where aotgui is not installed."""

from __future__ import annotations

import argparse
from pathlib import Path

from aotgui.cli.capturing import capture, chosen_region, engine, errors_of, problems_of, status_of
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.protocol.client import EngineError
from aotgui.protocol.messages import ExportFolder, FolderForm


def export_folder(arguments: argparse.Namespace, form: FolderForm) -> ExitStatus:
    """Writes the folder of a region and says what was verified.

    Raises:
        CommandError: the output cannot be a folder, or there is no such region.
    """
    if arguments.output == "-":
        raise CommandError("A folder cannot go to standard output; name one with -o.", ExitStatus.USAGE)
    path = str(Path(arguments.output).absolute())
    with engine(arguments) as client:
        result = capture(client, arguments)
        if not result.capture.regions:
            say_problems(result.capture.problems)
            return max(result.status, ExitStatus.FAILED)
        chosen_region(result.capture, arguments.region)
        try:
            exported = client.export(ExportFolder(request=1, region=arguments.region, form=form, path=path))
        except EngineError as error:
            say_problems(problems_of(error))
            return status_of(error)
    if exported.problem:
        say_problems([*errors_of(result.capture), exported.problem])
        return ExitStatus.FAILED
    print(exported.detail)
    return ExitStatus.FINE
