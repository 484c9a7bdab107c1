"""Cells and headers of tables with room at both sides, which Qt's styles do not offer."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QWidget,
)

from aotgui.gui.panels.look import SPACING
from aotgui.gui.panels.row_model import AnyIndex

CELL_PADDING: Final = 5
"""Pixels beyond the style's own three at both sides of a cell."""


class PaddedDelegate(QStyledItemDelegate):
    """Cells with room at both sides, so that a number does not touch the word in the next column."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """The background over the whole cell, the content inside the padding."""
        shown = QStyleOptionViewItem(option)
        self.initStyleOption(shown, index)
        widget: QWidget = shown.widget
        widget.style().drawPrimitive(QStyle.PrimitiveElement.PE_PanelItemViewItem, shown, painter, widget)
        shown.rect = shown.rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, shown, painter, widget)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Room for the content and the padding."""
        inside = QStyleOptionViewItem(option)
        inside.rect = inside.rect.adjusted(CELL_PADDING, 0, -CELL_PADDING, 0)
        return super().sizeHint(inside, index) + QSize(2 * CELL_PADDING, SPACING)


_OUTER_SPACE: Final = "\u2002"
"""An en space: the style has no horizontal padding to set."""


PRECISION_ROWS: Final = 100
"""How many rows decide on the width of a column. Qt asks a thousand, and each costs a delegate in Python 0.1 ms."""


class PaddedHeader(QHeaderView):
    """A header whose words stand above the words of ``PaddedDelegate``."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setResizeContentsPrecision(PRECISION_ROWS)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        """Space at both sides of the words."""
        super().initStyleOptionForIndex(option, section)
        option.text = f"{_OUTER_SPACE}{option.text}{_OUTER_SPACE}"

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Room for the words and the space around them, of which Qt's own measure knows nothing."""
        return super().sectionSizeFromContents(section) + QSize(
            2 * self.fontMetrics().horizontalAdvance(_OUTER_SPACE), 0
        )
