"""Horizontal positions of the slots of a column.

Slots of neighbouring levels that an edge joins are tied into vertical *blocks*, longest paths first, so that a
chain of operators is a straight line. Blocks are then packed towards the gutter and relaxed: each moves, again and
again, towards the mean of what it is joined to, at most half of the free way to its neighbours, so that no two
ever pass each other. The idea of blocks is that of Brandes and Köpf (2001).
"""

from __future__ import annotations

from bisect import bisect_left

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.column import Column
from aotgui.layout.options import Cancelled, check

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_RELAXATIONS = 40
_ROUGH_RELAXATIONS = 8
_INNER = 1_000_000


def slot_centres(
    column: Column, widths: Floats, gap: float, cancelled: Cancelled | None = None, *, is_rough: bool = False
) -> Floats:
    """Centre x of each slot; the right border of the rightmost one is 0.

    Args:
        column: with its rows in order.
        widths: of each slot.
        gap: least distance between two slots of a row.
        cancelled: polled between phases.
        is_rough: good enough to tell what stands above what, and sooner.
    """
    blocks = _blocks(column)
    check(cancelled)
    left, right = _row_neighbours(column)
    distances = (widths[left] + widths[right]) / 2 + gap
    first, second = blocks[left], blocks[right]
    spine = blocks[np.asarray(column.spine, np.int64)]
    centres = _pack(first, second, distances, int(blocks.max(initial=-1)) + 1, spine)
    check(cancelled)
    relaxations = _ROUGH_RELAXATIONS if is_rough else _RELAXATIONS
    _relax(column, centres, blocks, first, second, distances, spine, relaxations)
    positions: Floats = centres[blocks]
    right_end = float((positions + widths / 2).max()) if len(positions) else 0.0
    return positions - right_end


def _blocks(column: Column) -> Ints:
    """Number of the block of each slot."""
    places = [0] * len(column.levels)
    for row in column.rows:
        for place, slot in enumerate(row):
            places[slot] = place
    blocks = list(range(len(column.levels)))
    for row in column.rows:
        for upper, lower in _ties(column, row, places):
            blocks[lower] = blocks[upper]
    return np.unique(np.asarray(blocks, np.int64), return_inverse=True)[1]


def _ties(column: Column, row: list[int], places: list[int]) -> list[tuple[int, int]]:
    """Pairs (slot of the row, slot of the next) to be tied: longest first, each slot once, none crossing."""
    pairs = [(upper, lower) for upper in row for lower in column.lowers[upper]]
    if len(pairs) > 1:
        pairs.sort(key=lambda pair: -_length(column, *pair))
    begins: list[int] = []
    ends: list[int] = []
    used: set[int] = set()
    reached: set[int] = set()
    ties: list[tuple[int, int]] = []
    for upper, lower in pairs:
        begin, end = places[upper], places[lower]
        index = bisect_left(begins, begin)
        if index == bisect_left(ends, end) and begin not in used and end not in reached:
            used.add(begin)
            reached.add(end)
            begins.insert(index, begin)
            ends.insert(index, end)
            ties.append((upper, lower))
    return ties


def _length(column: Column, upper: int, lower: int) -> int:
    """How much a pair should be straight: the spine most, then passages, then the ends of long paths."""
    spine, level = column.spine, column.levels[upper]
    if spine[level] == upper and spine[level + 1] == lower:
        return 2 * _INNER
    inner = _INNER if column.is_passage(upper) and column.is_passage(lower) else 0
    return inner + column.depths[upper] + column.heights[lower]


def _row_neighbours(column: Column) -> tuple[Ints, Ints]:
    """Slots that stand side by side: the left ones and the right ones."""
    left = [slot for row in column.rows for slot in row[:-1]]
    right = [slot for row in column.rows for slot in row[1:]]
    return np.asarray(left, np.int64), np.asarray(right, np.int64)


def _pack(first: Ints, second: Ints, distances: Floats, count: int, spine: Ints) -> Floats:
    """Centre of each block, as near to the spine as the blocks between them allow; the spine is at 0."""
    right = _push(first, second, distances, count, spine)
    left = _push(second, first, distances, count, spine)
    return np.where(np.isnan(right), -left, right)


def _push(near: Ints, far: Ints, distances: Floats, count: int, spine: Ints) -> Floats:
    """Least distance of each block from the spine on one side of it, NaN on the other side."""
    steps: list[list[tuple[int, float]]] = [[] for _ in range(count)]
    for a, b, distance in zip(near.tolist(), far.tolist(), distances.tolist(), strict=True):
        steps[a].append((b, distance))
    reach: dict[int, int] = dict.fromkeys(spine.tolist(), 0)
    queue = list(reach)
    for block in queue:
        for other, _ in steps[block]:
            if other not in reach:
                reach[other] = 0
                queue.append(other)
            reach[other] += 1
    found = dict.fromkeys(spine.tolist(), 0.0)
    queue = list(found)
    for block in queue:
        for other, distance in steps[block]:
            found[other] = max(found.get(other, 0.0), found[block] + distance)
            reach[other] -= 1
            if not reach[other]:
                queue.append(other)
    centres = np.full(count, np.nan)
    centres[list(found)] = list(found.values())
    return centres


def _relax(
    column: Column,
    centres: Floats,
    blocks: Ints,
    first: Ints,
    second: Ints,
    distances: Floats,
    spine: Ints,
    relaxations: int,
) -> None:
    """Move blocks towards what they are joined to."""
    joins = [(upper, lower) for upper, lowers in enumerate(column.lowers) for lower in lowers]
    ends = blocks[np.asarray(joins, np.int64).reshape(-1, 2)]
    ends = ends[ends[:, 0] != ends[:, 1]]
    here, there = np.concatenate((ends[:, 0], ends[:, 1])), np.concatenate((ends[:, 1], ends[:, 0]))
    count = len(centres)
    degrees = np.bincount(here, minlength=count)
    for _ in range(relaxations):
        sums = np.bincount(here, centres[there], minlength=count)
        wanted = np.where(degrees > 0, sums / np.maximum(degrees, 1), centres)
        slack = centres[second] - centres[first] - distances
        room_left, room_right = np.full(count, np.inf), np.full(count, np.inf)
        np.minimum.at(room_right, first, slack / 2)
        np.minimum.at(room_left, second, slack / 2)
        wanted[spine] = centres[spine]
        centres += np.clip(wanted - centres, -room_left, room_right)
