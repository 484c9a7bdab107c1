"""What is laid out, whether it is a whole graph or a graph with some modules collapsed into boxes.

Item ``i`` is a box. Every phase but this one knows items only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Group
from aotgui.layout.rows import Stacking
from aotgui.model.graph import Fate, Graph, GraphKind, Op

LEFT, RIGHT = 0, 1


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """Items and edges.

    Attributes:
        kind: of the graph.
        sides: column of each item, ``LEFT`` or ``RIGHT``; all are in the left one where there is but one.
        bands: for each item the band that it shares with the other column, or -1.
        widths: of each item.
        sources: source item of each edge.
        targets: target item of each edge.
        item_nodes: int32 (items,): see ``Layout``.
        item_groups: int32 (items,): see ``Layout``.
        node_items: int32 (nodes,): see ``Layout``.
        groups: every group that exists.
        times: when each item first computes something, in no particular unit.
        parents: for each item the innermost expanded module that it stands in, or -1.
        module_groups: index of the group of each module and side.
    """

    kind: GraphKind
    sides: list[int]
    bands: list[int]
    widths: list[float]
    sources: list[int]
    targets: list[int]
    item_nodes: NDArray[np.int32]
    item_groups: NDArray[np.int32]
    node_items: NDArray[np.int32]
    times: list[int]
    parents: list[int]
    groups: tuple[Group, ...] = ()
    module_groups: dict[tuple[int, int], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.sides)

    def flows_up(self, side: int) -> bool:
        """Whether the edges inside a column point up."""
        return side == RIGHT and self.kind is GraphKind.JOINT

    def stacking(self) -> Stacking:
        """Which item stands above which."""
        if self.kind is not GraphKind.JOINT:
            return Stacking(self.sides, self.bands, self.sources, self.targets)
        uppers, lowers, loose = [], [], []
        for source, target in zip(self.sources, self.targets, strict=True):
            if self.sides[source] != self.sides[target]:
                loose.append((source, target))
                continue
            up = self.sides[source] == RIGHT
            uppers.append(target if up else source)
            lowers.append(source if up else target)
        return Stacking(self.sides, self.bands, uppers, lowers, loose)


def flat_sheet(graph: Graph, options: LayoutOptions) -> Sheet:
    """Every node is an item."""
    count = len(graph)
    return Sheet(
        kind=graph.kind,
        sides=node_sides(graph),
        bands=node_bands(graph),
        widths=options.node_widths(graph),
        sources=graph.edge_sources,
        targets=graph.edge_targets,
        item_nodes=np.arange(count, dtype=np.int32),
        item_groups=np.full(count, -1, np.int32),
        node_items=np.arange(count, dtype=np.int32),
        times=list(range(count)),
        parents=[-1] * count,
    )


def node_bands(graph: Graph) -> list[int]:
    """Forward and backward nodes of one ``seq_nr`` share a band."""
    return graph.seq_nrs if graph.kind is GraphKind.JOINT else [-1] * len(graph)


def grouped_sides(graph: Graph) -> list[int]:
    """As ``node_sides``, for a graph with groups.

    What a backward graph takes in stands with what is recomputed if anything there uses it: it can be in the group of
    that use, which stands above the gradients, but in no group of gradients.
    """
    sides = node_sides(graph)
    if graph.kind is GraphKind.BACKWARD:
        for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True):
            if graph.fates[target] == Fate.RECOMPUTED and graph.ops[source] in (Op.PLACEHOLDER, Op.GET_ATTR):
                sides[source] = LEFT
    return sides


def node_sides(graph: Graph) -> list[int]:
    """Column of each node: forward and backward, or what is recomputed and the rest of a backward graph.

    What a backward graph takes in stands with what is recomputed if all of its users do, or several and at least half.
    """
    if graph.kind is GraphKind.JOINT:
        return graph.sides
    if graph.kind is not GraphKind.BACKWARD or Fate.RECOMPUTED not in graph.fates:
        return [LEFT] * len(graph)
    sides = [LEFT if fate == Fate.RECOMPUTED else RIGHT for fate in graph.fates]
    for node, op in enumerate(graph.ops):
        users = graph.users(node)
        left = sum([sides[user] == LEFT for user in users])
        if op == Op.PLACEHOLDER and left and 2 * left >= len(users) and (left > 1 or len(users) == 1):
            sides[node] = LEFT
    return sides
