"""Modules as groups: what they hold, how they fold, and that frames hold exactly their own."""

from __future__ import annotations

import random
from types import ModuleType

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.layout.engine import lay_out
from aotgui.layout.expansion import everything, opening
from aotgui.layout.groups import default_expansion, groups_of
from aotgui.layout.levels import chains
from aotgui.layout.nesting import nest
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Group, Layout, RouteKind
from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Role, Side

RANDOM = st.randoms(use_true_random=False)


def folded(graph: Graph, *expanded: str) -> Layout:
    return lay_out(graph, LayoutOptions(expanded=frozenset(expanded)))


def on_lines(graph: Graph, *stacks: tuple[tuple[str, int], ...]) -> Graph:
    """The graph with a stack of the user's lines for each node, below one of an installed library."""
    distinct = list(dict.fromkeys(stacks))
    places = list(dict.fromkeys(place for stack in distinct for place in stack))
    library = Frame("site-packages/library.py", 3, "call", is_user=False)
    return msgspec.structs.replace(
        graph,
        frame_table=[library, *(Frame(file, line, "f") for file, line in places)],
        stack_table=[[0, *(1 + places.index(place) for place in stack)] for stack in distinct],
        stacks=[distinct.index(stack) for stack in stacks],
    )


def test_source_lines_stand_in_where_there_are_no_modules(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(GraphKind.INFERENCE)
    nodes = [builder.add(role=Role.INPUT)]
    for _ in range(6):
        nodes.append(builder.add(nodes[-1]))
    first, inner, last = ("model.py", 12), ("help.py", 3), ("model.py", 14)
    graph = on_lines(builder.build(), (first,), (first,), (first, inner), (first, inner), (first,), (last,), (last,))
    groups = by_path(groups_of(graph))
    titles = {group.title: group.nodes.tolist() for group in groups.values()}
    assert titles == {"model.py:12": [0, 1, 2, 3, 4], "help.py:3": [2, 3], "model.py:14": [5, 6]}
    nesting = nest(graph)
    assert opening(graph, nesting) is None
    layout = lay_out(graph, LayoutOptions(expanded=everything(nesting)))
    assert len(layout.frames) == 3


def test_modules_go_before_source_lines(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(GraphKind.INFERENCE)
    value = builder.add(role=Role.INPUT, module="net")
    builder.add(builder.add(value, module="net"), module="net")
    graph = on_lines(builder.build(), *[(("model.py", 12),)] * 3)
    assert [group.path for group in groups_of(graph)] == ["net"]


def by_path(groups: tuple[Group, ...]) -> dict[tuple[str, int], Group]:
    return {(group.path, group.side): group for group in groups}


def assert_groups_nest(groups: tuple[Group, ...]) -> None:
    assert len(by_path(groups)) == len(groups)
    for index, group in enumerate(groups):
        assert len(group.nodes) >= 1
        assert (np.diff(group.nodes) > 0).all()
        assert group.parent < index
        if group.parent >= 0:
            assert groups[group.parent].side == group.side
            assert set(group.nodes.tolist()) <= set(groups[group.parent].nodes.tolist())


def assert_items_show_every_node_once(graph: Graph, layout: Layout) -> None:
    shown = np.zeros(len(graph), int)
    for item, (node, group) in enumerate(zip(layout.item_nodes, layout.item_groups, strict=True)):
        nodes = layout.groups[group].nodes if group >= 0 else np.asarray([node])
        assert (node < 0) == (group >= 0)
        assert (layout.node_items[nodes] == item).all()
        shown[nodes] += 1
    assert (shown == 1).all()


def item_sides(graph: Graph, layout: Layout) -> np.ndarray:
    of_nodes = np.asarray(graph.sides)
    return np.asarray(
        [
            layout.groups[group].side if group >= 0 else of_nodes[node]
            for node, group in zip(layout.item_nodes, layout.item_groups, strict=True)
        ]
    )


def assert_directions(graph: Graph, layout: Layout) -> None:
    tops, bottoms = layout.boxes[:, 1], layout.boxes[:, 1] + layout.boxes[:, 3]
    source, target = layout.edge_sources, layout.edge_targets
    sides = item_sides(graph, layout) if graph.kind is GraphKind.JOINT else np.zeros(len(layout.boxes), int)
    down = (sides[source] == Side.FORWARD) & (sides[target] == Side.FORWARD)
    up = (sides[source] == Side.BACKWARD) & (sides[target] == Side.BACKWARD)
    assert (bottoms[source] < tops[target])[down].all()
    assert (bottoms[target] < tops[source])[up].all()


def assert_edges_are_the_graphs(graph: Graph, layout: Layout) -> None:
    items = layout.node_items
    ends = zip(items[np.asarray(graph.edge_sources, int)], items[np.asarray(graph.edge_targets, int)], strict=True)
    wanted = {(int(source), int(target)) for source, target in ends if source != target}
    found = list(zip(layout.edge_sources.tolist(), layout.edge_targets.tolist(), strict=True))
    assert len(found) == len(set(found))
    assert set(found) == wanted


def assert_frames_hold_their_own(layout: Layout) -> None:
    left, top, width, height = layout.boxes.T
    for (x, y, wide, high), number in zip(layout.frames.tolist(), layout.frame_groups.tolist(), strict=True):
        own = np.unique(layout.node_items[layout.groups[number].nodes])
        inside = (left > x) & (left + width < x + wide) & (top > y) & (top + height < y + high)
        outside = (left >= x + wide) | (left + width <= x) | (top >= y + high) | (top + height <= y)
        mine = np.zeros(len(layout.boxes), bool)
        mine[own] = True
        assert inside[mine].all()
        assert outside[~mine].all()


def assert_frames_nest(layout: Layout) -> None:
    frames = list(zip(layout.frames.astype(float).tolist(), layout.frame_groups.tolist(), strict=True))
    for index, ((x, y, wide, high), number) in enumerate(frames):
        for (u, v, width, height), other in frames[index + 1 :]:
            if set(layout.groups[other].nodes.tolist()) <= set(layout.groups[number].nodes.tolist()):
                assert x < u
                assert y < v
                assert u + width < x + wide
                assert v + height < y + high
            else:
                assert u >= x + wide or u + width <= x or v >= y + high or v + height <= y


def assert_sound(graph: Graph, layout: Layout) -> None:
    assert_groups_nest(layout.groups)
    assert_items_show_every_node_once(graph, layout)
    assert_edges_are_the_graphs(graph, layout)
    assert_directions(graph, layout)
    assert_no_overlap(layout)
    assert_frames_hold_their_own(layout)
    assert_frames_nest(layout)


def assert_no_overlap(layout: Layout) -> None:
    left, top, width, height = layout.boxes.T.astype(float)
    order = np.lexsort((left, top))
    same_row = np.diff(top[order]) == 0
    assert (left[order][1:] - (left + width)[order][:-1] > 1)[same_row].all()
    assert (np.diff(top[order])[~same_row] >= height[order][:-1][~same_row]).all()


def with_modules(graphs: ModuleType, choose: random.Random, graph: Graph) -> Graph:
    """The same graph, run by random modules: mostly in order, sometimes not."""
    builder = graphs.GraphBuilder(graph.kind)
    for node in range(len(graph)):
        block = graph.seq_nrs[node] // 4 if graph.seq_nrs[node] >= 0 else node // 8
        block = block if choose.random() < 0.9 else choose.randint(0, 3)
        path = choose.choice(("", f"a.{block}", f"a.{block}.b", f"a.{block}.c", "a"))
        builder.add(
            *graph.inputs(node),
            role=Role(graph.roles[node]),
            side=Side(graph.sides[node]),
            fate=Fate(graph.fates[node]),
            seq_nr=graph.seq_nrs[node],
            module=path,
        )
    return builder.build()


@given(choose=RANDOM, operators=st.integers(0, 30), kind=st.sampled_from(list(GraphKind)))
def test_random_graphs_with_random_modules(
    graphs: ModuleType, choose: random.Random, operators: int, kind: GraphKind
) -> None:
    joint = kind is GraphKind.JOINT
    bare = graphs.random_joint(choose, operators) if joint else graphs.random_single(choose, operators, kind)
    graph = with_modules(graphs, choose, bare)
    paths = sorted({group.path for group in groups_of(graph)})
    expanded = [path for path in paths if choose.random() < 0.6]
    assert_sound(graph, folded(graph, *expanded))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_captured_graphs(real_graph: Graph, share: float) -> None:
    if len(real_graph) > 3000:
        share = 0.0
    paths = sorted({group.path for group in groups_of(real_graph)})
    expanded = paths[: round(len(paths) * share)] if share < 1 else paths
    assert_sound(real_graph, folded(real_graph, *expanded))


def test_opening_view_of_captured_graphs(real_graph: Graph) -> None:
    expanded = default_expansion(real_graph)
    layout = folded(real_graph, *expanded)
    assert_sound(real_graph, layout)
    if len(layout.boxes) > 210:
        assert not expanded


def test_no_route_runs_through_a_box(real_graph: Graph, quality: ModuleType) -> None:
    assert quality.pierced_boxes(folded(real_graph, *default_expansion(real_graph))) == []


def test_recomputed_modules_are_groups_of_their_own(graphs: ModuleType) -> None:
    graph = graphs.real_graph("llama_2.backward")
    groups = groups_of(graph)
    paths = {group.path: group.title for group in groups}
    assert paths["recomputed/0.model"] == "0.model, recomputed"
    assert paths["0.model"] == "0.model"
    assert paths["recomputed/0.model.layers.0"] == paths["0.model.layers.0"] == "layers.0 · LlamaDecoderLayer"


def test_a_saved_value_of_an_earlier_operator_does_not_cost_a_gradient_its_module(graphs: ModuleType) -> None:
    """The gradients of a batch norm stood outside of it: it reads what the convolution before it gave."""
    builder = graphs.GraphBuilder(GraphKind.BACKWARD)
    gradient = builder.add(role=Role.TANGENT, side=Side.BACKWARD)
    for seq_nr, module in ((3, "block.norm"), (2, "block.conv"), (1, "stem.norm"), (0, "stem.conv")):
        saved = builder.add(role=Role.SAVED_VALUE, fate=Fate.SAVED, seq_nr=seq_nr - 1)
        operator = builder.add(gradient, saved, side=Side.BACKWARD, seq_nr=seq_nr, module=module)
        gradient = builder.add(operator, side=Side.BACKWARD, seq_nr=seq_nr, module=module)
        builder.add(operator, side=Side.BACKWARD, seq_nr=seq_nr, module=module)
    groups = {group.path: group.nodes.tolist() for group in groups_of(builder.build())}
    assert groups["block.norm"] == [0, 1, 2, 3, 4]
    assert groups["stem.norm"] == [9, 10, 11, 12]


@pytest.mark.parametrize("name", ["bert_2.backward", "llama_2.backward", "block.backward"])
def test_saved_values_belong_to_the_module_that_alone_uses_them(graphs: ModuleType, name: str) -> None:
    graph = graphs.real_graph(name)
    nesting = nest(graph)
    around = [*chains(nesting.parents), ()]
    homes = [around[path][:1] for path in nesting.node_paths.tolist()]
    outside = [node for node, op in enumerate(graph.ops) if op == Op.PLACEHOLDER and not homes[node]]
    users = {node: {(*homes[user], int(nesting.sides[user])) for user in graph.users(node)} for node in outside}
    assert not [node for node, found in users.items() if len(found) == 1 and nesting.sides[node] in min(found)[1:]]


def test_saved_values_that_something_is_recomputed_from_stand_there(graphs: ModuleType) -> None:
    """They were read by both, could be in neither, and stood between them one beside the other."""
    graph = graphs.real_graph("llama_2.backward")
    nesting = nest(graph)
    read = [
        node
        for node, op in enumerate(graph.ops)
        if op == Op.PLACEHOLDER and Fate.RECOMPUTED in {graph.fates[user] for user in graph.users(node)}
    ]
    both = [node for node in read if Fate.BACKWARD_ONLY in {graph.fates[user] for user in graph.users(node)}]
    assert len(both) > 5
    paths = [nesting.paths[path] if path >= 0 else "" for path in nesting.node_paths[both].tolist()]
    assert all(path.startswith("recomputed/") for path in paths)


def test_a_big_model_opens_with_its_layers(graphs: ModuleType) -> None:
    graph = graphs.real_graph("llama_32.joint")
    layout = folded(graph, *default_expansion(graph))
    shown = {layout.groups[group].title for group in layout.item_groups if group >= 0}
    assert len(layout.boxes) <= 210
    assert {f"layers.{number} · LlamaDecoderLayer" for number in range(32)} <= shown


def test_a_module_of_a_joint_graph_has_a_forward_and_a_backward(graphs: ModuleType) -> None:
    graph = graphs.real_graph("block.joint")
    groups = by_path(groups_of(graph))
    forward, backward = groups["layers.0.up", 0], groups["layers.0.up", 1]
    assert forward.title == backward.title == "up · Linear"
    names = {"primals_14", "primals_15", "view_14", "t_4", "addmm_4", "view_15"}
    assert {graph.names[node] for node in forward.nodes} == names
    assert all(graph.sides[node] == Side.BACKWARD for node in backward.nodes)


def test_forward_and_backward_of_a_module_stand_side_by_side(graphs: ModuleType) -> None:
    graph = graphs.real_graph("block.joint")
    layout = folded(graph)
    tops = {
        (layout.groups[group].path, layout.groups[group].side): top
        for group, top in zip(layout.item_groups.tolist(), layout.boxes[:, 1].tolist(), strict=True)
        if group >= 0
    }
    assert tops["layers.0", 0] == tops["layers.0", 1]
    assert tops["ln", 0] == tops["ln", 1]


def test_accumulated_gradients_belong_to_the_module_around(graphs: ModuleType) -> None:
    """Torch gives them the sequence number, and so the module, of the last forward operator."""
    graph = graphs.real_graph("block.joint")
    inside = {graph.names[node] for node in by_path(groups_of(graph))["layers.0", 1].nodes}
    assert {"add_2", "add_3", "add_4"} <= inside


def test_a_module_called_twice_is_no_group(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(GraphKind.FORWARD)
    value = builder.add(role=Role.INPUT)
    for module in ("net.act", "net.fc", "net.act", "net.fc2", "net.fc2"):
        value = builder.add(builder.add(value, module=module), module=module)
    assert {group.path for group in groups_of(builder.build())} == {"net.fc", "net.fc2"}


def test_without_modules_there_are_no_groups(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(GraphKind.FORWARD)
    builder.add(builder.add(role=Role.INPUT))
    graph = builder.build()
    assert groups_of(graph) == ()
    assert default_expansion(graph) == frozenset()
    assert len(folded(graph).boxes) == 2


def test_a_kept_nesting_gives_the_same_layout(graphs: ModuleType) -> None:
    graph = graphs.real_graph("block.joint")
    options = LayoutOptions(expanded=frozenset({"layers.0"}))
    kept, fresh = lay_out(graph, options, nesting=nest(graph)), lay_out(graph, options)
    assert np.array_equal(kept.boxes, fresh.boxes)
    assert np.array_equal(kept.points, fresh.points)


def test_a_path_inside_a_collapsed_group_is_not_shown(graphs: ModuleType) -> None:
    layout = folded(graphs.real_graph("block.joint"), "layers.0.up")
    assert len(layout.frames) == 0
    assert not (layout.route_kinds == RouteKind.STUB).any()
