"""``aotgui report`` and ``aotgui check``: what was captured, and whether the compiled result is right."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import Result, capture_of
from aotgui.cli.outcome import ExitStatus, say_problems
from aotgui.export.report import json_text, report_document
from aotgui.export.report_text import check_text, report_text
from aotgui.model.capture import Capture, CheckStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of both commands."""
    add_source(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser)


def report(arguments: argparse.Namespace) -> ExitStatus:
    """Prints what was captured, saved and recomputed."""
    return _print_capture(arguments, report_text).status


def check(arguments: argparse.Namespace) -> ExitStatus:
    """Prints every output and gradient against eager; a check that could not run is a failure."""
    result = _print_capture(arguments, check_text)
    if result.status is ExitStatus.FINE and result.capture.check.status is not CheckStatus.MATCH:
        return ExitStatus.FAILED
    return result.status


def _print_capture(arguments: argparse.Namespace, text_of: Callable[[Capture], str]) -> Result:
    result = capture_of(arguments)
    captured = result.capture
    if arguments.json:
        sys.stdout.write(json_text(report_document(captured)))
    elif captured.regions:
        sys.stdout.write(text_of(captured))
    sys.stdout.flush()
    say_problems(captured.problems)
    return result
