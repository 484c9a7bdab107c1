"""Busy units one below the other: operators of two branches that both save much share no row.

What a unit passes to the other column crosses everything of the other branch that stands between it and the gutter, in
both columns. A shortcut of a ResNet therefore comes whole before the branch that it leads around, and the projections
of an attention stand one below the other; units that save one value or none stay side by side, since rows of their own
would cost more than they save.

The sequence is that of a depth-first search for the uppers of the last unit: of those that hang on the same source
the shorter branch first, then what comes from elsewhere (weights that are computed) just before it is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from aotgui.layout.levels import depth_first

Adjacency = list[list[tuple[int, int]]]

_BUSY = 2
"""So many edges to the other column make a unit busy."""


def keep_apart(
    units: Sequence[int],
    offsets: Sequence[int],
    sides: Sequence[int],
    loose: Iterable[tuple[int, int]],
    order: Sequence[int],
    above: Adjacency,
    below: Adjacency,
) -> bool:
    """Add the distances between busy units to their adjacency; they stay without cycles.

    Args:
        units: unit of each node.
        offsets: row of each node in its unit.
        sides: column of each node.
        loose: pairs of nodes that an edge between the columns joins.
        order: of the units, uppers first.
        above: for each unit its uppers with the least distances; changed.
        below: likewise its lowers; changed.

    Returns:
        Whether there were any to add.
    """
    busy = _busy(units, sides, loose)
    if len(busy) < 2:
        return False
    firsts: dict[int, int] = {}
    lasts: dict[int, int] = {}
    for unit, offset in zip(units, offsets, strict=True):
        firsts[unit] = min(firsts.get(unit, offset), offset)
        lasts[unit] = max(lasts.get(unit, offset), offset)
    sequence = [unit for unit in _branch_by_branch(order, above) if unit in busy]
    for upper, lower in pairwise(sequence):
        distance = lasts[upper] - firsts[lower] + 1
        above[lower].append((upper, distance))
        below[upper].append((lower, distance))
    return len(sequence) > 1


def _busy(units: Sequence[int], sides: Sequence[int], loose: Iterable[tuple[int, int]]) -> set[int]:
    """Units with nodes in both columns that many edges between these end at."""
    exits: dict[int, int] = {}
    for one, other in loose:
        for unit in {units[one], units[other]}:
            exits[unit] = exits.get(unit, 0) + 1
    columns: dict[int, set[int]] = {}
    for unit, side in zip(units, sides, strict=True):
        columns.setdefault(unit, set()).add(side)
    return {unit for unit, count in exits.items() if count >= _BUSY and len(columns[unit]) > 1}


def _branch_by_branch(order: Sequence[int], above: Adjacency) -> list[int]:
    """The deepest unit and everything above it, uppers first, each branch in one piece as far as possible."""
    depths = [1] * len(above)
    sources = list(range(len(above)))
    for unit in order:
        for upper, _ in above[unit]:
            if depths[upper] + 1 > depths[unit]:
                depths[unit] = depths[upper] + 1
                sources[unit] = sources[upper]

    def uppers(unit: int) -> list[int]:
        return sorted(
            {upper for upper, _ in above[unit]},
            key=lambda upper: (
                (0, depths[upper], upper) if sources[upper] == sources[unit] else (1, -depths[upper], upper)
            ),
        )

    return depth_first(max(order, key=lambda unit: (depths[unit], -unit)), uppers, set())
