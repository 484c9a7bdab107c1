"""``--where QUERY``: which nodes of the joint graph a search finds, for the report."""

from __future__ import annotations

import argparse

import msgspec

from aotgui.cli.capturing import chosen_region
from aotgui.cli.outcome import CommandError, ExitStatus
from aotgui.export.found_nodes import FoundNodes
from aotgui.model.capture import Capture
from aotgui.model.query import QueryError, parse_query
from aotgui.model.query_match import Finder
from aotgui.model.query_terms import Query


class Where(msgspec.Struct, frozen=True):
    """A search that was asked for.

    Attributes:
        text: as typed.
        query: as read.
        region: index of the region, counted from 0.
    """

    text: str
    query: Query
    region: int

    def find(self, captured: Capture) -> FoundNodes | None:
        """The nodes found in the region's joint (or inference) graph; None where nothing was captured.

        Raises:
            CommandError: there is no such region.
        """
        if not captured.regions:
            return None
        graph = chosen_region(captured, self.region).main_graph
        return FoundNodes(self.text, graph, Finder(graph).find(self.query)) if graph else None


def add_where(parser: argparse.ArgumentParser) -> None:
    """The option."""
    parser.add_argument(
        "--where",
        metavar="QUERY",
        help="also list the nodes that a search finds: 'fate:saved bytes>1MB'; the keys are those of the window",
    )


def where_of(arguments: argparse.Namespace) -> Where | None:
    """The search, or None without one.

    Raises:
        CommandError: the text is no search.
    """
    if arguments.where is None:
        return None
    try:
        return Where(arguments.where, parse_query(arguments.where), arguments.region)
    except QueryError as error:
        raise CommandError(str(error), ExitStatus.USAGE, error.details) from error
