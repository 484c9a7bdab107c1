"""``aotgui diff``: what differs between two captures, or between the captures of two scripts."""

from __future__ import annotations

import argparse
import copy
import sys
from pathlib import Path

import msgspec

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import Result, capture_of, without_graphs
from aotgui.cli.outcome import ExitStatus
from aotgui.export.capture_files import is_capture_file
from aotgui.export.diff_report import diff_document, diff_text
from aotgui.export.report import json_text
from aotgui.model.diff import diff_captures
from aotgui.model.settings import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_source(parser)
    parser.add_argument("other", metavar="OTHER", help="what to compare SRC with: another script or capture")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser)


def diff(arguments: argparse.Namespace) -> ExitStatus:
    """Prints the differences from SRC to OTHER; that there are some is no failure.

    The settings count for scripts; a capture file has its own.
    """
    old, new = (_result(arguments, source) for source in (arguments.source, arguments.other))
    failed = [result for result in (old, new) if not result.capture.regions]
    if failed:
        return max(map(without_graphs, failed))
    difference = diff_captures(old.capture, new.capture)
    if arguments.json:
        sys.stdout.write(json_text(diff_document(old.capture, new.capture, difference)))
    else:
        sys.stdout.write(diff_text(old.capture, new.capture, difference))
    return ExitStatus.FINE


def _result(arguments: argparse.Namespace, source: str) -> Result:
    chosen = copy.copy(arguments)
    chosen.source = source
    if is_capture_file(Path(source)):
        vars(chosen).update(msgspec.structs.asdict(Settings()))
    return capture_of(chosen)
