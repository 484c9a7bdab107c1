"""``aotgui capture``: a capture in a file that opens later, elsewhere and without torch.

With ``--record`` the source is a whole script: it runs unmodified, and what it compiles is captured.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from aotgui.cli.arguments import add_settings, add_source, settings_of, source_of
from aotgui.cli.capturing import Result, capture_of, engine, result_of
from aotgui.cli.export import format_of_ending
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.export.capture_files import save_capture
from aotgui.export.report_text import report_text
from aotgui.model.capture import Capture
from aotgui.model.capture_file import CaptureFileError
from aotgui.model.text import count_text
from aotgui.protocol.messages import Record

SCRIPT_ARGUMENTS = "script_arguments"
"""Attribute of the parsed arguments that holds what follows ``--``."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_source(parser)
    parser.add_argument("-o", "--output", metavar="OUT.aotcap", help="file to write")
    group = parser.add_argument_group("recording: aotgui capture SCRIPT --record -- ARGUMENTS OF THE SCRIPT")
    group.add_argument("--record", action="store_true", help="run SRC as a script and capture what it compiles")
    group.add_argument("--regions", type=int, default=0, metavar="N", help="end the script after N regions")
    add_settings(parser)


def record(arguments: argparse.Namespace) -> ExitStatus:
    """Writes the capture, also one with problems: they are what a colleague should see."""
    _require_use(arguments)
    result = _recorded(arguments) if arguments.record else capture_of(arguments)
    if result.capture.regions:
        _write(arguments.output, result.capture)
    say_problems(result.capture.problems)
    return result.status


def _require_use(arguments: argparse.Namespace) -> None:
    if not arguments.record and not arguments.output:
        raise CommandError("Say which file to write: -o OUT.aotcap.", ExitStatus.USAGE)
    if arguments.output and (form := format_of_ending(arguments.output)):
        sentence = f"A capture is no {Path(arguments.output).suffix} file: write OUT.aotcap, or use"
        raise CommandError(f"{sentence} aotgui export --format {form}.", ExitStatus.USAGE)
    if not arguments.record and (arguments.script_arguments or arguments.regions):
        raise CommandError("Only a script that is recorded takes arguments or --regions: --record.", ExitStatus.USAGE)
    if arguments.regions < 0:
        raise CommandError("The number of regions must be 1 or more.", ExitStatus.USAGE)
    if arguments.record and (arguments.target or arguments.input):
        raise CommandError("A script that is recorded takes neither --target nor --input.", ExitStatus.USAGE)


def _recorded(arguments: argparse.Namespace) -> Result:
    request = Record(
        run=1,
        source=source_of(arguments.source),
        arguments=arguments.script_arguments,
        regions=arguments.regions,
        settings=settings_of(arguments),
    )
    with engine(arguments) as client:
        return result_of(request, lambda: client.record(request))


def _write(output: str | None, captured: Capture) -> None:
    if not output:
        sys.stdout.write(report_text(captured))
        return
    try:
        save_capture(Path(output), captured)
    except CaptureFileError as error:
        raise CommandError(str(error)) from error
    count = count_text(len(captured.regions), "region")
    sys.stdout.write(f"Saved {count} to {output}; aotgui report {output} reads it, without torch.\n")
