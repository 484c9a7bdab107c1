"""How long each stage of a run took."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from aotgui.gui.panels.look import graph_palette
from aotgui.gui.panels.padded_cells import CELL_PADDING, PaddedDelegate
from aotgui.gui.panels.row_model import AnyIndex, Column
from aotgui.gui.panels.table_panel import TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.capture import StageTime
from aotgui.model.text import percent_text, seconds_text

TEXT_WIDTH: Final = 48
"""Pixels before the bar, for the percentage."""


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
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        on_highlight = option.palette.color(QPalette.ColorRole.HighlightedText)
        painter.setBrush(on_highlight if is_selected else QColor(graph_palette(option.widget).selection))
        painter.drawRoundedRect(bar, 2, 2)
        painter.restore()


class StageTable(TablePanel[StageTime]):
    """How long each stage took, with a bar for its share."""

    noun = "stage"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[StageTime]("Stage", lambda row: row.stage.label, width=30),
            Column[StageTime](
                "Time", lambda row: seconds_text(row.seconds), key=lambda row: row.seconds, numeric=True, width=9
            ),
            Column[StageTime]("Nodes", _nodes_text, key=lambda row: row.nodes or None, numeric=True, width=7),
            Column[StageTime]("Share", self._share_text, key=lambda row: row.seconds, width=16),
        )
        super().__init__(
            session,
            columns,
            empty_text="The stages of a run and their times appear here.",
            filterable=False,
            parent=parent,
        )
        self.view.setItemDelegateForColumn(3, ShareDelegate(self._share, self.view))
        session.capture_changed.connect(self._on_result_changed)
        session.result_changed.connect(self._on_result_changed)
        self._on_result_changed()

    def summary_text(self) -> str:
        """The whole time."""
        return f"{seconds_text(self._total())} in all"

    def _total(self) -> float:
        return sum(row.seconds for row in self.model.shown)

    def _share(self, place: int) -> float:
        total = self._total()
        return self.model.shown[place].seconds / total if total else 0.0

    def _share_text(self, row: StageTime) -> str:
        return percent_text(row.seconds, self._total())

    def _on_result_changed(self) -> None:
        self.model.set_rows(self.session.capture.stages if self.session.capture else [])


def _nodes_text(row: StageTime) -> str:
    return f"{row.nodes:,}" if row.nodes else ""
