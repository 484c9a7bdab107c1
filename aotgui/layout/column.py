"""One column of a layout as rows of slots.

Terms:
    slot: a place in a row: a node, or the passage of a short edge through a row.
    level: rank of a row among those that the column uses.
    gutter side: the right end of a row. The column is built as if its partner stood at its right; the backward
        column is mirrored afterwards.
    length: of an edge, the number of nodes on the longest path through it. The longest path of all is the spine of
        the column; it is kept straight and near the gutter.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """Slots in rows. Slots ``0 .. nodes-1`` are the column's nodes, the others are passages.

    Attributes:
        nodes: number of nodes.
        levels: level of each slot.
        uppers: for each slot the slots one level above that it is joined to.
        lowers: for each slot the slots one level below.
        depths: for each slot the number of nodes on the longest path from the top that ends there.
        heights: likewise downwards.
        chains: for each short edge longer than one level its passages from top to bottom.
        rows: slots of each level from left to right; in graph order until they are sorted.
        exits: for each slot how many edges it has to the other column.
    """

    nodes: int
    levels: list[int]
    uppers: list[list[int]]
    lowers: list[list[int]]
    depths: list[int]
    heights: list[int]
    chains: dict[int, list[int]]
    rows: list[list[int]]
    exits: list[int]

    def is_passage(self, slot: int) -> bool:
        """Whether a slot only lets an edge through."""
        return slot >= self.nodes


def build_column(rows: list[int], edges: list[tuple[int, int]], exits: list[int], short_span: int) -> Column:
    """Slots of the nodes with the given rows, and of the edges (upper, lower) that span few levels."""
    ranks = {row: rank for rank, row in enumerate(sorted(set(rows)))}
    levels = [ranks[row] for row in rows]
    column = Column(
        nodes=len(rows),
        levels=levels,
        uppers=[[] for _ in rows],
        lowers=[[] for _ in rows],
        depths=[],
        heights=[],
        chains={},
        rows=[[] for _ in ranks],
        exits=list(exits),
    )
    _measure(column, edges)
    for number, (upper, lower) in enumerate(edges):
        if levels[lower] - levels[upper] <= short_span:
            _join(column, number, upper, lower)
    for slot, level in enumerate(column.levels):
        column.rows[level].append(slot)
    return column


def _measure(column: Column, edges: list[tuple[int, int]]) -> None:
    """Longest paths down to and up from each node; all edges count, also the long ones."""
    levels = column.levels
    depths, heights = [1] * column.nodes, [1] * column.nodes
    downwards = sorted(edges, key=lambda edge: levels[edge[0]])
    for upper, lower in downwards:
        depths[lower] = max(depths[lower], depths[upper] + 1)
    for upper, lower in sorted(edges, key=lambda edge: -levels[edge[1]]):
        heights[upper] = max(heights[upper], heights[lower] + 1)
    column.depths.extend(depths)
    column.heights.extend(heights)


def _join(column: Column, number: int, upper: int, lower: int) -> None:
    """Connect two nodes, through a passage in each level between them."""
    last = upper
    for level in range(column.levels[upper] + 1, column.levels[lower]):
        slot = len(column.levels)
        column.levels.append(level)
        column.depths.append(column.depths[upper])
        column.heights.append(column.heights[lower])
        column.exits.append(0)
        column.uppers.append([last])
        column.lowers.append([])
        column.lowers[last].append(slot)
        column.chains.setdefault(number, []).append(slot)
        last = slot
    column.lowers[last].append(lower)
    column.uppers[lower].append(last)
