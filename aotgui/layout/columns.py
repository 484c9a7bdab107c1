"""The columns of a sheet, with every item at its x."""

from __future__ import annotations

from collections import Counter
from operator import itemgetter

import numpy as np

from aotgui.layout.column import Column, build_column
from aotgui.layout.coordinates import Floats, slot_centres
from aotgui.layout.jumps import jump_chains
from aotgui.layout.options import Cancelled, LayoutOptions
from aotgui.layout.ordering import order_by_branches, order_rows, refine_rows, weigh_crossings
from aotgui.layout.routing import PlacedColumn
from aotgui.layout.sheet import RIGHT, Sheet

_REFINEMENTS = 2
_MORE_REFINEMENTS = 6
_SMALL = 1_200
_LARGE = 20_000
_FACING = 24
"""More slots of a row than that need not stand as what they face: each pair has to be looked at."""


def place_columns(
    sheet: Sheet, rows: list[int], tops: list[float], options: LayoutOptions, cancelled: Cancelled | None
) -> list[PlacedColumn]:
    """The left column ends at x = 0, the right one starts behind the gutter.

    Args:
        sheet: what is laid out.
        rows: row of each item.
        tops: y of each row.
        options: sizes and gaps.
        cancelled: polled regularly.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    placed: list[PlacedColumn] = []
    for side in sorted(set(sheet.sides)):
        placed.append(_place_column(sheet, side, rows, tops, options, cancelled, placed[0] if placed else None))
    return placed


def _place_column(
    sheet: Sheet,
    side: int,
    rows: list[int],
    tops: list[float],
    options: LayoutOptions,
    cancelled: Cancelled | None,
    other: PlacedColumn | None,
) -> PlacedColumn:
    items = [item for item, its_side in enumerate(sheet.sides) if its_side == side]
    edges, pairs, partners = _share(sheet, side, items)
    own_rows = [rows[item] for item in items]
    column = build_column(own_rows, pairs, [len(own) for own in partners], options.short_span)
    if other:
        column.facing.update(_facing(own_rows, partners, rows, other))
    widths = np.zeros(len(column.levels))
    widths[: column.nodes] = [sheet.widths[item] for item in items]
    centres = _arrange(column, widths, options.column_gap, cancelled)
    return PlacedColumn(
        column=column,
        nodes=items,
        edges=edges,
        pairs=pairs,
        upwards=sheet.flows_up(side),
        gutter_side=-1 if side == RIGHT else 1,
        centres=options.gutter - centres if side == RIGHT else centres,
        widths=widths,
        tops=[tops[row] for row in sorted(set(own_rows))],
    )


def _share(sheet: Sheet, side: int, items: list[int]) -> tuple[list[int], list[tuple[int, int]], list[list[int]]]:
    """Numbers of the edges inside a column, their ends as slots (upper, lower), and each slot's partners in the other.

    A partner stands there once for each edge.
    """
    slots = {item: slot for slot, item in enumerate(items)}
    upwards = sheet.flows_up(side)
    edges, pairs = [], []
    partners: list[list[int]] = [[] for _ in items]
    for number, (source, target) in enumerate(zip(sheet.sources, sheet.targets, strict=True)):
        begin, end = slots.get(source), slots.get(target)
        if begin is not None and end is not None:
            edges.append(number)
            pairs.append((end, begin) if upwards else (begin, end))
        elif begin is not None:
            partners[begin].append(target)
        elif end is not None:
            partners[end].append(source)
    return edges, pairs, partners


def _facing(
    own_rows: list[int], partners: list[list[int]], rows: list[int], other: PlacedColumn
) -> dict[int, tuple[int, float]]:
    """For slots of which several in one row face nodes in one row: that row, and how far these are from the gutter."""
    ranks = {node: rank for row in other.column.rows for rank, node in enumerate(reversed(other.nodes_of(row)))}
    facing: dict[int, tuple[int, float]] = {}
    for slot, faced in enumerate(partners):
        if len(faced_rows := {rows[partner] for partner in faced}) == 1:
            facing[slot] = (faced_rows.pop(), sum([ranks[partner] for partner in faced]) / len(faced))
    together = Counter((own_rows[slot], row) for slot, (row, _) in facing.items())
    return {slot: face for slot, face in facing.items() if 1 < together[own_rows[slot], face[0]] <= _FACING}


def _arrange(column: Column, widths: Floats, gap: float, cancelled: Cancelled | None) -> Floats:
    """Put the rows of a column in order, and return the centre of each slot."""
    small = len(column.levels) < _SMALL
    arrangements = []
    for begin in (order_rows, order_by_branches) if small else (order_rows,):
        begin(column, cancelled)
        arrangements.append(_refined(column, widths, gap, cancelled))
        if not arrangements[-1][0]:
            break
    crossings, rows = min(arrangements, key=itemgetter(0))
    column.rows[:] = rows
    if small and crossings:
        jump_chains(column, cancelled)
    return slot_centres(column, widths, gap, cancelled)


def _refined(column: Column, widths: Floats, gap: float, cancelled: Cancelled | None) -> tuple[int, list[list[int]]]:
    """Of the order of the rows and refinements of it the best: its crossings and its rows."""
    slots = len(column.levels)
    refinements = _MORE_REFINEMENTS if slots < _SMALL else _REFINEMENTS if slots < _LARGE else 1
    least, best = weigh_crossings(column), [list(row) for row in column.rows]
    for _ in range(refinements):
        if not least:
            break
        before = [list(row) for row in column.rows]
        centres = slot_centres(column, widths, gap, cancelled, is_rough=True)
        refine_rows(column, centres.tolist(), cancelled)
        if column.rows == before:
            break
        crossings = weigh_crossings(column)
        if crossings < least:
            least, best = crossings, [list(row) for row in column.rows]
    return least, best
