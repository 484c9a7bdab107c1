"""Two views that are looked at together: where one goes, the other follows to what corresponds."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.graph_view import GraphView

Counterpart = Callable[[int], int | None]
"""Node of one graph to that of the other, or None where the other has none."""


class PairedViews(QObject):
    """Keeps two views at one scale, with corresponding nodes at the same place of both.

    The node nearest to the middle leads. Where the other graph has no such node, the other view keeps still, so that
    it does not jump to and fro.
    """

    def __init__(
        self, left: GraphView, right: GraphView, to_right: Counterpart, to_left: Counterpart, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._following = False
        self.enabled = True
        left.view_changed.connect(lambda: self._follow(left, right, to_right))
        right.view_changed.connect(lambda: self._follow(right, left, to_left))

    def _follow(self, leader: GraphView, follower: GraphView, counterpart: Counterpart) -> None:
        if self._following or not self.enabled or not follower.isVisible():
            return
        self._following = True
        try:
            _show_the_same(leader, follower, counterpart)
        finally:
            self._following = False


def _show_the_same(leader: GraphView, follower: GraphView, counterpart: Counterpart) -> None:
    ours, theirs = leader.scene, follower.scene
    item = leader.nearest_to_middle()
    if ours is None or theirs is None or item < 0:
        return
    for node in ours.nodes_of([item]):
        other = counterpart(node)
        if other is not None and (place := theirs.item_of(other)) >= 0:
            center = leader.camera.rect_to_view(*ours.box(item)).center()
            x, y, width, height = theirs.box(place)
            follower.look_at(_camera(leader.camera.scale, QPointF(x + width / 2, y + height / 2), center))
            return


def _camera(scale: float, point: QPointF, place: QPointF) -> Camera:
    """The camera of a scale that shows a scene point at a place of the view."""
    return Camera(scale, point.x() - place.x() / scale, point.y() - place.y() / scale)
