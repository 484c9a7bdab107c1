"""Asks the engine to compare compilers and to find the node at which one goes wrong; takes its answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.gui.session.compiler_trials import CulpritSearch
from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.session import Session
from aotgui.gui.session.spotlight import Spot
from aotgui.gui.session.state import BUSY, GONE
from aotgui.model.capture import Problem, Severity
from aotgui.model.comparison import Candidate, Culprit
from aotgui.protocol.messages import (
    AnyEvent,
    Compare,
    CompareEnded,
    CompareProgress,
    CompareRowReady,
    CulpritFound,
    CulpritProgress,
    FindCulprit,
    Request,
    Stop,
)

NO_TARGET: Final = "There is nothing to compile: run the script first."
RECORDED: Final = "A recorded script has no call of its own to measure: open the script with a target instead."
STOPPED: Final = "Stopped."
REPLACED: Final = "Given up because a new run began."


class TrialControl(QObject):
    """One request at a time; a new run and *Stop* end it.

    Signals:
        working_changed: ``is_comparing`` or ``is_searching`` changed.
        notice: one sentence about how it ended.
    """

    working_changed = Signal()
    notice = Signal(str)

    def __init__(self, session: Session, pool: EnginePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pool = pool
        self._request = 0
        self._is_comparing = False
        self._is_searching = False
        self._spot: Spot | None = None
        session.source_changed.connect(self._on_source_changed)

    @property
    def is_comparing(self) -> bool:
        """Whether compilers are being measured."""
        return self._is_comparing

    @property
    def is_searching(self) -> bool:
        """Whether a node is looked for."""
        return self._is_searching

    @property
    def is_working(self) -> bool:
        """Whether an answer is still to come."""
        return self._is_comparing or self._is_searching

    @property
    def obstacle(self) -> str:
        """Why nothing can be asked now, in one sentence; empty where it can."""
        session = self._session
        if session.region is None:
            return NO_TARGET
        return session.engine_obstacle or (BUSY if session.progress.is_running else "")

    @property
    def compare_obstacle(self) -> str:
        """Why compilers cannot be compared now; empty where they can."""
        return self.obstacle or (RECORDED if self._session.recording is not None else "")

    def compare(self, candidates: Sequence[Candidate], seconds: float) -> None:
        """Measures compilers, one after the other.

        Args:
            candidates: the rows.
            seconds: how long the timed calls of one row may take, about.
        """
        if self.compare_obstacle or not candidates:
            return
        self.stop()
        self._session.trials.begin(candidates)
        self._request += 1
        self._set_working(comparing=True)
        self._send(Compare(request=self._request, candidates=list(candidates), seconds=seconds))

    def find_culprit(self, compiler: str = "") -> None:
        """Looks for the first node at which a compiler goes wrong.

        Args:
            compiler: its name; empty for that of the run.
        """
        if self.obstacle:
            return
        self.stop()
        self._session.trials.set_search(CulpritSearch(compiler))
        self._request += 1
        self._set_working(searching=True)
        self._send(FindCulprit(request=self._request, compiler=compiler))

    def stop(self) -> None:
        """Gives up what is asked for; what was measured stays."""
        if self.is_working:
            if self._pool.current:
                self._pool.current.send(Stop())
            self._give_up(STOPPED)

    def show_culprit(self) -> None:
        """Marks the node that was found, in every graph, and selects it."""
        search, region = self._session.trials.search, self._session.region
        culprit = search.culprit if search else None
        if culprit is None or region is None:
            return
        self._session.set_region_index(culprit.region)
        graph = self._session.graph(culprit.graph)
        if graph is not None and culprit.node in graph.index_of:
            node = graph.index_of[culprit.node]
            self._session.show_graph(culprit.graph)
            self._spot = Spot(title=culprit.message, graph=culprit.graph, nodes=(node,), fades_others=False)
            self._session.spotlight.show(self._spot)
            self._session.select(culprit.graph, [node], reveal=True)

    def handle(self, event: AnyEvent) -> None:
        """Takes an event of the engine; those of older requests are dropped."""
        trials = self._session.trials
        match event:
            case CompareProgress(request=self._request, index=index, doing=doing) if self._is_comparing:
                trials.set_entry(index, None, doing)
            case CompareRowReady(request=self._request, index=index, row=row) if self._is_comparing:
                trials.set_entry(index, row)
            case CompareEnded(request=self._request, problem=problem) if self._is_comparing:
                self._end_comparison(problem)
            case CulpritProgress(request=self._request) if self._is_searching and trials.search:
                trials.set_search(msgspec.structs.replace(trials.search, progress=event))
            case CulpritFound(request=self._request) if self._is_searching:
                self._end_search(event.culprit, event.detail, event.problem)

    def engine_is_gone(self) -> None:
        """Nothing that was asked for will be answered."""
        self._give_up(GONE)

    def pause(self) -> None:
        """A run begins: it ends what was asked for, and what it makes may be right where another one went wrong."""
        self._give_up(REPLACED)
        if self._spot is not None and self._session.spotlight.spot == self._spot:
            self._session.spotlight.clear()

    def _send(self, request: Request) -> None:
        if not (self._pool.current and self._pool.current.send(request)):
            self._give_up(GONE)

    def _give_up(self, sentence: str) -> None:
        if self._is_comparing:
            self._end_comparison(None)
            self.notice.emit(sentence)
        elif self._is_searching:
            self._end_search(None, sentence, None)

    def _end_comparison(self, problem: Problem | None) -> None:
        self._request += 1
        self._session.trials.settle()
        if problem is not None:
            self._session.add_problem(problem)
            self.notice.emit(problem.message)
        self._set_working()

    def _end_search(self, culprit: Culprit | None, detail: str, problem: Problem | None) -> None:
        self._request += 1
        search = self._session.trials.search or CulpritSearch()
        if problem is not None and problem.severity is not Severity.INFO:
            self._session.add_problem(problem)
        said = detail or (problem.message if problem else "")
        self._session.trials.set_search(
            CulpritSearch(search.compiler, search.progress, is_over=True, culprit=culprit, detail=said, problem=problem)
        )
        self._set_working()
        self.show_culprit()

    def _set_working(self, *, comparing: bool = False, searching: bool = False) -> None:
        self._is_comparing, self._is_searching = comparing, searching
        self.working_changed.emit()

    def _on_source_changed(self) -> None:
        self._give_up(REPLACED)
        self._session.trials.clear()
