"""Keeps what one looks at in its place when a re-run gives a graph with other nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF

from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.scene import Scene
from aotgui.model.graph import Graph


@dataclass(frozen=True, slots=True)
class Anchor:
    """A node that is seen, and where.

    Attributes:
        name: of the node.
        place: the middle of its box in the view, in logical pixels.
    """

    name: str
    place: QPointF


def find_anchor(view: GraphView, graph: Graph) -> Anchor | None:
    """The node nearest to the middle of a view that another graph has too; None where they share none."""
    scene = view.scene
    if scene is None:
        return None
    shared = [node for node, name in enumerate(scene.graph.names) if name in graph.index_of]
    items = scene.items_of(shared)
    if not len(items):
        return None
    middle = view.camera.to_scene(QPointF(view.width() / 2, view.height() / 2))
    item = int(items[np.argmin(np.hypot(*(_centres(scene)[items] - middle).T))])
    node = next(node for node in shared if scene.item_of(node) == item)
    return Anchor(scene.graph.names[node], view.camera.to_view(*_centres(scene)[item].tolist()))


def hold(view: GraphView, anchor: Anchor) -> None:
    """Pans so that the node of an anchor is where it was."""
    scene = view.scene
    if scene is not None and (point := scene.centre_of(scene.graph.index_of[anchor.name])) is not None:
        view.keep_at(point, anchor.place)


def _centres(scene: Scene) -> NDArray[np.float64]:
    """Of the items: float64 (items, 2)."""
    centres: NDArray[np.float64] = scene.boxes[:, :2] + scene.boxes[:, 2:] / 2.0
    return centres
