"""A line that can be clicked: a title and a quieter description below it."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QStyleOptionFocusRect, QWidget

PADDING: Final = 8
RADIUS: Final = 6
MAX_LINES: Final = 3
_WRAPPED: Final = Qt.TextFlag.TextWordWrap.value | Qt.AlignmentFlag.AlignLeft.value


class LinkRow(QAbstractButton):
    """A button without a frame; ``clicked`` says that it was chosen.

    Attributes:
        title: first line.
        description: below it, wrapped if it is a sentence, shortened in its middle if it is a path.
    """

    def __init__(self, title: str, description: str, *, wraps: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.description = description
        self._wraps = wraps
        self.setText(title)
        self.setAccessibleDescription(description)
        self.setToolTip("" if wraps else description)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def sizeHint(self) -> QSize:
        """Wide enough for a short sentence."""
        return QSize(320, self.heightForWidth(320))

    def minimumSizeHint(self) -> QSize:
        """Narrower than the text."""
        return QSize(160, self.heightForWidth(max(self.width(), 160)))

    def hasHeightForWidth(self) -> bool:
        """A wrapped sentence is the higher the narrower it is."""
        return True

    def heightForWidth(self, width: int) -> int:
        """The title and the lines of the description."""
        return self._description_box(width).bottom() + 1 + PADDING

    def paintEvent(self, event: QPaintEvent) -> None:
        """A rounded ground under the pointer, the texts, and the focus frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().color(QPalette.ColorRole.Midlight))
            painter.drawRoundedRect(self.rect(), RADIUS, RADIUS)
        self._paint_texts(painter)
        if self.hasFocus():
            option = QStyleOptionFocusRect()
            option.initFrom(self)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)

    def changeEvent(self, event: QEvent) -> None:
        """Paints again in another theme."""
        super().changeEvent(event)
        self.update()

    def _paint_texts(self, painter: QPainter) -> None:
        box = self._description_box(self.width())
        metrics = self.fontMetrics()
        painter.setPen(self.palette().color(QPalette.ColorRole.Link))
        title = metrics.elidedText(self.title, Qt.TextElideMode.ElideRight, box.width())
        painter.drawText(QRect(PADDING, PADDING, box.width(), metrics.height()), Qt.AlignmentFlag.AlignLeft, title)
        painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(box, _WRAPPED, self._description_text(box.width()))

    def _description_text(self, width: int) -> str:
        if self._wraps:
            return self.description
        return self.fontMetrics().elidedText(self.description, Qt.TextElideMode.ElideMiddle, width)

    def _description_box(self, width: int) -> QRect:
        metrics = self.fontMetrics()
        top = PADDING + metrics.lineSpacing() + 2
        room = QRect(PADDING, top, width - 2 * PADDING, metrics.lineSpacing() * MAX_LINES)
        lines = metrics.boundingRect(room, _WRAPPED, self._description_text(room.width()))
        return QRect(room.topLeft(), QSize(room.width(), max(lines.height(), metrics.height())))
