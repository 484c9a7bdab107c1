"""The layout engine: a pure function from a graph and options to positions and routes.

Terms: see ``rows`` (upper, lower, unit), ``column`` (slot, level, passage, gutter) and ``coordinates`` (block).

Phases:
    1. ``_stacking``: which node stands above which, and in which column.
    2. ``rows.rows_of``: the row of each node.
    3. ``column``: slots and their order in each row, for each column.
    4. ``coordinates``: x of each slot.
    5. ``routing``, ``gutter``: the edges inside a column and between two.

A joint graph has two columns: forward at the left flows down, backward at the right flows up, and what is saved
crosses from left to right. A backward graph keeps what it recomputes in a left column of its own. Every other graph has
one column. The cost is linear in nodes and edges in practice: no edge makes more slots than ``short_span``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from aotgui.layout.column import Column, build_column
from aotgui.layout.coordinates import Floats, slot_centres
from aotgui.layout.gutter import route_gutter
from aotgui.layout.options import Cancelled, LayoutOptions, check
from aotgui.layout.ordering import order_rows, refine_rows, weigh_crossings
from aotgui.layout.result import Layout, RouteKind
from aotgui.layout.routing import PlacedColumn, Route, route_column
from aotgui.layout.rows import Stacking, rows_of
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Side

_REFINEMENTS = 2
_LARGE = 20_000
_DEFAULTS = LayoutOptions()


def lay_out(graph: Graph, options: LayoutOptions = _DEFAULTS, cancelled: Cancelled | None = None) -> Layout:
    """Positions of all nodes and routes of all edges.

    The same graph and options give the same layout.

    Args:
        graph: any of the four kinds.
        options: sizes and gaps.
        cancelled: polled regularly; the layout is abandoned when it returns True.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    stacking = _stacking(graph)
    rows = rows_of(stacking, cancelled)
    widths = np.asarray(options.node_widths(graph), np.float64)
    placed = _place_columns(graph, stacking, rows, widths, options, cancelled)
    boxes = np.empty((len(graph), 4))
    boxes[:, 1] = np.asarray(rows, np.float64) * options.pitch
    boxes[:, 2] = widths
    boxes[:, 3] = options.node_height
    for column in placed:
        boxes[column.nodes, 0] = column.centres[: len(column.nodes)] - widths[column.nodes] / 2
    check(cancelled)
    routes: dict[int, tuple[RouteKind, Route]] = {}
    for column in placed:
        routes |= route_column(column, options)
        check(cancelled)
    if len(placed) > 1:
        between = [
            (edge, source, target)
            for edge, (source, target) in enumerate(zip(graph.edge_sources, graph.edge_targets, strict=True))
            if edge not in routes
        ]
        routes |= route_gutter(placed[0], placed[1], boxes, between, options)
    return _assemble(graph, boxes, [routes[edge] for edge in range(len(graph.edge_sources))])


def _stacking(graph: Graph) -> Stacking:
    if graph.kind is GraphKind.JOINT:
        return _joint_stacking(graph)
    sides = [0] * len(graph)
    if graph.kind is GraphKind.BACKWARD and Fate.RECOMPUTED in graph.fates:
        sides = _recompute_sides(graph)
    return Stacking(sides, [-1] * len(graph), graph.edge_sources, graph.edge_targets)


def _joint_stacking(graph: Graph) -> Stacking:
    """Forward edges point down, backward edges up, edges between the sides anywhere."""
    sides = graph.sides
    uppers, lowers, loose = [], [], []
    for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True):
        if sides[source] != sides[target]:
            loose.append((source, target))
            continue
        down = sides[source] == Side.FORWARD
        uppers.append(source if down else target)
        lowers.append(target if down else source)
    return Stacking(sides, graph.seq_nrs, uppers, lowers, loose)


def _recompute_sides(graph: Graph) -> list[int]:
    """Recomputed nodes, and inputs that only they read, are in the left column."""
    sides = [int(fate != Fate.RECOMPUTED) for fate in graph.fates]
    for node, op in enumerate(graph.ops):
        users = graph.users(node)
        if op == Op.PLACEHOLDER and users and not any(sides[user] for user in users):
            sides[node] = 0
    return sides


