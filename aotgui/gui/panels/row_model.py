"""A table model over any rows that sorts and filters by itself.

``QSortFilterProxyModel`` asks the source model for every comparison; with 7,000 rows in Python a single sort takes
most of a second, and rows that arrive twenty times a second are sorted each time. Here a sort computes one key a
row, and rows that arrive cost what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush, QFont, QIcon

Row = TypeVar("Row")
Thing = TypeVar("Thing")
AnyIndex = QModelIndex | QPersistentModelIndex
NO_INDEX: Final = QModelIndex()
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT: Final = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


@dataclass(frozen=True)  # no slots: with them Python 3.11 cannot make a ``Column[Row](...)``
class Column(Generic[Row]):
    """One column of a table.

    Attributes:
        title: of the header.
        text: what a cell says.
        key: what a row is sorted by; None stands for "no value" and comes last. Defaults to the text.
        numeric: numbers stand on the right.
        hint: tooltip of the header.
        tooltip: tooltip of a cell; defaults to its text.
        icon: sign in a cell.
        width: starting width in characters.
    """

    title: str
    text: Callable[[Row], str]
    key: Callable[[Row], Any] | None = None
    numeric: bool = False
    hint: str = ""
    tooltip: Callable[[Row], str] | None = None
    icon: Callable[[Row], QIcon | None] | None = None
    width: int = 12

    @property
    def alignment(self) -> int:
        """Where the text of a cell stands."""
        return _RIGHT if self.numeric else _LEFT

    def sort_key(self, row: Row) -> Any:  # noqa: ANN401 # whatever the column compares
        """What a row is sorted by, or None."""
        return self.key(row) if self.key else self.text(row).casefold()


@dataclass(frozen=True, slots=True)
class RowStyle:
    """How a row stands out.

    Attributes:
        ink: of its text, or None.
        fill: behind it, or None.
        bold: whether its text is bold.
    """

    ink: QBrush | None = None
    fill: QBrush | None = None
    bold: bool = False


class RowModel(QAbstractTableModel, Generic[Row]):
    """Rows in some order, all or those that contain a text.

    Attributes:
        columns: what is shown of a row.
    """

    def __init__(
        self,
        columns: Sequence[Column[Row]],
        style: Callable[[Row], RowStyle | None] | None = None,
        parent: QObject | None = None,
        search_text: Callable[[Row], str] | None = None,
    ) -> None:
        """Shows no rows yet.

        Args:
            columns: what is shown of a row.
            style: how a row stands out.
            parent: Qt's.
            search_text: the text that a filter looks through; by default that of all cells. To format a dozen
                numbers of 50,000 rows takes 0.3 s at each letter that is typed.
        """
        super().__init__(parent)
        self.columns = tuple(columns)
        self._style = style
        self._search_text = search_text or (lambda row: "\n".join(self.row_texts(row)))
        self._all: list[Row] = []
        self._shown: list[Row] = []
        self._words: tuple[str, ...] = ()
        self._sort_column = -1
        self._descending = False

    @property
    def shown(self) -> Sequence[Row]:
        """The rows that pass the filter, in the order shown."""
        return self._shown

    @property
    def total(self) -> int:
        """Number of rows, hidden ones included."""
        return len(self._all)

    @property
    def is_sorted(self) -> bool:
        """Whether the rows are in another order than that of arrival."""
        return self._sort_column >= 0

    def set_rows(self, rows: Iterable[Row]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._all = list(rows)
        self._shown = self._sorted(row for row in self._all if self._passes(row))
        self.endResetModel()

    def append_rows(self, rows: Iterable[Row]) -> None:
        """More rows; in a sorted table they go where they belong."""
        rows = list(rows)
        self._all += rows
        passing = [row for row in rows if self._passes(row)]
        if not passing:
            return
        first = len(self._shown)
        self.beginInsertRows(QModelIndex(), first, first + len(passing) - 1)
        self._shown += passing
        self.endInsertRows()
        if self.is_sorted:
            self._rearrange()

    def set_filter(self, text: str) -> None:
        """Show only rows of which some cell contains each word of the text."""
        words = tuple(text.casefold().split())
        if words == self._words:
            return
        is_narrower = len(words) == len(self._words) and all(map(str.startswith, words, self._words))
        self._words = words
        if is_narrower:  # one letter more: whoever failed before fails again
            self.beginResetModel()
            self._shown = [row for row in self._shown if self._passes(row)]
            self.endResetModel()
        else:
            self.set_rows(self._all)

    def row_texts(self, row: Row) -> list[str]:
        """All cells of a row."""
        return [column.text(row) for column in self.columns]

    def _passes(self, row: Row) -> bool:
        if not self._words:
            return True
        text = self._search_text(row).casefold()
        return all(word in text for word in self._words)

    def _sorted(self, rows: Iterable[Row]) -> list[Row]:
        if not self.is_sorted:
            return list(rows)
        return sorted_by(rows, self.columns[self._sort_column].sort_key, descending=self._descending)

    def _rearrange(self) -> None:
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        rows = [self._shown[index.row()] for index in before]
        self._shown = self._sorted(self._shown if self.is_sorted else self._unsorted())
        places = {id(row): place for place, row in enumerate(self._shown)} if before else {}
        after = [self.index(places[id(row)], old.column()) for row, old in zip(rows, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _unsorted(self) -> list[Row]:
        return [row for row in self._all if self._passes(row)]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 restores the order of arrival."""
        self._sort_column, self._descending = column, order is Qt.SortOrder.DescendingOrder
        self._rearrange()

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """Number of rows shown."""
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """Number of columns."""
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 # Qt's own signature
        """What a cell says and how it looks."""
        if not index.isValid():
            return None
        row, column = self._shown[index.row()], self.columns[index.column()]
        said = cell_data(column, row, role)
        if said is not None:
            return said
        if role == Qt.ItemDataRole.DecorationRole:
            return column.icon(row) if column.icon else None
        return self._style_data(row, role) if self._style else None

    def _style_data(self, row: Row, role: int) -> QBrush | QFont | None:
        if role not in (Qt.ItemDataRole.ForegroundRole, Qt.ItemDataRole.BackgroundRole, Qt.ItemDataRole.FontRole):
            return None
        style = self._style(row) if self._style else None
        if style is None:
            return None
        if role == Qt.ItemDataRole.ForegroundRole:
            return style.ink
        if role == Qt.ItemDataRole.BackgroundRole:
            return style.fill
        return bold_font() if style.bold else None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 # Qt's own signature
        """What a column's header says."""
        return header_data(self.columns, section, orientation, role)


