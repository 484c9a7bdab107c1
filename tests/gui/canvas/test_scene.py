"""Words on the boxes, groups, and which pieces of edges are drawn."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from aotgui.gui.canvas.scene import NO_FATE, Mark, Scene, Shape, node_subtitle, short_operator, short_type
from aotgui.layout.result import Group, RouteKind
from aotgui.model.graph import Fate, Side, TensorInfo


def collapsed(layout, nodes):
    """The same layout with some nodes hidden in one box."""
    keep = [i for i in range(len(layout.boxes)) if i not in nodes]
    node_items = np.empty(len(layout.boxes), np.int32)
    node_items[keep] = np.arange(len(keep))
    node_items[nodes] = len(keep)
    return dataclasses.replace(
        layout,
        boxes=np.vstack([layout.boxes[keep], layout.boxes[nodes[:1]]]),
        item_nodes=np.array([*keep, -1], np.int32),
        item_groups=np.array([-1] * len(keep) + [0], np.int32),
        node_items=node_items,
        edge_sources=node_items[layout.edge_sources],
        edge_targets=node_items[layout.edge_targets],
        groups=(Group("layers.0", "layers.0", -1, np.array(nodes, np.int32)),),
    )


def test_without_groups_items_are_nodes(make_graph):
    graph, layout = make_graph(5)
    scene = Scene(graph, layout)
    assert [scene.node_of(item) for item in range(len(scene))] == list(range(10))
    assert scene.node_of(-1) == scene.node_of(99) == -1
    assert scene.sides.tolist() == graph.sides
    assert scene.fates.tolist() == graph.fates


def test_the_box_under_a_point_is_found(make_graph):
    scene = Scene(*make_graph(5))
    for item in range(len(scene)):
        left, top, width, height = scene.box(item)
        assert scene.item_at(left + width / 2, top + height / 2) == item
        assert scene.item_at(left + width / 2, top + height + 5) == -1


def test_placeholders_and_returned_values_look_different(make_graph):
    scene = Scene(*make_graph(5))
    assert scene.shapes.tolist() == [Shape.PLACEHOLDER] + [Shape.OPERATOR] * 9
    assert [(i, Mark(m)) for i, m in enumerate(scene.marks) if m] == [(4, Mark.OUTPUT), (9, Mark.GRADIENT)]


def test_a_collapsed_group_stands_for_its_nodes(make_graph):
    graph, layout = make_graph(5)
    scene = Scene(graph, collapsed(layout, [1, 2, 3]))
    group = len(scene) - 1
    assert scene.title(group) == "layers.0"
    assert scene.subtitle(group) == "3 nodes · saves 1, 128 B"
    assert scene.fates[group] == NO_FATE
    assert scene.sides[group] == Side.FORWARD
    assert scene.item_of(2) == group
    assert scene.node_of(group) == -1
    assert scene.nodes_of([group, 0]) == [1, 2, 3, 0]


def test_a_title_is_the_human_name_where_there_is_one(make_graph):
    scene = Scene(*make_graph(5))
    assert (scene.title(0), scene.subtitle(0)) == ("layers.0.weight", "parameter f32[32, 64]")
    assert (scene.title(1), scene.subtitle(1)) == ("mm_1", "bf16[64]")


def test_the_operator_is_said_where_the_name_does_not_say_it(make_graph):
    graph, _ = make_graph(2)
    graph.names[1] = "scores"
    assert node_subtitle(graph, 1) == "mm bf16[64]"


@pytest.mark.parametrize(
    ("target", "word"),
    [
        ("aten.native_layer_norm.default", "native_layer_norm"),
        ("aten.add.Tensor", "add"),
        ("<built-in function getitem>", "getitem"),
        ("primals_1", "primals_1"),
    ],
)
def test_short_operator(target, word):
    assert short_operator(target) == word


def test_short_type_of_tensors_and_others():
    assert short_type(TensorInfo(("s0", 4), "bfloat16", device="cpu")) == "bf16[s0, 4]"
    assert short_type(TensorInfo((), "SymInt")) == "SymInt"


def test_edges_of_an_item(make_graph):
    graph, layout = make_graph(5)
    scene = Scene(graph, layout)
    for item in range(len(scene)):
        assert layout.edge_sources[scene.edges_into(item)].tolist() == graph.inputs(item)
        assert layout.edge_targets[scene.edges_from(item)].tolist() == graph.users(item)


def test_the_middle_of_a_stub_is_not_drawn(make_graph):
    graph, layout = make_graph(5)
    points = np.array([(0, 0), (0, 10), (500, 480), (500, 500)], np.float32)
    starts = layout.route_starts.copy()
    starts[1:] += 2
    stub = dataclasses.replace(
        layout,
        points=np.vstack([points, layout.points[2:]]),
        route_starts=starts,
        route_kinds=np.array([RouteKind.STUB, *layout.route_kinds[1:]], np.uint8),
    )
    scene = Scene(graph, stub)
    drawn = scene.segments.ends[scene.segments.edges == 0].tolist()
    assert drawn == [[0, 0, 0, 10], [500, 480, 500, 500]]
    assert len(scene.segments.edges) == len(layout.edge_sources) + 1


def test_every_fate_occurs_in_the_test_graph(make_graph):
    graph, _ = make_graph(20)
    assert set(graph.fates) == set(Fate) - {Fate.ELIMINATED}
