"""How far a step goes: to where another source line or another module begins, forwards and backwards.

Nodes come in runs of the same line or module. Nodes of which nothing is known (arguments, what a partitioner added)
belong to the run before them.
"""

from __future__ import annotations

from aotgui.model.graph import Graph
from aotgui.model.stepping import Granularity


def end_of_step(graph: Graph, node: int, granularity: Granularity) -> int:
    """Index of the node at which a step from before ``node`` ends; the number of nodes at the end."""
    following = range(node + 1, len(graph))
    match granularity:
        case Granularity.LINE:
            line = line_of(graph, node)
            return next((i for i in following if line_of(graph, i) not in (None, line)), len(graph))
        case Granularity.MODULE:
            return _end_of_module(graph, node, module_of(graph, node))
        case _:
            return min(node + 1, len(graph))


def end_of_scope(graph: Graph, node: int, granularity: Granularity) -> int:
    """Index of the node at which stepping out ends: outside the module, or with ``MODULE`` the one around it."""
    module = module_of(graph, node)
    if granularity is Granularity.MODULE and module:
        module = module.rpartition(".")[0]
    return len(graph) if not module else _end_of_module(graph, node, module)


def next_to_enter(graph: Graph, node: int) -> int:
    """Index of the next node that enters a module which ``node`` is not in, or that runs a nested graph.

    Where there is none it is the next node: there is nothing to go into.
    """
    module = module_of(graph, node) or ""
    for index in range(node + 1, len(graph)):
        other = module_of(graph, index)
        if (other and not is_within(module, other)) or runs_nested_graph(graph, index):
            return index
    return node + 1


def runs_nested_graph(graph: Graph, node: int) -> bool:
    """Whether a node runs a graph of its own."""
    return bool(graph.subgraphs) and any(graph.target(source) in graph.subgraphs for source in graph.inputs(node))


def start_of_previous(graph: Graph, node: int, granularity: Granularity) -> int:
    """Index of the first node of the run that ends before ``node``; -1 where nothing is before it."""
    start = node - 1
    if start < 0 or granularity is Granularity.NODE:
        return start
    while start > 0 and _same_run(graph, start - 1, start, granularity):
        start -= 1
    return start


def line_of(graph: Graph, node: int) -> tuple[str, int] | None:
    """File and line that a node comes from; None where nothing is known."""
    frame = graph.source(node) if node < len(graph) else None
    return (frame.file, frame.line) if frame else None


def module_of(graph: Graph, node: int) -> str | None:
    """Path of the module that ran a node, empty for the outermost; None where nothing is known."""
    if node >= len(graph):
        return None
    return graph.module(node) or ("" if graph.stacks[node] >= 0 else None)


def is_within(module: str, outer: str) -> bool:
    """Whether a module is ``outer`` or inside of it."""
    return module == outer or not outer or module.startswith(f"{outer}.")


def _end_of_module(graph: Graph, node: int, module: str | None) -> int:
    for index in range(node + 1, len(graph)):
        other = module_of(graph, index)
        if other is not None and not (module == other if not module else is_within(other, module)):
            return index
    return len(graph)


def _same_run(graph: Graph, one: int, other: int, granularity: Granularity) -> bool:
    place = line_of if granularity is Granularity.LINE else module_of
    return place(graph, one) == place(graph, other)
