"""The graph on the screen, with what mouse and keys do to it.

One widget in three layers: ``picture_view`` paints, ``camera_view`` looks, and this one has hands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QEnterEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from aotgui.gui.canvas import frame_titles, hover_card
from aotgui.gui.canvas.camera_view import CameraView
from aotgui.gui.canvas.captions import Caption
from aotgui.gui.canvas.group_clicks import GroupHit, group_at
from aotgui.gui.canvas.interaction import Interaction
from aotgui.gui.canvas.moving import Moment, Moving
from aotgui.gui.canvas.scene import Scene
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph

QUICK_S: Final = 0.003
"""What may be painted within a frame."""


class GraphView(CameraView):
    """Shows one graph.

    Signals:
        selection_requested: list of node indexes, the current one first.
        node_hovered: node index under the pointer, -1 for none.
        node_activated: node index, by double click or Enter.
        group_toggled: path and side of a group to be opened or closed, and where in the view it should stay.
        context_menu_requested: node index (-1 beside boxes) and global position.
        group_menu_requested: index of a group, where in the view it should stay, and global position.

    Attributes:
        more_of: further lines for the card of a node, by its index.
    """

    selection_requested = Signal(list)
    node_hovered = Signal(int)
    node_activated = Signal(int)
    group_toggled = Signal(str, int, QPointF)
    context_menu_requested = Signal(int, QPoint)
    group_menu_requested = Signal(int, QPointF, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(160, 120)
        self.setAccessibleName("Graph")
        self.more_of: Callable[[int], list[str]] = lambda _node: []
        self._hands = Interaction(self)
        self._moving = Moving(self)
        self.view_changed.connect(self._hands.hide_card)
        self.view_changed.connect(self._moving.stop)
        self.appearance_changed.connect(self._moving.stop)

    def card_lines(self, item: int) -> list[str]:
        """The lines of an item's card, the title first."""
        if self.scene is None:
            return []
        node = self.scene.node_of(item)
        return hover_card.describe(self.scene, item) + (self.more_of(node) if node >= 0 else [])

    def set_graph(
        self,
        graph: Graph | None,
        layout: Layout | None,
        *,
        keep_view: bool = False,
        edge_texts: Sequence[str] | None = None,
        saved_bytes: Mapping[int, int] | None = None,
    ) -> None:
        """Shows a graph; a drag does not go on in it."""
        self._hands.cancel()
        super().set_graph(graph, layout, keep_view=keep_view, edge_texts=edge_texts, saved_bytes=saved_bytes)

    def set_hovered(self, item: int, caption: Caption | None = None) -> None:
        """The item under the pointer, -1 for none, or the caption of cut edges; cut edges of either are seen whole."""
        is_other = item != self.marks.hovered
        if item >= 0 and not is_other:
            return
        edges = self._cut_edges_of(item) if caption is None else caption.edges.tolist()
        if is_other or edges != self.marks.hovered_edges:
            self.marks.hovered, self.marks.hovered_edges = item, edges
            self.update()
        if is_other:
            self.node_hovered.emit(self.scene.node_of(item) if self.scene is not None else -1)

    def _cut_edges_of(self, item: int) -> list[int]:
        if self.scene is None or item < 0:
            return []
        edges = self.scene.stubs(np.concatenate([self.scene.edges_into(item), self.scene.edges_from(item)]))
        shown: list[int] = edges[self.states.shown_edges(edges, self.scene.layout)].tolist()
        return shown

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

    # --- What is under the pointer ----------------------------------------------------------------------------

    def item_at(self, point: QPointF) -> int:
        """The item under a view point, -1 for none."""
        item = self.scene.item_at(*self._camera.to_scene(point)) if self.scene is not None else -1
        return -1 if item >= 0 and self.states.hidden is not None and self.states.hidden[item] else item

    def caption_at(self, point: QPointF) -> Caption | None:
        """The caption of cut edges under a view point."""
        if self.scene is None or self.item_at(point) >= 0:
            return None
        return self._picture.caption_at(*self._camera.to_scene(point), self._camera.scale)

    def cut_ends_at(self, point: QPointF) -> list[int]:
        """The nodes that the caption of a cut edge under a view point leads to."""
        caption = self.caption_at(point)
        return self.scene.nodes_of(caption.items.tolist()) if self.scene is not None and caption is not None else []

    def node_at(self, point: QPointF) -> int:
        """The node under a view point, -1 for none."""
        return self.scene.node_of(self.item_at(point)) if self.scene is not None else -1

    @property
    def is_moving(self) -> bool:
        """Whether boxes are on their way to where they belong."""
        return self._moving.is_active

    def moment(self) -> Moment | None:
        """What is shown, to move from there to what is shown next; None where nothing can be or is to be moved."""
        if self.scene is None or self._message or not self.isVisible() or not self._moving.is_wanted:
            return None
        frame, size = self.frame(), self._device_size()
        picture = QPixmap(size)
        picture.fill(QColor(self.theme.background))
        painter = QPainter(picture)
        self._picture.paint(painter, frame, size)
        painter.end()
        picture.setDevicePixelRatio(frame.ratio)
        return Moment(self.scene, self._camera, picture)

    def move_from(self, before: Moment) -> None:
        """Lets boxes move from where they were to where they are, as soon as all of the view is painted."""
        self._moving.wait(before)
        self._go_on()

    def _go_on(self) -> None:
        if self._moving.is_waiting and self.is_crisp and (now := self.moment()) is not None:
            self._moving.go(now)

    def _on_crisp_timeout(self) -> None:
        super()._on_crisp_timeout()
        self._go_on()

    @property
    def is_gliding(self) -> bool:
        """Whether a thrown view still moves."""
        return self._hands.is_gliding

    @property
    def shows_card(self) -> bool:
        """Whether the card of the hovered box is shown."""
        return self._hands.shows_card

    def group_at(self, point: QPointF) -> GroupHit | None:
        """The group whose box or title is under a view point."""
        return group_at(self.scene, self._camera, self.size(), point, self.states) if self.scene is not None else None

    # --- Painting ---------------------------------------------------------------------------------------------

    def _paint_scene(self, painter: QPainter, scene: Scene) -> None:
        frame, size = self.frame(), self._device_size()
        self.buffer.advance_if_quick(frame, size, QUICK_S)
        if self._moving.is_active or self._moving.is_waiting:
            self._moving.paint(painter, self.theme)
        else:
            painter.save()
            painter.scale(1 / frame.ratio, 1 / frame.ratio)
            self._picture.paint(painter, frame, size)
            painter.restore()
        titles = frame_titles.titles_in(scene, self._camera, self.size(), self.states.hidden_frames)
        frame_titles.paint_sticky(painter, titles, scene, self.theme)
        if self._hands.shows_card and self.marks.hovered >= 0:
            lines = self.card_lines(self.marks.hovered)
            hover_card.paint_card(painter, lines, self._hands.pointer, self.size(), self.theme)

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
        """Activates a node, toggles a group; what its sign did with the first click stays done, wherever it is now."""
        if self._hands.clicked_sign:
            return
        hit = self.group_at(event.position())
        if hit is None:
            self.activate(self.item_at(event.position()))
        else:
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
