"""Asks the engine for other partitions of the graphs on screen and takes its answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.partitions import PartitionEntry, choice_of, distinct, usual_choices
from aotgui.gui.session.session import Session
from aotgui.gui.session.state import BUSY, GONE
from aotgui.model.capture import Problem, Severity
from aotgui.model.decision import Decision, region_number, with_decisions_in
from aotgui.model.graph import GraphKind
from aotgui.model.partition import PartitionChoice
from aotgui.protocol.messages import AnyEvent, Repartition, Repartitioned, RepartitionEnded

BUDGET_DELAY_MS: Final = 150
"""How long the slider must rest before the budget under it is worked out."""
NO_GRAPHS: Final = "There are no graphs to partition: run the script first."
NO_BACKWARD: Final = "There is nothing to partition: this region has no backward."
RECORDED: Final = (
    "What a recorded script compiles is partitioned by the script: open the module or function itself to run it with "
    "decisions."
)


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
        return session.engine_obstacle or (BUSY if session.progress.is_running else "")

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
        self._ask_for_trial()

    def apply(self, choice: PartitionChoice) -> None:
        """Runs again with a choice: partitioner, budget, and the decisions for the region shown."""
        settings = msgspec.structs.replace(
            self._session.settings,
            partitioner=choice.partitioner,
            memory_budget=choice.memory_budget,
            decisions=self._settled(choice.decisions),
        )
        self._session.set_settings(settings)

    # --- Decisions as a setting ---------------------------------------------------------------------------------

    @property
    def run_obstacle(self) -> str:
        """Why decisions cannot be run with, in one sentence; empty where they can."""
        return RECORDED if self._session.recording is not None else self.obstacle

    @property
    def are_set(self) -> bool:
        """Whether the settings hold exactly the decisions as they are, for the region shown."""
        return self._session.settings.decisions == self._settled(self._session.partitions.decisions)

    def run_with_decisions(self) -> None:
        """Runs again with the decisions as they are for the region shown; those for other regions stay."""
        self._set_decisions(self._settled(self._session.partitions.decisions))

    def run_without_decisions(self) -> None:
        """Runs again with no decision for any region; what was decided stays in the list, to be tried."""
        self._set_decisions({})

    def _set_decisions(self, decisions: dict[str, Decision]) -> None:
        self._session.set_settings(msgspec.structs.replace(self._session.settings, decisions=decisions))

    def _settled(self, chosen: Mapping[str, Decision]) -> dict[str, Decision]:
        return with_decisions_in(self._session.settings.decisions, self._number, chosen)

    @property
    def _number(self) -> int:
        """What decisions call the region shown."""
        return region_number(self._session.region.name) if self._session.region else 0

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
        self._ask([*self._wanted, *self._trials()])

    def close(self) -> None:
        """Nothing is asked for by itself any more."""
        self._settle.stop()

    def _ask_for_budget(self) -> None:
        partitions, budget = self._session.partitions, self._next_budget
        if budget is None:
            return
        former = partitions.budget
        choice = PartitionChoice(memory_budget=budget, decisions=partitions.base.decisions)
        if former in self._wanted and former not in partitions.compared and former is not None:
            self._wanted.remove(former)
        partitions.try_budget(choice)
        self._ask([partitions.base, choice])

    def _ask_for_trial(self) -> None:
        self._wanted = [choice for choice in self._wanted if not choice.decisions]
        if trials := self._trials():
            self._ask(trials)

    def _trials(self) -> list[PartitionChoice]:
        """What the decisions are judged by."""
        partitions = self._session.partitions
        found = (partitions.trial, partitions.without)
        return [partitions.base, *(choice for choice in found if choice is not None)] if partitions.trial else []

    def _ask(self, choices: Sequence[PartitionChoice]) -> None:
        """What is wanted now comes before what was wanted before."""
        partitions, obstacle = self._session.partitions, self.obstacle
        if obstacle:
            return
        partitions.forget_problems(choices)
        new = distinct(choice for choice in choices if partitions.entry(choice).is_waiting)
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
        base = choice_of(session.capture.settings, self._number) if session.capture else PartitionChoice()
        place = (session.source, session.region_index)
        is_same, self._place = place == self._place, place
        session.partitions.begin(base, joint.names if joint else (), keeps=is_same)
        self.working_changed.emit()

    def _on_result_changed(self) -> None:
        if self._session.capture is not None:
            self._session.partitions.set_base(choice_of(self._session.capture.settings, self._number))


def _problem(message: str) -> Problem:
    return Problem(severity=Severity.ERROR, stage="partition", message=message)
