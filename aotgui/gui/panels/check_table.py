"""Whether each output and gradient of the compiled function equals eager."""

from __future__ import annotations

from typing import Final, NamedTuple

from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import graph_palette
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.table_panel import TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.capture import CheckStatus, Comparison
from aotgui.model.text import count_text, number_text

_STATUS_WORDS: Final = {
    CheckStatus.MATCH: "✓ matches",
    CheckStatus.MISMATCH: "✕ differs",
    CheckStatus.NOT_RUN: "not compared",
}


class CheckRow(NamedTuple):
    """One comparison.

    Attributes:
        kind: ``output`` or ``gradient``.
        found: the comparison.
    """

    kind: str
    found: Comparison


class CheckTable(TablePanel[CheckRow]):
    """Every output and gradient against eager."""

    noun = "comparison"
    fits_tightly = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[CheckRow]("Value", lambda row: row.found.name, width=22),
            Column[CheckRow]("Kind", lambda row: row.kind, width=11),
            Column[CheckRow]("Result", lambda row: _STATUS_WORDS[row.found.status], width=15),
            Column[CheckRow](
                "Max error",
                lambda row: number_text(row.found.max_error, 3),
                key=lambda row: row.found.max_error,
                numeric=True,
                hint="Largest absolute difference to the reference",
                width=11,
            ),
            Column[CheckRow](
                "Eager's error",
                lambda row: number_text(row.found.eager_error, 3),
                key=lambda row: row.found.eager_error,
                numeric=True,
                hint="Eager's own largest difference to a float64 run: what rounding alone does",
                width=13,
            ),
            Column[CheckRow]("Note", lambda row: row.found.note, width=30),
        )
        super().__init__(
            session,
            columns,
            empty_text="After a run, every output and gradient is compared with eager here.",
            style=self._row_style,
            parent=parent,
        )
        session.capture_changed.connect(self._on_result_changed)
        session.result_changed.connect(self._on_result_changed)
        self._on_result_changed()

    def summary_text(self) -> str:
        """The verdict, and how it was judged."""
        capture = self.session.capture
        if capture is None:
            return ""
        found = [row.found.status for row in self.model.shown]
        differing, missing = found.count(CheckStatus.MISMATCH), found.count(CheckStatus.NOT_RUN)
        matching = len(found) - differing - missing
        parts = [(matching, "matches", "match"), (differing, "differs", "differ"), (missing, "not compared", "")]
        verdict = ", ".join(f"{count_text(count, one, many or one)}" for count, one, many in parts if count)
        return "; ".join(filter(None, (verdict, capture.check.note)))

    def _row_style(self, row: CheckRow) -> RowStyle | None:
        if row.found.status is not CheckStatus.MISMATCH:
            return None
        return RowStyle(ink=QBrush(QColor(graph_palette(self).error)), bold=True)

    def _on_result_changed(self) -> None:
        capture = self.session.capture
        self.model.set_rows([CheckRow(kind, found) for kind, found in capture.check.entries] if capture else [])
