"""What mouse, wheel and keys do in a graph view: translates events into calls of the view's own methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent

from aotgui.gui.canvas import walking
from aotgui.gui.canvas.gestures import WHEEL_NOTCH, BandGesture, Gesture, Glide, PanGesture, wheel_pan

if TYPE_CHECKING:
    from aotgui.gui.canvas.graph_view import GraphView

WHEEL_FACTOR: Final = 1.2
KEY_FACTOR: Final = 1.25
PAGE_SHARE: Final = 0.9
HOVER_DELAY_MS: Final = 350
DRAG_START_PX: Final = 4


class Interaction(QObject):
    """The hands of one view.

    Attributes:
        pointer: last place of the pointer, view pixels.
        shows_card: whether the pointer has rested on a box long enough for its card.
        clicked_sign: whether the last click opened or closed a group by its sign.
    """

    def __init__(self, view: GraphView) -> None:
        super().__init__(view)
        self.pointer = QPointF()
        self.shows_card = False
        self.clicked_sign = False
        self._view = view
        self._gesture: Gesture | None = None
        self._press: QPointF | None = None
        self._glide = Glide(view.pan_by, self)
        self._rest_timer = QTimer(self)
        self._rest_timer.setSingleShot(True)
        self._rest_timer.setInterval(HOVER_DELAY_MS)
        self._rest_timer.timeout.connect(self._on_rest)

    @property
    def is_gliding(self) -> bool:
        """Whether a thrown view still moves."""
        return self._glide.is_active

    def cancel(self) -> bool:
        """Ends what the mouse is doing; whether there was a drag."""
        self._glide.stop()
        self._press = None
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            gesture.cancel()
            self._view.unsetCursor()
        return gesture is not None

    def hide_card(self) -> None:
        """The card goes; it comes back when the pointer rests again."""
        self._rest_timer.stop()
        if self.shows_card:
            self.shows_card = False
            self._view.update()

    # --- Mouse ------------------------------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> None:
        """Holds a gliding view; a click or a drag begins."""
        self.cancel()
        self.hide_card()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._begin(event.position(), Qt.KeyboardModifier.NoModifier)
        elif event.button() == Qt.MouseButton.LeftButton:
            self._press = event.position()

    def move(self, event: QMouseEvent) -> None:
        """Hovers, or drags."""
        if self._press is not None and (event.position() - self._press).manhattanLength() >= DRAG_START_PX:
            self._begin(self._press, event.modifiers())
            self._press = None
        if self._gesture is not None:
            self._gesture.move(event.position())
        elif self._press is None:
            self.hover(event.position())

    def release(self, event: QMouseEvent) -> None:
        """Ends a drag, or clicks."""
        press, self._press = self._press, None
        gesture, self._gesture = self._gesture, None
        if gesture is not None:
            self._view.unsetCursor()
            gesture.end()
        elif press is not None and event.button() == Qt.MouseButton.LeftButton:
            self._click(press, event.modifiers())

    def hover(self, point: QPointF) -> None:
        """The pointer is at ``point`` with no button pressed."""
        self.pointer = point
        item = self._view.item_at(point)
        hit = self._view.group_at(point)
        on_title = hit is not None and (hit.on_sign or hit.is_open)
        caption = self._view.caption_at(point)
        self._point_at(on_title or caption is not None)
        if item != self._view.marks.hovered:
            self.hide_card()
        self._view.set_hovered(item, caption)
        if item >= 0 and not self.shows_card:
            self._rest_timer.start()

    def leave(self) -> None:
        """The pointer is elsewhere."""
        self.hide_card()
        self._view.set_hovered(-1)

    def wheel(self, event: QWheelEvent) -> None:
        """A touchpad pans, a wheel zooms; with Ctrl both zoom, with Shift a wheel pans."""
        self._glide.stop()
        event.accept()
        pan = wheel_pan(event)
        if pan is not None:
            self._view.pan_by(pan.x(), pan.y())
        else:
            self._view.zoom_by(WHEEL_FACTOR ** (event.angleDelta().y() / WHEEL_NOTCH), event.position())

    def _begin(self, start: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._gesture = BandGesture(start, self._view.show_band, self._select_band)
        else:
            self._gesture = PanGesture(start, self._view.pan_by, self._glide)
            self._view.setCursor(Qt.CursorShape.ClosedHandCursor)

    def _point_at(self, link: bool) -> None:
        shape = Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.ArrowCursor
        if self._view.cursor().shape() is not shape:
            self._view.setCursor(shape)

    def _on_rest(self) -> None:
        self.shows_card = self._view.marks.hovered >= 0 and self._gesture is None
        self._view.update()

    def _select_band(self, band: QRectF) -> None:
        scene, camera = self._view.scene, self._view.camera
        if scene is not None:
            items = scene.box_index.in_rect(*camera.to_scene(band.topLeft()), *camera.to_scene(band.bottomRight()))
            self._view.selection_requested.emit(scene.nodes_of(self._view.states.shown(items).tolist()))

    def _click(self, point: QPointF, modifiers: Qt.KeyboardModifier) -> None:
        scene = self._view.scene
        if scene is None:
            return
        hit = self._view.group_at(point)
        self.clicked_sign = hit is not None and hit.on_sign
        if hit is not None and hit.on_sign:
            self._view.toggle(hit.group, hit.place)
            return
        if ends := self._view.cut_ends_at(point):
            self._view.selection_requested.emit(ends)
            self._view.reveal(ends[0])
            return
        item = self._view.item_at(point)
        nodes = scene.nodes_of([item]) if item >= 0 else []
        if hit is not None and hit.is_open:
            nodes = scene.layout.groups[hit.group].nodes.tolist()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            selected = self._view.marks.selected
            kept = scene.nodes_of(selected)
            nodes = [node for node in kept if node not in nodes] if item in selected else nodes + kept
        self._view.selection_requested.emit(nodes)

    # --- Keys -------------------------------------------------------------------------------------------------

    def key(self, event: QKeyEvent) -> bool:
        """Arrows walk, Home fits, Enter activates, with Shift closes, plus and minus zoom, Escape cancels.

        False for other keys.
        """
        view = self._view
        selected = view.marks.selected
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down | Qt.Key.Key_Left | Qt.Key.Key_Right:
                self._walk(event.key(), extend=bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
            case Qt.Key.Key_Home:
                view.fit()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                view.close_around(selected[0] if selected else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                view.activate(selected[0] if selected else -1)
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                view.zoom_by(KEY_FACTOR)
            case Qt.Key.Key_Minus:
                view.zoom_by(1 / KEY_FACTOR)
            case Qt.Key.Key_0:
                view.zoom_100()
            case Qt.Key.Key_PageDown | Qt.Key.Key_PageUp:
                sign = -1 if event.key() == Qt.Key.Key_PageDown else 1
                view.pan_by(0, sign * PAGE_SHARE * view.height())
            case Qt.Key.Key_Escape:
                if not self.cancel():
                    view.selection_requested.emit([])
            case _:
                return False
        return True

    def _walk(self, key: int, *, extend: bool) -> None:
        scene, selected = self._view.scene, self._view.marks.selected
        if scene is None or not len(scene):
            return
        item = walking.step(scene, selected[0], key, self._view.states) if selected else self._view.nearest_to_middle()
        if item < 0:
            return
        nodes = scene.nodes_of([item])
        if extend:
            nodes += [node for node in scene.nodes_of(selected) if node not in nodes]
        self._view.selection_requested.emit(nodes)
        self._view.reveal(nodes[0])
