"""Routes of the edges between two columns.

An edge leaves its box at the side of the gutter, or, where another box stands in the way, through the gap below its
row or that above it, whichever crosses less; it crosses the gutter and arrives likewise. Each node has a track of its
own in the gap, the further from the row the further it is from the gutter, so that no two of these tracks cross or hide
each other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import pairwise

from aotgui.layout.coordinates import Floats
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import RouteKind
from aotgui.layout.routing import PORT_MARGIN, STUB_LENGTH, PlacedColumn, Point, Route

_TRACK_DISTANCE = 4.0
_TRACK_SHARE = 0.6


def route_gutter(
    left: PlacedColumn,
    right: PlacedColumn,
    boxes: Floats,
    edges: Iterable[tuple[int, int, int]],
    inner: Mapping[int, tuple[RouteKind, Route]],
    options: LayoutOptions,
) -> dict[int, tuple[RouteKind, Route]]:
    """Kind and points of each edge between two columns.

    Args:
        left: column whose right end is at x = 0.
        right: column whose left end is at the other end of the gutter.
        boxes: left, top, width and height of each node.
        edges: number, source and target of each edge; a source may be on either side.
        inner: the edges inside the columns, which those between them should cross as seldom as possible.
        options: sizes and gaps.
    """
    edges = list(edges)
    sides = dict.fromkeys(left.nodes, 1) | dict.fromkeys(right.nodes, -1)
    leaving = {source for _, source, _ in edges}
    arriving = {target for _, _, target in edges}
    ways_out: dict[int, Route] = {}
    ways_in: dict[int, Route] = {}
    for column in (left, right):
        gaps = _Gaps(column, inner, options)
        ways_out |= _ways(column, leaving, boxes, gaps, options, below=not column.upwards)
        ways_in |= _ways(column, arriving, boxes, gaps, options, below=column.upwards)
    routes = {}
    for number, source, target in edges:
        way_out, way_in = ways_out[source], ways_in[target]
        if abs(float(boxes[source, 1] - boxes[target, 1])) > options.gutter_span * options.pitch:
            stubs = [way_out[0], _tip(way_out, sides[source]), _tip(way_in, sides[target]), way_in[0]]
            routes[number] = (RouteKind.STUB, stubs)
        else:
            routes[number] = (RouteKind.SAVED, [*way_out, *way_in[::-1]])
    return routes


class _Gaps:
    """Where the edges inside a column cross the middle of the gaps between its rows."""

    def __init__(
        self, column: PlacedColumn, inner: Mapping[int, tuple[RouteKind, Route]], options: LayoutOptions
    ) -> None:
        self._side = column.gutter_side
        self._middles = [top - options.row_gap / 2 for top in column.tops]
        self._crossed: list[list[float]] = [[] for _ in range(len(column.tops) + 1)]
        for number in column.edges:
            kind, route = inner[number]
            if kind is not RouteKind.STUB:
                for one, other in pairwise(route):
                    self._note(one, other)
        for places in self._crossed:
            places.sort()

    def _note(self, one: Point, other: Point) -> None:
        (x, top), (u, bottom) = (one, other) if one[1] <= other[1] else (other, one)
        for gap in range(bisect_left(self._middles, top), bisect_left(self._middles, bottom)):
            share = (self._middles[gap] - top) / (bottom - top)
            self._crossed[gap].append(x + share * (u - x))

    def count(self, gap: int, x: float) -> int:
        """Edges between a place in a gap and the gutter; gap ``n`` is that above row ``n``."""
        places = self._crossed[gap]
        return len(places) - bisect_left(places, x) if self._side > 0 else bisect_left(places, x)

    def is_better_below(self, level: int, x: float, *, below: bool) -> bool:
        """Whether the way from a place to the gutter crosses less below a row than above; else what is preferred."""
        return self.count(level + 1, x) < self.count(level, x) + below


def _ways(
    column: PlacedColumn, nodes: set[int], boxes: Floats, gaps: _Gaps, options: LayoutOptions, *, below: bool
) -> dict[int, Route]:
    """For each of the nodes in a column the way from its box to the edge of the gutter.

    Args:
        column: where the nodes are.
        nodes: only these get a way.
        boxes: of all nodes.
        gaps: what is crossed in them.
        options: sizes and gaps.
        below: whether a node that is hemmed in uses the gap below its row, otherwise the one above, where both cross
            as much.
    """
    routes: dict[int, Route] = {}
    side = column.gutter_side
    gate = 0.0 if side > 0 else options.gutter
    below_rows: list[list[int]] = []
    above_rows: list[list[int]] = []
    for level, row in enumerate(column.column.rows):
        crossing = [node for node in column.nodes_of(row) if node in nodes]
        if crossing and [crossing[-1]] == column.nodes_of(row[-1:]):
            node = crossing.pop()
            routes[node] = _straight(boxes[node], side, gate)
        places = {node: _border(boxes[node], side) - side * PORT_MARGIN for node in reversed(crossing)}
        is_below = {node: gaps.is_better_below(level, x, below=below) for node, x in places.items()}
        below_rows.append([node for node in places if is_below[node]])
        above_rows.append([node for node in places if not is_below[node]])
    none: list[list[int]] = [[]]
    for chosen, others, is_below_row in (
        (below_rows, above_rows[1:] + none, True),
        (above_rows, none + below_rows[:-1], False),
    ):
        for row, other in zip(chosen, others, strict=True):
            for track, node in enumerate(row):
                depth = _track_depth(track, len(row) + len(other), options.row_gap)
                routes[node] = _around(boxes[node], side, gate, depth, below=is_below_row)
    return routes


def _track_depth(track: int, count: int, row_gap: float) -> float:
    """Distance of a track from the boxes above it; track 0 is the uppermost."""
    distance = min(_TRACK_DISTANCE, _TRACK_SHARE * row_gap / max(count - 1, 1))
    return row_gap / 2 + (track - (count - 1) / 2) * distance


def _border(box: Floats, side: int) -> float:
    return float(box[0] + box[2]) if side > 0 else float(box[0])


def _straight(box: Floats, side: int, gate: float) -> Route:
    y = float(box[1] + box[3] / 2)
    return [(_border(box, side), y), (gate, y)]


def _around(box: Floats, side: int, gate: float, depth: float, *, below: bool) -> Route:
    """From the lower (upper) border of a box, through the gap below (above), to the gutter."""
    x = _border(box, side) - side * PORT_MARGIN
    y = float(box[1] + box[3]) if below else float(box[1])
    track = y + depth if below else y - depth
    return [(x, y), (x, track), (gate, track)]


def _tip(way: Route, side: int) -> Point:
    """Where a stub ends that starts like a way to the gutter."""
    (x, y), (u, v) = way[0], way[1]
    return (u, v) if u == x else (x + side * STUB_LENGTH, y)
