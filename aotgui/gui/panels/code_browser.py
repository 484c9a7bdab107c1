"""A code view with a search field that opens on Ctrl+F."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut, QTextCursor, QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from aotgui.gui.panels.code_view import CodeView
from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState

MAX_MATCHES: Final = 2000
"""More are not counted: nobody walks through them, and each costs a highlighted place."""


class SearchBar(QWidget):
    """A field, previous and next, and how many places match.

    Signals:
        text_changed: look for another text.
        step_requested: go to the next (1) or previous (-1) match.
        closed: Escape or the close button.
    """

    text_changed = Signal(str)
    step_requested = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = QLineEdit()
        self.status = QLabel()
        self.field.setPlaceholderText("Find")
        self.field.setAccessibleName("Find in the code")
        self.field.textChanged.connect(self.text_changed)
        self.field.returnPressed.connect(lambda: self.step_requested.emit(1))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(MARGIN, SPACING, MARGIN, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.status)
        layout.addWidget(self._button("▲", "Previous match (Shift+F3)", "Shift+F3", -1))
        layout.addWidget(self._button("▼", "Next match (F3)", "F3", 1))
        close = QToolButton()
        close.setText("✕")
        close.setToolTip("Close the search (Esc)")
        close.setAutoRaise(True)
        close.clicked.connect(self.closed)
        layout.addWidget(close)
        escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self)
        escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        escape.activated.connect(self.closed)

    def _button(self, sign: str, tip: str, shortcut: str, step: int) -> QToolButton:
        button = QToolButton()
        button.setText(sign)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        button.clicked.connect(lambda: self.step_requested.emit(step))
        keys = QShortcut(QKeySequence(shortcut), self)
        keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        keys.activated.connect(lambda: self.step_requested.emit(step))
        return button


class CodeBrowser(QWidget):
    """A code view, its search bar, and an empty state while there is no code.

    Attributes:
        view: the code.
        search: the search bar, hidden until Ctrl+F.
    """

    def __init__(self, empty_text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.view = CodeView()
        self.search = SearchBar()
        self._empty = EmptyState(empty_text)
        self._stack = QStackedWidget()
        self._matches: list[QTextCursor] = []
        self._current = -1
        for page in (self._empty, self.view):
            self._stack.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._stack, 1)
        layout.addWidget(self.search)
        self.search.hide()
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self.open_search)
        self.search.text_changed.connect(self._on_text_changed)
        self.search.step_requested.connect(self.find_next)
        self.search.closed.connect(self.close_search)

    @property
    def is_empty(self) -> bool:
        """Whether there is no code."""
        return self._stack.currentWidget() is self._empty

    @property
    def empty_text(self) -> str:
        """What is said without code."""
        return self._empty.text()

    @property
    def match_count(self) -> int:
        """How many places contain the text looked for."""
        return len(self._matches)

    def set_code(self, text: str, language: str = "python") -> None:
        """Show another text; a search that is open looks through it."""
        self.view.set_code(text, language)
        self._stack.setCurrentWidget(self.view if text else self._empty)
        if not self.search.isHidden():
            self._on_text_changed(self.search.field.text())

    def open_search(self) -> None:
        """Show the search bar, with the selected text in it."""
        if self.is_empty:
            return
        self.search.show()
        if selected := self.view.textCursor().selectedText():
            self.search.field.setText(selected)
        self.search.field.selectAll()
        self.search.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._on_text_changed(self.search.field.text())

    def close_search(self) -> None:
        """Hide the search bar and what it highlighted."""
        self.search.hide()
        self.view.set_matches([])
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def find_next(self, step: int = 1) -> None:
        """Go ``step`` matches on, around the end."""
        if not self._matches:
            return
        self._current = (self._current + step) % len(self._matches)
        self.view.setTextCursor(self._matches[self._current])
        self.view.centerCursor()
        self._show_status()

    def _on_text_changed(self, text: str) -> None:
        self._matches = self._find_all(text)
        self._current = -1
        self.view.set_matches(self._matches)
        self._show_status()
        if self._matches:
            self.find_next()

    def _find_all(self, text: str) -> list[QTextCursor]:
        document: QTextDocument = self.view.document()
        matches: list[QTextCursor] = []
        cursor = document.find(text, 0) if text else QTextCursor()
        while not cursor.isNull() and len(matches) < MAX_MATCHES:
            matches.append(cursor)
            cursor = document.find(text, cursor)
        return matches

    def _show_status(self) -> None:
        if not self.search.field.text():
            self.search.status.setText("")
        elif not self._matches:
            self.search.status.setText("No match")
        else:
            more = "+" if len(self._matches) == MAX_MATCHES else ""
            self.search.status.setText(f"{self._current + 1} of {len(self._matches)}{more}")
