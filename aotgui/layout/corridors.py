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
_CELLS_FOR_A_CROSSING = 40


class Corridors:
    """Free cells over ranges of levels, and the lanes that were given away.

    Args:
        levels: level of each slot.
        left: left border of each slot, with the blank that a lane keeps from it.
        right: right border of each slot.
        exits: for each slot how many edges it has to the other column.
        gutter_side: 1 if the other column stands at the right, -1 if at the left.
        joins: float64 (n, 3): of each edge between neighbouring levels the upper level and the x of its ends.
    """

    def __init__(self, levels: Ints, left: Floats, right: Floats, exits: Ints, gutter_side: int, joins: Floats) -> None:
        self._origin = float(left.min(initial=0.0)) - _MARGIN_CELLS * CELL
        first = np.floor((left - self._origin) / CELL).astype(np.int64).tolist()
        last = np.floor((right - self._origin) / CELL).astype(np.int64).tolist()
        self._cells = max(last, default=0) + 1 + _MARGIN_CELLS
        taken = [0] * (int(levels.max(initial=-1)) + 1)
        for level, begin, end in zip(levels.tolist(), first, last, strict=True):
            taken[level] |= (1 << (end + 1)) - (1 << begin)
        self._table = _sparse_table(taken)
        leaving = np.flatnonzero(exits)
        leaving = leaving[np.argsort(levels[leaving], kind="stable")]
        self._exits = np.stack(((left + right)[leaving] / 2, exits[leaving]), axis=1)
        self._first_exits = np.searchsorted(levels[leaving], np.arange(len(taken) + 1)).tolist()
        self._gutter_side = gutter_side
        order = np.argsort(joins[:, 0], kind="stable")
        self._joins = joins[order, 1:]
        self._first_joins = np.searchsorted(joins[order, 0], np.arange(len(taken) + 1)).tolist()
        self._lanes: dict[int, list[tuple[int, int, int]]] = {}

    def lane(self, owner: int, top: int, bottom: int, upper: float, lower: float) -> float:
        """The x of a free lane between two levels, near both ends; taken from then on.

        The free cells nearest to each end on both sides compete: the way counts, and the edges that the lane would
        cross. Lanes of one owner may lie upon each other: they are drawn as one bundle.

        Args:
            owner: node whose value runs through the lane.
            top: level of the upper end; its own boxes do not matter.
            bottom: level of the lower end.
            upper: x of the upper end.
            lower: x of the lower end.
        """
        taken = self._union(top + 1, bottom - 1)
        ends = (self._cell(upper), self._cell(lower))
        costs: dict[int, int] = {}
        for _ in range(_TRIES):
            new = sorted({cell for end in ends for cell in _nearest_free(taken, end, self._cells)} - costs.keys())
            for cell, crossed in zip(new, self._crossed(new, top, bottom, upper, lower), strict=True):
                costs[cell] = sum(abs(cell - end) for end in ends) + _CELLS_FOR_A_CROSSING * crossed
            cell = min(
                (cell for cell in costs if not taken >> cell & 1),
                key=lambda cell: (costs[cell], abs(cell - ends[0]), cell),
            )
            if self._is_free(cell, owner, top, bottom):
                break
            taken |= 1 << cell
        self._lanes.setdefault(cell, []).append((owner, top, bottom))
        return self._origin + (cell + 0.5) * CELL

    def _cell(self, x: float) -> int:
        return min(max(int((x - self._origin) / CELL), 0), self._cells - 1)

    def _crossed(self, cells: list[int], top: int, bottom: int, upper: float, lower: float) -> list[int]:
        """Edges that a lane would cross in each of some cells: those to the other column and those between levels."""
        if not cells:
            return []
        places = self._origin + (np.asarray(cells, np.float64)[:, None] + 0.5) * CELL
        middles, counts = self._exits[self._first_exits[top + 1] : self._first_exits[bottom]].T
        crossed = ((places - middles) * self._gutter_side > 0) @ counts
        first, after_top, before_bottom, last = [
            self._first_joins[level] for level in (top, top + 1, bottom - 1, bottom)
        ]
        begins = np.repeat(places, last - first, axis=1)
        ends = begins.copy()
        begins[:, : after_top - first] = upper
        ends[:, before_bottom - first :] = lower
        above, below = self._joins[first:last].T
        crossed += ((above - begins) * (below - ends) < 0).sum(axis=1)
        numbers: list[int] = crossed.astype(np.int64).tolist()
        return numbers

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


def _nearest_free(taken: int, wanted: int, cells: int) -> list[int]:
    """The nearest free cells on both sides. The outermost cells are never full of boxes, so that there is one."""
    free = ~taken & ((1 << cells) - 1)
    right = free >> wanted
    left = free & ((1 << (wanted + 1)) - 1)
    found = [left.bit_length() - 1] if left else []
    return [*found, wanted + (right & -right).bit_length() - 1] if right else found
