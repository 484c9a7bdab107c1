"""A graph and its layout as arrays ready to be painted, and the words on the boxes.

An item is a box: a node or a collapsed group. Built once for a layout; nothing in it changes afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.group_facts import GroupLedger
from aotgui.gui.canvas.spatial import SpatialIndex
from aotgui.layout.result import Layout, RouteKind
from aotgui.model.graph import Graph, Op, OutputKind, Role, TensorInfo
from aotgui.model.text import count_text

TITLE_MIDDLE_UNITS: Final = 11.0
"""From the top of a frame to the middle of its title."""

NO_FATE: Final = 255
"""Stands for the fate of a collapsed group."""

SHORT_DTYPES: Final = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "b8", "complex64": "c64", "complex128": "c128",
}  # fmt: skip


class Shape(IntEnum):
    """Outline of a box."""

    OPERATOR = 0
    PLACEHOLDER = 1
    GROUP = 2


class Mark(IntEnum):
    """Whether and how a value leaves the graph towards the caller."""

    NONE = 0
    OUTPUT = 1
    GRADIENT = 2
    MUTATION = 3


OfGroup = Callable[[NDArray[np.uint8]], int]
_MARKS: Final = {OutputKind.OUTPUT: Mark.OUTPUT, OutputKind.GRADIENT: Mark.GRADIENT, OutputKind.MUTATION: Mark.MUTATION}


@dataclass(frozen=True, slots=True, eq=False)
class Segments:
    """The straight pieces of all edges.

    Attributes:
        ends: float32 (m, 4): x and y of both ends.
        edges: int32 (m,): the edge each belongs to.
    """

    ends: NDArray[np.float32]
    edges: NDArray[np.int32]


class Scene:
    """What is on the canvas.

    Attributes:
        graph: the graph shown.
        layout: where its items are.
        boxes: float32 (items, 4): left, top, width, height.
        sides: uint8 (items,): ``Side``; of a group: its most frequent one.
        fates: uint8 (items,): ``Fate``, or ``NO_FATE``.
        shapes: uint8 (items,): ``Shape``.
        marks: uint8 (items,): ``Mark``.
        segments: what is drawn of the edges.
        box_index: finds boxes.
        segment_index: finds segments.
        unit: height of a usual box in scene units; decides the level of detail.
        edge_texts: what is written on each edge, in the order of the graph's, or None for what flows along it.
        saved_bytes: what each saved activation adds to what is saved, or None where that is not known.
    """

    def __init__(
        self,
        graph: Graph,
        layout: Layout,
        edge_texts: Sequence[str] | None = None,
        saved_bytes: Mapping[int, int] | None = None,
    ) -> None:
        self.graph = graph
        self.saved_bytes = saved_bytes
        self.edge_texts = edge_texts
        self.layout = layout
        self.boxes = layout.boxes
        self.sides = self.per_item(np.asarray(graph.sides, np.uint8), most_frequent)
        self.fates = self.per_item(np.asarray(graph.fates, np.uint8), lambda _: NO_FATE)
        self.shapes = self._item_shapes()
        self.marks = self._item_marks()
        self.segments = _segments(layout)
        self.box_index = _box_index(self.boxes)
        self.segment_index = _segment_index(self.segments.ends)
        # Not numpy's median, which imports 0.05 s of numpy when first called.
        self.unit = float(np.sort(self.boxes[:, 3])[len(self.boxes) // 2]) if len(self.boxes) else 36.0

    def __len__(self) -> int:
        """Number of items."""
        return len(self.boxes)

    @property
    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of everything."""
        return self.layout.bounds

    def item_of(self, node: int) -> int:
        """The item that shows a node; -1 for no such node."""
        return int(self.layout.node_items[node]) if 0 <= node < len(self.layout.node_items) else -1

    def node_of(self, item: int) -> int:
        """The node that an item shows; -1 for a group or no item."""
        return int(self.layout.item_nodes[item]) if 0 <= item < len(self) else -1

    def group_of(self, item: int) -> int:
        """The collapsed group that an item shows; -1 for a node or no item."""
        return int(self.layout.item_groups[item]) if 0 <= item < len(self) else -1

    def items_of(self, nodes: Iterable[int]) -> NDArray[np.int32]:
        """The items that show some nodes, each once, ascending."""
        wanted = np.fromiter((node for node in nodes if 0 <= node < len(self.layout.node_items)), np.int64)
        return np.unique(self.layout.node_items[wanted])

    def nodes_of(self, items: Iterable[int]) -> list[int]:
        """The nodes that some items show, those of groups included, in the order of the items."""
        nodes: list[int] = []
        for item in items:
            group = self.group_of(item)
            nodes.extend(self.layout.groups[group].nodes.tolist() if group >= 0 else [self.node_of(item)])
        return nodes

    def item_at(self, x: float, y: float) -> int:
        """The item under a scene point, -1 where there is none."""
        return self.box_index.at(x, y)

    def box(self, item: int) -> tuple[float, float, float, float]:
        """Left, top, width and height of an item."""
        left, top, width, height = self.boxes[item].tolist()
        return left, top, width, height

    def centre_of(self, node: int) -> tuple[float, float] | None:
        """The middle of the box that shows a node."""
        item = self.item_of(node)
        if item < 0:
            return None
        left, top, width, height = self.box(item)
        return left + width / 2, top + height / 2

    def frame_at(self, x: float, y: float) -> bool:
        """Whether a scene point is inside of an open group."""
        left, top, width, height = self.layout.frames.T
        return bool(np.any((left <= x) & (x <= left + width) & (top <= y) & (y <= top + height)))

    def open_group_of(self, item: int) -> int:
        """The innermost open group around an item, -1 for none."""
        if not 0 <= item < len(self):
            return -1
        node, groups = self.nodes_of([item])[0], self.layout.groups
        around = (group for group in self.layout.frame_groups[::-1].tolist() if node in groups[group].nodes)
        return next(around, -1)

    def group_place(self, path: str, side: int) -> tuple[float, float] | None:
        """The middle of a group's box or of its title; None where the group is not seen."""
        layout = self.layout
        group = next((i for i, one in enumerate(layout.groups) if one.path == path and one.side == side), -1)
        if group < 0:
            return None
        if group in layout.item_groups:
            return self.centre_of(int(layout.groups[group].nodes[0]))
        frames = layout.frames[layout.frame_groups == group].tolist()
        return next(((left + width / 2, top + TITLE_MIDDLE_UNITS) for left, top, width, _ in frames), None)

    def title(self, item: int) -> str:
        """First line of a box."""
        group = self.group_of(item)
        return self.layout.groups[group].title if group >= 0 else self.graph.title(self.node_of(item))

    def subtitle(self, item: int) -> str:
        """Second line of a box: operator and shape, or how much a group holds."""
        group = self.group_of(item)
        if group >= 0:
            return self.ledger.facts(self.layout.groups[group]).line()
        return node_subtitle(self.graph, self.node_of(item))

    @cached_property
    def ledger(self) -> GroupLedger:
        """What groups hold."""
        return GroupLedger(self.graph, self.saved_bytes)

    @cached_property
    def edges_by_target(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Edges sorted by target item, and those targets."""
        order = np.argsort(self.layout.edge_targets, kind="stable")
        return order, self.layout.edge_targets[order]

    @cached_property
    def edges_by_source(self) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """Edges sorted by source item, and those sources."""
        order = np.argsort(self.layout.edge_sources, kind="stable")
        return order, self.layout.edge_sources[order]

    def edges_into(self, item: int) -> NDArray[np.intp]:
        """Edges that end at an item."""
        return _run(*self.edges_by_target, item)

    def edges_from(self, item: int) -> NDArray[np.intp]:
        """Edges that start at an item."""
        return _run(*self.edges_by_source, item)

    def stubs(self, edges: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of some edges that are cut in two."""
        kinds, starts = self.layout.route_kinds[edges], self.layout.route_starts
        stubs: NDArray[np.intp] = edges[(kinds == RouteKind.STUB) & (starts[edges + 1] - starts[edges] >= 4)]
        return stubs

    def route(self, edge: int) -> NDArray[np.float32]:
        """All points of an edge, the hidden middle of a stub included: float32 (k, 2)."""
        starts = self.layout.route_starts
        return self.layout.points[starts[edge] : starts[edge + 1]]

    def per_item(self, values: NDArray[np.uint8], of_group: OfGroup) -> NDArray[np.uint8]:
        """A column of the nodes as one of the items; ``of_group`` makes one value of those inside a group."""
        nodes = self.layout.item_nodes
        per_item = np.zeros(len(nodes), np.uint8)
        per_item[nodes >= 0] = values[nodes[nodes >= 0]]
        for item in np.flatnonzero(nodes < 0):
            per_item[item] = of_group(values[self.layout.groups[self.layout.item_groups[item]].nodes])
        return per_item

    def _item_shapes(self) -> NDArray[np.uint8]:
        is_source = np.isin(np.asarray(self.graph.ops, np.int64), (Op.PLACEHOLDER, Op.GET_ATTR)).astype(np.uint8)
        return self.per_item(is_source, lambda _: int(Shape.GROUP))

    def _item_marks(self) -> NDArray[np.uint8]:
        marks = np.zeros(len(self), np.uint8)
        for output in self.graph.outputs:
            item = self.item_of(output.node)
            if item >= 0 and self.layout.item_groups[item] < 0:
                marks[item] = max(int(marks[item]), _MARKS.get(OutputKind(output.kind), Mark.NONE))
        return marks


def short_type(info: TensorInfo) -> str:
    """``f32[4, 16]``, as torch's generated code writes it."""
    dtype = SHORT_DTYPES.get(info.dtype, info.dtype)
    return f"{dtype}[{', '.join(map(str, info.shape))}]" if info.is_tensor else dtype


def short_operator(target: str) -> str:
    """``aten.native_layer_norm.default`` as ``native_layer_norm``, ``<built-in function getitem>`` as ``getitem``."""
    parts = target.removeprefix("<built-in function ").removesuffix(">").split(".")
    return parts[-2] if len(parts) > 2 else parts[-1]


def node_subtitle(graph: Graph, node: int) -> str:
    """Role or operator, where the name does not say it already, and the type of the value.

    Of a node that stands for a graph: how large that is.
    """
    if (target := graph.target(node)) in graph.subgraphs:
        return f"graph, {count_text(len(graph.subgraphs[target]), 'node')}"
    types = [short_type(info) for info in graph.tensors(node)]
    value = types[0] if len(types) == 1 else f"{len(types)} values" if types else ""
    role = Role(graph.roles[node])
    word = role.label if role is not Role.OPERATOR else short_operator(graph.target(node))
    stem = graph.names[node].rstrip("0123456789").rstrip("_")
    return value if word.strip("_") == stem.strip("_") and value else f"{word} {value}".strip()


def _run(order: NDArray[np.intp], column: NDArray[np.int32], item: int) -> NDArray[np.intp]:
    # A needle of another type would make searchsorted convert the whole column.
    needle = np.int32(item)
    return order[np.searchsorted(column, needle, "left") : np.searchsorted(column, needle, "right")]


def most_frequent(values: NDArray[np.uint8]) -> int:
    """The value that occurs most often, 0 where there is none."""
    return int(np.bincount(values).argmax()) if values.size else 0


def _segments(layout: Layout) -> Segments:
    lengths = np.diff(layout.route_starts)
    edges = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    first, last = np.arange(max(len(edges) - 1, 0)), np.arange(1, max(len(edges), 1))
    same = edges[first] == edges[last]
    is_stub = layout.route_kinds[edges[first]] == RouteKind.STUB if len(first) else np.zeros(0, bool)
    at_start = first == layout.route_starts[edges[first]]
    at_end = last == layout.route_starts[edges[first] + 1] - 1
    shown = same & (~is_stub | at_start | at_end)
    ends = np.hstack([layout.points[first[shown]], layout.points[last[shown]]]).astype(np.float32)
    return Segments(ends.reshape(-1, 4), edges[first[shown]])


def _box_index(boxes: NDArray[np.float32]) -> SpatialIndex:
    return SpatialIndex(boxes[:, 0], boxes[:, 1], boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3])


def _segment_index(ends: NDArray[np.float32]) -> SpatialIndex:
    x0, y0, x1, y1 = ends.T
    return SpatialIndex(np.minimum(x0, x1), np.minimum(y0, y1), np.maximum(x0, x1), np.maximum(y0, y1))
