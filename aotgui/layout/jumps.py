"""Chains of slots that jump as a whole, over the spine or to an end of their rows.

Neighbours that change places in one row cannot bring a chain to the other side of the spine: every step crosses more
until the last one. The idea of moving a long edge as one block is that of Bachmaier, Brandenburg, Brunner and Hübner
(global k-level crossing reduction, 2010); here a chain of nodes is a block too, and only four places are tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate

from aotgui.layout.column import Column
from aotgui.layout.options import Cancelled, check
from aotgui.layout.ordering import places_of, switch_rows, weigh_row

_ROUNDS = 5
_EFFORT = 4_000
"""Slots in the rows of all chains that are tried: a place in wide rows costs more to judge."""


def jump_chains(column: Column, cancelled: Cancelled | None = None) -> bool:
    """Move chains in place as long as that takes crossings away, but for a few rounds; whether any was moved.

    Args:
        column: with its rows in order; changed in place.
        cancelled: polled regularly.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    chains = _affordable(column, _chains(column))
    moved = False
    for _ in range(_ROUNDS):
        check(cancelled)
        rows = _Rows(column, places_of(column))
        if not sum([rows.move(chain) for chain in chains]):
            break
        moved = True
        switch_rows(column, cancelled)
    return moved


def _chains(column: Column) -> list[list[int]]:
    """Slots beside the spine from top to bottom, where each but the first only hangs on the one before."""
    spine = set(column.spine)
    onward: dict[int, int] = {}
    for slot, lowers in enumerate(column.lowers):
        if slot not in spine and len(lowers) == 1 and len(column.uppers[lowers[0]]) == 1 and lowers[0] not in spine:
            onward[slot] = lowers[0]
    chains = []
    for slot in sorted(set(range(len(column.levels))).difference(onward.values(), spine)):
        chain = [slot]
        while chain[-1] in onward:
            chain.append(onward[chain[-1]])
        chains.append(chain)
    return chains


def _affordable(column: Column, chains: list[list[int]]) -> list[list[int]]:
    """The chains in the narrowest rows, in their order, as many as the effort allows."""
    efforts = [sum([len(column.rows[column.levels[slot]]) for slot in chain]) for chain in chains]
    order = sorted(range(len(chains)), key=efforts.__getitem__)
    spent = accumulate([efforts[number] for number in order])
    tried = [number for number, total in zip(order, spent, strict=True) if total <= _EFFORT]
    return [chains[number] for number in sorted(tried)]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The rows of a column, and the place of each slot in its row."""

    column: Column
    places: list[int]

    def move(self, chain: list[int]) -> bool:
        """Bring a chain where it crosses least; whether that is elsewhere."""
        first, last = self.column.levels[chain[0]], self.column.levels[chain[-1]]
        given = [list(row) for row in self.column.rows[first : last + 1]]
        least = self._weigh(first, last)
        if not least:
            return False
        best = given
        for rows in self._elsewhere(chain, given):
            self._put(first, rows)
            weight = self._weigh(first, last)
            if weight < least:
                least, best = weight, rows
        self._put(first, best)
        return best is not given

    def _elsewhere(self, chain: list[int], given: list[list[int]]) -> Iterator[list[list[int]]]:
        """The rows with the chain at the left end, before the spine, behind it and at the right end."""
        others = [[other for other in row if other != slot] for slot, row in zip(chain, given, strict=True)]
        spines = [
            row.index(self.column.spine[self.column.levels[slot]]) for slot, row in zip(chain, others, strict=True)
        ]
        ends = [len(row) for row in others]
        for places in ([0] * len(chain), spines, [place + 1 for place in spines], ends):
            rows = [[*row[:place], slot, *row[place:]] for slot, row, place in zip(chain, others, places, strict=True)]
            if rows != given:
                yield rows

    def _put(self, first: int, rows: list[list[int]]) -> None:
        for level, row in enumerate(rows, first):
            self.column.rows[level][:] = row
            for place, slot in enumerate(row):
                self.places[slot] = place

    def _weigh(self, first: int, last: int) -> int:
        """Crossings in some rows, and between them and those above and below."""
        rows = self.column.rows[max(first - 1, 0) : last + 1]
        return sum([weigh_row(self.column, row, self.places) for row in rows])
