"""What a layout gives to the canvas and to the exports.

An *item* is a box on the screen: a node, or a collapsed group of nodes. Without groups item ``i`` is node ``i``.
All coordinates are in scene units, one unit a pixel at 100% zoom, x to the right, y down.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class RouteKind(IntEnum):
    """How an edge is drawn.

    Attributes:
        PLAIN: a short polyline.
        SAVED: crosses from the forward column to the backward one.
        LANE: a long edge through a side lane.
        STUB: a long edge cut in two: its first two points leave the source, its last two reach the target.
    """

    PLAIN = 0
    SAVED = 1
    LANE = 2
    STUB = 3


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes that belong together, usually those of one module.

    Attributes:
        path: the module path, unique among the groups of one side.
        title: what its box says.
        parent: index of the enclosing group, or -1.
        nodes: indexes of all nodes inside, also those of inner groups.
        side: 0 for the left column, 1 for the right one. A module of a joint graph has up to two groups, with the
            same path: its forward and its backward; they are expanded together.
        blocks: how many repeated blocks this is a run of, 0 for a module.
        differs: it is a block of a run and made of other nodes than most of them.
    """

    path: str
    title: str
    parent: int
    nodes: NDArray[np.int32]
    side: int = 0
    blocks: int = 0
    differs: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """Positions and routes.

    Attributes:
        boxes: float32 (items, 4): left, top, width, height.
        item_nodes: int32 (items,): the node shown, or -1 for a collapsed group.
        item_groups: int32 (items,): the collapsed group shown, or -1 for a node.
        node_items: int32 (nodes,): the item that shows a node (itself, or the group it is hidden in).
        edge_sources: int32 (edges,): items. Without groups the edges are the graph's, in its order.
        edge_targets: int32 (edges,): items.
        points: float32 (points, 2): all routes one after the other.
        route_starts: int32 (edges + 1,): route of edge ``e`` is ``points[route_starts[e]:route_starts[e + 1]]``.
        route_kinds: uint8 (edges,): ``RouteKind``.
        frames: float32 (frames, 4): boxes around expanded groups, outer ones first.
        frame_groups: int32 (frames,): which group each surrounds.
        groups: every group that exists, outer ones before inner ones.
        bounds: left, top, width, height of everything.
    """

    boxes: NDArray[np.float32]
    item_nodes: NDArray[np.int32]
    item_groups: NDArray[np.int32]
    node_items: NDArray[np.int32]
    edge_sources: NDArray[np.int32]
    edge_targets: NDArray[np.int32]
    points: NDArray[np.float32]
    route_starts: NDArray[np.int32]
    route_kinds: NDArray[np.uint8]
    frames: NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 4), np.float32))
    frame_groups: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    groups: tuple[Group, ...] = ()
    bounds: tuple[float, float, float, float] = (0.0, 0.0, 0.0, 0.0)
