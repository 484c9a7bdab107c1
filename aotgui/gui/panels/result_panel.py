"""What came of the last run: is it right, how long did it take, what did the compilers make."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QWidget

from aotgui.gui.panels.check_table import CheckTable
from aotgui.gui.panels.compilation_view import CompilationView
from aotgui.gui.panels.stage_table import StageTable
from aotgui.gui.session.session import Session


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
