"""Two views that are looked at together: where one goes, the other goes to what corresponds."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.canvas_pane import CanvasPane

Copies = Callable[[CanvasPane, CanvasPane], NDArray[np.int64]]
"""For each node of the first pane's graph that of the second's, or -1: int64 (nodes,)."""


class LinkedViews(QObject):
    """Moves one of two panes when the other one is moved, by the node nearest to its middle that both have.

    Graphs of one kind stand at one scale, with corresponding nodes at the same place of both. Of other graphs only the
    heights are kept alike: their widths have nothing to do with each other.
    """

    def __init__(self, copies: Copies, *, same_kind: bool = False, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._copies = copies
        self._same_kind = same_kind
        self._panes: tuple[CanvasPane, ...] = ()
        self._following = False

    def link(self, *panes: CanvasPane) -> None:
        """Two panes to scroll together; none for nothing."""
        for pane in self._panes:
            pane.view.view_changed.disconnect(self._on_view_changed)
        self._panes = panes
        for pane in panes:
            pane.view.view_changed.connect(self._on_view_changed)
        if panes:
            self._bring_together(panes[0])

    def _on_view_changed(self) -> None:
        for pane in self._panes:
            if pane.view is self.sender() and not self._following:
                self._bring_together(pane)

    def _bring_together(self, moved: CanvasPane) -> None:
        """The other pane follows."""
        if len(self._panes) == 2 and all(pane.is_current for pane in self._panes):
            self._following = True
            self._follow(moved, self._panes[1 - self._panes.index(moved)])
            self._following = False

    def _follow(self, moved: CanvasPane, follower: CanvasPane) -> None:
        scene, there = moved.view.scene, follower.view.scene
        copies = self._copies(moved, follower)
        shared = np.flatnonzero(copies >= 0)
        if scene is None or there is None or not len(shared):
            return
        boxes = scene.boxes[scene.layout.node_items[shared]]
        middle = moved.view.camera.to_scene(QPointF(moved.view.width() / 2, moved.view.height() / 2))
        node = int(shared[np.argmin(np.hypot(*(boxes[:, :2] + boxes[:, 2:] / 2 - middle).T))])
        here, point = scene.centre_of(node), there.centre_of(int(copies[node]))
        if here is not None and point is not None:
            self._place(follower, moved.view.camera, point, moved.view.camera.to_view(*here))

    def _place(self, follower: CanvasPane, camera: Camera, point: tuple[float, float], place: QPointF) -> None:
        """Shows a scene point of the follower at a place of the view that moved."""
        view = follower.view
        if self._same_kind:
            left, top = point[0] - place.x() / camera.scale, point[1] - place.y() / camera.scale
            view.look_at(Camera(camera.scale, left, top))
            return
        across = view.camera.to_view(*point).x()
        if not 0 <= across <= view.width():
            across = view.width() / 2
        view.keep_at(point, QPointF(across, place.y()))
