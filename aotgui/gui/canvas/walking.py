"""Where the arrow keys lead from a node: along its edges, or to what stands beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable

from PySide6.QtCore import Qt

from aotgui.gui.canvas.scene import Scene


def step(scene: Scene, item: int, key: int) -> int:
    """The item that an arrow key leads to.

    Up and Down follow edges in the direction in which they are drawn (in a backward column data flows up); Left and
    Right go to the nearest box beside this one, or along an edge that crosses the columns.

    Returns:
        The item, or ``item`` itself where nothing lies that way.
    """
    if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        sign = -1 if key == Qt.Key.Key_Up else 1
        linked = neighbours(scene, item)
        return _nearest(scene, item, (other for other in linked if sign * _delta(scene, item, other)[1] > 0), item)
    sign = -1 if key == Qt.Key.Key_Left else 1
    left, top, width, height = scene.box(item)
    beside = scene.box_index.in_rect(left - 4000, top, left + width + 4000, top + height).tolist()
    candidates = [other for other in {*beside, *neighbours(scene, item)} if sign * _delta(scene, item, other)[0] > 0]
    flat = [other for other in candidates if abs(_delta(scene, item, other)[1]) < height]
    return _nearest(scene, item, flat or candidates, item)


def neighbours(scene: Scene, item: int) -> list[int]:
    """The items that share an edge with one."""
    into = scene.layout.edge_sources[scene.edges_into(item)].tolist()
    out = scene.layout.edge_targets[scene.edges_from(item)].tolist()
    return [other for other in dict.fromkeys(into + out) if other != item]


def _nearest(scene: Scene, item: int, candidates: Iterable[int], otherwise: int) -> int:
    return min(candidates, key=lambda other: (math.hypot(*_delta(scene, item, other)), other), default=otherwise)


def _delta(scene: Scene, item: int, other: int) -> tuple[float, float]:
    left, top, width, height = scene.box(item)
    left2, top2, width2, height2 = scene.box(other)
    return left2 + width2 / 2 - left - width / 2, top2 + height2 / 2 - top - height / 2
