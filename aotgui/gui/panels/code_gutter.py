"""The strip beside code: line numbers, how many nodes a line has, which line is next."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPalette, QPolygonF
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import blend, graph_palette, muted_color

if TYPE_CHECKING:
    from aotgui.gui.panels.code_view import CodeView

GUTTER_PADDING: Final = 6
ARROW_WIDTH: Final = 7
"""Room between a line number and the code, for the arrow at the line that is next."""


class LineMark(Enum):
    """Why a line stands out.

    Attributes:
        CURRENT: it is the line of the selected node.
        CALLER: it is further out on that node's stack.
        NEXT: the debugger would run it next.
    """

    CURRENT = 0.28
    CALLER = 0.10
    NEXT = 0.22


class Gutter(QWidget):
    """Line numbers, and how many nodes each line has."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click activates the line."""
        line = self._view.line_at(round(event.position().y()))
        if line:
            self._view.line_activated.emit(line)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The lines that are on screen."""
        painter = QPainter(self)
        colors = self._view.palette()
        base, ink = colors.color(QPalette.ColorRole.Base), muted_color(colors)
        painter.fillRect(event.rect(), blend(base, ink, 0.07))
        painter.setFont(self._view.font())
        for block, box in self._view.visible_blocks():
            if box.intersects(event.rect().adjusted(0, 0, box.width(), 0)):
                self._paint_line(painter, block.blockNumber() + 1, QRect(0, box.top(), self.width(), box.height()), ink)
        painter.end()

    def _paint_line(self, painter: QPainter, line: int, box: QRect, ink: QColor) -> None:
        mark = self._view.marks.get(line)
        if mark:
            painter.fillRect(box, self._view.mark_color(mark))
        if count := self._view.counts.get(line):
            self._paint_count(painter, count, box)
        painter.setPen(ink if mark is None else self._view.palette().color(QPalette.ColorRole.Text))
        room = box.adjusted(0, 0, -GUTTER_PADDING - ARROW_WIDTH // 2, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight, str(line))
        if mark is LineMark.NEXT:
            self._paint_arrow(painter, box)

    def _paint_count(self, painter: QPainter, count: int, box: QRect) -> None:
        colors = graph_palette(self._view)
        metrics = QFontMetrics(painter.font())
        width = max(metrics.horizontalAdvance(str(count)) + GUTTER_PADDING, box.height() - 2)
        place = QRect(GUTTER_PADDING // 2, box.top() + 1, width, box.height() - 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.sides[0]))
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(QColor(colors.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(count))
        painter.restore()

    def _paint_arrow(self, painter: QPainter, box: QRect) -> None:
        middle, size = box.center().y() + 0.5, ARROW_WIDTH * 0.7
        right = box.right() - 1.0
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(graph_palette(self._view).next_node))
        left = right - size
        painter.drawPolygon(
            QPolygonF([QPointF(left, middle - size), QPointF(right, middle), QPointF(left, middle + size)])
        )
        painter.restore()
