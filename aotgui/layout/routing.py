"""Routes of the edges inside a column, once every node has its place.

An edge runs from the bottom of its upper node to the top of its lower node: row by row where it is
short (``PLAIN``), through a free corridor where it is longer (``LANE``), and as two stubs where even that would
be a line that no one can follow (``STUB``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aotgui.layout.column import Column
from aotgui.layout.coordinates import Floats, Ints
from aotgui.layout.corridors import Corridors
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import RouteKind

Point = tuple[float, float]
Route = list[Point]

STUB_LENGTH = 11.0
_PORT_SHARE = 0.2
PORT_MARGIN = 8.0
_CLEARANCE = 5.0


@dataclass(frozen=True, slots=True)
class PlacedColumn:
    """A column in scene coordinates.

    Attributes:
        column: its slots.
        nodes: graph node of each of the first slots.
        edges: number of each edge inside the column.
        pairs: slots (upper, lower) of each such edge.
        upwards: whether data flows from the lower to the upper node.
        gutter_side: 1 if the other column stands at the right, -1 if at the left.
        centres: x of each slot.
        widths: of each slot.
        tops: y of each level's boxes.
    """

    column: Column
    nodes: list[int]
    edges: list[int]
    pairs: list[tuple[int, int]]
    upwards: bool
    gutter_side: int
    centres: Floats
    widths: Floats
    tops: list[float]

    def nodes_of(self, slots: list[int]) -> list[int]:
        """The graph nodes among some slots."""
        return [self.nodes[slot] for slot in slots if slot < len(self.nodes)]


def route_column(placed: PlacedColumn, options: LayoutOptions) -> dict[int, tuple[RouteKind, Route]]:
    """Kind and points of each edge inside a column, from source to target."""
    corridors = _corridors(placed)
    routes = {}
    order = sorted(range(len(placed.pairs)), key=lambda number: _span(placed, number))
    for number in order:
        kind, route = _route(placed, number, corridors, options)
        routes[placed.edges[number]] = (kind, route[::-1] if placed.upwards else route)
    return routes


def _corridors(placed: PlacedColumn) -> Corridors:
    half = placed.widths / 2 + _CLEARANCE
    levels: Ints = np.asarray(placed.column.levels, np.int64)
    exits: Ints = np.asarray(placed.column.exits, np.int64)
    joins = [
        (placed.column.levels[upper], placed.centres[upper], placed.centres[lower])
        for upper, lowers in enumerate(placed.column.lowers)
        for lower in lowers
    ]
    between = np.asarray(joins, np.float64).reshape(-1, 3)
    return Corridors(levels, placed.centres - half, placed.centres + half, exits, placed.gutter_side, between)


def _span(placed: PlacedColumn, number: int) -> int:
    upper, lower = placed.pairs[number]
    return placed.column.levels[lower] - placed.column.levels[upper]


def _route(placed: PlacedColumn, number: int, corridors: Corridors, options: LayoutOptions) -> tuple[RouteKind, Route]:
    upper, lower = placed.pairs[number]
    span = _span(placed, number)
    if span <= options.short_span or number in placed.column.chains:
        return RouteKind.PLAIN, _through_passages(placed, number, options.node_height)
    if span <= options.stub_span:
        return RouteKind.LANE, _through_lane(placed, upper, lower, corridors, options.node_height)
    return RouteKind.STUB, _stubs(placed, upper, lower, options.node_height)


def _through_passages(placed: PlacedColumn, number: int, height: float) -> Route:
    upper, lower = placed.pairs[number]
    middle: Route = []
    for slot in placed.column.chains.get(number, ()):
        x, y = float(placed.centres[slot]), placed.tops[placed.column.levels[slot]]
        if len(middle) > 1 and middle[-1][0] == x == middle[-2][0]:
            middle[-1] = (x, y + height)
        else:
            middle += [(x, y), (x, y + height)]
    return _attach(placed, upper, lower, middle, height)


def _through_lane(placed: PlacedColumn, upper: int, lower: int, corridors: Corridors, height: float) -> Route:
    levels, tops = placed.column.levels, placed.tops
    top, bottom = levels[upper], levels[lower]
    owner = lower if placed.upwards else upper
    x = corridors.lane(owner, top, bottom, float(placed.centres[upper]), float(placed.centres[lower]))
    return _attach(placed, upper, lower, [(x, tops[top + 1]), (x, tops[bottom - 1] + height)], height)


def _attach(placed: PlacedColumn, upper: int, lower: int, middle: Route, height: float) -> Route:
    """Add the two ends to the middle of a route."""
    levels, tops = placed.column.levels, placed.tops
    first = middle[0][0] if middle else float(placed.centres[lower])
    last = middle[-1][0] if middle else float(placed.centres[upper])
    begin = (_port(placed, upper, first), tops[levels[upper]] + height)
    end = (_port(placed, lower, last), tops[levels[lower]])
    return [begin, *middle, end]


def _port(placed: PlacedColumn, slot: int, towards: float) -> float:
    """Where on its box an edge that comes from ``towards`` is attached: off the centre, to that side."""
    centre = float(placed.centres[slot])
    limit = float(placed.widths[slot]) / 2 - PORT_MARGIN
    return centre + min(max((towards - centre) * _PORT_SHARE, -limit), limit)


def _stubs(placed: PlacedColumn, upper: int, lower: int, height: float) -> Route:
    levels, tops = placed.column.levels, placed.tops
    x, y = float(placed.centres[upper]), tops[levels[upper]] + height
    u, v = float(placed.centres[lower]), tops[levels[lower]]
    return [(x, y), (x, y + STUB_LENGTH), (u, v - STUB_LENGTH), (u, v)]
