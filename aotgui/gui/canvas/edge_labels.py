"""What flows along edges, written on them when one looks closely: ``f32[4, 16]``.

Where labels would lie on each other, on a box or beyond the ends of their edge, only the first is shown. That is
decided for the whole scene at once, so that pictures of neighbouring parts agree.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.scene import Scene, short_type
from aotgui.gui.canvas.spatial import SpatialIndex
from aotgui.layout.result import RouteKind

WIDTH_UNITS: Final = 84.0
HEIGHT_UNITS: Final = 13.0
LEAST_LENGTH_UNITS: Final = 18.0
"""A shorter piece of an edge has no room for words."""


class EdgeLabels:
    """The labels of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        edges, centres = _candidates(scene)
        kept = _apart(centres)
        self._edges, self._centres = edges[kept], centres[kept]
        half = np.array((WIDTH_UNITS / 2, HEIGHT_UNITS / 2), np.float32)
        low, high = self._centres - half, self._centres + half
        self._index = SpatialIndex(low[:, 0], low[:, 1], high[:, 0], high[:, 1])

    def in_rect(self, left: float, top: float, right: float, bottom: float) -> list[tuple[int, float, float]]:
        """Edge and middle of each label that touches a rectangle, scene units."""
        found = self._index.in_rect(left, top, right, bottom)
        return [(int(self._edges[i]), float(self._centres[i, 0]), float(self._centres[i, 1])) for i in found]

    def text(self, edge: int) -> str:
        """What flows along an edge."""
        if self._scene.edge_texts is not None:
            return self._scene.edge_texts[edge]
        graph, node = self._scene.graph, self._scene.node_of(int(self._scene.layout.edge_sources[edge]))
        types = [short_type(info) for info in graph.tensors(node)]
        return types[0] if len(types) == 1 else f"{len(types)} values"


def _candidates(scene: Scene) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Edges that leave a node with a value, and the middle of the longest piece of each, where it is free."""
    layout, segments = scene.layout, scene.segments
    lengths = np.abs(segments.ends[:, 2:] - segments.ends[:, :2]).sum(axis=1)
    order = np.lexsort((-lengths, segments.edges))
    edges, firsts = np.unique(segments.edges[order], return_index=True)
    pieces = order[firsts]
    sources = layout.item_nodes[layout.edge_sources[edges]]
    usable = (sources >= 0) & (layout.route_kinds[edges] != RouteKind.STUB) & (lengths[pieces] >= LEAST_LENGTH_UNITS)
    if scene.edge_texts is not None:
        usable &= np.array([bool(scene.edge_texts[edge]) for edge in edges.tolist()], np.bool_)
    else:
        has_value = np.fromiter((bool(value) for value in scene.graph.values), np.bool_, len(scene.graph))
        usable[usable] = has_value[sources[usable]]
    ends = segments.ends[pieces[usable]]
    centres = (ends[:, :2] + ends[:, 2:]) / 2
    half_width, half_height = WIDTH_UNITS / 2, HEIGHT_UNITS / 2
    free = [
        not scene.box_index.in_rect(x - half_width, y - half_height, x + half_width, y + half_height).size
        for x, y in centres.tolist()
    ]
    return edges[usable][free].astype(np.int32), centres[free].reshape(-1, 2).astype(np.float32)


def _apart(centres: NDArray[np.float32]) -> list[int]:
    """Places that are at least a label apart from all earlier ones, in their order."""
    cells = np.floor(centres / (WIDTH_UNITS, HEIGHT_UNITS)).astype(np.int64).tolist()
    taken: dict[tuple[int, int], tuple[float, float]] = {}
    kept = []
    for index, ((column, row), (x, y)) in enumerate(zip(cells, centres.tolist(), strict=True)):
        near = (taken.get((column + dx, row + dy)) for dx in (-1, 0, 1) for dy in (-1, 0, 1))
        if all(
            other is None or abs(other[0] - x) >= WIDTH_UNITS or abs(other[1] - y) >= HEIGHT_UNITS for other in near
        ):
            taken[column, row] = (x, y)
            kept.append(index)
    return kept
