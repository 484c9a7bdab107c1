"""The graph on the screen: one widget that copies a retained picture and paints marks over it.

Painting uses local data only and never waits. What is expensive is done in slices between events: a view that
moves shows what there is, stretched where the scale changed, and becomes crisp when there is time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
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

from aotgui.gui.canvas import hover_card, walking
from aotgui.gui.canvas.buffer import TileBuffer
from aotgui.gui.canvas.camera import MAX_SCALE, Camera, fitted
from aotgui.gui.canvas.colouring import Colouring, ColourMode, colour
from aotgui.gui.canvas.gestures import BandGesture, Gesture, Glide, PanGesture
from aotgui.gui.canvas.overlay import Marks, Overlay
from aotgui.gui.canvas.painter import Frame, NodeStates, ScenePainter
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import CanvasTheme, theme_for
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph

SLICE_S: Final = 0.010
"""Aim of a slice; a tile more may take it to 16 ms."""
QUICK_S: Final = 0.008
"""What may be painted within a frame."""
CRISP_DELAY_MS: Final = 60
"""How long the scale must rest before the picture is painted anew."""
HOVER_DELAY_MS: Final = 350
WHEEL_FACTOR: Final = 1.2
KEY_FACTOR: Final = 1.25
READABLE_SCALE: Final = 0.6
"""A graph that would have to be smaller than this to fit is opened at its top instead."""
OPENING_SCALE: Final = 0.9
DRAG_START_PX: Final = 4


class GraphView(QWidget):
    """Shows one graph.

    Signals:
        selection_requested: list of node indexes, the current one first.
        node_hovered: node index under the pointer, -1 for none.
        node_activated: node index, by double click or Enter.
        group_toggled: path of a group that was double-clicked.
        context_menu_requested: node index (-1 beside boxes) and global position.
        view_changed: scale or position changed.
        appearance_changed: graph, colours or theme changed.
    """

    selection_requested = Signal(list)
    node_hovered = Signal(int)
    node_activated = Signal(int)
    group_toggled = Signal(str)
    context_menu_requested = Signal(int, QPoint)
    view_changed = Signal()
    appearance_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Graph")
        self._theme = theme_for(self.palette())
        self._mode = ColourMode.PARTITION
        self._message = ""
        self._scene: Scene | None = None
        self._painter: ScenePainter | None = None
        self._overlay: Overlay | None = None
        self._colouring: Colouring | None = None
        self._states = NodeStates()
        self._executed: set[int] = set()
        self._marks = Marks()
        self._camera = Camera()
        self._fit_pending = False
        self._buffer = TileBuffer()
        self._gesture: Gesture | None = None
        self._press: QPointF | None = None
        self._pointer = QPointF()
        self._card = False
        self._glide = Glide(self.pan_by, self)
        self._crisp_timer = self._timer(0, self._on_crisp)
        self._hover_timer = self._timer(HOVER_DELAY_MS, self._on_hover_rest)

    def _timer(self, interval_ms: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval_ms)
        timer.timeout.connect(slot)
        return timer

    # --- What is shown ----------------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """What is shown, or None."""
        return self._scene

    @property
    def theme(self) -> CanvasTheme:
        """The colours in use."""
        return self._theme

    @property
    def camera(self) -> Camera:
        """Scale and position."""
        return self._camera

    @property
    def colouring(self) -> Colouring | None:
        """The fills in use, or None without a graph."""
        return self._colouring

    @property
    def colour_mode(self) -> ColourMode:
        """What the fills say."""
        return self._mode

    @property
    def marks(self) -> Marks:
        """What the overlay shows. Do not change."""
        return self._marks

    @property
    def buffer(self) -> TileBuffer:
        """The retained picture."""
        return self._buffer

    def set_graph(self, graph: Graph | None, layout: Layout | None, *, keep_view: bool = False) -> None:
        """Shows a graph.

        Args:
            graph: the graph, or None for an empty view.
            layout: where its nodes are.
            keep_view: keep scale and position instead of opening the graph afresh.
        """
        self.cancel_gesture()
        self._states, self._marks, self._executed = NodeStates(), Marks(), set()
        self._scene = Scene(graph, layout) if graph is not None and layout is not None else None
        self._message = ""
        self._rebuild()
        if not keep_view:
            self._fit_pending = not self.isVisible()
            self.open_view()
        self._changed_view()

    def show_message(self, text: str) -> None:
        """Says something in the middle of the view instead of a graph; an empty text shows the graph again."""
        self._message = text
        self.update()

    @property
    def message(self) -> str:
        """What is said instead of a graph."""
        return self._message

    def set_colour_mode(self, mode: ColourMode) -> None:
        """Other fills."""
        if mode is not self._mode:
            self._mode = mode
            self._recolour()

    def set_selection(self, nodes: Iterable[int]) -> None:
        """Marks nodes as selected, the current one first."""
        self._marks.selected = self._items(nodes)
        self._describe_selection(nodes)
        self.update()

    def set_step_marker(self, node: int | None) -> None:
        """Where the debugger stands."""
        self._marks.stepping = self._scene.item_of(node) if self._scene and node is not None else -1
        self.update()

    def set_executed(self, nodes: Iterable[int] | NDArray[np.bool_]) -> None:
        """The nodes that ran, as indexes or as a mask."""
        if isinstance(nodes, np.ndarray):
            nodes = np.flatnonzero(nodes).tolist()
        self._executed = set(nodes)
        self._set_state("executed", self._executed)
        if self._mode is ColourMode.EXECUTED:
            self._recolour()

    def add_executed(self, nodes: Iterable[int], nonfinite: Iterable[int] = ()) -> None:
        """More nodes ran; only their boxes are painted again."""
        self._executed.update(nodes)
        self._add_state("executed", nodes)
        self._add_state("nonfinite", nonfinite)
        if self._mode is ColourMode.EXECUTED:
            self._recolour()

    def set_breakpoints(self, nodes: Iterable[int]) -> None:
        """The nodes that stepping stops before."""
        self._set_state("breakpoints", set(nodes))

    def set_nonfinite(self, nodes: Iterable[int]) -> None:
        """The nodes whose value holds NaN or Inf."""
        self._set_state("nonfinite", set(nodes))

    def dim(self, mask: NDArray[np.bool_] | None) -> None:
        """Fades nodes: bool (nodes,), True for faded, or None for none. A group fades when all inside it do."""
        if self._scene is None:
            return
        dimmed = None
        if mask is not None:
            dimmed = np.ones(len(self._scene), np.bool_)
            dimmed[self._scene.layout.node_items[~mask]] = False
        self._states.dimmed = dimmed
        self._invalidate()

    def _set_state(self, name: str, nodes: Collection[int]) -> None:
        """Changes one set of states and repaints only the boxes that differ."""
        items = set(self._items(nodes))
        changed = items ^ getattr(self._states, name)
        setattr(self._states, name, items)
        if changed and self._scene is not None:
            self._invalidate(self._scene.boxes[sorted(changed)])

    def _add_state(self, name: str, nodes: Iterable[int]) -> None:
        states: set[int] = getattr(self._states, name)
        new = [item for item in self._items(nodes) if item not in states]
        states.update(new)
        if new and self._scene is not None:
            self._invalidate(self._scene.boxes[new])

    def _items(self, nodes: Iterable[int]) -> list[int]:
        scene = self._scene
        if scene is None:
            return []
        items = (scene.item_of(node) for node in nodes)
        return list(dict.fromkeys(item for item in items if item >= 0))

    def _rebuild(self) -> None:
        """Everything that depends on scene or theme."""
        self._painter, self._overlay, self._colouring = None, None, None
        if self._scene is not None:
            self._colouring = colour(self._scene, self._mode, self._theme, self._executed)
            self._painter = ScenePainter(self._scene, self._colouring, self._theme, self._states)
            self._overlay = Overlay(self._scene, self._theme)
        self._buffer.set_painter(self._painter)
        self._invalidate()
        self.appearance_changed.emit()

    def _recolour(self) -> None:
        if self._scene is not None and self._painter is not None:
            self._colouring = colour(self._scene, self._mode, self._theme, self._executed)
            self._painter.set_colouring(self._colouring)
            self._invalidate()
            self.appearance_changed.emit()

    def _invalidate(self, boxes: NDArray[np.float32] | None = None) -> None:
        self._buffer.invalidate(boxes)
        self._schedule(0)
        self.update()

    def _describe_selection(self, nodes: Iterable[int]) -> None:
        node = next(iter(nodes), -1)
        text = hover_card.sentence(self._scene.graph, node) if self._scene and node >= 0 else ""
        self.setAccessibleDescription(text)

    # --- Where one looks --------------------------------------------------------------------------------------

    def set_camera(self, camera: Camera) -> None:
        """Looks elsewhere, at once."""
        if camera == self._camera:
            return
        if camera.scale != self._camera.scale:
            self._buffer.begin_zoom(self.frame(), self._device_size())
            self._schedule(CRISP_DELAY_MS)
        else:
            self._schedule(0)
        self._camera = camera
        self._changed_view()

    def pan_by(self, dx: float, dy: float) -> None:
        """Moves the scene by logical pixels."""
        self.set_camera(self._bounded(self._camera.panned(dx, dy)))

    def zoom_by(self, factor: float, anchor: QPointF | None = None) -> None:
        """Zooms with a view point staying where it is: the middle unless given."""
        anchor = anchor if anchor is not None else QPointF(self.width() / 2, self.height() / 2)
        self.set_camera(self._camera.zoomed(factor, anchor, self._smallest_scale()))

    def zoom_100(self) -> None:
        """One scene unit a pixel."""
        self.zoom_by(1.0 / self._camera.scale)

    def fit(self) -> None:
        """Shows everything."""
        if self._scene is not None and len(self._scene):
            self.set_camera(fitted(self._scene.bounds, self.width(), self.height()))

    def open_view(self) -> None:
        """A first look: everything if that is readable, else the top of the graph at a readable size."""
        if self._scene is None or not len(self._scene):
            return
        camera = fitted(self._scene.bounds, self.width(), self.height())
        if camera.scale < READABLE_SCALE:
            camera = self._top_camera()
        self.set_camera(camera)

    def fit_selection(self) -> None:
        """Shows all selected nodes."""
        if self._scene is not None and self._marks.selected:
            boxes = self._scene.boxes[self._marks.selected]
            left, top = boxes[:, :2].min(axis=0).tolist()
            right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0).tolist()
            self.set_camera(fitted((left, top, right - left, bottom - top), self.width(), self.height()))

    def reveal(self, node: int) -> None:
        """Pans to a node unless it is in view already; zooms in where boxes are too small to see."""
        if self._scene is None or (item := self._scene.item_of(node)) < 0:
            return
        left, top, width, height = self._scene.box(item)
        place = self._camera.rect_to_view(left, top, width, height)
        camera = self._camera
        if self._scene.unit * camera.scale < 5:
            camera = Camera(READABLE_SCALE)
        elif QRectF(self.rect()).adjusted(8, 8, -8, -8).contains(place):
            return
        self.set_camera(camera.centred(left + width / 2, top + height / 2, self.width(), self.height()))

    def frame(self) -> Frame:
        """The camera in device pixels."""
        ratio = self.devicePixelRatioF()
        scale = self._camera.scale * ratio
        return Frame(scale, round(self._camera.left * scale), round(self._camera.top * scale), ratio)

    def item_at(self, point: QPointF) -> int:
        """The item under a view point, -1 for none."""
        return self._scene.item_at(*self._camera.to_scene(point)) if self._scene is not None else -1

    def node_at(self, point: QPointF) -> int:
        """The node under a view point, -1 for none."""
        return self._scene.node_of(self.item_at(point)) if self._scene is not None else -1

    def overview(self, width: int, height: int) -> QImage:
        """A picture of the whole graph in pixels, width and height scaled apart."""
        if self._painter is None:
            return QImage()
        return self._painter.overview(width, height)

    @property
    def is_crisp(self) -> bool:
        """Whether what is shown is painted at its own scale and up to date."""
        return self._buffer.is_crisp(self.frame(), self._device_size())

    def _top_camera(self) -> Camera:
        """The start of the graph: where its first boxes are, at a size that reads well."""
        assert self._scene is not None
        left, top, width, _ = self._scene.bounds
        scale = min(max((self.width() - 48) / max(width, 1.0), READABLE_SCALE), OPENING_SCALE)
        boxes = self._scene.boxes
        first = boxes[boxes[:, 1] <= top + 2 * self._scene.unit]
        middle = float((first[:, 0] + first[:, 2] / 2).mean()) if len(first) else left + width / 2
        if width * scale <= self.width() - 48:
            middle = left + width / 2
        return Camera(scale, middle - self.width() / 2 / scale, top - 24 / scale)

    def _smallest_scale(self) -> float:
        if self._scene is None or not len(self._scene):
            return MAX_SCALE
        return min(fitted(self._scene.bounds, self.width(), self.height()).scale, self._camera.scale, 1.0) * 0.999

    def _bounded(self, camera: Camera) -> Camera:
        """Keeps a strip of the graph in view."""
        if self._scene is None:
            return camera
        left, top, width, height = self._scene.bounds
        room_x, room_y = (0.8 * self.width() / camera.scale), (0.8 * self.height() / camera.scale)
        x = min(max(camera.left, left - room_x), left + width - self.width() / camera.scale + room_x)
        y = min(max(camera.top, top - room_y), top + height - self.height() / camera.scale + room_y)
        low_x, low_y = left - room_x, top - room_y
        return Camera(camera.scale, max(x, low_x) if width else x, max(y, low_y) if height else y)

    def _device_size(self) -> QSize:
        ratio = self.devicePixelRatioF()
        return QSize(round(self.width() * ratio), round(self.height() * ratio))

    def _changed_view(self) -> None:
        self._hide_card()
        self.update()
        self.view_changed.emit()

    def _schedule(self, delay_ms: int) -> None:
        """The next slice of painting; a zoom under way postpones it."""
        if delay_ms or not self._crisp_timer.isActive():
            self._crisp_timer.start(delay_ms)

    def _on_crisp(self) -> None:
        if not self.isVisible():
            return
        was_crisp = self.is_crisp
        if not self._buffer.advance(self.frame(), self._device_size(), SLICE_S):
            self._crisp_timer.start(0)
        if not was_crisp:
            self.update()

    # --- Pointer and keys -------------------------------------------------------------------------------------

    def cancel_gesture(self) -> None:
        """Ends what the mouse is doing."""
        self._glide.stop()
        self._press = None
        if self._gesture is not None:
            self._gesture.cancel()
            self._gesture = None
            self.unsetCursor()

    def _begin_gesture(self, start: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._gesture = BandGesture(start, self._show_band, self._select_band)
        else:
            self._gesture = PanGesture(start, self.pan_by, self._glide)
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def _show_band(self, band: QRectF | None) -> None:
        ratio = self.devicePixelRatioF()
        self._marks.band = QRectF(band.topLeft() * ratio, band.size() * ratio) if band is not None else None
        self.update()

    def _select_band(self, band: QRectF) -> None:
        if self._scene is None:
            return
        left, top = self._camera.to_scene(band.topLeft())
        right, bottom = self._camera.to_scene(band.bottomRight())
        items = self._scene.box_index.in_rect(left, top, right, bottom)
        self.selection_requested.emit(self._scene.nodes_of(items.tolist()))

    def _click(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        if self._scene is None:
            return
        item = self.item_at(point)
        nodes = self._scene.nodes_of([item]) if item >= 0 else []
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            kept = self._scene.nodes_of(self._marks.selected)
            nodes = [node for node in kept if node not in nodes] if item in self._marks.selected else nodes + kept
        self.selection_requested.emit(nodes)

    def _hover(self, point: QPointF) -> None:
        self._pointer = point
        item = self.item_at(point)
        if item != self._marks.hovered:
            self._marks.hovered = item
            self._hide_card()
            self.node_hovered.emit(self._scene.node_of(item) if self._scene else -1)
            self.update()
        if item >= 0 and not self._card:
            self._hover_timer.start()

    def _on_hover_rest(self) -> None:
        self._card = self._marks.hovered >= 0 and self._gesture is None
        self.update()

    def _hide_card(self) -> None:
        self._hover_timer.stop()
        if self._card:
            self._card = False
            self.update()

    def _walk(self, key: int, extend: bool) -> None:
        if self._scene is None or not len(self._scene):
            return
        if not self._marks.selected:
            item = self._nearest_to_centre()
        else:
            item = walking.step(self._scene, self._marks.selected[0], key)
        nodes = self._scene.nodes_of([item])
        if extend:
            nodes += [node for node in self._scene.nodes_of(self._marks.selected) if node not in nodes]
        self.selection_requested.emit(nodes)
        self.reveal(nodes[0])

    def _nearest_to_centre(self) -> int:
        assert self._scene is not None
        x, y = self._camera.to_scene(QPointF(self.width() / 2, self.height() / 2))
        boxes = self._scene.boxes
        return int(np.hypot(boxes[:, 0] + boxes[:, 2] / 2 - x, boxes[:, 1] + boxes[:, 3] / 2 - y).argmin())

    def _activate(self, item: int) -> None:
        if self._scene is None or item < 0:
            return
        group = self._scene.group_of(item)
        if group >= 0:
            self.group_toggled.emit(self._scene.layout.groups[group].path)
        else:
            self.node_activated.emit(self._scene.node_of(item))

    def _frame_title_at(self, point: QPointF) -> str:
        """Path of the expanded group whose title strip is under a point, the innermost one; empty for none."""
        if self._scene is None:
            return ""
        x, y = self._camera.to_scene(point)
        layout = self._scene.layout
        for frame, group in zip(layout.frames[::-1].tolist(), layout.frame_groups[::-1].tolist(), strict=True):
            left, top, width, _ = frame
            if left <= x <= left + width and top <= y <= top + 22:
                return str(layout.groups[group].path)
        return ""

    # --- Painting ---------------------------------------------------------------------------------------------

    def _paint_scene(self, painter: QPainter) -> None:
        frame, size = self.frame(), self._device_size()
        painter.save()
        # Pictures and marks are in device pixels.
        painter.scale(1 / frame.ratio, 1 / frame.ratio)
        self._buffer.advance_if_quick(frame, size, QUICK_S)
        self._buffer.draw(painter, frame, size)
        if self._overlay is not None:
            self._overlay.paint(painter, frame, QRectF(0, 0, size.width(), size.height()), self._marks)
        painter.restore()
        if self._card and self._scene is not None and self._marks.hovered >= 0:
            lines = hover_card.describe(self._scene, self._marks.hovered)
            hover_card.paint_card(painter, lines, self._pointer, self.size(), self._theme)

    def _paint_message(self, painter: QPainter) -> None:
        font = QFont(self.font())
        font.setPixelSize(15)
        painter.setFont(font)
        painter.setPen(QColor(self._theme.muted_text))
        room = QRectF(self.rect()).adjusted(40, 40, -40, -40)
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, self._message)

    # --- Qt ---------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        """Copies, never waits."""
        painter = QPainter(self)
        painter.setClipRect(event.rect())
        painter.fillRect(event.rect(), QColor(self._theme.background))
        if self._message:
            self._paint_message(painter)
        elif self._scene is not None:
            self._paint_scene(painter)
        painter.end()

    def sizeHint(self) -> QSize:
        """Room for a graph."""
        return QSize(900, 640)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keeps the middle where it is; the first real size opens the view."""
        if self._fit_pending:
            self.open_view()
        elif event.oldSize().isValid():
            grown = event.size() - event.oldSize()
            self.set_camera(self._camera.panned(grown.width() / 2, 0))
        self._schedule(0)

    def showEvent(self, event: QShowEvent) -> None:
        """Opens a graph that was set before there was a size."""
        super().showEvent(event)
        if self._fit_pending:
            self._fit_pending = False
            self.open_view()
        self._schedule(0)

    def changeEvent(self, event: QEvent) -> None:
        """Follows light and dark."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and (theme := theme_for(self.palette())) is not self._theme:
            self._theme = theme
            self._rebuild()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A touchpad pans, a wheel zooms; with Ctrl both zoom."""
        self._glide.stop()
        event.accept()
        pixels = event.pixelDelta()
        if not pixels.isNull() and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.pan_by(pixels.x(), pixels.y())
        elif event.modifiers() & (Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier):
            notches = event.angleDelta().x() + event.angleDelta().y()
            self.pan_by(notches, 0) if event.modifiers() & Qt.KeyboardModifier.AltModifier else self.pan_by(0, notches)
        else:
            self.zoom_by(WHEEL_FACTOR ** (event.angleDelta().y() / 120), event.position())

    def event(self, event: QEvent) -> bool:
        """Pinch on a touchpad."""
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom_by(1.0 + event.value(), event.position())
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Holds a gliding view; a click or drag begins."""
        self.cancel_gesture()
        self._hide_card()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._begin_gesture(event.position(), Qt.KeyboardModifier.NoModifier)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Hovers, or drags."""
        if self._press is not None and (event.position() - self._press).manhattanLength() >= DRAG_START_PX:
            self._begin_gesture(self._press, event.modifiers())
            self._press = None
        if self._gesture is not None:
            self._gesture.move(event.position())
        elif self._press is None:
            self._hover(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends a drag, or clicks."""
        if self._gesture is not None:
            gesture, self._gesture = self._gesture, None
            self.unsetCursor()
            gesture.end()
        elif self._press is not None and event.button() == Qt.MouseButton.LeftButton:
            self._click(self._press, event.modifiers())
        self._press = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Activates a node, toggles a group."""
        item = self.item_at(event.position())
        if item >= 0:
            self._activate(item)
        elif path := self._frame_title_at(event.position()):
            self.group_toggled.emit(path)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Asks the owner for a menu."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            node = self._scene.node_of(self._marks.selected[0]) if self._scene and self._marks.selected else -1
        else:
            node = self.node_at(QPointF(event.pos()))
        self.context_menu_requested.emit(node, event.globalPos())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk, Home fits, Enter activates, plus and minus zoom, Escape cancels."""
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down | Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._walk(event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case Qt.Key.Key_Home:
                self.fit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._activate(self._marks.selected[0] if self._marks.selected else -1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self.zoom_by(KEY_FACTOR)
            case Qt.Key.Key_Minus:
                self.zoom_by(1 / KEY_FACTOR)
            case Qt.Key.Key_0 if control:
                self.zoom_100()
            case Qt.Key.Key_PageDown | Qt.Key.Key_PageUp:
                self.pan_by(0, (-0.9 if event.key() == Qt.Key.Key_PageDown else 0.9) * self.height())
            case Qt.Key.Key_Escape:
                self._escape()
            case _:
                super().keyPressEvent(event)

    def _escape(self) -> None:
        if self._gesture is not None:
            self.cancel_gesture()
        elif self._marks.selected:
            self.selection_requested.emit([])

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is hovered outside."""
        super().leaveEvent(event)
        self._hover_timer.stop()
        self._card = False
        if self._marks.hovered >= 0:
            self._marks.hovered = -1
            self.node_hovered.emit(-1)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """A drag does not outlive the focus."""
        self.cancel_gesture()
        super().focusOutEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Hovers where the pointer came in."""
        super().enterEvent(event)
        self._hover(event.position())
