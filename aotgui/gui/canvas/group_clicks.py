"""What of a group is under the pointer: the sign that opens or closes it, its box, its title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QSize

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.detail import SIGNS_FROM_ZOOM
from aotgui.gui.canvas.frame_titles import title_at
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import EXPANDER_LEFT_UNITS, EXPANDER_UNITS

SIGN_REACH_UNITS: Final = EXPANDER_LEFT_UNITS + EXPANDER_UNITS + 4.0
"""From the left border of a box or title: a sign is small, its target need not be."""


@dataclass(frozen=True, slots=True)
class GroupHit:
    """A group under the pointer.

    Attributes:
        group: its index.
        place: view pixels: where its box or title should stay when it is opened or closed.
        on_sign: whether the pointer is on its sign.
        is_open: whether it is a title, not a box.
    """

    group: int
    place: QPointF
    on_sign: bool
    is_open: bool


def group_at(scene: Scene, camera: Camera, size: QSize, point: QPointF, states: NodeStates) -> GroupHit | None:
    """The group whose box or title is under a view point; ``states`` say what is hidden."""
    title = title_at(scene, camera, size, point, states.hidden_frames)
    item = scene.item_at(*camera.to_scene(point))
    if item >= 0 and states.hidden is not None and states.hidden[item]:
        item = -1
    if title is not None and (title.is_sticky or item < 0):
        reach = SIGN_REACH_UNITS * (1.0 if title.is_sticky else camera.scale)
        has_sign = title.is_sticky or camera.scale >= SIGNS_FROM_ZOOM
        return GroupHit(title.group, point, has_sign and point.x() - title.place.left() <= reach, is_open=True)
    group = scene.group_of(item)
    if group < 0:
        return None
    box = camera.rect_to_view(*scene.box(item))
    near = point.x() - box.left() <= SIGN_REACH_UNITS * camera.scale
    return GroupHit(group, box.center(), near and camera.scale >= SIGNS_FROM_ZOOM, is_open=False)
