"""Rows in groups with subtotals, sorted and filtered by the model itself, as in ``row_model``.

A tree of one level: groups hold rows. Rows that stand apart from all the others come in one group at the end,
whatever the grouping.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QFont

from aotgui.gui.panels.row_model import NO_INDEX, AnyIndex, Column, Row, bold_font, cell_data, header_data, sorted_by


@dataclass(frozen=True)  # no slots: with them Python 3.11 cannot make a ``TreeColumn[Row](...)``
class TreeColumn(Column[Row]):
    """A column that also says something of a group.

    Attributes:
        total: what a group's cell says; None for nothing.
        total_key: what groups are sorted by; None leaves them in their order.
    """

    total: Callable[[Sequence[Row]], str] | None = None
    total_key: Callable[[Sequence[Row]], Any] | None = None


@dataclass(slots=True, eq=False)
class Item(Generic[Row]):
    """A row or a group at its place in the tree.

    Attributes:
        rows: the row, or those of the group.
        title: of a group; empty for a row.
        parent: the group around a row, or None.
        place: position in its parent.
        children: rows of a group.
    """

    rows: list[Row]
    title: str = ""
    parent: Item[Row] | None = None
    place: int = 0
    children: list[Item[Row]] = field(default_factory=list)

    @property
    def is_group(self) -> bool:
        """Whether it is a group."""
        return bool(self.title)


class TreeModel(QAbstractItemModel, Generic[Row]):
    """Rows, grouped or not.

    Attributes:
        columns: what is shown of a row and of a group.
    """

    def __init__(
        self,
        columns: Sequence[TreeColumn[Row]],
        apart: Callable[[Row], str] | None = None,
        parent: QObject | None = None,
    ) -> None:
        """An empty tree.

        Args:
            columns: what is shown.
            apart: title of the last group for a row that stands apart, empty for the others; None for no such group.
            parent: Qt's.
        """
        super().__init__(parent)
        self.columns = tuple(columns)
        self._apart = apart
        self._rows: list[Row] = []
        self._grouping: Callable[[Row], str] | None = None
        self._words: tuple[str, ...] = ()
        self._sort_column = -1
        self._descending = False
        self._roots: list[Item[Row]] = []

    @property
    def total(self) -> int:
        """Number of rows, hidden ones included."""
        return len(self._rows)

    @property
    def shown(self) -> list[Row]:
        """The rows that pass the filter, in the order shown."""
        return [row for item in self._roots for leaf in (item.children or [item]) for row in leaf.rows]

    @property
    def is_filtered(self) -> bool:
        """Whether some words must be contained."""
        return bool(self._words)

    def set_rows(self, rows: Iterable[Row]) -> None:
        """Replaces everything."""
        self._rows = list(rows)
        self._rebuild()

    def set_grouping(self, key: Callable[[Row], str] | None) -> None:
        """Groups by what ``key`` says of a row; None for no groups."""
        self._grouping = key
        self._rebuild()

    def set_filter(self, text: str) -> None:
        """Shows only rows of which some cell contains each word of the text."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self._rebuild()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts rows in their groups and the groups by a column; -1 restores the order of arrival."""
        self._sort_column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._rebuild()

    def item(self, index: AnyIndex) -> Item[Row]:
        """What stands at an index."""
        item = index.internalPointer()
        assert isinstance(item, Item)
        return item

    def row_texts(self, row: Row) -> list[str]:
        """All cells of a row."""
        return [column.text(row) for column in self.columns]

    def indexes_where(self, wanted: Callable[[Row], bool]) -> list[QModelIndex]:
        """The first cell of each row that is wanted, in the order shown."""
        leaves = (leaf for item in self._roots for leaf in (item.children or [item]))
        return [self.createIndex(leaf.place, 0, leaf) for leaf in leaves if wanted(leaf.rows[0])]

    def groups(self) -> list[QModelIndex]:
        """The groups, in the order shown."""
        return [self.createIndex(item.place, 0, item) for item in self._roots if item.is_group]

    # --- Building ---------------------------------------------------------------------------------------------

    def _rebuild(self) -> None:
        self.beginResetModel()
        self._roots = self._arranged([row for row in self._rows if self._passes(row)])
        for place, item in enumerate(self._roots):
            item.place = place
            for inner, child in enumerate(item.children):
                child.place, child.parent = inner, item
        self.endResetModel()

    def _passes(self, row: Row) -> bool:
        if not self._words:
            return True
        text = "\n".join(self.row_texts(row)).casefold()
        return all(word in text for word in self._words)

    def _arranged(self, rows: Iterable[Row]) -> list[Item[Row]]:
        loose: list[Row] = []
        groups: dict[str, list[Row]] = {}
        apart: dict[str, list[Row]] = {}
        for row in rows:
            if self._apart is not None and (title := self._apart(row)):
                apart.setdefault(title, []).append(row)
            elif self._grouping is not None:
                groups.setdefault(self._grouping(row), []).append(row)
            else:
                loose.append(row)
        leaves = [Item([row]) for row in self._sorted_rows(loose)]
        return [*leaves, *self._sorted_groups(groups), *map(self._group, apart, apart.values())]

    def _group(self, title: str, rows: list[Row]) -> Item[Row]:
        return Item(rows, title, children=[Item([row]) for row in self._sorted_rows(rows)])

    def _sorted_rows(self, rows: list[Row]) -> list[Row]:
        if self._sort_column < 0:
            return rows
        return sorted_by(rows, self.columns[self._sort_column].sort_key, descending=self._descending)

    def _sorted_groups(self, groups: dict[str, list[Row]]) -> list[Item[Row]]:
        titles = list(groups)
        key = self.columns[self._sort_column].total_key if self._sort_column >= 0 else None
        if key is not None:
            titles = sorted_by(titles, lambda title: key(groups[title]), descending=self._descending)
        elif self._sort_column == 0:
            titles = sorted_by(titles, str.casefold, descending=self._descending)
        return [self._group(title, groups[title]) for title in titles]

    # --- Qt ---------------------------------------------------------------------------------------------------

    def index(self, row: int, column: int, parent: AnyIndex = NO_INDEX) -> QModelIndex:
        """The cell at a row and column inside a parent."""
        items = self.item(parent).children if parent.isValid() else self._roots
        if 0 <= row < len(items) and 0 <= column < len(self.columns):
            return self.createIndex(row, column, items[row])
        return QModelIndex()

    def parent(self, index: AnyIndex = NO_INDEX) -> Any:  # noqa: ANN401 # Qt overloads it
        """The group around a row."""
        item = self.item(index).parent if index.isValid() else None
        return self.createIndex(item.place, 0, item) if item else QModelIndex()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """How many rows are inside."""
        if parent.column() > 0:
            return 0
        return len(self.item(parent).children if parent.isValid() else self._roots)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """How many columns there are."""
        return len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 # Qt's own signature
        """What a cell says."""
        if not index.isValid():
            return None
        item, column = self.item(index), self.columns[index.column()]
        if item.is_group:
            return self._group_data(item, index.column(), role)
        return cell_data(column, item.rows[0], role)

    def _group_data(self, item: Item[Row], section: int, role: int) -> str | int | QFont | None:
        column = self.columns[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return item.title if section == 0 else column.total(item.rows) if column.total else None
        return bold_font() if role == Qt.ItemDataRole.FontRole else None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 # Qt's own signature
        """What a column's header says."""
        return header_data(self.columns, section, orientation, role)
