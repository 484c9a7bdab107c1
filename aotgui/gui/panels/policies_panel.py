"""The audit of checkpoint policies: which were honoured, which overridden and by what."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QBrush, QColor, QShowEvent
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import graph_palette, is_behind
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.policy_audit import PolicyEntry, audit_of
from aotgui.model.text import bytes_text, count_text, place_text

NO_CAPTURE: Final = "What became of checkpoint policies appears here after a run."
NO_POLICIES: Final = (
    "No operator carries a checkpoint policy. For a model that uses torch.utils.checkpoint, this says which policies "
    "were honoured and what overrode the others."
)


class PoliciesPanel(TablePanel[PolicyEntry]):
    """One row an operator that a checkpoint policy marks; those that were overridden stand out."""

    noun = "policy"
    rows_are_nodes = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[PolicyEntry]("Node", self._title, width=18),
            Column[PolicyEntry]("Policy", lambda row: row.policy or "none", hint="As traced.", width=18),
            Column[PolicyEntry]("Used", lambda row: row.used, hint="After what torch changed.", width=18),
            Column[PolicyEntry]("Fate", self._fate, width=13),
            Column[PolicyEntry](
                "Honoured",
                lambda row: "yes" if row.honoured else "no",
                key=lambda row: row.honoured,
                hint="Whether what became of the node agrees with its policy.",
                width=10,
            ),
            Column[PolicyEntry]("What became of it", lambda row: row.sentence, width=52),
            Column[PolicyEntry](
                "Bytes", lambda row: bytes_text(self._size(row)), key=self._size, numeric=True, width=9
            ),
            Column[PolicyEntry]("Line", self._line, width=16),
        )
        self._is_stale = False
        super().__init__(session, columns, empty_text=NO_CAPTURE, style=self._row_style, parent=parent)
        session.capture_changed.connect(self._on_capture_changed)
        self._on_capture_changed()

    def node_of(self, row: PolicyEntry) -> NodeRef | None:
        """The node in the joint graph."""
        return GraphKind.JOINT, row.node

    def summary_text(self) -> str:
        """How many, and how many were overridden."""
        overridden = sum(not row.honoured for row in self.model.shown)
        counted = count_text(self.model.total, "marked operator")
        return f"{counted}, {overridden:,} not honoured" if overridden else f"{counted}, all honoured"

    def _on_capture_changed(self) -> None:
        self._is_stale = is_behind(self)
        if not self._is_stale:
            region = self.session.region
            self.set_empty_text(NO_POLICIES if region else NO_CAPTURE)
            self.model.set_rows(audit_of(region) if region else [])

    @property
    def _graph(self) -> Graph | None:
        return self.session.graph(GraphKind.JOINT)

    def _title(self, row: PolicyEntry) -> str:
        return self._graph.title(row.node) if self._graph else ""

    def _fate(self, row: PolicyEntry) -> str:
        return Fate(self._graph.fates[row.node]).label if self._graph else ""

    def _size(self, row: PolicyEntry) -> int:
        return self._graph.size_bytes(row.node) if self._graph else 0

    def _line(self, row: PolicyEntry) -> str:
        frame = self._graph.source(row.node) if self._graph else None
        return place_text(frame.file, frame.line) if frame else ""

    def _row_style(self, row: PolicyEntry) -> RowStyle | None:
        return None if row.honoured else RowStyle(ink=QBrush(QColor(graph_palette(self).error)))

    def showEvent(self, event: QShowEvent) -> None:
        """What happened behind another tab is shown now."""
        if self._is_stale:
            self._on_capture_changed()
        super().showEvent(event)
