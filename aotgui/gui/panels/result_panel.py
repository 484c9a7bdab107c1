"""Whether the compiled function equals eager, how long each stage took, what the compilers made."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QComboBox, QTabWidget, QVBoxLayout, QWidget

from aotgui.gui.panels.code_browser import CodeBrowser
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel, graph_palette
from aotgui.gui.panels.problems_panel import stage_label
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.stage_bar import ShareDelegate
from aotgui.gui.panels.table_panel import TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.capture import CheckStatus, Comparison, Compilation, StageTime
from aotgui.model.text import count_text, number_text, percent_text, seconds_text

_STATUS_WORDS = {
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
        outputs = [CheckRow("output", found) for found in capture.check.outputs] if capture else []
        gradients = [CheckRow("gradient", found) for found in capture.check.gradients] if capture else []
        self.model.set_rows(outputs + gradients)


class StageTable(TablePanel[StageTime]):
    """How long each stage took, with a bar for its share."""

    noun = "stage"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[StageTime]("Stage", lambda row: stage_label(row.stage), width=30),
            Column[StageTime](
                "Time", lambda row: seconds_text(row.seconds), key=lambda row: row.seconds, numeric=True, width=9
            ),
            Column[StageTime](
                "Nodes",
                lambda row: f"{row.nodes:,}" if row.nodes else "",
                key=lambda row: row.nodes,
                numeric=True,
                width=7,
            ),
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
        capture = self.session.capture
        return percent_text(row.seconds, sum(stage.seconds for stage in capture.stages) if capture else 0)

    def _on_result_changed(self) -> None:
        self.model.set_rows(self.session.capture.stages if self.session.capture else [])


def _nodes_text(row: StageTime) -> str:
    return f"{row.nodes:,}" if row.nodes else ""


class CompilationView(QWidget):
    """What each compiler made, to read and search.

    Attributes:
        session: the truth.
        chooser: which compilation.
        code: its text.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.chooser = QComboBox()
        self.note = MutedLabel()
        self.code = CodeBrowser("What the compilers made of forward and backward appears here after a run.")
        self.chooser.setAccessibleName("Compilation")
        self.chooser.currentIndexChanged.connect(self._show_chosen)
        self._head = QWidget()
        head = QVBoxLayout(self._head)
        head.setContentsMargins(MARGIN, MARGIN, MARGIN, SPACING)
        head.setSpacing(SPACING)
        head.addWidget(self.chooser)
        head.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self.code, 1)
        session.capture_changed.connect(self._on_result_changed)
        session.result_changed.connect(self._on_result_changed)
        self._on_result_changed()

    def _compilations(self) -> list[Compilation]:
        return self.session.region.compilations if self.session.region else []

    def _on_result_changed(self) -> None:
        found, kept = self._compilations(), max(0, self.chooser.currentIndex())
        self.chooser.blockSignals(True)
        self.chooser.clear()
        for made in found:
            self.chooser.addItem(f"{made.graph.value.capitalize()}: {made.compiler}")
        self.chooser.setCurrentIndex(min(kept, len(found) - 1))
        self.chooser.blockSignals(False)
        self._head.setVisible(bool(found))
        self._show_chosen()

    def _show_chosen(self) -> None:
        found, place = self._compilations(), self.chooser.currentIndex()
        made = found[place] if 0 <= place < len(found) else None
        if made is None:
            self.code.set_code("")
            return
        export = "Can be exported as TorchScript." if made.exportable else ""
        empty = "" if made.artifact else "The compiler left nothing to read."
        self.note.setText(" ".join(filter(None, (f"Compiled in {seconds_text(made.seconds)}.", export, empty))))
        self.code.set_code(made.artifact, made.language)


class ResultPanel(QTabWidget):
    """Check, stages and compilations of the last run.

    Attributes:
        check: the table of comparisons.
        stages: the table of stages.
        compilations: what the compilers made.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.check = CheckTable(session)
        self.stages = StageTable(session)
        self.compilations = CompilationView(session)
        self.setDocumentMode(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.addTab(self.check, "Check")
        self.addTab(self.stages, "Stages")
        self.addTab(self.compilations, "Compilations")
