"""Which row each node stands in.

The rule "stands above" unites both directions of a joint graph: a forward operator stands above its users, a
backward operator above its inputs, because backward flows up. Both relations together are acyclic, for no
backward node feeds a forward one through them.

Terms:
    upper, lower: the ends of an edge after that rule; edges between the columns have none.
    unit: nodes that move together. In a joint graph the forward and backward nodes of one ``seq_nr`` are a
        unit, so that a backward operator stands beside the forward operator that it differentiates.
    offset: row of a node within its unit.

Phases: build units, order them topologically (units on a cycle are dissolved), keep busy ones apart, place each as
high as its uppers allow (longest path), then lower those that more edges pull down than up: sources come to stand just
above their first use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aotgui.layout.busy import Adjacency, keep_apart
from aotgui.layout.options import Cancelled, check
from aotgui.layout.pieces import pieces_of, settle_pieces

_SHARED = 8
"""A unit with so many lowers holds none of them near: its edges are one bundle, as those of a mask to all layers."""


@dataclass(frozen=True, slots=True)
class Stacking:
    """The relation "stands above" between the nodes of one or two columns.

    Attributes:
        sides: for each node its column, 0 or 1.
        bands: for each node the band that it shares with the other column, or -1.
        uppers: for each edge the node that stands above.
        lowers: for each edge the node that stands below.
        loose: pairs of nodes that should stand near each other, if nothing else says where.
    """

    sides: Sequence[int]
    bands: Sequence[int]
    uppers: Sequence[int]
    lowers: Sequence[int]
    loose: Sequence[tuple[int, int]] = ()

    def __len__(self) -> int:
        return len(self.sides)


def rows_of(stacking: Stacking, cancelled: Cancelled | None = None) -> list[int]:
    """The row of each node, from 0; every upper is strictly above its lower."""
    units = _shared_bands(stacking)
    while True:
        check(cancelled)
        offsets = _offsets(stacking, units)
        above, below = _unit_edges(stacking, units, offsets)
        order = _topological(above, below)
        if len(order) == len(above):
            break
        units = _dissolve(units, set(range(len(above))).difference(order))
    if keep_apart(units, offsets, stacking.sides, stacking.loose, order, above, below):
        order = _topological(above, below)
    starts = place(order, above, below, in_doubt_low=max(stacking.sides, default=0) == 0)
    rows = [starts[unit] + offset for unit, offset in zip(units, offsets, strict=True)]
    firsts: dict[int, int] = {}
    same_unit = [(firsts.setdefault(unit, node), node) for node, unit in enumerate(units)]
    stacked = zip(stacking.uppers, stacking.lowers, strict=True)
    return settle_pieces(rows, [*stacked, *same_unit], stacking.loose)


def _shared_bands(stacking: Stacking) -> list[int]:
    """The unit of each node: one for each band with nodes on both sides, one for each other node."""
    bands = credible_bands(stacking)
    columns: dict[int, set[int]] = {}
    for band, side in zip(bands, stacking.sides, strict=True):
        columns.setdefault(band, set()).add(side)
    shared = {band for band, sides in columns.items() if band >= 0 and len(sides) > 1}
    numbers: dict[int, int] = {}
    return [numbers.setdefault(band if band in shared else -1 - node, len(numbers)) for node, band in enumerate(bands)]


def credible_bands(stacking: Stacking) -> list[int]:
    """Bands grow downwards; a node above one of a smaller band has none.

    Torch gives the additions that accumulate gradients the sequence number of the last forward operator.
    """
    bands = list(stacking.bands)
    for upper, lower in zip(stacking.uppers, stacking.lowers, strict=True):
        if stacking.bands[upper] > stacking.bands[lower] >= 0:
            bands[upper] = -1
    return bands


def _dissolve(units: list[int], stuck: set[int]) -> list[int]:
    """Make each node of the stuck units a unit of its own."""
    numbers: dict[int, int] = {}
    return [numbers.setdefault(-1 - node if unit in stuck else unit, len(numbers)) for node, unit in enumerate(units)]


def _offsets(stacking: Stacking, units: list[int]) -> list[int]:
    """Row of each node within its unit: longest path, the shorter side centred beside the taller one."""
    offsets = [0] * len(units)
    inner: dict[int, list[int]] = {}
    waiting = [0] * len(units)
    for upper, lower in zip(stacking.uppers, stacking.lowers, strict=True):
        if units[upper] == units[lower]:
            inner.setdefault(upper, []).append(lower)
            waiting[lower] += 1
    ready = [upper for upper in inner if not waiting[upper]]
    while ready:
        upper = ready.pop()
        for lower in inner.get(upper, ()):
            offsets[lower] = max(offsets[lower], offsets[upper] + 1)
            waiting[lower] -= 1
            if not waiting[lower]:
                ready.append(lower)
    heights: dict[tuple[int, int], int] = {}
    for unit, side, offset in zip(units, stacking.sides, offsets, strict=True):
        heights[unit, side] = max(heights.get((unit, side), 0), offset)
    shifts = {key: max(0, (heights.get((key[0], 1 - key[1]), 0) - height) // 2) for key, height in heights.items()}
    return [offset + shifts[unit, side] for unit, side, offset in zip(units, stacking.sides, offsets, strict=True)]


def _unit_edges(stacking: Stacking, units: list[int], offsets: list[int]) -> tuple[Adjacency, Adjacency]:
    """For each unit its uppers and its lowers, each with the least distance between the starts."""
    count = max(units, default=-1) + 1
    above: Adjacency = [[] for _ in range(count)]
    below: Adjacency = [[] for _ in range(count)]
    for upper, lower in zip(stacking.uppers, stacking.lowers, strict=True):
        unit, other = units[upper], units[lower]
        if unit != other:
            distance = offsets[upper] - offsets[lower] + 1
            above[other].append((unit, distance))
            below[unit].append((other, distance))
    return above, below


def _topological(above: Adjacency, below: Adjacency) -> list[int]:
    """Units, uppers first; those on a cycle or between cycles are missing (all of them come in one piece)."""
    down = _peel(above, below)
    if len(down) == len(above):
        return down
    up = _peel(below, above)
    return sorted({*down, *up})


def _peel(before: Adjacency, after: Adjacency) -> list[int]:
    waiting = [len(edges) for edges in before]
    order = [unit for unit, count in enumerate(waiting) if not count]
    for unit in order:
        for other, _ in after[unit]:
            waiting[other] -= 1
            if not waiting[other]:
                order.append(other)
    return order


def place(order: list[int], above: Adjacency, below: Adjacency, *, in_doubt_low: bool = True) -> list[int]:
    """Start row of each unit: longest path, then as low as its lowers allow where more edges pull down.

    Args:
        order: of the units, uppers first.
        above: for each unit its uppers with the least distances.
        below: likewise its lowers.
        in_doubt_low: where as many edges pull down as up, down. Beside another column a unit that stays near its uppers
            is better: what they pass to the other column does not cross what lies between.
    """
    starts = [0] * len(order)
    for unit in order:
        starts[unit] = max((starts[upper] + distance for upper, distance in above[unit]), default=0)
    anchored = _anchored(order, starts, starts, above, below)
    drifts = _drifting(order, starts, above, below)
    for unit in reversed(order):
        lowers = [(lower, distance) for lower, distance in below[unit] if not drifts[lower]]
        holds = sum([
            anchored[upper] and starts[upper] + distance == starts[unit] and len(below[upper]) < _SHARED
            for upper, distance in above[unit]
        ])  # fmt: skip
        if lowers and len(lowers) + in_doubt_low > holds:
            starts[unit] = min(starts[lower] - distance for lower, distance in lowers)
    for unit in order:
        if drifts[unit]:
            starts[unit] = max((starts[upper] + distance for upper, distance in above[unit]), default=0)
    return starts


def _drifting(order: list[int], starts: list[int], above: Adjacency, below: Adjacency) -> list[bool]:
    """Which units neither hang from a longest path of their piece nor lead to one: they go wherever their uppers go.

    A weight that is also returned, transposed, stands beside its use: the transposed one must not keep it at the top.
    """
    bottoms = list(starts)
    for piece in pieces_of(len(order), [(unit, lower) for unit, lowers in enumerate(below) for lower, _ in lowers]):
        bottom = max([starts[unit] for unit in piece])
        for unit in piece:
            bottoms[unit] = bottom
    held = _anchored(order, starts, bottoms, above, below)
    drifts = [False] * len(order)
    for unit in reversed(order):
        drifts[unit] = not held[unit] and all(drifts[lower] for lower, _ in below[unit])
    return drifts


def _anchored(
    order: list[int], starts: list[int], bottoms: list[int], above: Adjacency, below: Adjacency
) -> list[bool]:
    """Which units cannot be lowered freely: those on a path down to its bottom without slack, and what hangs on them.

    Args:
        order: of the units, uppers first.
        starts: of each unit, by its uppers.
        bottoms: lowest start of each unit that is nobody's upper.
        above: for each unit its uppers with the least distances.
        below: likewise its lowers.
    """
    latest = list(bottoms)
    for unit in reversed(order):
        if below[unit]:
            latest[unit] = min(latest[lower] - distance for lower, distance in below[unit])
    anchored = [False] * len(order)
    for unit in order:
        anchored[unit] = latest[unit] == starts[unit] or any(anchored[upper] for upper, _ in above[unit])
    return anchored
