"""Asks the engine for other partitions of the graphs on screen and takes its answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.partitions import PartitionEntry, choice_of, usual_choices
from aotgui.gui.session.session import Session
from aotgui.gui.session.state import BUSY, GONE, RunState
from aotgui.model.capture import Problem, Severity
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind
from aotgui.model.partition import PartitionChoice
from aotgui.protocol.messages import AnyEvent, Repartition, Repartitioned, RepartitionEnded

BUDGET_DELAY_MS: Final = 150
"""How long the slider must rest before the budget under it is worked out."""
NO_GRAPHS: Final = "There are no graphs to partition: run the script first."
NO_BACKWARD: Final = "There is nothing to partition: this region has no backward."


class PartitionControl(QObject):
    """Keeps a list of what is wanted and not yet known; a newer request takes the place of the one at work.

    Signals:
        working_changed: ``is_working`` or ``waiting`` changed.
    """

    working_changed = Signal()

    def __init__(self, session: Session, pool: EnginePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pool = pool
        self._request = 0
        self._sent: tuple[PartitionChoice, ...] = ()
        self._wanted: list[PartitionChoice] = []
        self._next_budget: float | None = None
        self._place = ("", 0)
        self._settle = QTimer(self, interval=BUDGET_DELAY_MS, singleShot=True)
        self._settle.timeout.connect(self._ask_for_budget)
        session.capture_changed.connect(self._on_capture_changed)
        session.result_changed.connect(self._on_result_changed)

    @property
    def is_working(self) -> bool:
        """Whether answers are still to come."""
        return bool(self._wanted)

    @property
    def waiting(self) -> int:
        """How many answers are still to come."""
        return len(self._wanted)

    @property
    def obstacle(self) -> str:
        """Why nothing can be partitioned now, in one sentence; empty where it can."""
        session = self._session
        if session.region is None:
            return NO_GRAPHS
        if not session.region.is_training:
            return NO_BACKWARD
        is_running = session.progress.state in {RunState.RUNNING, RunState.STOPPING}
        return session.engine_obstacle or (BUSY if is_running else "")

    # --- What a person wants ----------------------------------------------------------------------------------

    def compare(self) -> None:
        """Compares the partition at hand with torch's others."""
        choices = usual_choices(self._session.partitions.base)
        self._session.partitions.compare(choices)
        self._ask(choices)

    def try_budget(self, budget: float) -> None:
        """Works a memory budget out, once no other one was wanted for a moment."""
        self._next_budget = budget
        self._settle.start()

    def decide(self, names: Iterable[str], decision: Decision | None) -> None:
        """Wants something for nodes of the joint graph and works out what comes of it."""
        self._session.partitions.decide(names, decision)
        self._ask_for_trial()

    def undo(self) -> None:
        """Takes the last decision back."""
        self._session.partitions.undo()
        self._ask_for_trial()

    def redo(self) -> None:
        """Decides again what was taken back."""
        self._session.partitions.redo()
        self._ask_for_trial()

    def reset_decisions(self) -> None:
        """Leaves every node to the partitioner."""
        self._session.partitions.reset()

    def apply(self, choice: PartitionChoice) -> None:
        """Runs again with a partitioner and budget; decisions are not settings and stay what they are."""
        settings = msgspec.structs.replace(
            self._session.settings, partitioner=choice.partitioner, memory_budget=choice.memory_budget
        )
        self._session.set_settings(settings)

    # --- The engine -------------------------------------------------------------------------------------------

    def handle(self, event: AnyEvent) -> None:
        """Takes an event of the engine; those of older requests are dropped."""
        match event:
            case Repartitioned(request=self._request, index=index, result=result, problem=problem):
                self._take(self._sent[index], PartitionEntry(self._sent[index], result, problem))
            case RepartitionEnded(request=self._request, problem=problem):
                self._give_up(problem or _problem(BUSY))

    def engine_is_gone(self) -> None:
        """Nothing that was asked for will be answered."""
        self._give_up(_problem(GONE))

    def pause(self) -> None:
        """A run begins, perhaps in another engine: what was asked for will not be answered."""
        self._request += 1

    def resume(self) -> None:
        """A run is over: what is still wanted of its graphs, and what the decisions make of them, is worked out."""
        trial = self._session.partitions.trial
        self._ask([*self._wanted, *([self._session.partitions.base, trial] if trial else [])])

    def close(self) -> None:
        """Nothing is asked for by itself any more."""
        self._settle.stop()

    def _ask_for_budget(self) -> None:
        partitions, budget = self._session.partitions, self._next_budget
        if budget is None:
            return
        former, choice = partitions.budget, PartitionChoice(memory_budget=budget)
        if former in self._wanted and former not in partitions.compared and former is not None:
            self._wanted.remove(former)
        partitions.try_budget(choice)
        self._ask([partitions.base, choice])

    def _ask_for_trial(self) -> None:
        partitions = self._session.partitions
        self._wanted = [choice for choice in self._wanted if not choice.decisions]
        if partitions.trial is not None:
            self._ask([partitions.base, partitions.trial])

    def _ask(self, choices: Sequence[PartitionChoice]) -> None:
        """What is wanted now comes before what was wanted before."""
        partitions, obstacle = self._session.partitions, self.obstacle
        if obstacle:
            return
        partitions.forget_problems(choices)
        new = [choice for choice in choices if partitions.entry(choice).is_waiting]
        self._wanted = new + [choice for choice in self._wanted if choice not in new]
        if self._wanted:
            self._send()
        self.working_changed.emit()

    def _send(self) -> None:
        self._request += 1
        self._sent = tuple(self._wanted)
        request = Repartition(
            request=self._request, region=self._session.region_index, choices=list(self._sent), with_graphs=False
        )
        if not (self._pool.current and self._pool.current.send(request)):
            self._give_up(_problem(GONE))

    def _take(self, choice: PartitionChoice, entry: PartitionEntry) -> None:
        if choice in self._wanted:
            self._wanted.remove(choice)
        self._session.partitions.add(entry)
        self.working_changed.emit()

    def _give_up(self, problem: Problem) -> None:
        """What is still wanted cannot be had."""
        lost, self._wanted = self._wanted, []
        for choice in lost:
            self._session.partitions.add(PartitionEntry(choice, problem=problem))
        self.working_changed.emit()

    def _on_capture_changed(self) -> None:
        """Other graphs: nothing that is known or asked for holds, only decisions for nodes of the same region."""
        self._settle.stop()
        self._request += 1
        self._wanted = []
        session = self._session
        joint = session.graph(GraphKind.JOINT)
        base = choice_of(session.capture.settings) if session.capture else PartitionChoice()
        place = (session.source, session.region_index)
        is_same, self._place = place == self._place, place
        session.partitions.begin(base, joint.names if joint and is_same else ())
        self.working_changed.emit()

    def _on_result_changed(self) -> None:
        if self._session.capture is not None:
            self._session.partitions.set_base(choice_of(self._session.capture.settings))


def _problem(message: str) -> Problem:
    return Problem(severity=Severity.ERROR, stage="partition", message=message)
