"""Free vertical corridors for edges that span many levels of a column.

The width of a column is divided into cells. Each level is an integer whose bits are the cells taken by its boxes
and passages; the union over any range of levels comes from two entries of a sparse table (unions may overlap), so
that a corridor is found in constant time however long the edge is.
"""

from __future__ import annotations

import numpy as np

from aotgui.layout.coordinates import Floats, Ints

CELL = 7.0
_MARGIN_CELLS = 64
_TRIES = 48
_CELLS_FOR_A_CROSSING = 4


class Corridors:
    """Free cells over ranges of levels, and the lanes that were given away.

    Args:
        levels: level of each slot.
        left: left border of each slot, with the blank that a lane keeps from it.
        right: right border of each slot.
        exits: for each slot how many edges it has to the other column.
        gutter_side: 1 if the other column stands at the right, -1 if at the left.
    """

    def __init__(self, levels: Ints, left: Floats, right: Floats, exits: Ints, gutter_side: int) -> None:
        self._origin = float(left.min(initial=0.0)) - _MARGIN_CELLS * CELL
        first = np.floor((left - self._origin) / CELL).astype(np.int64).tolist()
        last = np.floor((right - self._origin) / CELL).astype(np.int64).tolist()
        self._cells = max(last, default=0) + 1 + _MARGIN_CELLS
        taken = [0] * (int(levels.max(initial=-1)) + 1)
        for level, begin, end in zip(levels.tolist(), first, last, strict=True):
            taken[level] |= (1 << (end + 1)) - (1 << begin)
        self._table = _sparse_table(taken)
        counts = np.bincount(levels, exits, minlength=len(taken)).astype(np.int64)
        self._exits: list[int] = [0, *np.cumsum(counts).tolist()]
        self._gutter_side = gutter_side
        self._lanes: dict[int, list[tuple[int, int, int]]] = {}

    def lane(self, owner: int, top: int, bottom: int, x: float) -> float:
        """The x of a free lane between two levels, near the wanted one; taken from then on.

        The free cells nearest on both sides compete: the distance counts, and on the side of the gutter the edges to
        the other column that the lane would cross. Lanes of one owner may lie upon each other: they are drawn
        as one bundle.

        Args:
            owner: node whose value runs through the lane.
            top: level of the upper end; its own boxes do not matter.
            bottom: level of the lower end.
            x: where the lane would be best.
        """
        taken = self._union(top + 1, bottom - 1)
        wanted = min(max(int((x - self._origin) / CELL), 0), self._cells - 1)
        crossed = (self._exits[bottom] - self._exits[top + 1]) * _CELLS_FOR_A_CROSSING
        for _ in range(_TRIES):
            cell = _cheapest_free(taken, wanted, self._cells, crossed * self._gutter_side)
            if self._is_free(cell, owner, top, bottom):
                break
            taken |= 1 << cell
        self._lanes.setdefault(cell, []).append((owner, top, bottom))
        return self._origin + (cell + 0.5) * CELL

    def _union(self, first: int, last: int) -> int:
        if last < first:
            return 0
        power = (last - first + 1).bit_length() - 1
        return self._table[power][first] | self._table[power][last - (1 << power) + 1]

    def _is_free(self, cell: int, owner: int, top: int, bottom: int) -> bool:
        return all(other == owner or bottom <= begin or end <= top for other, begin, end in self._lanes.get(cell, ()))


def _sparse_table(taken: list[int]) -> list[list[int]]:
    """``table[p][i]`` is the union of ``taken[i : i + 2**p]``."""
    table = [taken]
    step = 1
    while 2 * step <= len(taken):
        last = table[-1]
        table.append([last[i] | last[i + step] for i in range(len(last) - step)])
        step *= 2
    return table


def _cheapest_free(taken: int, wanted: int, cells: int, handicap: int) -> int:
    """The nearer of the free cells on both sides; a positive handicap makes the right one look further away.

    The outermost cells are never full of boxes, so that there is one on at least one side.
    """
    free = ~taken & ((1 << cells) - 1)
    right = free >> wanted
    left = free & ((1 << (wanted + 1)) - 1)
    after = wanted + (right & -right).bit_length() - 1 if right else 2 * cells
    before = left.bit_length() - 1 if left else -2 * cells
    return before if wanted - before <= after - wanted + handicap else after