@dataclass(frozen=True, slots=True)
class _Share:
    """What one column gets of the graph.

    Attributes:
        nodes: graph node of each slot.
        edges: number of each edge inside the column.
        pairs: its ends as slots, the upper one first.
        exits: for each slot the number of edges to the other column.
    """

    nodes: list[int]
    edges: list[int]
    pairs: list[tuple[int, int]]
    exits: list[int]


def _share(graph: Graph, sides: list[int], side: int, upwards: bool) -> _Share:
    nodes = [node for node, other in enumerate(sides) if other == side]
    slots = {node: slot for slot, node in enumerate(nodes)}
    edges, pairs, exits = [], [], [0] * len(nodes)
    for number, (source, target) in enumerate(zip(graph.edge_sources, graph.edge_targets, strict=True)):
        if sides[source] == sides[target] == side:
            edges.append(number)
            pair = (slots[source], slots[target])
            pairs.append(pair[::-1] if upwards else pair)
        elif sides[source] != sides[target]:
            exits[slots[source if sides[source] == side else target]] += 1
    return _Share(nodes, edges, pairs, exits)


def _place_columns(
    graph: Graph,
    stacking: Stacking,
    rows: list[int],
    widths: Floats,
    options: LayoutOptions,
    cancelled: Cancelled | None,
) -> list[PlacedColumn]:
    """The left column ends at x = 0, the right one starts behind the gutter."""
    placed = []
    for side in sorted(set(stacking.sides)):
        upwards = side == 1 and graph.kind is GraphKind.JOINT
        share = _share(graph, list(stacking.sides), side, upwards)
        own_rows = [rows[node] for node in share.nodes]
        column = build_column(own_rows, share.pairs, share.exits, options.short_span)
        slot_widths = np.zeros(len(column.levels))
        slot_widths[: column.nodes] = widths[share.nodes]
        centres = _arrange(column, slot_widths, options.column_gap, cancelled)
        if side == 1:
            centres = options.gutter - centres
        tops = [row * options.pitch for row in sorted(set(own_rows))]
        placed.append(
            PlacedColumn(
                column, share.nodes, share.edges, share.pairs, upwards, 1 - 2 * side, centres, slot_widths, tops
            )
        )
    return placed


def _arrange(column: Column, widths: Floats, gap: float, cancelled: Cancelled | None) -> Floats:
    """Put the rows of a column in order, and return the centre of each slot."""
    order_rows(column, cancelled)
    centres = slot_centres(column, widths, gap, cancelled)
    best = (weigh_crossings(column), [list(row) for row in column.rows], centres)
    for _ in range(_REFINEMENTS if len(column.levels) < _LARGE else 1):
        refine_rows(column, centres.tolist(), cancelled)
        centres = slot_centres(column, widths, gap, cancelled)
        crossings = weigh_crossings(column)
        if crossings < best[0]:
            best = (crossings, [list(row) for row in column.rows], centres)
    column.rows[:] = best[1]
    return best[2]


def _assemble(graph: Graph, boxes: Floats, routes: list[tuple[RouteKind, Route]]) -> Layout:
    count = len(graph)
    lengths = np.asarray([0, *(len(route) for _, route in routes)], np.int32)
    points = np.asarray([point for _, route in routes for point in route], np.float32).reshape(-1, 2)
    boxes32 = boxes.astype(np.float32)
    return Layout(
        boxes=boxes32,
        item_nodes=np.arange(count, dtype=np.int32),
        item_groups=np.full(count, -1, np.int32),
        node_items=np.arange(count, dtype=np.int32),
        edge_sources=np.asarray(graph.edge_sources, np.int32),
        edge_targets=np.asarray(graph.edge_targets, np.int32),
        points=points,
        route_starts=np.cumsum(lengths, dtype=np.int32),
        route_kinds=np.asarray([kind for kind, _ in routes], np.uint8),
        bounds=_bounds(boxes32, points),
    )


def _bounds(boxes: np.ndarray, points: np.ndarray) -> tuple[float, float, float, float]:
    """Left, top, width and height of everything drawn."""
    if not len(boxes):
        return (0.0, 0.0, 0.0, 0.0)
    corners = np.concatenate((boxes[:, :2], boxes[:, :2] + boxes[:, 2:], points))
    low, high = corners.min(axis=0), corners.max(axis=0)
    return (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
