"""Which graphs a node runs: those of higher-order operators (``cond``, ``while_loop``, checkpoint regions)."""

from __future__ import annotations

from aotgui.model.graph import Graph, Op


def graphs_of(graph: Graph, node: int) -> list[str]:
    """Names of the graphs that a node stands for or hands to its operator, in argument order."""
    if not graph.subgraphs:
        return []
    nodes = [node] if graph.ops[node] == Op.GET_ATTR else graph.inputs(node)
    targets = [graph.target(other) for other in nodes if graph.ops[other] == Op.GET_ATTR]
    return [target for target in dict.fromkeys(targets) if target in graph.subgraphs]
