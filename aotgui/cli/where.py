"""``--where QUERY``: which nodes of a graph a search finds, to list or to export them."""

from __future__ import annotations

import argparse

import msgspec

from aotgui.cli.capturing import chosen_region
from aotgui.cli.outcome import CommandError, ExitStatus
from aotgui.export.found_nodes import FoundNodes
from aotgui.model.capture import Capture
from aotgui.model.graph import Graph
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
        return FoundNodes(self.text, graph, self.nodes(graph)) if graph else None

    def nodes(self, graph: Graph) -> list[int]:
        """The nodes found in a graph."""
        return Finder(graph).find(self.query)


def add_where(parser: argparse._ActionsContainer, effect: str) -> None:
    """The option.

    Args:
        parser: or a group of it.
        effect: what is done with the nodes that are found, up to the example.
    """
    parser.add_argument(
        "--where",
        metavar="QUERY",
        help=f"{effect}: 'fate:saved bytes>1MB'; the keys are those of the window",
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
