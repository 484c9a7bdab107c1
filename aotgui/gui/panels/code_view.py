"""A read-only code view with line numbers, marks, highlighted lines and clickable lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Final

from PySide6.QtCore import QEvent, QRect, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPalette,
    QResizeEvent,
    QShowEvent,
    QTextBlock,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from aotgui.gui.panels.code_gutter import ARROW_WIDTH, DOT_ROOM, GUTTER_PADDING, Gutter, LineMark
from aotgui.gui.panels.highlighting import Highlighting
from aotgui.gui.panels.look import blend, code_font, graph_palette, is_dark
from aotgui.model.palette import ORANGE

MAX_MARKS: Final = 500
"""More lines than this do not get a background: each costs time at every repaint. The gutter shows them all."""


class CodeView(QPlainTextEdit):
    """Code to read, not to write.

    Signals:
        line_activated: a line (1-based) was clicked, or Enter or Space was pressed on it.
        breakpoint_toggled: the gutter beside a line (1-based) was clicked, where the view takes breakpoints.
    """

    line_activated = Signal(int)
    breakpoint_toggled = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text, self._language = "", "text"
        self._highlighting = Highlighting("", "text", dark=False)
        self._formatted: set[int] = set()
        self._counts: Mapping[int, int] = {}
        self._marks: Mapping[int, LineMark] = {}
        self._breakpoints: Mapping[int, bool] = {}
        self._takes_breakpoints = False
        self._matches: list[QTextCursor] = []
        self._pressed_line = 0
        self._gutter = Gutter(self)
        self.setReadOnly(True)
        self.setFont(code_font())
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        # A read-only text has no cursor unless it can be selected by keyboard; lines are walked with it.
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._lexing = QTimer(self, interval=0, singleShot=True)
        self._lexing.timeout.connect(self.viewport().update)
        self.updateRequest.connect(self._on_update_request)
        self.blockCountChanged.connect(self._fit_gutter)
        self._fit_gutter()

    @property
    def marks(self) -> Mapping[int, LineMark]:
        """Lines that stand out, 1-based."""
        return self._marks

    @property
    def counts(self) -> Mapping[int, int]:
        """How many nodes each line has, 1-based."""
        return self._counts

    @property
    def breakpoints(self) -> Mapping[int, bool]:
        """Lines (1-based) that one stops at, and whether they are switched on."""
        return self._breakpoints

    @property
    def takes_breakpoints(self) -> bool:
        """Whether a click beside a line sets a breakpoint."""
        return self._takes_breakpoints

    @property
    def dot_room(self) -> int:
        """Pixels at the left of the gutter for dots."""
        return DOT_ROOM if self._takes_breakpoints else 0

    def set_code(self, text: str, language: str = "python") -> None:
        """Show another text; marks and counts of the former one go. The same text stays where it is."""
        self._counts, self._marks, self._matches = {}, {}, []
        if (text, language) != (self._text, self._language):
            self._text, self._language = text, language
            self._restyle()
            self.setPlainText(text)
        self._show_extra_selections()
        self._fit_gutter()

    def set_counts(self, counts: Mapping[int, int]) -> None:
        """Mark the lines that have nodes in the gutter."""
        self._counts = counts
        self._fit_gutter()
        self._gutter.update()

    def set_marks(self, marks: Mapping[int, LineMark]) -> None:
        """Make lines stand out."""
        if marks != self._marks:
            self._marks = marks
            self._show_extra_selections()
            self._gutter.update()

    def set_breakpoints(self, lines: Mapping[int, bool]) -> None:
        """From now on breakpoints can be set beside lines; those given are set, True for switched on."""
        if not self._takes_breakpoints:
            self._takes_breakpoints = True
            self._gutter.setToolTip("Click to stop at this line, or no longer")
            self._fit_gutter()
        if lines != self._breakpoints:
            self._breakpoints = dict(lines)
            self._gutter.update()

    def set_matches(self, matches: list[QTextCursor]) -> None:
        """Make found texts stand out."""
        self._matches = matches
        self._show_extra_selections()

    def show_line(self, line: int) -> None:
        """Bring a line (1-based) into view, in the middle where it was outside."""
        block = self.document().findBlockByNumber(line - 1)
        if not block.isValid():
            return
        visible = self._is_visible(block)
        cursor = QTextCursor(block)
        self.setTextCursor(cursor)
        if not visible:
            self.centerCursor()
        self.horizontalScrollBar().setValue(0)

    def current_line(self) -> int:
        """The line (1-based) that the text cursor is in."""
        return self.textCursor().blockNumber() + 1

    def gutter_width(self) -> int:
        """Pixels: padding, room for a count, the longest line number."""
        metrics = self.fontMetrics()
        numbers = metrics.horizontalAdvance("9" * max(2, len(str(self.blockCount()))))
        return self.dot_room + numbers + self._mark_width() + 3 * GUTTER_PADDING + ARROW_WIDTH // 2

    def _mark_width(self) -> int:
        most = max(self._counts.values(), default=0)
        return self.fontMetrics().horizontalAdvance("9" * max(2, len(str(most)))) + GUTTER_PADDING

    def visible_blocks(self) -> Iterator[tuple[QTextBlock, QRect]]:
        """The lines on screen and where they are in the viewport."""
        block = self.firstVisibleBlock()
        bottom = self.viewport().height()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset()).toAlignedRect()
            if box.top() > bottom:
                return
            if block.isVisible():
                yield block, box
            block = block.next()

    def line_at(self, y: int) -> int:
        """The line (1-based) at a height in the viewport; 0 for none."""
        for block, box in self.visible_blocks():
            if box.top() <= y <= box.bottom():
                return block.blockNumber() + 1
        return 0

    def _is_visible(self, wanted: QTextBlock) -> bool:
        inside = self.viewport().rect()
        return any(block == wanted and inside.contains(0, box.bottom()) for block, box in self.visible_blocks())

    def _restyle(self) -> None:
        self._highlighting = Highlighting(self._text, self._language, dark=is_dark(self.palette()))
        self._formatted = set()

    def _format_visible(self) -> None:
        blocks = [block for block, _ in self.visible_blocks()]
        if blocks and not self._highlighting.advance(blocks[-1].blockNumber()):
            self._lexing.start()
        for block in blocks:
            number = block.blockNumber()
            if number not in self._formatted and self._highlighting.knows(number):
                self._formatted.add(number)
                block.layout().setFormats(self._highlighting.line(number))
                self.document().markContentsDirty(block.position(), block.length())

    def _fit_gutter(self) -> None:
        width = self.gutter_width()
        self.setViewportMargins(width, 0, 0, 0)
        inside = self.contentsRect()
        self._gutter.setGeometry(QRect(inside.left(), inside.top(), width, inside.height()))

    def _on_update_request(self, area: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, area.y(), self._gutter.width(), area.height())

    def _show_extra_selections(self) -> None:
        marks = itertools.islice(self._marks.items(), MAX_MARKS)
        shown = [self._line_selection(line, mark) for line, mark in marks]
        ink = graph_palette(self)
        fill = blend(self.palette().color(QPalette.ColorRole.Base), QColor(ORANGE), 0.45)
        for cursor in self._matches:
            found = QTextEdit.ExtraSelection()
            found.cursor = cursor
            found.format.setBackground(fill)
            found.format.setForeground(QColor(ink.text))
            shown.append(found)
        self.setExtraSelections(shown)

    def _line_selection(self, line: int, mark: LineMark) -> QTextEdit.ExtraSelection:
        found = QTextEdit.ExtraSelection()
        found.cursor = QTextCursor(self.document().findBlockByNumber(line - 1))
        found.format.setBackground(self.mark_color(mark))
        found.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return found

    def mark_color(self, mark: LineMark) -> QColor:
        """The background of a line that stands out."""
        colors = graph_palette(self)
        over = colors.next_node if mark is LineMark.NEXT else colors.selection
        return blend(self.palette().color(QPalette.ColorRole.Base), QColor(over), mark.value)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Format what comes into view, then paint."""
        self._format_visible()
        super().paintEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The gutter is as high as the view."""
        super().resizeEvent(event)
        self._fit_gutter()

    def showEvent(self, event: QShowEvent) -> None:
        """The line that was shown while nobody could see it is in view."""
        super().showEvent(event)
        if not self._is_visible(self.textCursor().block()):
            self.centerCursor()

    def changeEvent(self, event: QEvent) -> None:
        """Another theme or font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._restyle()
            self._show_extra_selections()
            self.viewport().update()
        elif event.type() == QEvent.Type.FontChange:
            self._fit_gutter()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember the line: a click ends where it began."""
        self._pressed_line = self.line_at(round(event.position().y()))
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click without a selection activates its line."""
        super().mouseReleaseEvent(event)
        line = self.line_at(round(event.position().y()))
        clicked = event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection()
        if clicked and line and line == self._pressed_line:
            self.line_activated.emit(line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter and Space activate the line of the cursor."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.line_activated.emit(self.current_line())
            return
        super().keyPressEvent(event)
