"""The layout engine: a pure function from a graph and options to positions and routes.

Terms: see ``rows`` (upper, lower, unit), ``column`` (slot, level, passage, gutter) and ``coordinates`` (block).

Phases:
    1. ``sheet``: the items, the column of each, and which stands above which. With groups: ``nesting`` says which
       modules there are, ``folding`` hides what is collapsed.
    2. ``rows``, ``busy``, ``pieces``: the row of each item; ``nested_rows`` gives each expanded group rows of its own.
    3. ``column``, ``branches``, ``ordering``, ``jumps``: slots and their order in each row, for each column.
    4. ``coordinates``: x of each slot; ``columns`` repeats 3 and 4 and keeps the best.
    5. ``routing``, ``corridors``, ``gutter``: the edges inside a column and between two; ``frames``.

A joint graph has two columns: forward at the left flows down, backward at the right flows up, and what is saved
crosses from left to right. A backward graph keeps what it recomputes in a left column of its own. Every other graph has
one column. The cost is linear in nodes and edges in practice: no edge makes more slots than ``short_span``, but for the
one chain of longest edges that is the spine.

Known limits: hundreds of inputs or results of one operator make one wide row. Expanded modules that could run beside
each other stand one below the other. The lanes of a backward graph's recomputed column cross more edges than one
column would. Columns of a thousand slots and more are put in order by sweeps and switches alone and cross more. An edge
may cross a frame, never a box.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.columns import place_columns
from aotgui.layout.coordinates import Floats
from aotgui.layout.folding import folded_sheet
from aotgui.layout.frames import Frame, frames_of, row_tops
from aotgui.layout.gutter import route_gutter
from aotgui.layout.nested_rows import nested_rows
from aotgui.layout.nesting import Nesting, nest
from aotgui.layout.options import Cancelled, LayoutOptions, check
from aotgui.layout.result import Group, Layout, RouteKind
from aotgui.layout.routing import PlacedColumn, Route, route_column
from aotgui.layout.rows import rows_of
from aotgui.layout.sheet import Sheet, flat_sheet
from aotgui.model.graph import Graph

_DEFAULTS = LayoutOptions()


def lay_out(
    graph: Graph,
    options: LayoutOptions = _DEFAULTS,
    cancelled: Cancelled | None = None,
    nesting: Nesting | None = None,
    groups: tuple[Group, ...] = (),
) -> Layout:
    """Positions of all nodes and routes of all edges.

    The same graph and options give the same layout.

    Args:
        graph: any of the four kinds.
        options: sizes and gaps.
        cancelled: polled regularly; the layout is abandoned when it returns True.
        nesting: what ``nesting.nest`` says of this graph, where the caller kept it; used with ``options.expanded``.
        groups: what ``groups.make_groups`` makes of this nesting, where the caller kept it.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    if options.expanded is None:
        sheet, parents = flat_sheet(graph, options), []
        rows = rows_of(sheet.stacking(), cancelled)
    else:
        nesting = nesting or nest(graph, cancelled)
        check(cancelled)
        sheet, parents = folded_sheet(graph, nesting, options.expanded, options, groups), nesting.parents
        rows = nested_rows(sheet.stacking(), sheet.times, sheet.parents, parents, cancelled)
    tops = row_tops(rows, sheet.parents, parents, options)
    placed = place_columns(sheet, rows, tops, options, cancelled)
    boxes = _boxes(sheet, rows, tops, placed, options)
    frames = frames_of(boxes, sheet, parents, options)
    return _assemble(sheet, boxes, frames, _routes(sheet, placed, boxes, options, cancelled))


def _boxes(
    sheet: Sheet, rows: list[int], tops: list[float], placed: list[PlacedColumn], options: LayoutOptions
) -> Floats:
    """Left, top, width and height of each item."""
    boxes = np.empty((len(sheet), 4))
    boxes[:, 1] = [tops[row] for row in rows]
    boxes[:, 2] = sheet.widths
    boxes[:, 3] = options.node_height
    for column in placed:
        boxes[column.nodes, 0] = column.centres[: len(column.nodes)] - boxes[column.nodes, 2] / 2
    return boxes


def _routes(
    sheet: Sheet, placed: list[PlacedColumn], boxes: Floats, options: LayoutOptions, cancelled: Cancelled | None
) -> list[tuple[RouteKind, Route]]:
    routes: dict[int, tuple[RouteKind, Route]] = {}
    for column in placed:
        check(cancelled)
        routes |= route_column(column, options)
    if len(placed) > 1:
        check(cancelled)
        edges = enumerate(zip(sheet.sources, sheet.targets, strict=True))
        between = [(edge, source, target) for edge, (source, target) in edges if edge not in routes]
        routes |= route_gutter(placed[0], placed[1], boxes, between, routes, options)
    return [routes[edge] for edge in range(len(sheet.sources))]


def _assemble(sheet: Sheet, boxes: Floats, frames: list[Frame], routes: list[tuple[RouteKind, Route]]) -> Layout:
    frame_boxes = np.asarray([frame.box for frame in frames], np.float32).reshape(-1, 4)
    lengths = np.asarray([0, *(len(route) for _, route in routes)], np.int32)
    points = np.asarray([point for _, route in routes for point in route], np.float32).reshape(-1, 2)
    return Layout(
        boxes=boxes.astype(np.float32),
        item_nodes=sheet.item_nodes,
        item_groups=sheet.item_groups,
        node_items=sheet.node_items,
        edge_sources=np.asarray(sheet.sources, np.int32),
        edge_targets=np.asarray(sheet.targets, np.int32),
        points=points,
        route_starts=np.cumsum(lengths, dtype=np.int32),
        route_kinds=np.asarray([kind for kind, _ in routes], np.uint8),
        frames=frame_boxes,
        frame_groups=np.asarray([frame.group for frame in frames], np.int32),
        groups=sheet.groups,
        bounds=_bounds(np.concatenate((boxes, frame_boxes)), points),
    )


def _bounds(boxes: Floats, points: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Left, top, width and height of everything drawn."""
    if not len(boxes):
        return (0.0, 0.0, 0.0, 0.0)
    corners = np.concatenate((boxes[:, :2], boxes[:, :2] + boxes[:, 2:], points))
    low, high = corners.min(axis=0), corners.max(axis=0)
    return (float(low[0]), float(low[1]), float(high[0] - low[0]), float(high[1] - low[1]))
