"""What must hold for every layout: of captured graphs, and of whatever hypothesis comes up with."""

from __future__ import annotations

import dataclasses
import random
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.layout.engine import lay_out
from aotgui.layout.options import LayoutCancelled, LayoutOptions
from aotgui.layout.result import Layout, RouteKind
from aotgui.model.graph import Fate, Graph, GraphKind, Role, Side

SIZES = st.integers(0, 40)
RANDOM = st.randoms(use_true_random=False)


def assert_sound(graph: Graph, layout: Layout) -> None:
    assert_shapes(graph, layout)
    assert_no_overlap(layout)
    assert_directions(graph, layout)
    assert_routes_attached(layout)
    assert_in_bounds(layout)


def assert_shapes(graph: Graph, layout: Layout) -> None:
    count, edges = len(graph), len(graph.edge_sources)
    assert layout.boxes.shape == (count, 4)
    assert layout.boxes.dtype == layout.points.dtype == np.float32
    assert layout.node_items.tolist() == layout.item_nodes.tolist() == list(range(count))
    assert layout.edge_sources.tolist() == graph.edge_sources
    assert layout.edge_targets.tolist() == graph.edge_targets
    assert len(layout.route_kinds) == edges
    assert len(layout.route_starts) == edges + 1
    assert layout.route_starts[0] == 0
    assert layout.route_starts[-1] == len(layout.points)
    assert (np.diff(layout.route_starts) >= 2).all()
    assert np.isfinite(layout.boxes).all()
    assert np.isfinite(layout.points).all()
    stubs = layout.route_kinds == RouteKind.STUB
    assert (np.diff(layout.route_starts)[stubs] == 4).all()


def assert_no_overlap(layout: Layout) -> None:
    """Boxes of one row keep their distance; rows keep theirs."""
    left, top, width, height = layout.boxes.T.astype(float)
    order = np.lexsort((left, top))
    same_row = np.diff(top[order]) == 0
    gaps = left[order][1:] - (left + width)[order][:-1]
    assert (gaps[same_row] > 1).all()
    assert (np.diff(top[order])[~same_row] >= height[order][:-1][~same_row]).all()


def assert_directions(graph: Graph, layout: Layout) -> None:
    """Forward edges point down, backward edges of a joint graph up, those between its columns to the right."""
    tops, bottoms = layout.boxes[:, 1], layout.boxes[:, 1] + layout.boxes[:, 3]
    source, target = layout.edge_sources, layout.edge_targets
    sides = np.asarray(graph.sides, int) if graph.kind is GraphKind.JOINT else np.zeros(len(graph), int)
    down = (sides[source] == Side.FORWARD) & (sides[target] == Side.FORWARD)
    up = (sides[source] == Side.BACKWARD) & (sides[target] == Side.BACKWARD)
    assert (bottoms[source] < tops[target])[down].all()
    assert (bottoms[target] < tops[source])[up].all()
    forward, backward = sides == Side.FORWARD, sides == Side.BACKWARD
    if forward.any() and backward.any():
        rights = layout.boxes[:, 0] + layout.boxes[:, 2]
        assert rights[forward].max() < layout.boxes[backward, 0].min()


def assert_routes_attached(layout: Layout) -> None:
    """A route starts on the border of its source and ends on that of its target."""
    for edge, (source, target) in enumerate(zip(layout.edge_sources, layout.edge_targets, strict=True)):
        begin, end = layout.route_starts[edge], layout.route_starts[edge + 1] - 1
        assert_on_border(layout.points[begin], layout.boxes[source])
        assert_on_border(layout.points[end], layout.boxes[target])


def assert_on_border(point: np.ndarray, box: np.ndarray) -> None:
    x, y = point.astype(float) - box[:2]
    width, height = box[2:].astype(float)
    near = 0.02
    assert -near <= x <= width + near
    assert -near <= y <= height + near
    assert min(abs(x), abs(x - width), abs(y), abs(y - height)) <= near


def assert_in_bounds(layout: Layout) -> None:
    left, top, width, height = layout.bounds
    corners = np.concatenate((layout.boxes[:, :2], layout.boxes[:, :2] + layout.boxes[:, 2:], layout.points))
    assert (corners >= (left - 0.01, top - 0.01)).all()
    assert (corners <= (left + width + 0.01, top + height + 0.01)).all()


def same(one: Layout, other: Layout) -> bool:
    pairs = [(getattr(one, field.name), getattr(other, field.name)) for field in dataclasses.fields(Layout)]
    return all(np.array_equal(a, b) for a, b in pairs)


@given(choose=RANDOM, operators=SIZES)
def test_random_joint_graphs(graphs: ModuleType, quality: ModuleType, choose: random.Random, operators: int) -> None:
    graph = graphs.random_joint(choose, operators)
    layout = lay_out(graph)
    assert_sound(graph, layout)
    assert quality.pierced_boxes(layout) == []
    assert same(layout, lay_out(graph))


