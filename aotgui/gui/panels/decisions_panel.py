"""What if: decisions for single nodes, what they would change, and their export as a checkpoint policy."""

from __future__ import annotations

from typing import Final, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel
from aotgui.gui.panels.partition_words import difference_text, entry_spot
from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.partition_control import PartitionControl
from aotgui.gui.session.partitions import PartitionEntry
from aotgui.gui.session.session import Session
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.text import bytes_text, place_text

NOTHING_DECIDED: Final = (
    "Choose Force Save or Force Recompute in the context menu of a node, or in the Memory menu, to see what that would "
    "change in bytes, time and peak memory."
)
RUN_WITH: Final = "Run again with these decisions: check it, step through it, export it and compare compilers with it."
THEY_ARE_SET: Final = "The run has exactly these decisions."
RUN_WITHOUT: Final = "Run again and leave every node to the partitioner; the decisions stay in this list."
RUN_WITH_THEM: Final = "Run with these decisions. Without them:"
LOW_LINES: Final = 11
"""A panel of fewer lines has none to spare below its rows."""
WORDS: Final = {Decision.SAVE: "force save", Decision.RECOMPUTE: "force recompute"}


class DecisionRow(NamedTuple):
    """One decision.

    Attributes:
        node: index in the joint graph.
        name: of the node.
        decision: what is wanted.
        outcome: what came of it, or empty while that is worked out.
    """

    node: int
    name: str
    decision: Decision
    outcome: str


class DecisionTable(TablePanel[DecisionRow]):
    """One row a decision."""

    noun = "decision"
    rows_are_nodes = True
    has_summary = False

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[DecisionRow]("Node", self._title, tooltip=lambda row: row.name, width=18),
            Column[DecisionRow]("Decision", lambda row: WORDS[row.decision], width=18),
            Column[DecisionRow](
                "Bytes", lambda row: bytes_text(self._size(row)), key=self._size, numeric=True, width=9
            ),
            Column[DecisionRow]("Operator", self._operator, width=22),
            Column[DecisionRow]("Line", self._line, width=16),
            Column[DecisionRow]("Outcome", lambda row: row.outcome or "being worked out", width=36),
        )
        super().__init__(session, columns, empty_text=NOTHING_DECIDED, filterable=False, parent=parent)

    def node_of(self, row: DecisionRow) -> NodeRef | None:
        """The node in the joint graph."""
        return GraphKind.JOINT, row.node

    @property
    def _graph(self) -> Graph | None:
        return self.session.graph(GraphKind.JOINT)

    def _title(self, row: DecisionRow) -> str:
        return self._graph.title(row.node) if self._graph else row.name

    def _size(self, row: DecisionRow) -> int:
        return self._graph.size_bytes(row.node) if self._graph else 0

    def _operator(self, row: DecisionRow) -> str:
        return self._graph.target(row.node) if self._graph else ""

    def _line(self, row: DecisionRow) -> str:
        frame = self._graph.source(row.node) if self._graph else None
        return place_text(frame.file, frame.line) if frame else ""


