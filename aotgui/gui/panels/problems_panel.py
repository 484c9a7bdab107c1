"""What went wrong or deserves attention, in sentences that lead to the node or the line."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MARGIN, code_font, severity_icon
from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import NodeRef, TablePanel, select_in_shown_graph
from aotgui.gui.session.session import Session
from aotgui.model.capture import Problem, Severity, Stage
from aotgui.model.graph import GraphKind
from aotgui.model.text import count_text, place_text

MESSAGE_CHARACTERS: Final = 36
_ORDER: Final = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}


class ProblemsPanel(TablePanel[Problem]):
    """The problems of the last run and since, with the details of the selected one below.

    Signals:
        source_requested: (file, line) of a problem should be shown.

    Attributes:
        details: sentence and original error text of the selected problem.
    """

    source_requested = Signal(str, int)
    noun = "problem"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[Problem](
                "Problem",
                lambda row: row.message,
                key=lambda row: (_ORDER[row.severity], row.message),
                icon=self._icon,
                tooltip=lambda row: f"{row.severity.value.capitalize()}: {row}",
                width=MESSAGE_CHARACTERS,
            ),
            Column[Problem]("Stage", lambda row: stage_label(row.stage), width=14),
            Column[Problem](
                "Place",
                lambda row: place_text(row.file, row.line),
                key=lambda row: (row.file, row.line),
                tooltip=lambda row: f"{row.file}:{row.line}" if row.line else row.file,
                width=12,
            ),
            Column[Problem]("Node", lambda row: row.node, width=8),
        )
        self.details = QPlainTextEdit()
        super().__init__(session, columns, empty_text="No problems", parent=parent)
        self._set_up_details()
        self.view.selectionModel().selectionChanged.connect(self._show_details)
        self.model.modelReset.connect(self._show_details)
        self.view.setWordWrap(True)
        self.view.viewport().installEventFilter(self)
        self.view.horizontalHeader().setStretchLastSection(False)
        self.view.horizontalHeader().sectionResized.connect(self.view.resizeRowsToContents)
        self.row_activated.connect(self._on_row_activated)
        session.problems_changed.connect(self._on_problems_changed)
        self._on_problems_changed()

    def summary_text(self) -> str:
        """How many of each severity."""
        found = [problem.severity for problem in self.session.problems]
        counts = [(severity, found.count(severity)) for severity in Severity]
        words = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}
        return ", ".join(count_text(count, words[severity]) for severity, count in counts if count)

    def _set_up_details(self) -> None:
        self.details.setReadOnly(True)
        self.details.setFont(code_font())
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.details.setAccessibleName("Details of the selected problem")
        self.details.setMaximumHeight(8 * self.fontMetrics().height())
        self.details.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.details.document().setDocumentMargin(MARGIN)
        self.details.hide()
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.summary), self.details)

    def _icon(self, row: Problem) -> QIcon:
        return severity_icon(row.severity, self.palette())

    def _on_problems_changed(self) -> None:
        self.model.set_rows(self.session.problems)
        self._fit_message()

    def _fit_message(self) -> None:
        """The sentence gets what the other columns leave, and goes on in a second line where it needs to."""
        header = self.view.horizontalHeader()
        others = sum(header.sectionSize(section) for section in range(1, header.count()))
        least = MESSAGE_CHARACTERS * self.fontMetrics().averageCharWidth()
        header.resizeSection(0, max(least, self.view.viewport().width() - others))
        self.view.resizeRowsToContents()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The sentences follow the width of the table, which is not yet known when the panel itself is resized."""
        if watched is self.view.viewport() and event.type() == QEvent.Type.Resize:
            self._fit_message()
        return super().eventFilter(watched, event)

    def _show_details(self) -> None:
        rows = self.selected_rows()
        self.details.setVisible(len(rows) == 1)
        if len(rows) == 1:
            self.details.setPlainText("\n\n".join(filter(None, (str(rows[0]), rows[0].details))))

    def _on_row_activated(self, problem: Problem) -> None:
        node = self._blamed(problem)
        if node:
            select_in_shown_graph(self.session, [node])
        if problem.file:
            self.source_requested.emit(problem.file, problem.line)

    def _blamed(self, problem: Problem) -> NodeRef | None:
        kinds = [problem.graph] if problem.graph else list(GraphKind)
        for kind in kinds:
            graph = self.session.graph(kind)
            if graph and problem.node in graph.index_of:
                return kind, graph.index_of[problem.node]
        return None


def stage_label(stage: str) -> str:
    """The words for a stage of the pipeline; another word as it is."""
    try:
        return Stage(stage).label
    except ValueError:
        return stage.capitalize()
