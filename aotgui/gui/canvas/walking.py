"""Where the arrow keys lead from a node: along its edges, or to what stands beside it."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from PySide6.QtCore import Qt

from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.scene import Scene


def step(scene: Scene, item: int, key: int, states: NodeStates) -> int:
    """The item that an arrow key leads to, never one that ``states`` hide.

    Up and Down follow edges in the direction in which they are drawn (in a backward column data flows up); Left and
    Right go to the nearest box beside this one, or along an edge that crosses the columns.

    Returns:
        The item, or ``item`` itself where nothing lies that way.
    """
    if key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
        sign = -1 if key == Qt.Key.Key_Up else 1
        linked = _shown(neighbours(scene, item), states)
        return _nearest(scene, item, (other for other in linked if sign * _delta(scene, item, other)[1] > 0), item)
    sign = -1 if key == Qt.Key.Key_Left else 1
    left, top, width, height = scene.box(item)
    beside = scene.box_index.in_rect(left - 4000, top, left + width + 4000, top + height).tolist()
    near = _shown([*beside, *neighbours(scene, item)], states)
    candidates = [other for other in set(near) if sign * _delta(scene, item, other)[0] > 0]
    flat = [other for other in candidates if abs(_delta(scene, item, other)[1]) < height]
    return _nearest(scene, item, flat or candidates, item)


def neighbours(scene: Scene, item: int) -> list[int]:
    """The items that share an edge with one."""
    into = scene.layout.edge_sources[scene.edges_into(item)].tolist()
    out = scene.layout.edge_targets[scene.edges_from(item)].tolist()
    return [other for other in dict.fromkeys(into + out) if other != item]


def _shown(items: list[int], states: NodeStates) -> list[int]:
    shown: list[int] = states.shown(np.asarray(items, np.int32)).tolist()
    return shown


def _nearest(scene: Scene, item: int, candidates: Iterable[int], otherwise: int) -> int:
    return min(candidates, key=lambda other: (math.hypot(*_delta(scene, item, other)), other), default=otherwise)


def _delta(scene: Scene, item: int, other: int) -> tuple[float, float]:
    left, top, width, height = scene.box(item)
    left2, top2, width2, height2 = scene.box(other)
    return left2 + width2 / 2 - left - width / 2, top2 + height2 / 2 - top - height / 2
