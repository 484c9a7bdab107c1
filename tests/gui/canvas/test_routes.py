"""Edge geometry: curves start and end where the layout says, clipping equals exact geometry."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.gui.canvas import routes
from aotgui.layout.result import Layout, RouteKind


def layout_of(*polylines, kind=RouteKind.PLAIN) -> Layout:
    empty = np.empty(0, np.int32)
    count = len(polylines)
    return Layout(
        boxes=np.empty((0, 4), np.float32),
        item_nodes=empty,
        item_groups=empty,
        node_items=empty,
        edge_sources=np.zeros(count, np.int32),
        edge_targets=np.zeros(count, np.int32),
        points=np.array([point for line in polylines for point in line], np.float32),
        route_starts=np.cumsum([0, *map(len, polylines)]).astype(np.int32),
        route_kinds=np.full(count, kind, np.uint8),
    )


def chain(lines) -> list[tuple[float, float]]:
    """The points of connected pieces in order; fails where they do not connect."""
    pieces = {tuple(np.round(piece[:2], 4)): tuple(np.round(piece[2:], 4)) for piece in lines}
    (start,) = set(pieces) - set(pieces.values())
    points = [start]
    while points[-1] in pieces:
        points.append(pieces[points[-1]])
    assert len(points) == len(lines) + 1
    return points


@pytest.mark.parametrize(
    "polyline",
    [
        [(0, 0), (100, 60)],
        [(0, 0), (0, 50), (80, 50)],
        [(0, 0), (0, 50), (80, 50), (80, 200), (300, 200)],
    ],
)
def test_a_smooth_edge_is_one_connected_line_between_its_ends(polyline):
    lines, owners = routes.smooth(layout_of(polyline), np.array([0], np.int32))
    points = chain(lines)
    assert points[0] == polyline[0]
    assert points[-1] == polyline[-1]
    assert set(owners.tolist()) == {0}


def test_corners_are_cut_by_a_limited_amount():
    corner = np.array((0.0, 1000.0))
    lines, _ = routes.smooth(layout_of([(0, 0), tuple(corner), (1000, 1000)]), np.array([0], np.int32))
    nearest = np.hypot(*(lines[:, :2] - corner).T).min()
    assert 0 < nearest < routes.CORNER_UNITS


def test_a_stub_has_no_middle_unless_it_is_asked_for():
    layout = layout_of([(0, 0), (0, 20), (900, 980), (900, 1000)], kind=RouteKind.STUB)
    edges = np.array([0], np.int32)
    shown, _ = routes.smooth(layout, edges)
    assert shown[:, (0, 2)].max() == 900
    assert not ((shown[:, 0] > 10) & (shown[:, 0] < 890)).any()
    whole, _ = routes.smooth(layout, edges, whole=True)
    assert chain(whole)[-1] == (900, 1000)


def test_edges_of_different_lengths_keep_their_owners():
    layout = layout_of([(0, 0), (9, 9)], [(100, 0), (100, 50), (150, 50)], [(200, 0), (209, 9)])
    lines, owners = routes.smooth(layout, np.array([0, 1, 2], np.int32))
    for edge, low in ((0, 0), (1, 100), (2, 200)):
        xs = lines[owners == edge][:, (0, 2)]
        assert xs.min() == low
        assert xs.max() < low + 60


def test_arrow_heads_sit_at_the_last_piece():
    layout = layout_of([(0, 0), (0, 50), (80, 50)], [(5, 5), (5, 9)])
    assert routes.ends(layout, np.array([0, 1], np.int32)).tolist() == [[0, 50, 80, 50], [5, 5, 5, 9]]


coordinate = st.integers(-300, 300)


@given(st.lists(st.tuples(coordinate, coordinate, coordinate, coordinate), max_size=20))
def test_clipping_keeps_exactly_what_is_inside(rows):
    lines = np.array(rows, np.float64).reshape(-1, 4)
    before = lines.copy()
    inside = routes.clip(lines, -100, -50, 100, 50)
    t = np.linspace(0, 1, 601)[:, None, None]
    along = before[None, :, :2] * (1 - t) + before[None, :, 2:] * t
    touched = ((np.abs(along[..., 0]) <= 100) & (np.abs(along[..., 1]) <= 50)).any(axis=0)
    assert not (touched & ~inside).any()
    kept = lines[inside]
    assert (np.abs(kept[:, (0, 2)]) <= 100 + 1e-6).all()
    assert (np.abs(kept[:, (1, 3)]) <= 50 + 1e-6).all()
    # What is left lies on the same line.
    delta = before[inside, 2:] - before[inside, :2]
    away = kept[:, :2] - before[inside, :2]
    assert np.allclose(delta[:, 0] * away[:, 1], delta[:, 1] * away[:, 0], atol=1e-5)


def test_no_edges_make_no_lines():
    layout = dataclasses.replace(layout_of([(0, 0), (1, 1)]))
    lines, owners = routes.smooth(layout, np.empty(0, np.int32))
    assert len(lines) == len(owners) == 0
