"""A table model over the numbers of a ``ValueSlice``, with a colour behind each."""

from __future__ import annotations

import math
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPalette

from aotgui.gui.panels.look import blend, code_font, is_dark
from aotgui.gui.panels.row_model import NO_INDEX, AnyIndex
from aotgui.model.palette import BLUE, ORANGE, SKY_BLUE, VERMILION, palette
from aotgui.model.text import number_text
from aotgui.model.values import ValueSlice

Cell = float | int | bool | str
STRONGEST: Final = 0.42
"""Share of colour behind the largest number: text on it keeps its contrast."""
_RIGHT: Final = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class SliceModel(QAbstractTableModel):
    """Rows and columns of a slice, headed by their place in the whole value.

    Blue stands behind negative and orange behind positive numbers, stronger with the magnitude relative to the
    largest in the slice; colour-blind people can tell the two apart, and the sign is in the number too.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._slice = ValueSlice(node=-1)
        self._largest = 0.0
        self._colors = QPalette()

    @property
    def slice(self) -> ValueSlice:
        """What is shown."""
        return self._slice

    def show_slice(self, value: ValueSlice, colors: QPalette) -> None:
        """Show other numbers."""
        self.beginResetModel()
        self._slice, self._colors = value, colors
        self._largest = max((_magnitude(cell) for row in value.rows for cell in row), default=0.0)
        self.endResetModel()

    def heat(self, cell: Cell) -> QColor | None:
        """The colour behind a number; None for zero and for what is no number."""
        base, dark = self._colors.color(QPalette.ColorRole.Base), is_dark(self._colors)
        if isinstance(cell, float) and not math.isfinite(cell):
            return blend(base, QColor(palette(dark).error), STRONGEST)
        magnitude = _magnitude(cell)
        if isinstance(cell, str) or not magnitude:
            return None
        hue = (SKY_BLUE if dark else BLUE) if cell < 0 else (ORANGE if dark else VERMILION)
        return blend(base, QColor(hue), STRONGEST * magnitude / self._largest)

    def rowCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """Number of rows of the slice."""
        return 0 if parent.isValid() else len(self._slice.rows)

    def columnCount(self, parent: AnyIndex = NO_INDEX) -> int:
        """Number of columns of the slice."""
        return 0 if parent.isValid() or not self._slice.rows else len(self._slice.rows[0])

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:  # noqa: ANN401 # Qt's signature
        """A number, its full precision as a tooltip, its colour."""
        if not index.isValid():
            return None
        cell = self._slice.rows[index.row()][index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return cell_text(cell)
            case Qt.ItemDataRole.ToolTipRole:
                return f"[{', '.join(map(str, self._place(index)))}] = {cell!r}"
            case Qt.ItemDataRole.TextAlignmentRole:
                return _RIGHT
            case Qt.ItemDataRole.BackgroundRole:
                color = self.heat(cell)
                return QBrush(color) if color else None
            case Qt.ItemDataRole.FontRole:
                return _bold() if isinstance(cell, float) and not math.isfinite(cell) else None
        return None

    def _place(self, index: QModelIndex | AnyIndex) -> tuple[int, ...]:
        row, column = self._slice.row + index.row(), self._slice.column + index.column()
        return (*self._slice.index, row, column)[-max(1, len(self._slice.shape)) :]

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:  # noqa: ANN401 # Qt's own signature
        """The place of a row or column in the whole value."""
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        first = self._slice.column if orientation is Qt.Orientation.Horizontal else self._slice.row
        return str(first + section)


def cell_text(cell: Cell) -> str:
    """Floats with five digits, everything else as it is."""
    return number_text(cell, 5) if isinstance(cell, float) else str(cell)


def _magnitude(cell: Cell) -> float:
    """Without sign; 0 for NaN, Inf and texts."""
    return abs(cell) if isinstance(cell, float | int) and math.isfinite(cell) else 0.0


def _bold() -> QFont:
    font = code_font()
    font.setBold(True)
    return font
