"""What breakpoints said instead of stopping, in the order in which they said it."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.breakpoint_words import place_words
from aotgui.gui.panels.look import graph_palette
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.debug_state import LogLine
from aotgui.gui.session.session import Session

EMPTY: Final = (
    "A breakpoint with a log message says it here and goes on. Set one in the Breakpoints panel: "
    "{node} is at most {value.abs().max()}."
)


class LogPanel(TablePanel[LogLine]):
    """One row a message."""

    noun = "message"
    rows_are_nodes = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[LogLine]("#", lambda row: f"{row.number:,}", key=lambda row: row.number, numeric=True, width=5),
            Column[LogLine]("Message", lambda row: row.hit.text, width=34),
            Column[LogLine]("Node", self._node_text, width=14),
            Column[LogLine]("Breakpoint", self._breakpoint_text, width=14),
        )
        super().__init__(session, columns, empty_text=EMPTY, style=self._row_style, parent=parent)
        session.debug.log_changed.connect(self._on_log_changed)
        self._on_log_changed()

    def node_of(self, row: LogLine) -> NodeRef | None:
        """The node that the message is about."""
        return row.hit.graph, row.hit.node

    def _node_text(self, row: LogLine) -> str:
        graph = self.session.graph(row.hit.graph)
        return graph.names[row.hit.node] if graph and 0 <= row.hit.node < len(graph) else ""

    def _breakpoint_text(self, row: LogLine) -> str:
        point = self.session.breakpoints.named(row.hit.id)
        return place_words(point) if point else ""

    def _row_style(self, row: LogLine) -> RowStyle | None:
        return RowStyle(ink=QBrush(QColor(graph_palette(self).error))) if row.hit.failed else None

    def _on_log_changed(self) -> None:
        """New messages are added; a shorter log is another one."""
        log, shown = self.session.debug.log, self.model.total
        if not log or shown > len(log):
            self.model.set_rows(log)
        else:
            bar = self.view.verticalScrollBar()
            is_at_end = bar.value() == bar.maximum()
            self.model.append_rows(log[shown:])
            if is_at_end and not self.model.is_sorted:
                self.view.scrollToBottom()
