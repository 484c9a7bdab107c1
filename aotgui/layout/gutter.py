"""Routes of the edges between two columns.

An edge leaves its box at the side of the gutter, or, where another box stands in the way, through the gap under its
row; it crosses the gutter and arrives likewise. Each node has a track of its own in the gap under its row, the
lower the further it is from the gutter, so that no two of these tracks cross or hide each other.
"""

from __future__ import annotations

from collections.abc import Iterable

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
    options: LayoutOptions,
) -> dict[int, tuple[RouteKind, Route]]:
    """Kind and points of each edge between two columns.

    Args:
        left: column whose right end is at x = 0.
        right: column whose left end is at the other end of the gutter.
        boxes: left, top, width and height of each node.
        edges: number, source and target of each edge; a source may be on either side.
        options: sizes and gaps.
    """
    edges = list(edges)
    sides = dict.fromkeys(left.nodes, 1) | dict.fromkeys(right.nodes, -1)
    leaving = {source for _, source, _ in edges}
    arriving = {target for _, _, target in edges}
    ways_out: dict[int, Route] = {}
    ways_in: dict[int, Route] = {}
    for column in (left, right):
        ways_out |= _ways(column, leaving, boxes, options, below=not column.upwards)
        ways_in |= _ways(column, arriving, boxes, options, below=column.upwards)
    routes = {}
    for number, source, target in edges:
        way_out, way_in = ways_out[source], ways_in[target]
        if abs(float(boxes[source, 1] - boxes[target, 1])) > options.stub_span * options.pitch:
            stubs = [way_out[0], _tip(way_out, sides[source]), _tip(way_in, sides[target]), way_in[0]]
            routes[number] = (RouteKind.STUB, stubs)
        else:
            routes[number] = (RouteKind.SAVED, [*way_out, *way_in[::-1]])
    return routes


def _ways(
    column: PlacedColumn, nodes: set[int], boxes: Floats, options: LayoutOptions, *, below: bool
) -> dict[int, Route]:
    """For each of the nodes in a column the way from its box to the edge of the gutter.

    Args:
        column: where the nodes are.
        nodes: only these get a way.
        boxes: of all nodes.
        options: sizes and gaps.
        below: whether a node that is hemmed in uses the gap under its row, otherwise the one above.
    """
    routes: dict[int, Route] = {}
    side = column.gutter_side
    gate = 0.0 if side > 0 else options.gutter
    for row in column.column.rows:
        crossing = [node for node in column.nodes_of(row) if node in nodes]
        if crossing and [crossing[-1]] == column.nodes_of(row[-1:]):
            node = crossing.pop()
            routes[node] = _straight(boxes[node], side, gate)
        for track, node in enumerate(reversed(crossing)):
            depth = _track_depth(track, len(crossing), options.row_gap)
            routes[node] = _around(boxes[node], side, gate, depth, below=below)
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
