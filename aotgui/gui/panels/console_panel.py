"""What the script and the engine print."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtGui import QAction, QGuiApplication, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QToolBar, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MARGIN, code_font
from aotgui.gui.session.session import Session

MAX_LINES: Final = 10_000
MAX_CHARACTERS: Final = 2_000_000
"""A script may print a gigabyte, also without a single line end: older text goes."""
MAX_LINE_CHARACTERS: Final = 20_000
"""A longer line is cut into several: laying out one line of a megabyte freezes the window."""

_ANSI: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,200})?\Z")
_LONG_LINE: Final = re.compile(rf"[^\n]{{{MAX_LINE_CHARACTERS}}}(?!\n|\Z)")


class ConsolePanel(QWidget):
    """A bounded log that follows its end until a person scrolls up.

    Attributes:
        text: the log.
        clear_action: empties it.
        copy_action: copies all of it.
        follow_action: whether new text is scrolled into view.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.text = QPlainTextEdit()
        self.clear_action = QAction("Clear", self)
        self.copy_action = QAction("Copy All", self)
        self.follow_action = QAction("Follow", self)
        self._pending = ""
        self._section = ""
        self._set_up_text()
        self._set_up_actions()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._tool_bar())
        layout.addWidget(self.text, 1)
        session.console_text.connect(self._on_console_text)
        session.console_section.connect(self._on_console_section)

    def _set_up_text(self) -> None:
        self.text.setReadOnly(True)
        self.text.setFont(code_font())
        self.text.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.text.setUndoRedoEnabled(False)
        self.text.document().setDocumentMargin(MARGIN)
        self.text.setMaximumBlockCount(MAX_LINES)
        self.text.setPlaceholderText("What the script prints appears here.")
        self.text.setAccessibleName("Console")

    def _set_up_actions(self) -> None:
        self.clear_action.setToolTip("Empty the console")
        self.copy_action.setToolTip("Copy the whole console")
        self.follow_action.setToolTip("Keep the newest line in view")
        self.follow_action.setCheckable(True)
        self.follow_action.setChecked(True)
        self.clear_action.triggered.connect(self.clear)
        self.copy_action.triggered.connect(self.copy)
        self.follow_action.toggled.connect(self._on_follow_toggled)

    def _tool_bar(self) -> QToolBar:
        bar = QToolBar()
        bar.addActions([self.clear_action, self.copy_action, self.follow_action])
        return bar

    def clear(self) -> None:
        """Empty the log."""
        self._pending = ""
        self.text.clear()

    def copy(self) -> None:
        """Put the whole log on the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())

    def _on_console_section(self, title: str) -> None:
        """The next text has a line with the title above it; a run that prints nothing leaves none."""
        self._section = title

    def _on_console_text(self, text: str) -> None:
        plain = self._plain(text)
        if self._section:
            is_in_line = self.text.document().lastBlock().length() > 1
            line_end = "\n" if is_in_line else ""
            plain = f"{line_end}── {self._section} ──\n{plain}"
            self._section = ""
        bar = self.text.verticalScrollBar()
        place = bar.value()
        cursor = QTextCursor(self.text.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        too_long = cursor.block().length() > MAX_LINE_CHARACTERS and not plain.startswith("\n")
        cursor.insertText("\n" + plain if too_long else plain)
        self._drop_oldest()
        bar.setValue(bar.maximum() if self.follow_action.isChecked() else min(place, bar.maximum()))

    def _plain(self, text: str) -> str:
        """Without ANSI codes, also where one is cut in two by the pipe; lines of bearable length."""
        text = self._pending + text
        unfinished = _UNFINISHED.search(text)
        self._pending = unfinished.group() if unfinished else ""
        text = text[: len(text) - len(self._pending)][-MAX_CHARACTERS:]
        text = _ANSI.sub("", text).replace("\r\n", "\n").replace("\r", "\n").replace("\0", "")
        return _LONG_LINE.sub(r"\g<0>\n", text)

    def _drop_oldest(self) -> None:
        excess = self.text.document().characterCount() - MAX_CHARACTERS
        if excess <= 0:
            return
        cursor = QTextCursor(self.text.document())
        cursor.setPosition(excess, QTextCursor.MoveMode.KeepAnchor)
        cursor.removeSelectedText()

    def _on_follow_toggled(self, follow: bool) -> None:
        if follow:
            bar = self.text.verticalScrollBar()
            bar.setValue(bar.maximum())
