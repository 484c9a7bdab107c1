"""What came of the last run: is it right, how long did it take, what did the compilers make."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QTabWidget, QWidget

from aotgui.gui.panels.check_table import CheckTable
from aotgui.gui.panels.compilation_view import CompilationView
from aotgui.gui.panels.stage_table import StageTable
from aotgui.gui.session.session import Session
from aotgui.model.capture import CheckStatus

CULPRIT_TIP: Final = "Find the first node at which the compiler goes wrong."


class ResultPanel(QTabWidget):
    """Check, stages and compilations of the last run.

    Signals:
        culprit_wanted: the person wants to know where the compiler goes wrong.

    Attributes:
        check: the table of comparisons.
        stages: the table of stages.
        compilations: what the compilers made.
        culprit_button: shown where the result differs or a compiler refused a graph.
    """

    culprit_wanted = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.check = CheckTable(session)
        self.stages = StageTable(session)
        self.compilations = CompilationView(session)
        self.culprit_button = QPushButton("Find Culprit")
        self.culprit_button.clicked.connect(self.culprit_wanted)
        self.setDocumentMode(True)
        self.setElideMode(Qt.TextElideMode.ElideRight)
        self.addTab(self.check, "Check")
        self.addTab(self.stages, "Stages")
        self.addTab(self.compilations, "Compilations")
        self.setCornerWidget(self.culprit_button)
        for signal in (
            session.capture_changed,
            session.result_changed,
            session.source_changed,
            session.progress_changed,
        ):
            signal.connect(self._show_culprit_button)
        self._show_culprit_button()

    def _show_culprit_button(self) -> None:
        session = self._session
        differs = session.capture is not None and session.capture.check.status is CheckStatus.MISMATCH
        refused = any(made.problem for made in (session.region.compilations if session.region else ()))
        self.culprit_button.setVisible((differs or refused) and not session.is_stored)
        self.culprit_button.setEnabled(not session.engine_obstacle)
        self.culprit_button.setToolTip(session.engine_obstacle or CULPRIT_TIP)
