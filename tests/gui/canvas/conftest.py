"""Graphs and layouts of any size for canvas tests, made without torch and without the layout engine."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator

import msgspec
import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.canvas.fold_control import FoldControl
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.layout.result import Group, Layout, RouteKind
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Output, OutputKind, Role, Side, TensorInfo

GraphMaker = Callable[..., tuple[Graph, Layout]]
COLUMN_GAP = 420.0
ROW = 64.0
WIDTH, HEIGHT = 150.0, 40.0


def ladder(pairs: int = 20, columns: int = 1) -> tuple[Graph, Layout]:
    """A joint graph of ``2 * pairs * columns`` nodes: forward runs down, backward up, every third value is saved."""
    size = pairs * columns
    nodes = 2 * size
    index = np.arange(nodes)
    is_backward = index >= size
    forward_of = np.where(is_backward, nodes - 1 - index, index)
    fates = [_fate(int(place), bool(back)) for place, back in zip(forward_of, is_backward, strict=True)]
    chain = [(i, i + 1) for i in range(nodes - 1)]
    saved = [(i, nodes - 1 - i) for i in range(size) if i % 3 == 0]
    edges = sorted({*chain, *saved}, key=lambda edge: (edge[1], edge[0]))
    graph = Graph(
        kind=GraphKind.JOINT,
        strings=["aten.mm.default", "primals_1", "layers.0.weight", "layers.0"],
        names=[f"mm_{i}" for i in range(nodes)],
        ops=[Op.PLACEHOLDER if i == 0 else Op.CALL_FUNCTION for i in range(nodes)],
        targets=[1 if i == 0 else 0 for i in range(nodes)],
        roles=[Role.PARAMETER if i == 0 else Role.OPERATOR for i in range(nodes)],
        sides=[int(Side.BACKWARD if back else Side.FORWARD) for back in is_backward],
        fates=[int(fate) for fate in fates],
        seq_nrs=forward_of.tolist(),
        origins=index.tolist(),
        labels=[2 if i == 0 else -1 for i in range(nodes)],
        modules=[3] * nodes,
        stacks=[-1] * nodes,
        values=[[i % 2] for i in range(nodes)],
        arguments=[[] for _ in range(nodes)],
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        outputs=[Output(size - 1, OutputKind.OUTPUT, "out[0]"), Output(nodes - 1, OutputKind.GRADIENT, "grad")],
        tensor_table=[
            TensorInfo((32, 64), "float32", (64, 1), "cpu", 8192),
            TensorInfo((64,), "bfloat16", (1,), "cpu", 128),
        ],
    )
    return graph, _layout(forward_of, is_backward, pairs, np.array(edges))


def _fate(place: int, back: bool) -> Fate:
    if back:
        return Fate.BACKWARD_ONLY
    return (Fate.SAVED, Fate.RECOMPUTED, Fate.FORWARD_ONLY)[place % 3] if place % 10 else Fate.MOVED


def _layout(forward_of: np.ndarray, is_backward: np.ndarray, pairs: int, edges: np.ndarray) -> Layout:
    column, row = forward_of // pairs, forward_of % pairs
    left = column * 2 * COLUMN_GAP + is_backward * COLUMN_GAP
    top = row * ROW
    boxes = np.stack([left, top, np.full_like(left, WIDTH), np.full_like(left, HEIGHT)], 1).astype(np.float32)
    crosses = is_backward[edges[:, 0]] != is_backward[edges[:, 1]]
    first, last = boxes[edges[:, 0]], boxes[edges[:, 1]]
    down = last[:, 1] >= first[:, 1]
    start = np.stack([first[:, 0] + WIDTH / 2, first[:, 1] + np.where(down, HEIGHT, 0)], 1)
    end = np.stack([last[:, 0] + WIDTH / 2, last[:, 1] + np.where(down, 0, HEIGHT)], 1)
    start[crosses] = np.stack([first[:, 0] + WIDTH, first[:, 1] + HEIGHT / 2], 1)[crosses]
    end[crosses] = np.stack([last[:, 0], last[:, 1] + HEIGHT / 2], 1)[crosses]
    return Layout(
        boxes=boxes,
        item_nodes=np.arange(len(boxes), dtype=np.int32),
        item_groups=np.full(len(boxes), -1, np.int32),
        node_items=np.arange(len(boxes), dtype=np.int32),
        edge_sources=edges[:, 0].astype(np.int32),
        edge_targets=edges[:, 1].astype(np.int32),
        points=np.stack([start, end], 1).reshape(-1, 2).astype(np.float32),
        route_starts=np.arange(0, 2 * len(edges) + 1, 2, dtype=np.int32),
        route_kinds=np.where(crosses, RouteKind.SAVED, RouteKind.PLAIN).astype(np.uint8),
        bounds=(0.0, 0.0, float(left.max() + WIDTH), float(top.max() + HEIGHT)),
    )


@pytest.fixture
def make_graph() -> GraphMaker:
    """Makes a ladder of any size."""
    return ladder


@pytest.fixture
def view(qtbot: QtBot) -> GraphView:
    """A shown view of 1000 by 700 without a graph."""
    widget = GraphView()
    qtbot.addWidget(widget)
    widget.resize(1000, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


@pytest.fixture
def settle(qtbot: QtBot) -> Callable[[GraphView], None]:
    """Waits until a view is crisp and has nothing left to paint ahead."""

    def wait(widget: GraphView) -> None:
        qtbot.waitUntil(lambda: widget.is_crisp and not widget.is_painting)

    return wait


def with_stubs(layout: Layout) -> Layout:
    """The same layout with every saved edge cut in two, as a layout does with edges that are too long."""
    starts, points, lengths = layout.route_starts, [], []
    for edge, kind in enumerate(layout.route_kinds):
        first, last = layout.points[starts[edge]], layout.points[starts[edge + 1] - 1]
        route = [first, last]
        if kind == RouteKind.SAVED:
            cut = np.array((24, 0))
            route = [first, first + cut, last - cut, last]
        points.extend(route)
        lengths.append(len(route))
    return dataclasses.replace(
        layout,
        points=np.array(points, np.float32),
        route_starts=np.cumsum([0, *lengths]).astype(np.int32),
        route_kinds=np.where(layout.route_kinds == RouteKind.SAVED, RouteKind.STUB, RouteKind.PLAIN).astype(np.uint8),
    )


def with_group(layout: Layout, nodes: list[int]) -> Layout:
    """The same layout with a frame around some nodes."""
    boxes = layout.boxes[nodes]
    left, top = boxes[:, :2].min(axis=0) - (20, 34)
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0) + 20
    return dataclasses.replace(
        layout,
        frames=np.array([(left, top, right - left, bottom - top)], np.float32),
        frame_groups=np.array([0], np.int32),
        groups=(Group("layers.0", "layers.0", -1, np.array(nodes, np.int32)),),
        bounds=(-40.0, -40.0, layout.bounds[2] + 80, layout.bounds[3] + 80),
    )


@pytest.fixture
def make_stubs() -> Callable[[Layout], Layout]:
    """Cuts the saved edges of a layout."""
    return with_stubs


@pytest.fixture
def make_group() -> Callable[[Layout, list[int]], Layout]:
    """Frames some nodes of a layout."""
    return with_group


@pytest.fixture
def blocks(make_graph: GraphMaker) -> Graph:
    """Four blocks of ten nodes forward and backward; the third is made of other fates."""
    graph, _ = make_graph(20)
    first = len(graph.strings)
    strings = [*graph.strings, *(f"layers.{block}" for block in range(4))]
    places = [seq_nr // 5 for seq_nr in graph.seq_nrs]
    fates = [int(Fate.BACKWARD_ONLY if side else Fate.FORWARD_ONLY) for side in graph.sides]
    fates[12] = int(Fate.SAVED)
    types = {f"layers.{block}": "Block" for block in range(4)}
    return msgspec.structs.replace(
        graph, strings=strings, modules=[first + place for place in places], fates=fates, module_types=types
    )


@pytest.fixture
def folds(view: GraphView) -> Iterator[FoldControl]:
    """The groups of the view."""
    control = FoldControl(view)
    control.arranged.connect(
        lambda arrangement, is_same: view.set_graph(arrangement.graph, arrangement.layout, keep_view=is_same)
    )
    yield control
    control.close()


@pytest.fixture
def opened(folds: FoldControl, blocks: Graph, qtbot: QtBot) -> FoldControl:
    """All modules of the blocks closed."""
    with qtbot.waitSignal(folds.arranged):
        folds.open(blocks, frozenset(), is_opening=False)
    return folds
