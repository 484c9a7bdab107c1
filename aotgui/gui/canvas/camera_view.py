"""Where one looks at a graph: scale and position, and what brings something into view."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from aotgui.gui.canvas import framing
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.picture_view import CRISP_DELAY_MS, PictureView
from aotgui.gui.canvas.scene import Scene
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph


class CameraView(PictureView):
    """A picture of a graph that can be moved.

    Signals:
        view_changed: scale or position changed.
    """

    view_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._opened: Camera | None = None
        self._open_pending = False

    def set_graph(
        self,
        graph: Graph | None,
        layout: Layout | None,
        *,
        keep_view: bool = False,
        edge_texts: Sequence[str] | None = None,
        saved_bytes: Mapping[int, int] | None = None,
    ) -> None:
        """Shows a graph.

        Args:
            graph: the graph, or None for an empty view.
            layout: where its nodes are.
            keep_view: keep scale and position instead of opening the graph afresh.
            edge_texts: what is written on each edge instead of what flows along it; only where there are no groups.
            saved_bytes: what each saved activation adds to what is saved; None: not known.
        """
        self._message = ""
        self._selected_nodes = []
        scene = None
        if graph is not None and layout is not None:
            scene = Scene(graph, layout, edge_texts, saved_bytes)
        self._picture.set_scene(scene)
        if not keep_view:
            self._open_pending = not self.isVisible()
            self.open_view()
        self._changed_view()
        self._changed_appearance()

    @property
    def was_moved(self) -> bool:
        """Whether somebody looks elsewhere than where the graph opened."""
        return not self._open_pending and self._camera != self._opened

    def set_camera(self, camera: Camera) -> None:
        """Looks elsewhere, at once."""
        if camera == self._camera:
            return
        if camera.scale != self._camera.scale:
            self.buffer.begin_zoom(self.frame(), self._device_size())
            self._schedule(CRISP_DELAY_MS)
        else:
            self._schedule(0)
        self._camera = camera
        self._changed_view()

    def look_at(self, camera: Camera) -> None:
        """Looks elsewhere, also where there was no view yet to look from."""
        self._open_pending = False
        self._opened = None
        self.set_camera(camera)

    def pan_by(self, dx: float, dy: float) -> None:
        """Moves the scene by logical pixels."""
        self.set_camera(framing.bounded(self.scene, self._camera.panned(dx, dy), self.size()))

    def zoom_by(self, factor: float, anchor: QPointF | None = None) -> None:
        """Zooms with a view point staying where it is: the middle unless given."""
        anchor = anchor if anchor is not None else QPointF(self.width() / 2, self.height() / 2)
        smallest = framing.smallest_scale(self.scene, self._camera, self.size())
        self.set_camera(self._camera.zoomed(factor, anchor, smallest))

    def zoom_100(self) -> None:
        """One scene unit a pixel."""
        self.zoom_by(1.0 / self._camera.scale)

    def fit(self) -> None:
        """Shows everything."""
        if self.scene is not None and len(self.scene):
            self.set_camera(framing.everything(self.scene, self.size()))

    def open_view(self) -> None:
        """A first look: everything if that is readable, else the top of the graph at a readable size."""
        if self.scene is not None and len(self.scene):
            self._opened = framing.opening(self.scene, self.size())
            self.set_camera(self._opened)

    def fit_selection(self) -> None:
        """Shows all selected nodes."""
        if self.scene is not None and self.marks.selected:
            self.set_camera(framing.around(self.scene, self.marks.selected, self.size()))

    def fit_nodes(self, nodes: Iterable[int]) -> None:
        """Shows all of some nodes."""
        if self.scene is not None and (items := self._picture.items(nodes)):
            self.set_camera(framing.around(self.scene, items, self.size()))

    def reveal(self, node: int) -> None:
        """Pans to a node unless it is in view already; zooms in where boxes are too small to see."""
        if self.scene is not None and (item := self.scene.item_of(node)) >= 0:
            self.set_camera(framing.revealing(self.scene, item, self._camera, self.size()))

    def keep_at(self, point: tuple[float, float], place: QPointF) -> None:
        """Pans so that a scene point is at a place in the view."""
        now = self._camera.to_view(*point)
        self.set_camera(self._camera.panned(place.x() - now.x(), place.y() - now.y()))

    def shows(self, item: int) -> bool:
        """Whether an item is in view, at least in part."""
        if self.scene is None or item < 0:
            return False
        return self._camera.rect_to_view(*self.scene.box(item)).intersects(QRectF(self.rect()))

    def shows_node(self, node: int) -> bool:
        """Whether a node, or the group that it is hidden in, is in view."""
        return self.scene is not None and self.shows(self.scene.item_of(node))

    def nearest_to_middle(self) -> int:
        """The item nearest to the middle of the view, of those that are drawn; -1 without any."""
        if self.scene is None or not len(self.scene):
            return -1
        middle = self._camera.to_scene(QPointF(self.width() / 2, self.height() / 2))
        return framing.nearest(self.scene, middle, self.states.hidden)

    def _reveal_current(self) -> None:
        """Brings into view what was revealed while there was no size to do it in."""
        current = self.marks.stepping if self.marks.stepping >= 0 else next(iter(self.marks.selected), -1)
        if self.scene is not None and current >= 0:
            self.set_camera(framing.revealing(self.scene, current, self._camera, self.size()))

    def _changed_view(self) -> None:
        self.update()
        self.view_changed.emit()

    # --- Qt ---------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Opens the view again where nobody has moved it yet; else keeps its middle."""
        if self._open_pending or self._camera == self._opened:
            self.open_view()
        elif event.oldSize().isValid():
            grown = event.size() - event.oldSize()
            self.set_camera(self._camera.panned(grown.width() / 2, 0))
        self._schedule(0)
        self.view_changed.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """Opens a graph that was set before there was a size."""
        super().showEvent(event)
        if self._open_pending:
            self._open_pending = False
            self.open_view()
            self._reveal_current()
        self._schedule(0)
