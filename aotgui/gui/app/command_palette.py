"""Finds every command by a few letters of its name, and whatever else can be done by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
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
NOTHING: Final = "No command has all of these words in its name or description."
_COMMAND: Final = Qt.ItemDataRole.UserRole
_KEYS: Final = Qt.ItemDataRole.UserRole + 1
_LIST_KEYS: Final = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


@dataclass(frozen=True, slots=True)
class Command:
    """Something that can be done.

    Attributes:
        name: what one reads and searches for.
        tip: one sentence; it is searched too.
        keys: shortcut in the system's words, or empty.
        do: does it.
    """

    name: str
    tip: str
    keys: str
    do: Callable[[], object]


def matches(query: str, name: str) -> bool:
    """Whether every word of a query occurs in a name."""
    return all(word in name.lower() for word in query.lower().split())


class CommandPalette(QDialog):
    """A field and the commands that match it; Enter does the first.

    Attributes:
        field: what is searched for.
        found: the matching commands.
    """

    def __init__(
        self, actions: Iterable[QAction], parent: QWidget, further: Mapping[str, Callable[[], object]] | None = None
    ) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName("Find a command")
        enabled = (action for action in actions if action.isEnabled() and action.objectName() != "commands")
        self._commands = [_command(action) for action in enabled]
        self._commands += [Command(name, "", "", do) for name, do in (further or {}).items()]
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
        found = [n for n, command in enumerate(self._commands) if matches(query, f"{command.name} {command.tip}")]
        for number in sorted(found, key=lambda n: not matches(query, self._commands[n].name)):
            self._add(number, self._commands[number])
        if not self.found.count():
            QListWidgetItem(NOTHING, self.found).setFlags(Qt.ItemFlag.NoItemFlags)
        self.found.setCurrentRow(0)

    def _add(self, number: int, command: Command) -> None:
        item = QListWidgetItem(command.name, self.found)
        item.setData(_COMMAND, number)
        item.setData(_KEYS, command.keys)
        item.setToolTip(command.tip)

    def _trigger(self) -> None:
        item = self.found.currentItem()
        if item is not None and item.data(_COMMAND) is not None:
            command = self._commands[item.data(_COMMAND)]
            self.close()
            command.do()

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


def _command(action: QAction) -> Command:
    name, _, canvas_keys = action.text().partition("\t")
    keys = action.shortcut().toString(QKeySequence.SequenceFormat.NativeText) or canvas_keys
    return Command(name.replace("&", "").rstrip("…"), action.statusTip(), keys, action.trigger)
