"""Rows when modules are expanded: each expanded module has rows of its own, which nothing else uses.

So frames never overlap, and the forward and the backward of a module stand side by side. At each level the
expanded modules are brought into one sequence; the other items stand in the segments between them, as late as ``rows``
would put them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import pairwise

from aotgui.layout.busy import Adjacency
from aotgui.layout.levels import OUTSIDE, Chain, Unit, UnitEdges, chains, level_edges
from aotgui.layout.options import Cancelled
from aotgui.layout.rows import Stacking, place, rows_of


def nested_rows(
    stacking: Stacking,
    times: Sequence[int],
    item_modules: Sequence[int],
    parents: Sequence[int],
    cancelled: Cancelled | None = None,
) -> list[int]:
    """Row of each item, from 0; every upper is strictly above its lower.

    Args:
        stacking: of the items.
        times: when each item first computes something; modules come in this order where there is a choice.
        item_modules: the innermost expanded module around each item, or -1.
        parents: for each module the one around it, or -1; parents come before children.
        cancelled: polled regularly.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    around = [*chains(parents), ()]
    item_chains = [around[module] for module in item_modules]
    edges = level_edges(item_chains, zip(stacking.uppers, stacking.lowers, strict=True))
    nested = _Nested(stacking, edges, _contents(item_chains, times), [0] * len(stacking), cancelled)
    nested.fill(OUTSIDE, 0)
    return nested.rows


def _contents(item_chains: list[Chain], times: Sequence[int]) -> dict[int, list[Unit]]:
    """Units of each level in the order of their times."""
    contents: dict[int, dict[Unit, int]] = {OUTSIDE: {}}
    for item, chain in enumerate(item_chains):
        level = OUTSIDE
        for module in chain:
            units = contents.setdefault(level, {})
            units[-1 - module] = min(units.get(-1 - module, times[item]), times[item])
            level = module
        contents.setdefault(level, {})[item] = times[item]
    return {level: sorted(units, key=units.__getitem__) for level, units in contents.items()}


@dataclass(frozen=True, slots=True)
class _Nested:
    """Rows under construction.

    Attributes:
        stacking: of the items.
        edges: between the units of each level.
        contents: units of each level in the order of their times.
        rows: filled in level by level.
        cancelled: polled regularly.
    """

    stacking: Stacking
    edges: UnitEdges
    contents: dict[int, list[Unit]]
    rows: list[int]
    cancelled: Cancelled | None

    def fill(self, level: int, first: int) -> int:
        """Give rows to everything inside a module, from ``first`` on; the row after the last one."""
        units = self.contents[level]
        row = first
        for segment in _segments(units, self.edges.get(level, [])):
            items = [unit for unit in segment if unit >= 0]
            row = self._fill_segment(items, row)
            for unit in segment:
                if unit < 0:
                    row = self.fill(-1 - unit, row)
        return row

    def _fill_segment(self, items: list[int], first: int) -> int:
        if not items:
            return first
        rows = rows_of(_part(self.stacking, items), self.cancelled)
        for item, row in zip(items, rows, strict=True):
            self.rows[item] = first + row
        return first + max(rows) + 1


def _segments(units: list[Unit], edges: list[tuple[Unit, Unit]]) -> list[list[Unit]]:
    """Units from top to bottom: in each segment items, then at most one module."""
    numbers = {unit: number for number, unit in enumerate(units)}
    above: Adjacency = [[] for _ in units]
    below: Adjacency = [[] for _ in units]

    def connect(upper: int, lower: int) -> None:
        distance = int(units[upper] < 0)
        below[upper].append((lower, distance))
        above[lower].append((upper, distance))

    for one, other in edges:
        connect(numbers[one], numbers[other])
    order = _in_sequence(above, below)
    modules = [number for number in order if units[number] < 0]
    for upper, lower in pairwise(modules):
        connect(upper, lower)
    starts = place(_in_sequence(above, below), above, below)
    segments: dict[int, list[Unit]] = {}
    for number, start in enumerate(starts):
        segments.setdefault(start, []).append(units[number])
    return [segments[start] for start in sorted(segments)]


def _in_sequence(above: Adjacency, below: Adjacency) -> list[int]:
    """Topological order, by number where there is a choice."""
    waiting = [len(edges) for edges in above]
    ready = [number for number, count in enumerate(waiting) if not count]
    order: list[int] = []
    while ready:
        number = heappop(ready)
        order.append(number)
        for other, _ in below[number]:
            waiting[other] -= 1
            if not waiting[other]:
                heappush(ready, other)
    return order


def _part(stacking: Stacking, items: list[int]) -> Stacking:
    """The stacking of some items alone."""
    slots = {item: slot for slot, item in enumerate(items)}
    pairs = zip(stacking.uppers, stacking.lowers, strict=True)
    inner = [(slots[upper], slots[lower]) for upper, lower in pairs if upper in slots and lower in slots]
    return Stacking(
        sides=[stacking.sides[item] for item in items],
        bands=[stacking.bands[item] for item in items],
        uppers=[upper for upper, _ in inner],
        lowers=[lower for _, lower in inner],
        loose=[(slots[one], slots[other]) for one, other in stacking.loose if one in slots and other in slots],
    )
