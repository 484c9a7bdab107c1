"""The graph on the screen: one widget that copies a retained picture and paints marks over it.

Painting uses local data only and never waits. What is expensive is done in slices between events: a view that
moves shows what there is, stretched where the scale changed, and becomes crisp when there is time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QFont,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from aotgui.gui.canvas import frame_titles, framing, hover_card
from aotgui.gui.canvas.buffer import TileBuffer
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.colouring import MEASURED, Colouring, ColourMode
from aotgui.gui.canvas.group_clicks import GroupHit, group_at
from aotgui.gui.canvas.interaction import Interaction
from aotgui.gui.canvas.measures import Measure
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.overlay import Marks
from aotgui.gui.canvas.picture import Picture
from aotgui.gui.canvas.raster import Frame
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import CanvasTheme, theme_for
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph

SLICE_S: Final = 0.010
"""Aim of a slice; a tile more may take it to 16 ms."""
QUICK_S: Final = 0.003
"""What may be painted within a frame."""
CRISP_DELAY_MS: Final = 60
"""How long the scale must rest before a large picture is painted anew."""
MESSAGE_PX: Final = 15


class GraphView(QWidget):
    """Shows one graph.

    Signals:
        selection_requested: list of node indexes, the current one first.
        node_hovered: node index under the pointer, -1 for none.
        node_activated: node index, by double click or Enter.
        group_toggled: path and side of a group to be opened or closed, and where in the view it should stay.
        context_menu_requested: node index (-1 beside boxes) and global position.
        group_menu_requested: index of a group, where in the view it should stay, and global position.
        view_changed: scale or position changed.
        appearance_changed: graph, colours or theme changed.
        dimming_changed: other nodes are faded.
    """

    selection_requested = Signal(list)
    node_hovered = Signal(int)
    node_activated = Signal(int)
    group_toggled = Signal(str, int, QPointF)
    context_menu_requested = Signal(int, QPoint)
    group_menu_requested = Signal(int, QPointF, QPoint)
    view_changed = Signal()
    appearance_changed = Signal()
    dimming_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Graph")
        self._picture = Picture(theme_for(self.palette()))
        self._message = ""
        self._selected_nodes: list[int] = []
        self._camera = Camera()
        self._opened: Camera | None = None
        self._open_pending = False
        self._hands = Interaction(self)
        self._crisp_timer = QTimer(self)
        self._crisp_timer.setSingleShot(True)
        self._crisp_timer.timeout.connect(self._on_crisp_timeout)

    # --- What is shown ----------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """What is shown, or None."""
        return self._picture.scene

    @property
    def theme(self) -> CanvasTheme:
        """The colours in use."""
        return self._picture.theme

    @property
    def colouring(self) -> Colouring | None:
        """The fills in use, or None without a graph."""
        return self._picture.colouring

    @property
    def colour_mode(self) -> ColourMode:
        """What the fills say."""
        return self._picture.mode

    @property
    def marks(self) -> Marks:
        """What the overlay shows. Do not change."""
        return self._picture.marks

    @property
    def states(self) -> NodeStates:
        """What is drawn on the boxes; indexes are items. Do not change."""
        return self._picture.states

    @property
    def buffer(self) -> TileBuffer:
        """The retained picture."""
        return self._picture.buffer

    @property
    def message(self) -> str:
        """What is said instead of a graph."""
        return self._message

    def set_graph(
        self,
        graph: Graph | None,
        layout: Layout | None,
        *,
        keep_view: bool = False,
        edge_texts: Sequence[str] | None = None,
    ) -> None:
        """Shows a graph.

        Args:
            graph: the graph, or None for an empty view.
            layout: where its nodes are.
            keep_view: keep scale and position instead of opening the graph afresh.
            edge_texts: what is written on each edge instead of what flows along it; only where there are no groups.
        """
        self._hands.cancel()
        self._message = ""
        self._selected_nodes = []
        scene = Scene(graph, layout, edge_texts) if graph is not None and layout is not None else None
        self._picture.set_scene(scene)
        if not keep_view:
            self._open_pending = not self.isVisible()
            self.open_view()
        self._changed_view()
        self._changed_appearance()

    def show_message(self, text: str) -> None:
        """Says something in the middle of the view instead of a graph; an empty text shows the graph again."""
        self._message = text
        self.update()

    def set_colour_mode(self, mode: ColourMode) -> None:
        """Other fills."""
        if mode is not self._picture.mode:
            self._picture.set_mode(mode)
            self._changed_appearance()

    def set_selection(self, nodes: Iterable[int]) -> None:
        """Marks nodes as selected, the current one first; a screen reader gets its sentence."""
        self._selected_nodes = list(nodes)
        selected = self.marks.selected = self._picture.items(self._selected_nodes)
        spoken = hover_card.sentence(self.scene, selected[0]) if self.scene is not None and selected else ""
        self.setAccessibleDescription(spoken)
        self.update()

    @property
    def selected_nodes(self) -> list[int]:
        """The selected nodes, those inside of groups included, the current one first."""
        return self._selected_nodes

    def set_step_marker(self, node: int | None) -> None:
        """Where the debugger stands."""
        self.marks.stepping = self.scene.item_of(node) if self.scene is not None and node is not None else -1
        self.update()

    def set_path(self, nodes: Iterable[int], *, is_path: bool) -> None:
        """Marks nodes together; of a path, in its order, also the way from each to the next."""
        self.marks.path, self.marks.is_path = self._picture.items(nodes), is_path
        self.update()

    def set_executed(self, nodes: Iterable[int] | NDArray[np.bool_]) -> None:
        """The nodes that ran, as indexes or as a mask."""
        self._picture.set_executed(np.flatnonzero(nodes).tolist() if isinstance(nodes, np.ndarray) else nodes)
        self._changed_states()

    def add_executed(self, nodes: list[int], nonfinite: Iterable[int] = ()) -> None:
        """More nodes ran, some with NaN or Inf in their value; only their boxes are painted again."""
        self._picture.add_executed(nodes, nonfinite)
        self._changed_states()

    def measure(self, measure: Measure, nodes: Sequence[int], values: Sequence[float]) -> None:
        """The debugger knows numbers of nodes, one each, for the colour modes that show them."""
        self._picture.measure(measure, nodes, values)
        if MEASURED.get(self.colour_mode) is measure:
            self._changed_appearance()

    def forget_measures(self) -> None:
        """The debugger's numbers are void."""
        self._picture.forget_measures()
        if self.colour_mode in MEASURED:
            self._changed_appearance()

    def set_breakpoints(self, nodes: Iterable[int]) -> None:
        """The nodes that stepping stops before."""
        self._picture.set_breakpoints(nodes)
        self._changed_picture()

    def set_changed(self, nodes: Iterable[int]) -> None:
        """The nodes whose value a what-if changed."""
        self._picture.set_changed(nodes)
        self._changed_picture()

    def set_nonfinite(self, nodes: Iterable[int]) -> None:
        """The nodes whose value holds NaN or Inf."""
        self._picture.set_nonfinite(nodes)
        self._changed_picture()

    def dim(self, mask: NDArray[np.bool_] | None) -> None:
        """Fades nodes: bool (nodes,), True for faded, or None for none. A group fades when all inside it do."""
        self._picture.set_dimmed(mask)
        self._changed_picture()
        self.dimming_changed.emit()

    def set_hovered(self, item: int) -> None:
        """The item under the pointer, -1 for none."""
        if item != self.marks.hovered:
            self.marks.hovered = item
            self.node_hovered.emit(self.scene.node_of(item) if self.scene is not None else -1)
            self.update()

    def show_band(self, band: QRectF | None) -> None:
        """A rubber band in view pixels, or None."""
        ratio = self.devicePixelRatioF()
        self.marks.band = QRectF(band.topLeft() * ratio, band.size() * ratio) if band is not None else None
        self.update()

    def activate(self, item: int) -> None:
        """Tells that a node or collapsed group was activated."""
        if self.scene is None or item < 0:
            return
        group = self.scene.group_of(item)
        if group >= 0:
            self.toggle(group, self._camera.rect_to_view(*self.scene.box(item)).center())
        else:
            self.node_activated.emit(self.scene.node_of(item))

    def toggle(self, group: int, place: QPointF) -> None:
        """Asks the owner to open or close a group, which should stay at a place in the view."""
        if self.scene is not None:
            shown = self.scene.layout.groups[group]
            self.group_toggled.emit(shown.path, shown.side, place)

    def close_around(self, item: int) -> None:
        """Asks the owner to close the innermost open group around an item."""
        if self.scene is not None and item >= 0 and (group := self.scene.open_group_of(item)) >= 0:
            self.toggle(group, self._camera.rect_to_view(*self.scene.box(item)).center())

    def overview(self, width: int, height: int) -> QImage:
        """The whole graph in a picture of a size in pixels, width and height scaled apart."""
        return self._picture.overview(width, height)

    # --- Where one looks --------------------------------------------------------------------------------------

    @property
    def camera(self) -> Camera:
        """Scale and position."""
        return self._camera

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
        """The item nearest to the middle of the view, -1 without any."""
        if self.scene is None or not len(self.scene):
            return -1
        return framing.nearest(self.scene, self._camera.to_scene(QPointF(self.width() / 2, self.height() / 2)))

    def _reveal_current(self) -> None:
        """Brings into view what was revealed while there was no size to do it in."""
        current = self.marks.stepping if self.marks.stepping >= 0 else next(iter(self.marks.selected), -1)
        if self.scene is not None and current >= 0:
            self.set_camera(framing.revealing(self.scene, current, self._camera, self.size()))

    def frame(self) -> Frame:
        """The camera in device pixels."""
        ratio = self.devicePixelRatioF()
        scale = self._camera.scale * ratio
        return Frame(scale, round(self._camera.left * scale), round(self._camera.top * scale), ratio)

    def item_at(self, point: QPointF) -> int:
        """The item under a view point, -1 for none."""
        return self.scene.item_at(*self._camera.to_scene(point)) if self.scene is not None else -1

    def cut_ends_at(self, point: QPointF) -> list[int]:
        """The nodes that the caption of a cut edge under a view point leads to."""
        if self.scene is None or self.item_at(point) >= 0:
            return []
        caption = self._picture.caption_at(*self._camera.to_scene(point), self._camera.scale)
        return self.scene.nodes_of(caption.items.tolist()) if caption is not None else []

    def node_at(self, point: QPointF) -> int:
        """The node under a view point, -1 for none."""
        return self.scene.node_of(self.item_at(point)) if self.scene is not None else -1

    @property
    def is_crisp(self) -> bool:
        """Whether what is shown is painted at its own scale and up to date."""
        return self.buffer.is_crisp(self.frame(), self._device_size())

    @property
    def is_gliding(self) -> bool:
        """Whether a thrown view still moves."""
        return self._hands.is_gliding

    @property
    def shows_card(self) -> bool:
        """Whether the card of the hovered box is shown."""
        return self._hands.shows_card

    @property
    def is_painting(self) -> bool:
        """Whether slices of painting are still to come, those of the margin included."""
        return self._crisp_timer.isActive()

    def _device_size(self) -> QSize:
        ratio = self.devicePixelRatioF()
        return QSize(round(self.width() * ratio), round(self.height() * ratio))

    def group_at(self, point: QPointF) -> GroupHit | None:
        """The group whose box or title is under a view point."""
        return group_at(self.scene, self._camera, self.size(), point) if self.scene is not None else None

    # --- Painting ---------------------------------------------------------------------------------------------

    def _changed_view(self) -> None:
        self._hands.hide_card()
        self.update()
        self.view_changed.emit()

    def _changed_picture(self) -> None:
        self._schedule(0)
        self.update()

    def _changed_states(self) -> None:
        self._changed_picture()
        if self.colour_mode is ColourMode.EXECUTED:
            self.appearance_changed.emit()

    def _changed_appearance(self) -> None:
        self._changed_picture()
        self.appearance_changed.emit()

    def _schedule(self, delay_ms: int) -> None:
        """The next slice of painting; a zoom under way postpones it."""
        if delay_ms or not self._crisp_timer.isActive():
            self._crisp_timer.start(delay_ms)

    def paint_slice(self) -> bool:
        """Paints a slice of what is missing; whether all is done, the margin included."""
        return self.buffer.advance(self.frame(), self._device_size(), SLICE_S)

    def _on_crisp_timeout(self) -> None:
        if not self.isVisible():
            return
        was_crisp = self.is_crisp
        if not self.paint_slice():
            self._crisp_timer.start(0)
        if not was_crisp:
            self.update()

    def _paint_scene(self, painter: QPainter, scene: Scene) -> None:
        frame, size = self.frame(), self._device_size()
        self.buffer.advance_if_quick(frame, size, QUICK_S)
        painter.save()
        painter.scale(1 / frame.ratio, 1 / frame.ratio)
        self._picture.paint(painter, frame, size)
        painter.restore()
        frame_titles.paint_sticky(painter, frame_titles.titles_in(scene, self._camera, self.size()), scene, self.theme)
        if self._hands.shows_card and self.marks.hovered >= 0:
            lines = hover_card.describe(scene, self.marks.hovered)
            hover_card.paint_card(painter, lines, self._hands.pointer, self.size(), self.theme)

    def _paint_message(self, painter: QPainter) -> None:
        font = QFont(self.font())
        font.setPixelSize(MESSAGE_PX)
        painter.setFont(font)
        painter.setPen(QColor(self.theme.muted_text))
        room = QRectF(self.rect()).adjusted(40, 40, -40, -40)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._message)

    # --- Qt ---------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Copies, never waits."""
        painter = QPainter(self)
        painter.setClipRect(event.rect())
        painter.fillRect(event.rect(), QColor(self.theme.background))
        if self._message:
            self._paint_message(painter)
        elif self.scene is not None:
            self._paint_scene(painter, self.scene)
        painter.end()

    def sizeHint(self) -> QSize:
        """Room for a graph."""
        return QSize(900, 640)

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

    def changeEvent(self, event: QEvent) -> None:
        """Follows light and dark."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and (theme := theme_for(self.palette())) is not self.theme:
            self._picture.set_theme(theme)
            self._changed_appearance()

    def event(self, event: QEvent) -> bool:
        """Pinch on a touchpad."""
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(1.0 + event.value(), event.position())
            return True
        return super().event(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Pans or zooms."""
        self._hands.wheel(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begins a click or drag."""
        self._hands.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hovers or drags."""
        self._hands.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Clicks or ends a drag."""
        self._hands.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activates a node, toggles a group."""
        hit = self.group_at(event.position())
        if hit is None:
            self.activate(self.item_at(event.position()))
        elif not hit.on_sign:  # a click on the sign was enough
            self.toggle(hit.group, hit.place)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Asks the owner for a menu."""
        if event.reason() != QContextMenuEvent.Reason.Keyboard and (hit := self.group_at(QPointF(event.pos()))):
            self.group_menu_requested.emit(hit.group, hit.place, event.globalPos())
            return
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            node = self.scene.node_of(self.marks.selected[0]) if self.scene and self.marks.selected else -1
        else:
            node = self.node_at(QPointF(event.pos()))
        self.context_menu_requested.emit(node, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walks, zooms, activates."""
        if not self._hands.key(event):
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Hovers where the pointer came in."""
        super().enterEvent(event)
        self._hands.hover(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered outside."""
        super().leaveEvent(event)
        self._hands.leave()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A drag does not outlive the focus."""
        self._hands.cancel()
        super().focusOutEvent(event)
