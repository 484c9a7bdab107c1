"""The outline as a tree that Qt's views read, all modules or those that contain a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt

from aotgui.gui.panels.row_model import NO_INDEX, AnyIndex, Column, cell_data, header_data
from aotgui.model.outline import OutlineEntry
from aotgui.model.text import bytes_text, exact_bytes_text

DIFFERS_SIGN: Final = "≠"


def entry_title(entry: OutlineEntry) -> str:
    """``attn``, ``0 … 31``; a block unlike its neighbours has a sign."""
    return f"{entry.title} {DIFFERS_SIGN}" if entry.differs else entry.title


def type_text(entry: OutlineEntry) -> str:
    """``Linear``; a run says how many there are."""
    return f"{entry.count} \u00d7 {entry.type_name}" if entry.is_run else entry.type_name


def _count_text(count: int) -> str:
    return f"{count:,}" if count else ""


COLUMNS: Final = (
    Column[OutlineEntry]("Module", entry_title),
    Column[OutlineEntry](
        "Saved",
        lambda entry: bytes_text(entry.saved_bytes) if entry.saved_bytes else "",
        numeric=True,
        hint="Bytes of the activations that are passed to backward; a storage that is shared counts once.",
    ),
    Column[OutlineEntry](
        "Fwd", lambda entry: _count_text(entry.forward), numeric=True, hint="Nodes traced in forward."
    ),
    Column[OutlineEntry](
        "Bwd", lambda entry: _count_text(entry.backward), numeric=True, hint="Nodes traced in backward."
    ),
    Column[OutlineEntry](
        "Recomputed",
        lambda entry: _count_text(entry.recomputed),
        numeric=True,
        hint="Nodes that run again in backward.",
    ),
    Column[OutlineEntry]("Class", type_text),
)


@dataclass(slots=True)
class Item:
    """An entry at its place in the tree.

    Attributes:
        entry: what it shows.
        parent: the item around it, or None.
        place: position in its parent.
        children: items inside.
    """

    entry: OutlineEntry
    parent: Item | None
    place: int
    children: list[Item] = field(default_factory=list)


class OutlineModel(QAbstractItemModel):
    """Entries with their children."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: tuple[OutlineEntry, ...] = ()
        self._words: tuple[str, ...] = ()
        self._roots: list[Item] = []

    @property
    def entries(self) -> tuple[OutlineEntry, ...]:
        """The outermost entries, hidden ones included."""
        return self._entries

    @property
    def is_filtered(self) -> bool:
        """Whether some words must be contained."""
        return bool(self._words)

    def set_entries(self, entries: tuple[OutlineEntry, ...]) -> None:
        """Shows another region."""
        self._entries = entries
        self._rebuild()

    def set_filter(self, text: str) -> None:
        """Shows only modules whose path or class contains each word, and those around them."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self._rebuild()

    def entry(self, index: AnyIndex) -> OutlineEntry:
        """What a row stands for."""
        return self._item(index).entry

    def index_of(self, path: str) -> QModelIndex:
        """The innermost row that encloses a module path; invalid for none."""
        found, items = None, self._roots
        while inner := next((item for item in items if item.entry.encloses(path)), None):
            found, items = inner, inner.children
        return self.createIndex(found.place, 0, found) if found else QModelIndex()

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._roots = self._items(self._entries, None)
        self.endResetModel()

    def _items(self, entries: Sequence[OutlineEntry], parent: Item | None) -> list[Item]:
        found: list[Item] = []
        for entry in entries:
            item = Item(entry, parent, len(found))
            item.children = self._items(entry.children, item)
            if item.children or self._passes(entry):
                found.append(item)
        return found

    def _passes(self, entry: OutlineEntry) -> bool:
        text = f"{entry.path} {entry.title} {entry.type_name}".casefold()
        return all(word in text for word in self._words)

    def _item(self, index: AnyIndex) -> Item:
        item = index.internalPointer()
        assert isinstance(item, Item)
        return item

    def index(self, row: int, column: int, parent: AnyIndex = NO_INDEX) -> QModelIndex:
        """The cell at a row and column inside a parent."""
        items = self._item(parent).children if parent.isValid() else self._roots
        if 0 <= row < len(items) and 0 <= column < len(COLUMNS):
            return self.createIndex(row, column, items[row])
        return QModelIndex()

    def parent(self, index: AnyIndex = NO_INDEX) -> Any:  # noqa: ANN401 # Qt overloads it
        """The row around a row."""
        item = self._item(index).parent if index.isValid() else None
        return self.createIndex(item.place, 0, item) if item else QModelIndex()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """How many rows are inside a row."""
        if parent.column() > 0:
            return 0
        return len(self._item(parent).children if parent.isValid() else self._roots)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """How many columns there are."""
        return len(COLUMNS)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 # Qt's own signature
        """What a cell says."""
        if not index.isValid():
            return None
        entry, column = self.entry(index), COLUMNS[index.column()]
        return tip(entry) if role == Qt.ItemDataRole.ToolTipRole else cell_data(column, entry, role)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 # Qt's own signature
        """What a column's header says."""
        return header_data(COLUMNS, section, orientation, role)


def tip(entry: OutlineEntry) -> str:
    """Path, class, and what is particular."""
    lines = [" ".join(filter(None, (entry.path or entry.title, type_text(entry))))]
    if entry.saved_bytes:
        lines.append(f"Saves {exact_bytes_text(entry.saved_bytes)} of activations for backward.")
    if entry.differs:
        lines.append("Made of other operators, or partitioned otherwise, than most of these blocks.")
    return "\n".join(lines)
