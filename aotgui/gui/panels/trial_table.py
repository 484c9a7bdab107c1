"""Compilers with their times, memory and errors, one beside the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtGui import QBrush, QColor, QIcon
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import graph_palette, muted_color, severity_icon
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.table_panel import TablePanel
from aotgui.gui.session.compiler_trials import TrialEntry
from aotgui.gui.session.session import Session
from aotgui.model.capture import Severity
from aotgui.model.comparison import CompareRow, Timing, Verdict
from aotgui.model.text import NONE_TEXT, bytes_text, exact_bytes_text, number_text, percent_text, seconds_text

EMPTY: Final = (
    "Compare measures compilers and partitioners on what is open: compile time, run time against eager, memory, and "
    "whether outputs and gradients are right."
)
_WAITING: Final = "waiting"


class TrialTable(TablePanel[TrialEntry]):
    """One row a compiler and partitioner, filled as each is measured."""

    noun = "row"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[TrialEntry]("Compiler", _compiler, width=18),
            Column[TrialEntry]("Partitioner", _partitioner, width=13),
            Column[TrialEntry]("Verdict", _verdict, tooltip=_why, icon=self._icon, width=14),
            _seconds("Compile", _compile_s, "Forward and backward together."),
            _timing("Forward", lambda row: (row.forward, row.eager_forward)),
            _timing("Backward", lambda row: (row.backward, row.eager_backward)),
            _bytes("Peak", lambda row: row.peak_bytes, "Most bytes that a call with its backward held at once."),
            _bytes("Saved", lambda row: row.saved_bytes, "Passed from forward to backward."),
            _error("Output error", lambda row: row.output_error),
            _error("Gradient error", lambda row: row.gradient_error),
            _error("Eager's own", lambda row: row.check.eager_error),
        )
        super().__init__(session, columns, empty_text=EMPTY, filterable=False, style=self._style, parent=parent)
        session.trials.entries_changed.connect(self._on_entries_changed)
        self._on_entries_changed()

    def chosen(self) -> TrialEntry | None:
        """The selected row, or None."""
        return next(iter(self.selected_rows()), None)

    def summary_text(self) -> str:
        """How many are measured."""
        done = sum(entry.row is not None for entry in self.model.shown)
        return f"{done:,} of {self.model.total:,} measured"

    def _on_entries_changed(self) -> None:
        """The chosen row stays chosen while others arrive."""
        chosen = self.chosen()
        self.model.set_rows(list(self.session.trials.entries))
        for place, entry in enumerate(self.model.shown):
            if chosen is not None and entry.candidate == chosen.candidate:
                self.view.selectRow(place)

    def _icon(self, entry: TrialEntry) -> QIcon | None:
        if entry.row is None or entry.row.verdict is Verdict.MATCH:
            return None
        return severity_icon(Severity.ERROR, self.palette())

    def _style(self, entry: TrialEntry) -> RowStyle | None:
        if entry.row is None:
            return RowStyle(ink=QBrush(muted_color(self.palette())))
        if entry.row.verdict is not Verdict.MATCH:
            return RowStyle(ink=QBrush(QColor(graph_palette(self).error)))
        return None


def _compiler(entry: TrialEntry) -> str:
    row, asked = entry.row, entry.candidate
    names = (row.compiler, row.backward_compiler) if row else (asked.compiler, asked.backward_compiler)
    return "/".join(dict.fromkeys(filter(None, names))) or "the run's"


def _partitioner(entry: TrialEntry) -> str:
    return (entry.row.partitioner if entry.row else "") or entry.candidate.partitioner_label or "the run's"


def _verdict(entry: TrialEntry) -> str:
    return entry.row.verdict.capitalize() if entry.row else entry.doing or _WAITING


def _why(entry: TrialEntry) -> str:
    if entry.row is None:
        return entry.doing.capitalize()
    if entry.row.problem is not None:
        return str(entry.row.problem)
    wrong = entry.row.check.differing
    return (
        f"Differs: {', '.join(wrong)}" if wrong else "Outputs and gradients equal eager's within float64's judgement."
    )


def _compile_s(row: CompareRow) -> float | None:
    known = [seconds for seconds in (row.compile_forward_s, row.compile_backward_s) if seconds is not None]
    return sum(known) if known else None


def _column(
    title: str,
    text: Callable[[CompareRow], str],
    key: Callable[[CompareRow], Any],
    hint: str,
    tooltip: Callable[[CompareRow], str] | None = None,
    width: int = 10,
) -> Column[TrialEntry]:
    """A column of numbers; what is not known yet is blank."""
    return Column[TrialEntry](
        title,
        lambda entry: text(entry.row) if entry.row else "",
        key=lambda entry: key(entry.row) if entry.row else None,
        numeric=True,
        hint=hint,
        tooltip=(lambda entry: tooltip(entry.row) if entry.row else "") if tooltip else None,
        width=max(width, len(title) + 2),
    )


def _seconds(title: str, of: Callable[[CompareRow], float | None], hint: str) -> Column[TrialEntry]:
    def text(row: CompareRow) -> str:
        seconds = of(row)
        return NONE_TEXT if seconds is None else seconds_text(seconds)

    return _column(title, text, of, hint)


def _bytes(title: str, of: Callable[[CompareRow], int | None], hint: str) -> Column[TrialEntry]:
    def text(row: CompareRow) -> str:
        size = of(row)
        return NONE_TEXT if size is None else bytes_text(size)

    def tip(row: CompareRow) -> str:
        size = of(row)
        return NONE_TEXT if size is None else exact_bytes_text(size)

    return _column(title, text, of, hint, tip)


def _error(title: str, of: Callable[[CompareRow], float | None]) -> Column[TrialEntry]:
    return _column(title, lambda row: number_text(of(row), 3), of, "Largest difference to a float64 run.")


def _timing(title: str, of: Callable[[CompareRow], tuple[Timing | None, Timing | None]]) -> Column[TrialEntry]:
    """The share of eager's time, which a busy machine leaves alone; the times themselves in the tooltip."""

    def share(row: CompareRow) -> float | None:
        timing, eager = of(row)
        return timing.median_s / eager.median_s if timing and eager and eager.median_s else None

    def text(row: CompareRow) -> str:
        timing, _ = of(row)
        ratio = share(row)
        return NONE_TEXT if timing is None or ratio is None else f"{seconds_text(timing.median_s)}  {ratio:.2f} x"

    def tip(row: CompareRow) -> str:
        timing, eager = of(row)
        if timing is None or eager is None:
            return "Not measured."
        spread = percent_text(timing.spread / 2, 1) if timing.spread else "0 %"
        return (
            f"Median of {timing.samples} calls {seconds_text(timing.median_s)} ±{spread}; "
            f"eager in between {seconds_text(eager.median_s)}"
        )

    return _column(title, text, share, "Median, and as a share of eager's time in the same calls.", tip, width=20)
