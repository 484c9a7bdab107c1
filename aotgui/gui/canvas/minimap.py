"""The whole graph in a corner, with a frame around what the view shows."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QWidget

from aotgui.gui.canvas.graph_view import GraphView

MAX_SIZE: Final = QSize(180, 240)
MAX_SHARE: Final = 0.34
"""Of the view's width and height; an overview must not hide what it is an overview of."""
MIN_SIDE: Final = 56
BORDER: Final = 5
MARGIN: Final = 12
SMALL_VIEW: Final = QSize(560, 400)
"""In a view that is smaller in either direction the overview would always lie upon something."""
LINGER_MS: Final = 1200
"""How long it stays there once the view rests."""


class Minimap(QWidget):
    """Lies in the lower right corner of a view; a click or drag looks there.

    In a small view it comes when the view moves, and goes when that and the pointer have rested for a while.

    Width and height are scaled apart where a graph is so tall or wide that nothing would be seen otherwise.
    """

    def __init__(self, view: GraphView) -> None:
        super().__init__(view)
        self._view = view
        self._picture: QPixmap | None = None
        self._wanted = True
        self._linger = QTimer(self)
        self._linger.setSingleShot(True)
        self._linger.setInterval(LINGER_MS)
        self._linger.timeout.connect(self._take_place)
        self.setAccessibleName("Overview of the graph")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        view.appearance_changed.connect(self._on_appearance_changed)
        view.dimming_changed.connect(self._on_appearance_changed)
        view.view_changed.connect(self._on_view_changed)

    def set_wanted(self, wanted: bool) -> None:
        """Whether a person wants an overview; it shows where it helps."""
        self._wanted = wanted
        self._take_place()

    def _on_appearance_changed(self) -> None:
        self._picture = None
        self._take_place()
        self.update()

    def _on_view_changed(self) -> None:
        if self._is_cramped:
            self._linger.start()
        self._take_place()
        self.update()

    def _take_place(self) -> None:
        size = self._wanted_size()
        place = QPointF(self._view.width() - size.width() - MARGIN, self._view.height() - size.height() - MARGIN)
        self.setGeometry(round(place.x()), round(place.y()), size.width(), size.height())
        self.setVisible(self._is_useful() and (not self._is_cramped or self._linger.isActive() or self.underMouse()))

    @property
    def _is_cramped(self) -> bool:
        size = self._view.size()
        return size.width() < SMALL_VIEW.width() or size.height() < SMALL_VIEW.height()

    def _is_useful(self) -> bool:
        return self._wanted and self._view.scene is not None and not self._view.message and not self._sees_all()

    def _sees_all(self) -> bool:
        """Whether the view shows the whole graph, so that nobody needs an overview."""
        assert self._view.scene is not None
        left, top, width, height = self._view.scene.bounds
        x0, y0, x1, y1 = self._view.camera.scene_rect(self._view.width(), self._view.height())
        return x0 <= left and y0 <= top and x1 >= left + width and y1 >= top + height

    def _wanted_size(self) -> QSize:
        scene = self._view.scene
        if scene is None:
            return QSize(MIN_SIDE, MIN_SIDE)
        _, _, width, height = scene.bounds
        most = MAX_SIZE.boundedTo(self._view.size() * MAX_SHARE)
        factor = min(most.width() / max(width, 1.0), most.height() / max(height, 1.0))
        return QSize(max(round(width * factor), MIN_SIDE), max(round(height * factor), MIN_SIDE))

    def _room(self) -> QRectF:
        return QRectF(self.rect()).adjusted(BORDER, BORDER, -BORDER, -BORDER)

    def _factors(self) -> tuple[float, float]:
        assert self._view.scene is not None
        _, _, width, height = self._view.scene.bounds
        return self._room().width() / max(width, 1.0), self._room().height() / max(height, 1.0)

    def _frame(self) -> QRectF:
        """What the view shows, in our pixels."""
        assert self._view.scene is not None
        left, top, right, bottom = self._view.camera.scene_rect(self._view.width(), self._view.height())
        x0, y0, _, _ = self._view.scene.bounds
        fx, fy = self._factors()
        room = self._room()
        frame = QRectF((left - x0) * fx, (top - y0) * fy, (right - left) * fx, (bottom - top) * fy)
        frame.translate(room.topLeft())
        return _at_least(frame.intersected(room), 5.0)

    def _look_at(self, point: QPointF) -> None:
        if self._view.scene is None:
            return
        x0, y0, _, _ = self._view.scene.bounds
        fx, fy = self._factors()
        x, y = x0 + (point.x() - BORDER) / fx, y0 + (point.y() - BORDER) / fy
        self._view.set_camera(self._view.camera.centred(x, y, self._view.width(), self._view.height()))

    def _draw_picture(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        room = self._room().size() * ratio
        image: QImage = self._view.overview(max(round(room.width()), 1), max(round(room.height()), 1))
        picture = QPixmap.fromImage(image)
        picture.setDevicePixelRatio(ratio)
        return picture

    def paintEvent(self, event: QPaintEvent) -> None:
        """The picture and the frame."""
        if self._view.scene is None:
            return
        theme = self._view.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.card_border), 1))
        painter.setBrush(QColor(theme.card_fill))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6)
        if self._picture is None or self._picture.devicePixelRatio() != self.devicePixelRatioF():
            self._picture = self._draw_picture()
        painter.drawPixmap(self._room().topLeft(), self._picture)
        inside = QColor(theme.accent)
        inside.setAlphaF(0.12)
        painter.setPen(QPen(QColor(theme.accent), 1.5))
        painter.setBrush(inside)
        painter.drawRoundedRect(self._frame(), 2, 2)
        painter.end()

    def leaveEvent(self, event: QEvent) -> None:
        """The pointer let go of it."""
        super().leaveEvent(event)
        self._on_view_changed()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Looks there."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._look_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Follows the pointer."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._look_at(event.position())


def _at_least(rect: QRectF, size: float) -> QRectF:
    """A rectangle of at least ``size`` on each side, around the same centre."""
    grow_x, grow_y = max(size - rect.width(), 0.0) / 2, max(size - rect.height(), 0.0) / 2
    return rect.adjusted(-grow_x, -grow_y, grow_x, grow_y)
