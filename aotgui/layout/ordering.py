"""The order of the slots within each row of a column: few crossings, the spine near the gutter.

Barycentre sweeps (Sugiyama, Tagawa and Toda 1981) sort each row by what it is joined to in the row above, then in
the row below. Afterwards neighbours are switched as long as that takes crossings away; here the edges to the other
column count too, which run through the gap next to their row and cross what hangs from the slots between them and the
gutter. Once there are coordinates, the same is done again with them: they say better than a place in a row what
stands straight above what.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from aotgui.layout.column import Column
from aotgui.layout.options import Cancelled, check

_SWITCHES = 8
# A crossing inside the column disturbs more than one with an edge on its way to the gutter.
_INSIDE = 2
# Two nodes with so many pairs of neighbours stay in the order that the sweeps gave them.
_MANY = 5_000


def order_rows(column: Column, cancelled: Cancelled | None = None, *, reverse: bool = False) -> None:
    """Sort the rows of a column in place, from scratch.

    Args:
        column: changed in place.
        cancelled: polled regularly.
        reverse: begin with the ends of long paths at the left instead of the right: sweeps find another order.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    positions = [0.0] * len(column.levels)
    for row in column.rows:
        row.sort(key=lambda slot: (column.depths[slot], slot), reverse=reverse)
        for place, slot in enumerate(row, -len(row)):
            positions[slot] = float(place)
    for neighbours in (column.uppers, column.lowers, column.uppers):
        _sweep(column, neighbours, positions, cancelled)
    _switch_rows(column, cancelled)


def refine_rows(column: Column, centres: list[float], cancelled: Cancelled | None = None) -> None:
    """Sort the rows of a column again by where their neighbours stand.

    Args:
        column: changed in place.
        centres: x of each slot; changed.
        cancelled: polled regularly.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    for neighbours in (column.uppers, column.lowers):
        _sweep(column, neighbours, centres, cancelled)
    _switch_rows(column, cancelled)


def weigh_crossings(column: Column) -> int:
    """Crossings between the rows, and of edges that leave for the gutter, by weight."""
    places = _places(column)
    total = 0
    for row in column.rows:
        ends: list[int] = []
        hanging = standing = 0
        for slot in reversed(row):
            total += column.exits[slot] * min(hanging, standing)
            hanging += len(column.lowers[slot])
            standing += len(column.uppers[slot])
        for slot in row:
            lowers = [places[lower] for lower in column.lowers[slot]]
            total += _INSIDE * sum([len(ends) - bisect_right(ends, place) for place in lowers])
            for place in lowers:
                insort(ends, place)
    return total


def _places(column: Column) -> list[int]:
    """Place of each slot in its row."""
    places = [0] * len(column.levels)
    for row in column.rows:
        for place, slot in enumerate(row):
            places[slot] = place
    return places


def _sweep(column: Column, neighbours: list[list[int]], positions: list[float], cancelled: Cancelled | None) -> None:
    """Sort each row by the mean position of the neighbours; down for the uppers, up for the lowers."""
    check(cancelled)
    rows = column.rows if neighbours is column.uppers else reversed(column.rows)
    for row in rows:
        if len(row) > 1:
            _sort_row(column, row, neighbours, positions)


def _sort_row(column: Column, row: list[int], neighbours: list[list[int]], positions: list[float]) -> None:
    keys = {}
    for slot in row:
        near = neighbours[slot]
        centre = sum([positions[other] for other in near]) / len(near) if near else positions[slot]
        keys[slot] = (centre, column.depths[slot])
    given = [positions[slot] for slot in row]
    row.sort(key=keys.__getitem__)
    for slot, position in zip(row, given, strict=True):
        positions[slot] = position


def _switch_rows(column: Column, cancelled: Cancelled | None) -> None:
    """Switch neighbours until that saves nothing more."""
    places = _places(column)
    for _ in range(_SWITCHES):
        check(cancelled)
        if not sum([_switch_row(column, row, places) for row in column.rows]):
            break


def _switch_row(column: Column, row: list[int], places: list[int]) -> int:
    """Switch neighbours where that saves crossings; how many were switched."""
    switched = 0
    for place in range(len(row) - 1):
        left, right = row[place], row[place + 1]
        if _gain(column, left, right, places) > 0:
            row[place], row[place + 1] = right, left
            places[left], places[right] = places[right], places[left]
            switched += 1
    return switched


def _least_joined(column: Column, slot: int) -> int:
    """Edges that one has to cross to pass a slot, above or below it."""
    return min(len(column.lowers[slot]), len(column.uppers[slot]))


def _gain(column: Column, left: int, right: int, places: list[int]) -> int:
    """Weight of the crossings that go away when two neighbours change places."""
    leaving, other = column.exits[left], column.exits[right]
    gain = (leaving and leaving * _least_joined(column, right)) - (other and other * _least_joined(column, left))
    for neighbours in (column.uppers, column.lowers):
        if len(neighbours[left]) * len(neighbours[right]) > _MANY:
            continue
        for one in neighbours[left]:
            place = places[one]
            for other in neighbours[right]:
                gain += _INSIDE * ((place > places[other]) - (place < places[other]))
    return gain
