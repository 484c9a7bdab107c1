"""A part of a graph as a graph of its own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import msgspec

from aotgui.model.graph import Graph

_COLUMNS: Final = (
    "names", "ops", "targets", "roles", "sides", "fates", "seq_nrs", "origins", "labels", "modules", "stacks", "values",
    "arguments", "policies",
)  # fmt: skip


def induced_graph(graph: Graph, nodes: Collection[int]) -> Graph:
    """The given nodes in their order in the graph, with the edges between them and what is returned of them.

    Its indexes are its own; ``origins`` still lead to the joint graph. The graph's code is of the whole and left out.
    """
    kept = sorted(set(nodes))
    place = {node: position for position, node in enumerate(kept)}
    edges = [
        (place[source], place[target])
        for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True)
        if source in place and target in place
    ]
    columns = {name: [column[node] for node in kept] for name in _COLUMNS if (column := getattr(graph, name))}
    return msgspec.structs.replace(
        graph,
        **columns,
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        outputs=[
            msgspec.structs.replace(output, node=place[output.node]) for output in graph.outputs if output.node in place
        ],
        code="",
    )
