"""The line above the graphs in which a person searches."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QPoint, QSignalBlocker, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPalette
from PySide6.QtWidgets import QCompleter, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget

from aotgui.gui.panels.look import MARGIN, SPACING, graph_palette
from aotgui.gui.panels.search_help import SearchHelp
from aotgui.gui.session.search import Search
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind

TYPING_MS: Final = 80
"""How long the keys must rest before the search follows."""
MAX_HISTORY: Final = 30
PLACEHOLDER: Final = "Search nodes: relu, op:mm fate:saved bytes>1MB"


class SearchField(QLineEdit):
    """A line with the keys of a search.

    Signals:
        next_requested: Enter was pressed.
        previous_requested: Shift+Enter was pressed.
        closed: Escape was pressed.
    """

    next_requested = Signal()
    previous_requested = Signal()
    closed = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter, Shift+Enter, Escape, and Down for earlier searches; everything else is typed."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            (self.previous_requested if back else self.next_requested).emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        elif event.key() == Qt.Key.Key_Down:
            self.completer().setCompletionPrefix(self.text())
            self.completer().complete()
        else:
            super().keyPressEvent(event)


class SearchBar(QWidget):
    """Field, count, buttons and help of a ``Search``; hidden until it is opened.

    Signals:
        closed: the person is done; the graph may have the keyboard back.
        history_changed: the earlier searches, the newest first.

    Attributes:
        search: the truth.
        field: what is typed.
        status: how many nodes are found, or what is wrong with the query.
        help: explains the keys.
    """

    closed = Signal()
    history_changed = Signal(object)

    def __init__(self, session: Session, search: Search, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search = search
        self._session = session
        self.field = SearchField()
        self.status = QLabel()
        self.help = SearchHelp(self)
        self._history = QStringListModel(self)
        self._typing = QTimer(self, interval=TYPING_MS, singleShot=True)
        self._set_up_field()
        self._set_up_layout()
        self._connect()
        self._on_changed()
        self.hide()

    def open(self) -> None:
        """Shows the bar with its text selected, ready to type."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def close_search(self) -> None:
        """Searches for nothing and hides the bar."""
        self._remember()
        self.field.clear()
        self._apply()
        self.hide()
        self.closed.emit()

    def go_next(self) -> None:
        """To the next match of what is typed."""
        self._apply()
        self._remember()
        self.search.go_next()

    def go_previous(self) -> None:
        """To the previous match of what is typed."""
        self._apply()
        self._remember()
        self.search.go_previous()

    @property
    def history(self) -> tuple[str, ...]:
        """Earlier searches, the newest first."""
        return tuple(self._history.stringList())

    def set_history(self, searches: Iterable[str]) -> None:
        """Offers these while typing."""
        self._history.setStringList(list(searches)[:MAX_HISTORY])

    # --- Building ---------------------------------------------------------------------------------------------

    def _set_up_field(self) -> None:
        self.field.setPlaceholderText(PLACEHOLDER)
        self.field.setClearButtonEnabled(True)
        self.field.setAccessibleName("Search nodes")
        completer = QCompleter(self._history, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.field.setCompleter(completer)
        self.status.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.status.setAccessibleName("Search result")
        self.status.setWordWrap(True)

    def _set_up_layout(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, SPACING // 2, MARGIN, SPACING // 2)
        row.setSpacing(SPACING)
        row.addWidget(self.field, 2)
        row.addWidget(self.status, 1)
        row.addWidget(self._button("↑", "Previous match (Shift+Enter, Shift+F3)", self.go_previous))
        row.addWidget(self._button("↓", "Next match (Enter, F3)", self.go_next))
        self.help_button = self._button("?", "What can be searched for", self._show_help)
        row.addWidget(self.help_button)
        row.addWidget(self._button("✕", "Close (Escape)", self.close_search))

    def _button(self, text: str, tip: str, slot: object) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        button.clicked.connect(slot)
        return button

    def _connect(self) -> None:
        self.field.textChanged.connect(lambda _text: self._typing.start())
        self._typing.timeout.connect(self._apply)
        self.field.next_requested.connect(self.go_next)
        self.field.previous_requested.connect(self.go_previous)
        self.field.closed.connect(self.close_search)
        self.help.example_chosen.connect(self._add_example)
        self.search.changed.connect(self._on_changed)
        self.search.place_changed.connect(self._show_status)

    # --- Doing ------------------------------------------------------------------------------------------------

    def _apply(self) -> None:
        self._typing.stop()
        self.search.set_text(self.field.text())

    def _remember(self) -> None:
        text = self.field.text().strip()
        if not text or not self.search.is_active or self.history[:1] == (text,):
            return
        self.set_history([text, *(old for old in self.history if old != text)])
        self.history_changed.emit(self.history)

    def _show_help(self) -> None:
        corner = self.help_button.mapToGlobal(QPoint(self.help_button.width(), self.help_button.height()))
        self.help.adjustSize()
        self.help.move(corner - QPoint(self.help.width(), 0))
        self.help.show()

    def _add_example(self, example: str) -> None:
        self.help.hide()
        text = self.field.text().rstrip()
        self.field.setText(f"{text} {example}" if text else example)
        self.field.setFocus()

    def _on_changed(self) -> None:
        if self.search.text != self.field.text() and not self._typing.isActive():
            with QSignalBlocker(self.field):
                self.field.setText(self.search.text)
        self._show_status()

    def _show_status(self) -> None:
        error = self.search.error
        self.status.setText(f"Character {error.position + 1}: {error.message}" if error else self._count_text())
        self.status.setToolTip(f"<pre>{error.details}</pre>" if error else "")
        self._set_ink(graph_palette(self).error if error else "")

    def _count_text(self) -> str:
        if not self.search.is_active:
            return ""
        shown = self._session.graph_shown
        count = len(self.search.matches(shown))
        if count:
            place = self.search.place
            return f"{place + 1:,} of {count:,}" if place >= 0 else f"{count:,} found"
        elsewhere = [(kind, len(self.search.matches(kind))) for kind in GraphKind if kind is not shown]
        others = ", ".join(f"{found:,} in {kind}" for kind, found in elsewhere if found)
        return f"None here; {others}" if others else "Nothing found"

    def _set_ink(self, color: str) -> None:
        colors = QPalette()
        if color:
            colors.setColor(QPalette.ColorRole.WindowText, QColor(color))
        self.status.setPalette(colors)
