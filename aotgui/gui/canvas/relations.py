"""What a node depends on, what depends on it, and what lies between two."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from aotgui.model.graph import Graph


def ancestors(graph: Graph, nodes: Iterable[int]) -> list[int]:
    """All nodes that some nodes are computed from, without themselves, nearest first."""
    return _reached(nodes, graph.inputs)


def descendants(graph: Graph, nodes: Iterable[int]) -> list[int]:
    """All nodes that are computed from some nodes, without themselves, nearest first."""
    return _reached(nodes, graph.users)


def between(graph: Graph, one: int, other: int) -> list[int]:
    """Every node on any path from one node to another, both included, in graph order; empty where there is none."""
    first, last = min(one, other), max(one, other)
    below = {first, *descendants(graph, [first])}
    if last not in below:
        return []
    return sorted(below & {last, *ancestors(graph, [last])})


def _reached(nodes: Iterable[int], onward: Callable[[int], list[int]]) -> list[int]:
    start = list(dict.fromkeys(nodes))
    seen = dict.fromkeys(start)
    waiting = start
    while waiting:
        waiting = list(dict.fromkeys(other for node in waiting for other in onward(node) if other not in seen))
        seen.update(dict.fromkeys(waiting))
    return list(seen)[len(start) :]
