"""The base of the panels that list sentences: each with its severity, its place and what more there is to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MARGIN, code_font, severity_icon
from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import NodeRef, TablePanel, select_in_shown_graph
from aotgui.gui.session.session import Session
from aotgui.model.capture import Finding, Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.text import count_text, place_text

Notice = TypeVar("Notice", bound=Problem | Finding)
MESSAGE_CHARACTERS: Final = 30
"""The least: a sentence goes on in the next line, the name of a file does not."""
PLACE_CHARACTERS: Final = 48
NODE: Final = "Node"
SEVERITY_ORDER: Final = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_SEVERITY_WORDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


class NoticePanel(TablePanel[Notice]):
    """Notices, with the details of the selected one below where there are any.

    Signals:
        source_requested: (file, line) of a notice should be shown.

    Attributes:
        details: what more there is to say of the selected notice.
    """

    source_requested = Signal(str, int)
    noun = "notice"

    def __init__(
        self,
        session: Session,
        message: Callable[[Notice], str],
        *,
        before: Sequence[Column[Notice]] = (),
        after: Sequence[Column[Notice]] = (),
        empty_text: str,
        parent: QWidget | None = None,
    ) -> None:
        """Shows notices.

        Args:
            session: the truth.
            message: what the first column says; it goes on in further lines where it needs to.
            before: columns between the message and the place.
            after: columns after the node.
            empty_text: what is said where there are none.
            parent: Qt's.
        """
        first = Column[Notice](
            self.noun.capitalize(),
            message,
            key=lambda row: (SEVERITY_ORDER[row.severity], row.message),
            icon=lambda row: self._icon(row.severity),
            tooltip=lambda row: f"{row.severity.value.capitalize()}: {message(row)}",
            width=MESSAGE_CHARACTERS,
        )
        place = Column[Notice](
            "Place",
            lambda row: place_text(row.file, row.line),
            key=lambda row: (row.file, row.line),
            tooltip=lambda row: f"{row.file}:{row.line}" if row.line else row.file,
            width=12,
        )
        node = Column[Notice](NODE, lambda row: row.node, width=8)
        self.details = QPlainTextEdit()
        super().__init__(session, (first, *before, place, node, *after), empty_text=empty_text, parent=parent)
        self._set_up_details()
        self.view.selectionModel().selectionChanged.connect(self._show_details)
        self.model.modelReset.connect(self._show_details)
        self.view.setWordWrap(True)
        self.view.viewport().installEventFilter(self)
        self.view.horizontalHeader().setStretchLastSection(False)
        self.view.horizontalHeader().sectionResized.connect(self.view.resizeRowsToContents)
        self.row_activated.connect(self.go_to)

    def details_text(self, row: Notice) -> str:
        """What is said below the table of the selected notice, or empty."""
        return ""

    def show_notices(self, notices: Iterable[Notice]) -> None:
        """Lists these instead."""
        self._fitted = False
        self.model.set_rows(notices)
        node = next(place for place, column in enumerate(self.model.columns) if column.title == NODE)
        self.view.setColumnHidden(node, not any(row.node for row in self.model.shown))
        self._fit_message()

    def summary_text(self) -> str:
        """How many of each severity."""
        counts = Counter(row.severity for row in self.model.shown)
        present = [severity for severity in Severity if counts[severity]]
        return ", ".join(count_text(counts[severity], _SEVERITY_WORDS[severity]) for severity in present)

    def go_to(self, row: Notice) -> None:
        """Selects the node and shows the line that a notice is about."""
        node = self.blamed(row)
        if node:
            select_in_shown_graph(self.session, [node])
        if row.file:
            self.source_requested.emit(row.file, row.line)

    def blamed(self, row: Notice) -> NodeRef | None:
        """The node that a notice is about, in the region shown."""
        for kind in [row.graph] if row.graph else list(GraphKind):
            graph = self.session.graph(kind)
            if graph and row.node in graph.index_of:
                return kind, graph.index_of[row.node]
        return None

    def _set_up_details(self) -> None:
        self.details.setReadOnly(True)
        self.details.setFont(code_font())
        self.details.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.details.setAccessibleName(f"Details of the selected {self.noun}")
        self.details.setMaximumHeight(8 * self.fontMetrics().height())
        self.details.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self.details.document().setDocumentMargin(MARGIN)
        self.details.hide()
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.insertWidget(layout.indexOf(self.summary), self.details)

    def _icon(self, severity: Severity) -> QIcon:
        return severity_icon(severity, self.palette())

    def _fit_columns(self) -> None:
        """What stands beside the sentence is shown whole."""
        header = self.view.horizontalHeader()
        most = PLACE_CHARACTERS * self.fontMetrics().averageCharWidth()
        for section in range(1, header.count()):
            wanted = max(self.view.sizeHintForColumn(section), header.sectionSizeHint(section))
            header.resizeSection(section, min(wanted, most))
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
        text = self.details_text(rows[0]) if len(rows) == 1 else ""
        self.details.setVisible(bool(text))
        self.details.setPlainText(text)