class DecisionsPanel(QWidget):
    """The decisions with their outcome, and buttons that take them back, mark what they change, and export them.

    Signals:
        export_requested: the decisions should be saved as a checkpoint policy.

    Attributes:
        session: the truth.
        control: asks the engine.
        table: the decisions.
        status: what they change altogether.
    """

    export_requested = Signal()

    def __init__(self, session: Session, control: PartitionControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.control = control
        self.table = DecisionTable(session)
        self.status = MutedLabel()
        self.undo = QPushButton("Undo")
        self.redo = QPushButton("Redo")
        self.reset_selected = QPushButton("Reset Selected")
        self.reset_all = QPushButton("Reset All")
        self.run_with = QPushButton("Run with These Decisions")
        self.run_without = QPushButton("Run Without")
        self.mark = QPushButton("Mark Differences")
        self.export = QPushButton("Export Policy…")
        self._set_up_layout()
        self._connect()
        self._refresh()

    @property
    def entry(self) -> PartitionEntry | None:
        """What is known of the partition with the decisions, or None without any."""
        trial = self.session.partitions.trial
        return self.session.partitions.entry(trial) if trial is not None else None

    @property
    def _otherwise(self) -> PartitionEntry | None:
        """What the shown graphs are compared with: the decisions, or for a run with exactly these none at all."""
        partitions = self.session.partitions
        other = partitions.without if partitions.are_run else partitions.trial
        return partitions.entry(other) if other is not None else None

    def _set_up_layout(self) -> None:
        self.undo.setToolTip("Take the last decision back.")
        self.redo.setToolTip("Decide again what was taken back.")
        self.reset_selected.setToolTip("Leave the selected nodes to the partitioner again.")
        self.reset_all.setToolTip("Leave every node to the partitioner again.")
        self.mark.setToolTip("Mark the nodes whose fate the decisions change, in every graph.")
        self.export.setToolTip(
            "Save the decisions as a function for torch.utils.checkpoint.create_selective_checkpoint_contexts, "
            "tried out by capturing with it."
        )
        head = QWidget()
        head.setContentsMargins(MARGIN, 0, MARGIN, 0)
        tools = FlowLayout(head, spacing=SPACING)
        edits = (self.undo, self.redo, self.reset_selected, self.reset_all)
        for button in (self.run_with, self.run_without, *edits, self.mark, self.export):
            tools.addWidget(button)
        self.status.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACING, 0, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(head)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.status)

    def _connect(self) -> None:
        self.run_with.clicked.connect(self.control.run_with_decisions)
        self.run_without.clicked.connect(self.control.run_without_decisions)
        self.undo.clicked.connect(self.control.undo)
        self.redo.clicked.connect(self.control.redo)
        self.reset_selected.clicked.connect(self._reset_selected)
        self.reset_all.clicked.connect(self.control.reset_decisions)
        self.mark.clicked.connect(self._mark_differences)
        self.export.clicked.connect(self.export_requested)
        self.session.partitions.entries_changed.connect(self._refresh)
        self.control.working_changed.connect(self._refresh)
        self.session.progress_changed.connect(self._refresh)
        self.session.source_changed.connect(self._refresh)
        self.session.settings_changed.connect(self._show_buttons)
        self.session.recording_changed.connect(self._show_buttons)
        self.table.view.selectionModel().selectionChanged.connect(self._show_buttons)

    def _refresh(self) -> None:
        rows = self._rows()
        if rows != list(self.table.model.shown) or not rows:
            self.table.model.set_rows(rows)
        obstacle = self.control.obstacle
        self.table.set_empty_text(obstacle or NOTHING_DECIDED)
        self.status.setText(self._status_text(obstacle))
        self.table.setToolTip(self.status.text())
        self._show_buttons()

    def _show_buttons(self) -> None:
        partitions, can = self.session.partitions, not self.control.obstacle
        self._show_run_buttons()
        self.undo.setEnabled(can and partitions.can_undo)
        self.redo.setEnabled(can and partitions.can_redo)
        self.reset_selected.setEnabled(can and bool(self.table.selected_rows()))
        self.reset_all.setEnabled(can and bool(partitions.decisions))
        self.mark.setEnabled(entry_spot(self.session.graph(GraphKind.JOINT), self._otherwise) is not None)
        self.export.setEnabled(can and bool(partitions.decisions))

    def _show_run_buttons(self) -> None:
        obstacle, has_set = self.control.run_obstacle, bool(self.session.settings.decisions)
        self.run_with.setEnabled(not obstacle and not self.control.are_set)
        self.run_with.setToolTip(obstacle or (THEY_ARE_SET if has_set and self.control.are_set else RUN_WITH))
        self.run_without.setVisible(has_set)
        self.run_without.setEnabled(not obstacle)
        self.run_without.setToolTip(obstacle or RUN_WITHOUT)

    def _rows(self) -> list[DecisionRow]:
        graph = self.session.graph(GraphKind.JOINT)
        if graph is None:
            return []
        return [
            DecisionRow(graph.index_of[name], name, decision, self._outcome(graph, name))
            for name, decision in self.session.partitions.decisions.items()
            if name in graph.index_of
        ]

    def _outcome(self, graph: Graph, name: str) -> str:
        """What came of a decision, or would come of it; a run knows without being asked."""
        node, entry = graph.index_of[name], self.entry
        if self.session.partitions.are_run:
            ignored = entry.result.ignored if entry is not None and entry.result is not None else {}
            return ignored.get(name, f"is {Fate(graph.fates[node]).label}")
        return _outcome(node, name, entry)

    def _status_text(self, obstacle: str) -> str:
        entry = self.entry
        if entry is None:
            return ""
        if entry.problem is not None:
            return entry.problem.message
        partitions, other = self.session.partitions, self._otherwise
        base = partitions.entry(partitions.base).result
        if other is not None and other.result is not None and base is not None:
            words = "Altogether:" if partitions.decisions else "Without decisions:"
            return f"{RUN_WITH_THEM if partitions.are_run else words} {difference_text(base, other.result)}."
        return obstacle or "Partitioning…"

    def _reset_selected(self) -> None:
        self.control.decide([row.name for row in self.table.selected_rows()], None)

    def _mark_differences(self) -> None:
        spot = entry_spot(self.session.graph(GraphKind.JOINT), self._otherwise)
        if spot is not None:
            self.session.show_graph(GraphKind.JOINT)
            self.session.spotlight.show(spot)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """In a low panel the rows need the room more; what the decisions change altogether is told by a tip then."""
        super().resizeEvent(event)
        self.status.setVisible(self.height() >= LOW_LINES * self.fontMetrics().lineSpacing())


def _outcome(node: int, name: str, entry: PartitionEntry | None) -> str:
    if entry is None or entry.is_waiting:
        return ""
    if entry.result is None:
        return "not known"
    fate = Fate(entry.result.fates[node]).label
    return entry.result.ignored.get(name, f"would be {fate}")
