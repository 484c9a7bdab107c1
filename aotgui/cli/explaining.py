"""``--why NODE`` and ``--memory``: what the report says of single nodes and of memory over time."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterator

from aotgui.cli.capturing import chosen_region
from aotgui.cli.outcome import CommandError, ExitStatus
from aotgui.export.memory_report import MemorySection
from aotgui.export.section import Section
from aotgui.export.why_report import WhySection
from aotgui.model.capture import Capture, Region
from aotgui.model.why import Why, why_of


def add_explaining(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument(
        "--why",
        action="append",
        default=[],
        metavar="NODE",
        help="say why a node is saved, recomputed or neither; may be given several times",
    )
    parser.add_argument("--memory", action="store_true", help="say what is alive at the peak of forward and backward")


def sections_of(arguments: argparse.Namespace, captured: Capture) -> Iterator[Section]:
    """What was asked for beside the report; nothing where nothing was captured.

    Raises:
        CommandError: there is no such node, or the region has no backward.
    """
    if not captured.regions or not (arguments.why or arguments.memory):
        return
    region = chosen_region(captured, arguments.region)
    if arguments.why:
        yield WhySection(region, [_why(captured, region, name) for name in arguments.why])
    if arguments.memory:
        yield MemorySection(region)


def _why(captured: Capture, region: Region, name: str) -> Why:
    graph = region.main_graph
    if graph is None or not region.is_training:
        message = f"{region.name.capitalize()} has no backward, so nothing in it is saved or recomputed."
        raise CommandError(message, ExitStatus.USAGE)
    node = graph.index_of.get(name, -1)
    if node < 0:
        titles = {graph.title(index): index for index in range(len(graph))}
        node = titles.get(name, -1)
        if node < 0:
            close = difflib.get_close_matches(name, [*graph.names, *titles], n=1)
            hint = f"; did you mean {close[0]}?" if close else "."
            raise CommandError(f"The joint graph has no node {name}{hint}", ExitStatus.USAGE)
    return why_of(region, node, captured.settings)
