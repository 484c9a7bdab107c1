"""The graph document: what crosses the pipe, as JSON."""

from __future__ import annotations

import msgspec

from aotgui.model.graph import Graph


def graph_json(graph: Graph) -> str:
    """All columns and tables of a graph; ``graph_of_json`` reads it back."""
    return msgspec.json.format(msgspec.json.encode(graph), indent=1).decode() + "\n"


def graph_of_json(text: str) -> Graph:
    """The graph in a document that ``graph_json`` wrote.

    Raises:
        msgspec.MsgspecError: it is none.
    """
    return msgspec.json.decode(text, type=Graph)