def header_data(
    columns: Sequence[Column[Any]], section: int, orientation: Qt.Orientation, role: int
) -> str | int | None:
    """What the header of a column says, in a table or a tree."""
    if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(columns):
        return None
    column = columns[section]
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return column.title
        case Qt.ItemDataRole.ToolTipRole:
            return column.hint or None
        case Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
    return None


def cell_data(column: Column[Row], row: Row, role: int) -> str | int | None:
    """What the cell of a row says, in a table or a tree."""
    match role:
        case Qt.ItemDataRole.DisplayRole:
            return column.text(row)
        case Qt.ItemDataRole.TextAlignmentRole:
            return column.alignment
        case Qt.ItemDataRole.ToolTipRole:
            return column.tooltip(row) if column.tooltip else column.text(row)
    return None


def sorted_by(things: Iterable[Thing], key: Callable[[Thing], Any], *, descending: bool) -> list[Thing]:
    """Things in the order of their keys; those without one (None) come last, whatever the direction."""
    keyed = [(key(thing), thing) for thing in things]
    present = sorted((pair for pair in keyed if pair[0] is not None), key=_first, reverse=descending)
    return [thing for _, thing in present] + [thing for found, thing in keyed if found is None]


def tsv_of(columns: Sequence[Column[Row]], rows: Iterable[Row]) -> str:
    """Rows with a header line, as tab-separated text."""
    lines = [[column.title for column in columns], *([column.text(row) for column in columns] for row in rows)]
    return "\n".join("\t".join(cell.replace("\t", " ").replace("\n", " ") for cell in line) for line in lines)


def _first(pair: tuple[Any, object]) -> Any:  # noqa: ANN401 # whatever the column compares
    return pair[0]


def bold_font() -> QFont:
    """The font of what stands out."""
    font = QFont()
    font.setBold(True)
    return font
