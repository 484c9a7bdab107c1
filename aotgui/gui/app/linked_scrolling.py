"""Two graphs side by side that scroll together: what is in the middle of one stands at the same height in the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QPointF

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph


class LinkedScrolling(QObject):
    """Moves one of two panes when the other one is moved, by the node nearest to its middle that both have."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._panes: tuple[CanvasPane, ...] = ()
        self._following = False
        self._pairs: dict[tuple[int, int], tuple[Graph, Graph, NDArray[np.int64]]] = {}

    def link(self, *panes: CanvasPane) -> None:
        """Two panes to scroll together; none for nothing."""
        for pane in self._panes:
            pane.view.view_changed.disconnect(self._on_view_changed)
        self._panes = panes
        self._pairs.clear()
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
        view, other = moved.view, follower.view
        scene, there = view.scene, other.scene
        if scene is None or there is None:
            return
        copies = self._copies(moved, follower, scene.graph, there.graph)
        shared = np.flatnonzero(copies >= 0)
        if not len(shared):
            return
        boxes = scene.boxes[scene.layout.node_items[shared]]
        middle = view.camera.to_scene(QPointF(view.width() / 2, view.height() / 2))
        distances = np.hypot(*(boxes[:, :2] + boxes[:, 2:] / 2 - middle).T)
        node = int(shared[np.argmin(distances)])
        here, point = scene.centre_of(node), there.centre_of(int(copies[node]))
        if here is not None and point is not None:
            across = other.camera.to_view(*point).x()
            if not 0 <= across <= other.width():
                across = other.width() / 2
            other.keep_at(point, QPointF(across, view.camera.to_view(*here).y()))

    def _copies(self, one: CanvasPane, other: CanvasPane, graph: Graph, there: Graph) -> NDArray[np.int64]:
        """For each node of a graph its first copy in the other one, or -1: int64 (nodes,)."""
        key = (id(graph), id(there))
        if key not in self._pairs:
            found = (self._session.copies_in(other.kind, one.kind, [node])[:1] for node in range(len(graph)))
            copies = np.fromiter((copy[0] if copy else -1 for copy in found), np.int64, len(graph))
            self._pairs[key] = (graph, there, copies)
        return self._pairs[key][2]
