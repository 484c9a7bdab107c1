"""The order of the slots within each row of a column: few crossings, the spine near the gutter.

Barycentre sweeps (Sugiyama, Tagawa and Toda 1981) sort each row by what it is joined to in the row above, then in
the row below. Afterwards neighbours are switched as long as that takes crossings away; here the edges to the other
column count too, which run through the gap next to their row and cross what hangs from the slots between them and the
gutter. Once there are coordinates, the same is done again with them: they say better than a place in a row what
stands straight above what.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from aotgui.layout.branches import branch_order, branches_of
from aotgui.layout.column import Column
from aotgui.layout.options import Cancelled, check

_SWITCHES = 8
# Two nodes with so many pairs of neighbours stay in the order that the sweeps gave them.
_MANY = 5_000
_FEW_EXITS_SLOTS = 8
"""With fewer slots for each edge to the other column branches stay on the side that these speak for."""
_EFFORT = 2_000
"""Slots in all orders that are tried: a large column has no time for a second one."""


def order_rows(column: Column, cancelled: Cancelled | None = None) -> None:
    """Sort the rows of a column in place, from scratch.

    Args:
        column: changed in place.
        cancelled: polled regularly.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    positions = [0.0] * len(column.levels)
    for row in column.rows:
        row.sort(key=lambda slot: (column.depths[slot], slot))
        for place, slot in enumerate(row, -len(row)):
            positions[slot] = float(place)
    for neighbours in (column.uppers, column.lowers, column.uppers):
        _sweep(column, neighbours, positions, cancelled)
    switch_rows(column, cancelled)


def order_by_branches(column: Column, cancelled: Cancelled | None = None) -> None:
    """Sort the rows of a column in place by its branches: another order to begin with.

    The largest branches are tried on both sides of the path that they hang on, unless there are many edges to the other
    column: how these cross in the gutter is not weighed here.

    Args:
        column: changed in place.
        cancelled: polled regularly.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    branches = branches_of(column)
    moved: set[int] = set()
    least, best = _rows_in(column, branch_order(branches), cancelled)
    largest = sorted(range(1, len(branches)), key=lambda number: -branches[number].size)
    has_few_exits = sum(column.exits) * _FEW_EXITS_SLOTS < len(column.levels)
    for number in largest[: _EFFORT // len(column.levels) if has_few_exits else 0]:
        if not least:
            break
        crossings, rows = _rows_in(column, branch_order(branches, moved | {number}), cancelled)
        if crossings < least:
            least, best = crossings, rows
            moved.add(number)
    column.rows[:] = best


def _rows_in(column: Column, order: list[int], cancelled: Cancelled | None) -> tuple[int, list[list[int]]]:
    """Crossings and rows of a column whose slots are in a given order, but for switches that save crossings."""
    places = {slot: place for place, slot in enumerate(order)}
    column.rows[:] = [sorted(row, key=places.__getitem__) for row in column.rows]
    switch_rows(column, cancelled)
    return weigh_crossings(column), list(column.rows)


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
    switch_rows(column, cancelled)


def weigh_crossings(column: Column) -> int:
    """Crossings between the rows, and of edges that leave for the gutter."""
    places = places_of(column)
    return sum([weigh_row(column, row, places) for row in column.rows if len(row) > 1])


def weigh_row(column: Column, row: list[int], places: list[int]) -> int:
    """Crossings between a row and the next one, and of the edges that leave the row for the gutter."""
    lowers, uppers, exits = column.lowers, column.uppers, column.exits
    total = hanging = standing = 0
    for slot in reversed(row):
        total += exits[slot] and exits[slot] * min(hanging, standing)
        hanging += len(lowers[slot])
        standing += len(uppers[slot])
    if column.facing:
        total += _turned(column, row)
    ends: list[int] = []
    for slot in row:
        reached = [places[lower] for lower in lowers[slot]]
        total += sum([len(ends) - bisect_right(ends, place) for place in reached])
        for place in reached:
            insort(ends, place)
    return total


def _turned(column: Column, row: list[int]) -> int:
    """Pairs in a row that stand the other way round than what they face in a row of the other column."""
    facing = [column.facing[slot] for slot in reversed(row) if slot in column.facing]
    return sum([
        near[0] == far[0] and near[1] > far[1] for place, near in enumerate(facing) for far in facing[place + 1 :]
    ])  # fmt: skip


def places_of(column: Column) -> list[int]:
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


def switch_rows(column: Column, cancelled: Cancelled | None) -> None:
    """Switch neighbours until that saves nothing more."""
    places = places_of(column)
    rows = [row for row in column.rows if len(row) > 1]
    for _ in range(_SWITCHES):
        check(cancelled)
        if not sum([_switch_row(column, row, places) for row in rows]):
            break


def _switch_row(column: Column, row: list[int], places: list[int]) -> int:
    """Switch neighbours where that saves crossings; how many were switched.

    Where it does not matter, the one with more edges to the other column moves towards the gutter: there it may be able
    to pass a further one.
    """
    switched = 0
    for place in range(len(row) - 1):
        left, right = row[place], row[place + 1]
        gain = _gain(column, left, right, places)
        if gain > 0 or (gain == 0 and column.exits[left] > column.exits[right]):
            row[place], row[place + 1] = right, left
            places[left], places[right] = places[right], places[left]
            switched += 1
    return switched


def _least_joined(column: Column, slot: int) -> int:
    """Edges that one has to cross to pass a slot, above or below it."""
    return min(len(column.lowers[slot]), len(column.uppers[slot]))


def _gain(column: Column, left: int, right: int, places: list[int]) -> int:
    """Crossings that go away when two neighbours change places."""
    leaving, other = column.exits[left], column.exits[right]
    gain = (leaving and leaving * _least_joined(column, right)) - (other and other * _least_joined(column, left))
    if left in column.facing and right in column.facing:
        (row, far), (other_row, near) = column.facing[left], column.facing[right]
        gain += (row == other_row) * ((far < near) - (far > near))
    for neighbours in (column.uppers, column.lowers):
        if len(neighbours[left]) * len(neighbours[right]) > _MANY:
            continue
        for one in neighbours[left]:
            place = places[one]
            for other in neighbours[right]:
                gain += (place > places[other]) - (place < places[other])
    return gain
