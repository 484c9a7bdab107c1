"""A line that can be clicked: a title and a quieter description below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QStyle, QStyleOptionFocusRect, QWidget

PADDING = 8
RADIUS = 6


class LinkRow(QAbstractButton):
    """A button without a frame; ``clicked`` says that it was chosen.

    Attributes:
        title: first line.
        description: second line.
    """

    def __init__(self, title: str, description: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title = title
        self.description = description
        self.setText(title)
        self.setAccessibleDescription(description)
        self.setToolTip(description)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Two lines of text."""
        return QSize(320, self._lines_height() + 2 * PADDING)

    def minimumSizeHint(self) -> QSize:
        """Narrower than the text, which is elided."""
        return QSize(160, self._lines_height() + 2 * PADDING)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A rounded ground under the pointer, the two lines, and the focus frame."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colors = self.palette()
        if self.underMouse() or self.isDown():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colors.color(QPalette.ColorRole.Midlight))
            painter.drawRoundedRect(self.rect(), RADIUS, RADIUS)
        self._draw_line(painter, self.title, PADDING, QPalette.ColorRole.Link, Qt.TextElideMode.ElideRight)
        second = PADDING + self.fontMetrics().lineSpacing() + 2
        self._draw_line(
            painter, self.description, second, QPalette.ColorRole.PlaceholderText, Qt.TextElideMode.ElideMiddle
        )
        if self.hasFocus():
            option = QStyleOptionFocusRect()
            option.initFrom(self)
            self.style().drawPrimitive(QStyle.PrimitiveElement.PE_FrameFocusRect, option, painter, self)

    def changeEvent(self, event: QEvent) -> None:
        """Paints again in another theme."""
        super().changeEvent(event)
        self.update()

    def _draw_line(
        self, painter: QPainter, text: str, top: int, role: QPalette.ColorRole, mode: Qt.TextElideMode
    ) -> None:
        metrics: QFontMetrics = self.fontMetrics()
        width = self.width() - 2 * PADDING
        painter.setPen(self.palette().color(role))
        painter.drawText(
            PADDING, top, width, metrics.height(), Qt.AlignmentFlag.AlignLeft, metrics.elidedText(text, mode, width)
        )

    def _lines_height(self) -> int:
        return 2 * self.fontMetrics().lineSpacing() + 2
