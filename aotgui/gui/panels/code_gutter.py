"""The strip beside code: line numbers, how many nodes a line has, which line is next, where one stops."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QPolygonF
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


DOT_ROOM: Final = 14
"""Pixels at the left for the dot of a breakpoint."""
DOT_RADIUS: Final = 4.5
_OFFERED: Final = 0.35
"""Opacity of the dot that a click would set."""


class Gutter(QWidget):
    """Line numbers, how many nodes each line has, and in a code view that takes them the dots of breakpoints."""

    def __init__(self, view: CodeView) -> None:
        super().__init__(view)
        self._view = view
        self._hovered = 0
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setMouseTracking(True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """The line under the pointer offers a breakpoint."""
        self._hover(self._view.line_at(round(event.position().y())))

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is offered outside."""
        super().leaveEvent(event)
        self._hover(0)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """The click ends here too."""
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click sets or removes a breakpoint where the view takes some, and else activates the line."""
        line = self._view.line_at(round(event.position().y()))
        if line and self._view.takes_breakpoints:
            self._view.breakpoint_toggled.emit(line)
        elif line:
            self._view.line_activated.emit(line)

    def _hover(self, line: int) -> None:
        if line != self._hovered:
            self._hovered = line
            self.update()

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
        self._paint_dot(painter, line, box)
        painter.setPen(ink if mark is None else self._view.palette().color(QPalette.ColorRole.Text))
        room = box.adjusted(0, 0, -GUTTER_PADDING - ARROW_WIDTH // 2, 0)
        painter.drawText(room, Qt.AlignmentFlag.AlignRight, str(line))
        if mark is LineMark.NEXT:
            self._paint_arrow(painter, box)

    def _paint_count(self, painter: QPainter, count: int, box: QRect) -> None:
        colors = graph_palette(self._view)
        metrics = QFontMetrics(painter.font())
        width = max(metrics.horizontalAdvance(str(count)) + GUTTER_PADDING, box.height() - 2)
        left = GUTTER_PADDING // 2 + self._view.dot_room
        place = QRect(left, box.top() + 1, width, box.height() - 2)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.sides[0]))
        painter.drawRoundedRect(place, 4, 4)
        painter.setPen(QColor(colors.text))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, str(count))
        painter.restore()

    def _paint_dot(self, painter: QPainter, line: int, box: QRect) -> None:
        """Full: a breakpoint; hollow: one that is switched off; faint: what a click would set."""
        is_set = line in self._view.breakpoints
        if not is_set and not (self._view.takes_breakpoints and line == self._hovered):
            return
        colour = QColor(graph_palette(self._view).breakpoint)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setOpacity(1.0 if is_set else _OFFERED)
        painter.setPen(QPen(colour, 1.5))
        is_full = not is_set or self._view.breakpoints[line]
        painter.setBrush(colour if is_full else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(DOT_ROOM / 2 + 1, box.center().y() + 0.5), DOT_RADIUS, DOT_RADIUS)
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
