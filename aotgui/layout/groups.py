"""Modules as groups of nodes that can be collapsed, and which of them to open at first."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.levels import chains
from aotgui.layout.modules import RECOMPUTED
from aotgui.layout.nesting import Nesting, nest
from aotgui.layout.result import Group
from aotgui.layout.sheet import LEFT, RIGHT
from aotgui.model.graph import Graph

_READABLE = 150
_ABOUT = 1.4


def groups_of(graph: Graph) -> tuple[Group, ...]:
    """Every group of a graph, outer ones before inner ones; a module with nodes in both columns gives two."""
    return make_groups(graph, nest(graph))


def make_groups(graph: Graph, nesting: Nesting) -> tuple[Group, ...]:
    """The groups of a nesting, for each path the left one first."""
    inside = _nodes_inside(nesting)
    numbers: dict[tuple[int, int], int] = {}
    groups: list[Group] = []
    for path, parent in enumerate(nesting.parents):
        for side in (LEFT, RIGHT):
            nodes = inside[path][nesting.sides[inside[path]] == side]
            if len(nodes):
                numbers[path, side] = len(groups)
                title = _title(graph, nesting, path)
                above = numbers.get((parent, side), -1)
                groups.append(Group(nesting.paths[path], title, above, nodes.astype(np.int32), side))
    return tuple(groups)


def default_expansion(graph: Graph, boxes: int = _READABLE, nesting: Nesting | None = None) -> frozenset[str]:
    """Paths to expand so that all modules are open to the same depth and at most about so many boxes are seen.

    The outermost groups may be more: they stay collapsed then.

    Args:
        graph: any of the four kinds.
        boxes: how many boxes are readable.
        nesting: what ``nesting.nest`` says of this graph, where the caller kept it.
    """
    nesting = nesting or nest(graph)
    around = chains(nesting.parents)
    depths = np.asarray([len(chain) for chain in around], np.int64)
    ancestors = np.full((len(around) + 1, int(depths.max(initial=0)) + 1), -1, np.int64)
    for path, chain in enumerate(around):
        ancestors[path, : len(chain)] = chain
    depth = 0
    while depth < depths.max(initial=0) and _visible(nesting, ancestors[:, depth + 1]) <= _ABOUT * boxes:
        depth += 1
    return frozenset(path for path, deep in zip(nesting.paths, depths.tolist(), strict=True) if deep <= depth)


def _visible(nesting: Nesting, collapsed: NDArray[np.int64]) -> int:
    """Boxes seen when each path is hidden in the given one of its ancestors (-1: is expanded)."""
    hidden_in = collapsed[nesting.node_paths]
    boxes = np.unique(hidden_in[hidden_in >= 0] * 2 + nesting.sides[hidden_in >= 0])
    return len(boxes) + int((hidden_in < 0).sum())


def _nodes_inside(nesting: Nesting) -> list[NDArray[np.int64]]:
    """All nodes of each path, those of inner paths included, ascending."""
    inside: list[list[int]] = [[] for _ in nesting.paths]
    around = [*chains(nesting.parents), ()]
    for node, path in enumerate(nesting.node_paths.tolist()):
        for outer in around[path]:
            inside[outer].append(node)
    return [np.asarray(nodes, np.int64) for nodes in inside]


def _title(graph: Graph, nesting: Nesting, path: int) -> str:
    """Path below the enclosing group, and the module's class."""
    whole, parent = nesting.paths[path], nesting.parents[path]
    module = whole.removeprefix(RECOMPUTED)
    name = whole.removeprefix(f"{nesting.paths[parent]}.") if parent >= 0 else module
    kind = graph.module_types.get(module, "")
    note = ", recomputed" if parent < 0 and module != whole else ""
    return f"{name} · {kind}{note}" if kind else name + note
