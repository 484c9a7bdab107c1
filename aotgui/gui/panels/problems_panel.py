"""What went wrong or deserves attention, in sentences that lead to the node or the line."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.notice_panel import NoticePanel
from aotgui.gui.panels.row_model import Column
from aotgui.gui.session.session import Session
from aotgui.gui.session.spotlight import Spot
from aotgui.model.capture import Problem, Stage


class ProblemsPanel(NoticePanel[Problem]):
    """The problems of the last run and since, with the original error text of the selected one below."""

    noun = "problem"

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        stage = Column[Problem]("Stage", lambda row: stage_label(row.stage), width=14)
        super().__init__(session, lambda row: row.message, before=[stage], empty_text="No problems", parent=parent)
        session.problems_changed.connect(self._on_problems_changed)
        self._on_problems_changed()

    def details_text(self, row: Problem) -> str:
        """Sentence and original error text."""
        return "\n\n".join(filter(None, (str(row), row.details)))

    def go_to(self, row: Problem) -> None:
        """Marks the nodes that are to blame together, or shows the one that is, and its line."""
        graph = self.session.graph(row.graph)
        nodes = tuple(graph.index_of[name] for name in row.path if name in graph.index_of) if graph else ()
        if nodes and row.graph is not None:
            self.session.show_graph(row.graph)
            self.session.spotlight.show(Spot(title=row.message, graph=row.graph, nodes=nodes, is_path=True))
        super().go_to(row)

    def _on_problems_changed(self) -> None:
        self.show_notices(self.session.problems)


def stage_label(stage: str) -> str:
    """The words for a stage of the pipeline; another word as it is."""
    try:
        return Stage(stage).label
    except ValueError:
        return stage.capitalize()
