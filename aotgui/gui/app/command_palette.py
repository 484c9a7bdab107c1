"""Finds every command by a few letters of its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QVBoxLayout,
    QWidget,
)

WIDTH: Final = 520
HEIGHT: Final = 380
_LIST_KEYS: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


def matches(query: str, name: str) -> bool:
    """Whether every word of a query occurs in a name."""
    return all(word in name.lower() for word in query.lower().split())


class CommandPalette(QDialog):
    """A field and the commands that match it; Enter triggers the first.

    Attributes:
        field: what is searched for.
        found: the matching commands.
    """

    def __init__(self, actions: Iterable[QAction], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Find a command")
        self._actions = [action for action in actions if action.isEnabled() and action.objectName() != "commands"]
        self.field = QLineEdit(placeholderText="Find a command")
        self.found = QListWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 8, 8, 8)
        column.addWidget(self.field)
        column.addWidget(self.found)
        self.resize(WIDTH, HEIGHT)
        self.field.installEventFilter(self)
        self.field.textChanged.connect(self._search)
        self.field.returnPressed.connect(self._trigger)
        self.found.itemClicked.connect(lambda _item: self._trigger())
        self._search("")
        self.field.setFocus()

    def _search(self, query: str) -> None:
        self.found.clear()
        for action in self._actions:
            name = _name(action)
            if matches(query, f"{name} {action.statusTip()}"):
                self._add(action, name)
        self.found.setCurrentRow(0)

    def _add(self, action: QAction, name: str) -> None:
        item = QListWidgetItem(self.found)
        item.setData(Qt.ItemDataRole.UserRole, action)
        item.setToolTip(action.statusTip())
        item.setData(Qt.ItemDataRole.AccessibleTextRole, name)
        row = _row(name, action.shortcut().toString(QKeySequence.SequenceFormat.NativeText))
        item.setSizeHint(row.sizeHint())
        self.found.setItemWidget(item, row)

    def _trigger(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            action: QAction = item.data(Qt.ItemDataRole.UserRole)
            self.close()
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow keys move in the list while one types."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() in _LIST_KEYS:
            self.found.event(event)
            return True
        return super().eventFilter(watched, event)


def _name(action: QAction) -> str:
    return action.text().replace("&", "").rstrip("…")


def _row(name: str, keys: str) -> QWidget:
    row = QWidget()
    layout = QHBoxLayout(row)
    layout.setContentsMargins(8, 5, 8, 5)
    shortcut = QLabel(keys)
    shortcut.setForegroundRole(shortcut.foregroundRole().PlaceholderText)
    layout.addWidget(QLabel(name), 1)
    layout.addWidget(shortcut)
    return row
