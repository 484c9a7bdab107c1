"""Finds every command by a few letters of its name."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QDialog,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

WIDTH: Final = 520
HEIGHT: Final = 380
PADDING: Final = 8
_ACTION: Final = Qt.ItemDataRole.UserRole
_KEYS: Final = Qt.ItemDataRole.UserRole + 1
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
        self.found.setItemDelegate(_KeysDelegate(self.found))
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
        item = QListWidgetItem(name, self.found)
        item.setData(_ACTION, action)
        item.setData(_KEYS, action.shortcut().toString(QKeySequence.SequenceFormat.NativeText))
        item.setToolTip(action.statusTip())

    def _trigger(self) -> None:
        item = self.found.currentItem()
        if item is not None:
            action: QAction = item.data(_ACTION)
            self.close()
            action.trigger()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The arrow keys move in the list while one types."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() in _LIST_KEYS:
            self.found.event(event)
            return True
        return super().eventFilter(watched, event)


class _KeysDelegate(QStyledItemDelegate):
    """Shows a command's name at the left and its keys at the right."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The name as ever, the keys over it."""
        super().paint(painter, option, index)
        state, colors, rect = option.state, option.palette, option.rect
        selected = bool(state & QStyle.StateFlag.State_Selected)
        role = QPalette.ColorRole.HighlightedText if selected else QPalette.ColorRole.PlaceholderText
        painter.setPen(colors.color(role))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(rect.adjusted(0, 0, -PADDING, 0), flags, index.data(_KEYS))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """A little air above and below."""
        return super().sizeHint(option, index) + QSize(0, PADDING)


def _name(action: QAction) -> str:
    return action.text().replace("&", "").rstrip("…")
