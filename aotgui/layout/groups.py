"""Modules as groups of nodes that can be collapsed, and which of them to open at first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.levels import chains
from aotgui.layout.modules import DOT, RECOMPUTED
from aotgui.layout.nesting import Nesting, nest
from aotgui.layout.repeats import RUN_MARK, kind_of, odd_ones
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
                blocks = nesting.blocks[path] if nesting.blocks else 0
                groups.append(Group(nesting.paths[path], title, above, nodes.astype(np.int32), side, blocks))
    return _with_odd_ones(graph, groups)


def _with_odd_ones(graph: Graph, groups: list[Group]) -> tuple[Group, ...]:
    """The same with those blocks marked that differ from most of their run."""
    runs: dict[int, list[int]] = {}
    for number, group in enumerate(groups):
        if group.parent >= 0 and groups[group.parent].blocks:
            runs.setdefault(group.parent, []).append(number)
    for blocks in runs.values():
        odd = odd_ones(graph, [groups[number].nodes.tolist() for number in blocks])
        for number, differs in zip(blocks, odd, strict=True):
            groups[number] = replace(groups[number], differs=differs)
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
    """Path below the enclosing module and the module's class; of a run how many blocks of which class."""
    whole, parent = nesting.paths[path], nesting.parents[path]
    while parent >= 0 and nesting.blocks and nesting.blocks[parent]:
        parent = nesting.parents[parent]
    module = whole.removeprefix(RECOMPUTED)
    if nesting.by_line:
        return whole.rpartition(".")[2].replace(DOT, ".") + (", recomputed" if module != whole else "")
    name = whole.removeprefix(f"{nesting.paths[parent]}.") if parent >= 0 else module
    note = ", recomputed" if parent < 0 and module != whole else ""
    if nesting.blocks and nesting.blocks[path]:
        first = module.partition(RUN_MARK)[0]
        kind = kind_of(first, graph.module_types) or first.rpartition(".")[0].rpartition(".")[2]
        return f"{nesting.blocks[path]} \u00d7 {kind}{note}"
    kind = kind_of(module, graph.module_types)
    return f"{name} · {kind}{note}" if kind else name + note
