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

from dataclasses import dataclass, field


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
        spine: slot of each level on the longest path.
        facing: for slots that face others in one row of the column that is placed already: that row, and how far from
            the gutter what they face is. Edges between mirrored rows do not cross.
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
    spine: list[int]
    facing: dict[int, tuple[int, float]] = field(default_factory=dict)

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
        spine=[-1] * len(ranks),
    )
    _measure(column, edges)
    on_spine = _spine(column, edges)
    for number, (upper, lower) in enumerate(edges):
        if number in on_spine or levels[lower] - levels[upper] <= short_span:
            _join(column, number, upper, lower)
    _raise_spine(column, edges, on_spine)
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


def _spine(column: Column, edges: list[tuple[int, int]]) -> set[int]:
    """Numbers of the edges of one longest path."""
    depths, heights = column.depths, column.heights
    longest = max(heights, default=0) + 1
    onward: dict[int, int] = {}
    for number, (upper, lower) in enumerate(edges):
        if (
            depths[upper] + 1 == depths[lower]
            and depths[upper] + heights[upper] == depths[lower] + heights[lower] == longest
        ):
            onward.setdefault(upper, number)
    node = next((node for node, height in enumerate(heights) if height + 1 == longest), -1)
    numbers = set()
    while node in onward:
        numbers.add(onward[node])
        node = edges[onward[node]][1]
    return numbers


def _raise_spine(column: Column, edges: list[tuple[int, int]], numbers: set[int]) -> None:
    """Note the spine's slot in each level, and prolong it to the first and to the last level."""
    spine = column.spine
    nodes = {node for number in numbers for node in edges[number]}
    if not nodes and column.nodes:
        nodes = {max(range(column.nodes), key=column.heights.__getitem__)}
    for slot in (*nodes, *(slot for number in numbers for slot in column.chains.get(number, ()))):
        spine[column.levels[slot]] = slot
    taken = [level for level, slot in enumerate(spine) if slot >= 0]
    for level in range(taken[0] - 1, -1, -1) if taken else ():
        spine[level] = _passage(column, level, spine[level + 1])
        _connect(column, spine[level], spine[level + 1])
    for level in range(taken[-1] + 1, len(spine)) if taken else ():
        spine[level] = _passage(column, level, spine[level - 1])
        _connect(column, spine[level - 1], spine[level])


def _passage(column: Column, level: int, like: int) -> int:
    slot = len(column.levels)
    column.levels.append(level)
    column.depths.append(column.depths[like])
    column.heights.append(column.heights[like])
    column.exits.append(0)
    column.uppers.append([])
    column.lowers.append([])
    return slot


def _connect(column: Column, upper: int, lower: int) -> None:
    column.lowers[upper].append(lower)
    column.uppers[lower].append(upper)


def _join(column: Column, number: int, upper: int, lower: int) -> None:
    """Connect two nodes, through a passage in each level between them."""
    last = upper
    for level in range(column.levels[upper] + 1, column.levels[lower]):
        slot = _passage(column, level, upper)
        column.heights[slot] = column.heights[lower]
        _connect(column, last, slot)
        column.chains.setdefault(number, []).append(slot)
        last = slot
    _connect(column, last, lower)
