"""``aotgui capture``: records a capture in a file that opens later, elsewhere and without torch."""

from __future__ import annotations

import argparse
from pathlib import Path

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import capture_of
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.export.capture_files import save_capture
from aotgui.model.capture_file import CaptureFileError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_source(parser)
    parser.add_argument("-o", "--output", required=True, metavar="OUT.aotcap", help="file to write")
    add_settings(parser)


def record(arguments: argparse.Namespace) -> ExitStatus:
    """Writes the capture, also one with problems: they are what a colleague should see."""
    result = capture_of(arguments)
    if result.capture.regions:
        try:
            save_capture(Path(arguments.output), result.capture)
        except CaptureFileError as error:
            raise CommandError(str(error)) from error
    say_problems(result.capture.problems)
    return result.status
