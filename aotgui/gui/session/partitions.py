"""Other partitions of the graphs on screen: what is compared, what was decided for single nodes, and the outcome."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.model.capture import Problem
from aotgui.model.decision import Decision, decisions_in
from aotgui.model.graph import GraphKind, Op, Side
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.model.settings import Settings

if TYPE_CHECKING:
    from aotgui.gui.session.session import Session  # holds the partitions

BUDGETS: Final = (0.8, 0.6, 0.4, 0.2, 0.0)
"""Memory budgets that are compared, beside torch's default of 1."""


def choice_of(settings: Settings, region: int = 0) -> PartitionChoice:
    """How a run with some settings partitions a region, by the number of its name."""
    budget = settings.memory_budget if settings.partitioner == "min_cut" else 1.0
    decisions = decisions_in(settings.decisions, region)
    return PartitionChoice(partitioner=settings.partitioner, memory_budget=budget, decisions=decisions)


def usual_choices(base: PartitionChoice) -> list[PartitionChoice]:
    """What is worth comparing: the partition at hand, both of torch's partitioners, and min-cut with less memory."""
    both = [PartitionChoice(partitioner="default"), PartitionChoice(partitioner="min_cut")]
    budgets = [PartitionChoice(memory_budget=budget) for budget in BUDGETS]
    return distinct([base, *both, *budgets])


class PartitionEntry(msgspec.Struct, frozen=True):
    """A partition that was asked for.

    Attributes:
        choice: which.
        result: what it gives; None while it is worked out and where it gives nothing.
        problem: why it gives nothing, or None.
    """

    choice: PartitionChoice
    result: PartitionResult | None = None
    problem: Problem | None = None

    @property
    def is_waiting(self) -> bool:
        """Whether the answer is still to come."""
        return self.result is None and self.problem is None


class Partitions(QObject):
    """What is known of other partitions of the region shown.

    Signals:
        decisions_changed: ``decisions`` changed.
        entries_changed: what is asked for, or what is known of it, changed.
    """

    decisions_changed = Signal()
    entries_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._base = PartitionChoice()
        self._compared: tuple[PartitionChoice, ...] = ()
        self._budget: PartitionChoice | None = None
        self._history: list[dict[str, Decision]] = [{}]
        self._place = 0
        self._known: list[PartitionEntry] = []

    # --- Choices ----------------------------------------------------------------------------------------------

    @property
    def base(self) -> PartitionChoice:
        """How the graphs on screen were partitioned."""
        return self._base

    @property
    def compared(self) -> tuple[PartitionChoice, ...]:
        """What is compared."""
        return self._compared

    @property
    def budget(self) -> PartitionChoice | None:
        """The memory budget being tried, or None."""
        return self._budget

    @property
    def trial(self) -> PartitionChoice | None:
        """The partition at hand with the decisions as they are; None where neither it nor a person has any."""
        if not self.decisions and not self._base.decisions:
            return None
        return msgspec.structs.replace(self._base, decisions=self.decisions)

    @property
    def without(self) -> PartitionChoice | None:
        """What was run, without its decisions; None where it has none."""
        return msgspec.structs.replace(self._base, decisions={}) if self._base.decisions else None

    @property
    def are_run(self) -> bool:
        """Whether the graphs on screen were partitioned with exactly the decisions as they are."""
        return self.decisions == self._base.decisions

    def begin(self, base: PartitionChoice, nodes: Iterable[str], *, keeps: bool = True) -> None:
        """Other graphs are on screen.

        Args:
            base: how they were partitioned.
            nodes: names of the joint graph's nodes.
            keeps: decisions for nodes that they have too are kept; else those of the run are taken over.
        """
        known = set(nodes)
        decisions = self.decisions if keeps else base.decisions
        kept = {name: decision for name, decision in decisions.items() if name in known}
        self._base, self._compared, self._budget, self._known = base, (), None, []
        self._history, self._place = [kept], 0
        self.decisions_changed.emit()
        self.entries_changed.emit()

    def set_base(self, base: PartitionChoice) -> None:
        """The same graphs came of another choice."""
        if base != self._base:
            self._base = base
            self.entries_changed.emit()

    def compare(self, choices: Sequence[PartitionChoice]) -> None:
        """These are compared."""
        self._compared = tuple(choices)
        self.entries_changed.emit()

    def try_budget(self, choice: PartitionChoice | None) -> None:
        """This is tried beside what is compared."""
        self._budget = choice
        self.entries_changed.emit()

    # --- Decisions --------------------------------------------------------------------------------------------

    @property
    def decisions(self) -> dict[str, Decision]:
        """What is wanted for nodes of the joint graph, by name. Do not change."""
        return self._history[self._place]

    @property
    def can_undo(self) -> bool:
        """Whether a decision can be taken back."""
        return self._place > 0

    @property
    def can_redo(self) -> bool:
        """Whether one that was taken back can be had again."""
        return self._place + 1 < len(self._history)

    def decide(self, names: Iterable[str], decision: Decision | None) -> None:
        """Wants something for nodes; None leaves them to the partitioner."""
        wanted = dict(self.decisions)
        for name in names:
            if decision is None:
                wanted.pop(name, None)
            else:
                wanted[name] = decision
        self._decide(wanted)

    def reset(self) -> None:
        """Leaves every node to the partitioner; can be undone."""
        self._decide({})

    def undo(self) -> None:
        """Takes the last change of decisions back."""
        self._go_to(self._place - 1)

    def redo(self) -> None:
        """Does again what was taken back."""
        self._go_to(self._place + 1)

    def _decide(self, wanted: Mapping[str, Decision]) -> None:
        if wanted != self.decisions:
            self._history[self._place + 1 :] = [dict(wanted)]
            self._go_to(self._place + 1)

    def _go_to(self, place: int) -> None:
        if 0 <= place < len(self._history):
            self._place = place
            self.decisions_changed.emit()
            self.entries_changed.emit()

    # --- What is known ----------------------------------------------------------------------------------------

    @property
    def entries(self) -> list[PartitionEntry]:
        """What is compared, tried and decided, each once, in this order."""
        extra = [choice for choice in (self._budget, self.trial) if choice is not None]
        return [self.entry(choice) for choice in distinct([*self._compared, *extra])]

    def entry(self, choice: PartitionChoice) -> PartitionEntry:
        """What is known of a choice."""
        return next((entry for entry in self._known if entry.choice == choice), PartitionEntry(choice))

    def add(self, entry: PartitionEntry) -> None:
        """A choice was worked out, or cannot be."""
        self._known = [*(known for known in self._known if known.choice != entry.choice), entry]
        self.entries_changed.emit()

    def forget_problems(self, choices: Sequence[PartitionChoice]) -> None:
        """These are asked for again."""
        self._known = [known for known in self._known if known.problem is None or known.choice not in choices]


def decidable_names(session: Session, kind: GraphKind | None, nodes: Iterable[int]) -> list[str]:
    """Names, in the joint graph, of those nodes of a graph for which something can be decided: forward operators."""
    joint, region = session.graph(GraphKind.JOINT), session.region
    if joint is None or region is None or not region.is_training:
        return []
    return [
        joint.names[node]
        for node in session.copies_in(GraphKind.JOINT, kind, nodes)
        if joint.sides[node] == Side.FORWARD and joint.ops[node] == Op.CALL_FUNCTION
    ]


def distinct(choices: Iterable[PartitionChoice]) -> list[PartitionChoice]:
    """Each choice once, in their order; they hold tables and have no hash."""
    found: list[PartitionChoice] = []
    for choice in choices:
        if choice not in found:
            found.append(choice)
    return found
