"""The order of the slots within each row of a column: few crossings, the spine near the gutter.

Barycentre sweeps (Sugiyama, Tagawa and Toda 1981) sort each row by what it is joined to in the row above, then in
the row below, by turns. Afterwards neighbours are switched as long as that takes crossings away; here the edges to
the other column count too, which run through the gap under their row and cross what hangs from the slots between
them and the gutter.
"""

from __future__ import annotations

from aotgui.layout.column import Column
from aotgui.layout.options import Cancelled, check

_SWEEPS = 4
_SWITCHES = 6


def order_rows(column: Column, cancelled: Cancelled | None = None) -> None:
    """Sort the rows of a column in place.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    places = [0] * len(column.levels)
    for row in column.rows:
        row.sort(key=lambda slot: (column.depths[slot], slot))
        _number(row, places)
    for _ in range(_SWEEPS):
        check(cancelled)
        for row in column.rows:
            _sort_row(column, row, column.uppers, places)
        for row in reversed(column.rows):
            _sort_row(column, row, column.lowers, places)
    for row in column.rows:
        _sort_row(column, row, column.uppers, places)
    for _ in range(_SWITCHES):
        check(cancelled)
        if not sum(_switch_row(column, row, places) for row in column.rows):
            break


def _number(row: list[int], places: list[int]) -> None:
    """Places count from the gutter: the last slot of a row has -1."""
    for place, slot in enumerate(row, -len(row)):
        places[slot] = place


def _sort_row(column: Column, row: list[int], neighbours: list[list[int]], places: list[int]) -> None:
    if len(row) < 2:
        return
    keys = {}
    for slot in row:
        near = neighbours[slot]
        centre = sum(places[other] for other in near) / len(near) if near else float(places[slot])
        keys[slot] = (centre, column.depths[slot])
    row.sort(key=keys.__getitem__)
    _number(row, places)


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


def _gain(column: Column, left: int, right: int, places: list[int]) -> int:
    """Crossings that go away when two neighbours change places."""
    gain = column.exits[left] * len(column.lowers[right]) - column.exits[right] * len(column.lowers[left])
    for neighbours in (column.uppers, column.lowers):
        for one in neighbours[left]:
            place = places[one]
            for other in neighbours[right]:
                gain += (place > places[other]) - (place < places[other])
    return gain
