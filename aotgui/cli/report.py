"""``aotgui report`` and ``aotgui check``: what was captured, and whether the compiled result is right."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import capture_of
from aotgui.cli.explaining import add_explaining, sections_of
from aotgui.cli.outcome import ExitStatus, say_problems
from aotgui.cli.where import add_where, where_of
from aotgui.export.report import Document, json_text, report_document
from aotgui.export.report_text import check_text, report_text
from aotgui.model.capture import Capture, CheckStatus


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of ``report``."""
    add_where(parser, "also list the nodes that a search finds")
    add_explaining(parser)
    add_arguments(parser)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of both commands."""
    add_source(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser)


def report(arguments: argparse.Namespace) -> ExitStatus:
    """Prints what was captured, saved and recomputed, and the nodes that a search finds."""
    where = where_of(arguments)  # a mistake in it is told before anything runs
    result = capture_of(arguments)
    captured = result.capture
    found = where.find(captured) if where else None
    more = [*([found] if found else []), *sections_of(arguments, captured)]
    _print(arguments, captured, partial(report_document, captured, more), partial(report_text, captured, more))
    return result.status


def check(arguments: argparse.Namespace) -> ExitStatus:
    """Prints every output and gradient against eager; a check that could not run is a failure."""
    result = capture_of(arguments)
    captured = result.capture
    _print(arguments, captured, partial(report_document, captured), partial(check_text, captured))
    if result.status is ExitStatus.FINE and captured.check.status is not CheckStatus.MATCH:
        return ExitStatus.FAILED
    return result.status


def _print(
    arguments: argparse.Namespace, captured: Capture, document: Callable[[], Document], text: Callable[[], str]
) -> None:
    """One JSON document, or text where there is something to tell; then the problems."""
    if arguments.json:
        sys.stdout.write(json_text(document()))
    elif captured.regions:
        sys.stdout.write(text())
    sys.stdout.flush()
    say_problems(captured.problems)
