"""Partitions with their figures, one beside the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import graph_palette, muted_color
from aotgui.gui.panels.partition_words import flops_text, recomputation_text
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.table_panel import TablePanel
from aotgui.gui.session.partitions import PartitionEntry
from aotgui.gui.session.session import Session
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.model.text import bytes_text, count_text, exact_bytes_text, seconds_text, signed_bytes_text

WAITING: Final = "…"
EMPTY: Final = (
    "Compare shows what torch's partitioners and smaller memory budgets would save and recompute, "
    "without tracing again."
)


class PartitionTable(TablePanel[PartitionEntry]):
    """One row a partition; the one on screen is bold."""

    noun = "partition"
    has_summary = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[PartitionEntry]("Partition", self._title, tooltip=self._note, width=20),
            _figure("Saved", lambda result: bytes_text(result.saved_bytes), lambda result: result.saved_bytes,
                    lambda result: exact_bytes_text(result.saved_bytes)),
            Column[PartitionEntry](
                "Difference",
                self._difference,
                key=lambda entry: entry.result.saved_bytes if entry.result else None,
                numeric=True,
                hint="Saved bytes against the partition on screen.",
                width=10,
            ),
            _figure("Activations", lambda result: bytes_text(result.saved_activation_bytes),
                    lambda result: result.saved_activation_bytes),
            _figure("Values", lambda result: f"{result.saved_count:,}", lambda result: result.saved_count),
            _figure("Recomputed", lambda result: f"{len(result.recomputed):,}", lambda result: len(result.recomputed),
                    hint="Nodes that run again in the backward."),
            _figure("Cost", recomputation_text, lambda result: result.recomputed_seconds or 0.0,
                    lambda result: flops_text(result.recomputed_flops),
                    hint="How long what runs again took in the last run; its operations where nothing was measured."),
            _figure("FLOPs", lambda result: flops_text(result.recomputed_flops),
                    lambda result: result.recomputed_flops, hint="Of what runs again, by torch's formulas."),
            _figure("Forward peak", lambda result: bytes_text(result.forward_peak_bytes),
                    lambda result: result.forward_peak_bytes, hint="Most bytes alive at once, by lifetimes."),
            _figure("Backward peak", lambda result: bytes_text(result.backward_peak_bytes),
                    lambda result: result.backward_peak_bytes, hint="Most bytes alive at once, by lifetimes."),
            _figure("Took", lambda result: seconds_text(result.seconds), lambda result: result.seconds,
                    hint="How long partitioning took."),
        )  # fmt: skip
        super().__init__(session, columns, empty_text=EMPTY, filterable=False, style=self._row_style, parent=parent)
        session.partitions.entries_changed.connect(self._on_entries_changed)
        self._on_entries_changed()

    def chosen(self) -> PartitionEntry | None:
        """The selected row, or None."""
        return next(iter(self.selected_rows()), None)

    def choose(self, choice: PartitionChoice) -> None:
        """Selects the row of a choice."""
        for row, entry in enumerate(self.model.shown):
            if entry.choice == choice:
                self.view.selectRow(row)

    def summary_text(self) -> str:
        """How many, and how many are still worked out."""
        waiting = sum(entry.is_waiting for entry in self.model.shown)
        counted = count_text(self.model.total, self.noun)
        return f"{counted}, {waiting:,} being worked out" if waiting else counted

    def _on_entries_changed(self) -> None:
        """The chosen row stays chosen while others arrive."""
        chosen = self.chosen()
        self.model.set_rows(self.session.partitions.entries)
        if chosen is not None:
            self.choose(chosen.choice)

    def _title(self, entry: PartitionEntry) -> str:
        shown = " (shown)" if entry.choice == self.session.partitions.base else ""
        return f"{entry.choice}{shown}"

    def _note(self, entry: PartitionEntry) -> str:
        if entry.problem is not None:
            return entry.problem.message
        return "Being worked out." if entry.is_waiting else self._title(entry)

    def _difference(self, entry: PartitionEntry) -> str:
        base = self.session.partitions.entry(self.session.partitions.base).result
        if entry.result is None or base is None:
            return ""
        return signed_bytes_text(entry.result.saved_bytes - base.saved_bytes)

    def _row_style(self, entry: PartitionEntry) -> RowStyle | None:
        if entry.problem is not None:
            return RowStyle(ink=QBrush(QColor(graph_palette(self).error)))
        if entry.is_waiting:
            return RowStyle(ink=QBrush(muted_color(self.palette())))
        return RowStyle(bold=True) if entry.choice == self.session.partitions.base else None


def _figure(
    title: str,
    text: Callable[[PartitionResult], str],
    key: Callable[[PartitionResult], Any],
    tooltip: Callable[[PartitionResult], str] | None = None,
    hint: str = "",
) -> Column[PartitionEntry]:
    """A column of numbers; a partition that is not known yet has dots, one that failed is blank."""

    def of(entry: PartitionEntry, say: Callable[[PartitionResult], str]) -> str:
        if entry.result is not None:
            return say(entry.result)
        return entry.problem.message if entry.problem else WAITING

    return Column[PartitionEntry](
        title,
        lambda entry: text(entry.result) if entry.result else "" if entry.problem else WAITING,
        key=lambda entry: key(entry.result) if entry.result else None,
        numeric=True,
        hint=hint,
        tooltip=lambda entry: of(entry, tooltip or text),
        width=max(12, len(title) + 2),
    )
