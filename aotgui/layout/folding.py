"""The sheet of a graph with some modules collapsed into boxes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.groups import make_groups
from aotgui.layout.nesting import Nesting
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Group
from aotgui.layout.sheet import Sheet, node_bands
from aotgui.model.graph import Graph, GraphKind, Op, Side


def folded_sheet(
    graph: Graph, nesting: Nesting, expanded: frozenset[str], options: LayoutOptions, groups: tuple[Group, ...] = ()
) -> Sheet:
    """Items are the collapsed groups and the nodes in none of them, in the order of their first nodes.

    Args:
        graph: what is laid out.
        nesting: its modules.
        expanded: paths of expanded groups; one inside a collapsed group counts for nothing.
        options: for the widths.
        groups: of the nesting, where they are known.
    """
    groups = groups or make_groups(graph, nesting)
    path_numbers = {path: number for number, path in enumerate(nesting.paths)}
    module_groups = {(path_numbers[group.path], group.side): number for number, group in enumerate(groups)}
    hidden_in, open_in = _visible(nesting, expanded)
    hidden, sides = hidden_in[nesting.node_paths], nesting.sides
    keys = np.where(hidden >= 0, len(graph) + 2 * hidden + sides, np.arange(len(graph)))
    _, firsts, items = np.unique(keys, return_index=True, return_inverse=True)
    order = np.argsort(firsts, kind="stable")
    node_items = np.argsort(order)[items].astype(np.int32)
    firsts = firsts[order]
    is_group = hidden[firsts] >= 0
    item_paths = np.where(is_group, hidden[firsts], nesting.node_paths[firsts]).tolist()
    item_groups = [
        module_groups[path, side] if grouped else -1
        for path, side, grouped in zip(item_paths, sides[firsts].tolist(), is_group.tolist(), strict=True)
    ]
    sources, targets = _edges(graph, node_items)
    return Sheet(
        kind=graph.kind,
        sides=sides[firsts].tolist(),
        bands=_bands(graph, groups, firsts, item_groups),
        widths=_widths(graph, groups, firsts, item_groups, options),
        sources=sources,
        targets=targets,
        item_nodes=np.where(is_group, -1, firsts).astype(np.int32),
        item_groups=np.asarray(item_groups, np.int32),
        node_items=node_items,
        times=_times(graph, node_items, len(firsts)),
        parents=[open_in[path] for path in item_paths],
        groups=groups,
        module_groups=module_groups,
    )


def _visible(nesting: Nesting, expanded: frozenset[str]) -> tuple[NDArray[np.int64], list[int]]:
    """For each path the outermost collapsed one around it or itself, or -1; and the innermost expanded one.

    Both have one entry more, for nodes without a path.
    """
    hidden, inside = [-1] * (len(nesting.paths) + 1), [-1] * (len(nesting.paths) + 1)
    for path, parent in enumerate(nesting.parents):
        if parent >= 0 and hidden[parent] >= 0:
            hidden[path], inside[path] = hidden[parent], inside[parent]
        elif nesting.paths[path] in expanded:
            inside[path] = path
        else:
            hidden[path], inside[path] = path, inside[parent]
    return np.asarray(hidden, np.int64), inside


def _edges(graph: Graph, node_items: NDArray[np.int32]) -> tuple[list[int], list[int]]:
    """Edges between different items, each once, sorted by target and then by source."""
    sources = node_items[np.asarray(graph.edge_sources, np.int64)].astype(np.int64)
    targets = node_items[np.asarray(graph.edge_targets, np.int64)].astype(np.int64)
    count = int(node_items.max(initial=-1)) + 1
    pairs = np.unique(targets[sources != targets] * count + sources[sources != targets])
    return (pairs % max(count, 1)).tolist(), (pairs // max(count, 1)).tolist()


def _times(graph: Graph, node_items: NDArray[np.int32], count: int) -> list[int]:
    """Index of the first operator of each item; a source counts as its first user, just before it."""
    times = np.arange(len(graph), dtype=np.int64) * 2 + 1
    for node, op in enumerate(graph.ops):
        if op in (Op.PLACEHOLDER, Op.GET_ATTR) and graph.users(node):
            times[node] = 2 * min(graph.users(node))
    earliest = np.full(count, 2 * len(graph) + 1)
    np.minimum.at(earliest, node_items, times)
    return [int(time) for time in earliest]


def _bands(graph: Graph, groups: tuple[Group, ...], firsts: NDArray[np.intp], item_groups: list[int]) -> list[int]:
    """Even numbers for nodes, odd ones for groups: a group takes part from its first forward operator on."""
    bands = node_bands(graph)
    starts: dict[str, int] = {}
    for group in groups if graph.kind is GraphKind.JOINT else ():
        if group.side == Side.FORWARD:
            known = [bands[node] for node in group.nodes.tolist() if bands[node] >= 0]
            starts[group.path] = 2 * min(known) + 1 if known else -1
    return [
        (2 * bands[first] if bands[first] >= 0 else -1) if group < 0 else starts.get(groups[group].path, -1)
        for first, group in zip(firsts.tolist(), item_groups, strict=True)
    ]


def _widths(
    graph: Graph, groups: tuple[Group, ...], firsts: NDArray[np.intp], item_groups: list[int], options: LayoutOptions
) -> list[float]:
    of_nodes = options.node_widths(graph)
    of_groups = iter(options.group_widths(graph, [groups[group] for group in item_groups if group >= 0]))
    return [
        of_nodes[first] if group < 0 else next(of_groups)
        for first, group in zip(firsts.tolist(), item_groups, strict=True)
    ]
