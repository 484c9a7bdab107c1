"""The nodes that a search found, as part of the JSON document and as lines of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from aotgui.export.text_table import table_lines
from aotgui.model.graph import Fate, Graph, Role, Side
from aotgui.model.text import bytes_text, count_text, place_text


class FoundNodes(msgspec.Struct, frozen=True):
    """What a search found.

    Attributes:
        query: the search as typed.
        graph: where it looked.
        nodes: indexes of the nodes found, ascending.
    """

    query: str
    graph: Graph
    nodes: list[int]

    def document(self) -> dict[str, Any]:
        """``nodes``: one entry a node."""
        return {"nodes": [node_document(self.graph, index) for index in self.nodes]}

    def lines(self) -> Iterator[str]:
        """A heading and one line a node."""
        counted = count_text(len(self.nodes), "node")
        yield f"Nodes     {counted} of the {self.graph.kind} graph where {self.query}"
        yield from table_lines([_cells(self.graph, index) for index in self.nodes], right={0})


def node_document(graph: Graph, index: int) -> dict[str, Any]:
    """One node; unknown texts are empty, several values are listed in their order."""
    source = graph.source(index)
    return {
        "name": graph.names[index],
        "label": graph.label(index),
        "op": graph.target(index),
        "role": Role(graph.roles[index]).label,
        "side": Side(graph.sides[index]).label,
        "fate": Fate(graph.fates[index]).label,
        "values": [
            {"shape": list(tensor.shape), "dtype": tensor.dtype, "bytes": tensor.size_bytes}
            for tensor in graph.tensors(index)
        ],
        "bytes": graph.size_bytes(index),
        "module": graph.module(index),
        "source": f"{source.file}:{source.line}" if source else "",
        "policy": graph.policy(index),
    }


def _cells(graph: Graph, index: int) -> list[str]:
    source = graph.source(index)
    return [
        f"  {bytes_text(graph.size_bytes(index))}",
        graph.names[index],
        graph.label(index) or graph.target(index),
        ", ".join(map(str, graph.tensors(index))),
        Fate(graph.fates[index]).label,
        graph.module(index),
        place_text(source.file, source.line) if source else "",
    ]