@given(choose=RANDOM, operators=SIZES, kind=st.sampled_from([kind for kind in GraphKind if kind != "joint"]))
def test_random_single_graphs(graphs: ModuleType, choose: random.Random, operators: int, kind: GraphKind) -> None:
    graph = graphs.random_single(choose, operators, kind)
    layout = lay_out(graph)
    assert_sound(graph, layout)
    assert same(layout, lay_out(graph))


@given(choose=RANDOM, operators=SIZES)
def test_long_edges_of_small_spans(
    graphs: ModuleType, quality: ModuleType, choose: random.Random, operators: int
) -> None:
    """With tiny limits nearly every edge becomes a lane or a stub."""
    graph = graphs.random_joint(choose, operators)
    assert_sound(graph, lay_out(graph, LayoutOptions(short_span=1, stub_span=3)))
    lanes = lay_out(graph, LayoutOptions(short_span=1, stub_span=1000))
    assert_sound(graph, lanes)
    assert quality.pierced_boxes(lanes) == []


def test_captured_graphs(real_graph: Graph) -> None:
    assert_sound(real_graph, lay_out(real_graph))


def test_captured_graphs_have_no_route_through_a_box(real_graph: Graph, quality: ModuleType) -> None:
    assert quality.pierced_boxes(lay_out(real_graph)) == []


def test_backward_operators_stand_beside_their_forward_ones(graphs: ModuleType) -> None:
    graph = graphs.real_graph("block.joint")
    tops = lay_out(graph).boxes[:, 1]
    distances = []
    for seq_nr in set(graph.seq_nrs) - {-1}:
        rows = [
            tops[[n for n, s in enumerate(graph.sides) if s == side and graph.seq_nrs[n] == seq_nr]] for side in Side
        ]
        if all(map(len, rows)):
            distances.append(max(rows[0].min() - rows[1].max(), rows[1].min() - rows[0].max(), 0))
    assert len(distances) > 20
    assert max(distances) == 0


def test_recomputed_nodes_have_a_lane_of_their_own(graphs: ModuleType) -> None:
    graph = graphs.real_graph("block.backward")
    layout = lay_out(graph)
    recomputed = np.asarray(graph.fates) == Fate.RECOMPUTED
    gradients = np.asarray(graph.fates) == Fate.BACKWARD_ONLY
    rights = layout.boxes[:, 0] + layout.boxes[:, 2]
    assert recomputed.any()
    assert rights[recomputed].max() < layout.boxes[gradients, 0].min()


def test_parameters_stand_just_above_their_first_use(graphs: ModuleType) -> None:
    graph = graphs.real_graph("block.forward")
    layout = lay_out(graph)
    pitch = LayoutOptions().pitch
    for node, role in enumerate(graph.roles):
        if role == Role.PARAMETER and graph.users(node):
            first = layout.boxes[graph.users(node), 1].min()
            assert first - layout.boxes[node, 1] == pytest.approx(pitch)


def test_a_chain_is_one_straight_line(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(GraphKind.FORWARD)
    last = builder.add(role=Role.INPUT)
    for _ in range(20):
        weight = builder.add(role=Role.PARAMETER)
        last = builder.add(last, weight)
    layout = lay_out(builder.build())
    spine = [0, *range(2, 42, 2)]
    centres = layout.boxes[spine, 0] + layout.boxes[spine, 2] / 2
    assert np.ptp(centres) < 0.01


def test_a_node_far_away_changes_nothing_here(graphs: ModuleType) -> None:
    graph = graphs.transformer_joint(6)
    builder = graphs.GraphBuilder()
    for node in range(len(graph)):
        builder.add(
            *graph.inputs(node), role=Role(graph.roles[node]), side=Side(graph.sides[node]), seq_nr=graph.seq_nrs[node]
        )
    last_forward = max(node for node, side in enumerate(graph.sides) if side == Side.FORWARD)
    builder.add(last_forward)
    before, after = lay_out(graph), lay_out(builder.build())
    half = before.boxes[:, 1] < before.bounds[3] / 2
    orders = [
        np.lexsort((layout.boxes[: len(graph), 0][half], layout.boxes[: len(graph), 1][half]))
        for layout in (before, after)
    ]
    assert orders[0].tolist() == orders[1].tolist()


def test_unused_inputs_do_not_make_a_wide_row(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(GraphKind.FORWARD)
    for _ in range(60):
        builder.add(role=Role.INPUT)
    graph = builder.build()
    layout = lay_out(graph)
    assert_sound(graph, layout)
    assert layout.bounds[2] < 1000


def test_an_empty_graph(graphs: ModuleType) -> None:
    for kind in GraphKind:
        layout = lay_out(graphs.GraphBuilder(kind).build())
        assert layout.bounds == (0.0, 0.0, 0.0, 0.0)
        assert layout.route_starts.tolist() == [0]


def test_cancelling_stops_the_layout(graphs: ModuleType) -> None:
    graph = graphs.transformer_joint(4)
    polls = []

    def never() -> bool:
        polls.append(None)
        return False

    lay_out(graph, cancelled=never)
    assert len(polls) > 10
    for allowed in range(len(polls)):
        left = iter([False] * allowed)
        with pytest.raises(LayoutCancelled):
            lay_out(graph, cancelled=lambda left=left: next(left, True))
