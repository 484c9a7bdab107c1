"""A cell with a bar that shows a share."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from aotgui.gui.panels.look import graph_palette
from aotgui.gui.panels.row_model import AnyIndex
from aotgui.gui.panels.table_panel import CELL_PADDING, PaddedDelegate

TEXT_WIDTH = 48


class ShareDelegate(PaddedDelegate):
    """Percentage in words, then a bar as long as the share."""

    def __init__(self, share: Callable[[int], float], parent: QObject | None = None) -> None:
        """A delegate.

        Args:
            share: from 0 to 1, by row.
            parent: owner.
        """
        super().__init__(parent)
        self._share = share

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """The cell as usual, and the bar in the room that is left."""
        super().paint(painter, option, index)
        box = option.rect.adjusted(TEXT_WIDTH + CELL_PADDING, 0, -2 * CELL_PADDING, 0)
        height = max(4, box.height() // 3)
        bar = box.adjusted(0, (box.height() - height) // 2, 0, 0)
        bar.setHeight(height)
        bar.setWidth(max(2, round(box.width() * self._share(index.row()))))
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(graph_palette(option.widget).selection))
        painter.drawRoundedRect(bar, 2, 2)
        painter.restore()
