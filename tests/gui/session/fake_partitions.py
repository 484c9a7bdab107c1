"""What the fake engine makes of other partitions: figures that follow from the choice, so that a test can tell them."""

from __future__ import annotations

from collections.abc import Callable

from aotgui.model.capture import Problem, Severity
from aotgui.model.decision import Decision
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.protocol.messages import Event, Repartition, Repartitioned, RepartitionEnded

NODES = 4
"""Of the joint graph: f0, f1, b0, b1."""


class FakePartitions:
    """Answers requests for partitions; with ``hold`` among the words the first waits for the second."""

    def __init__(self, say: Callable[[Event], None], words: set[str]) -> None:
        self._say = say
        self._holds = "hold" in words
        self._fails = "no-partition" in words
        self._ignores = "ignore-partitions" in words
        self._held: Repartition | None = None

    def answer(self, request: Repartition) -> None:
        if self._ignores:
            return
        if self._holds and self._held is None:
            self._held = request
            return
        if self._held is not None:
            self._say_stale(self._held)
        if self._fails:
            problem = Problem(severity=Severity.ERROR, stage="partition", message="Nothing was captured.")
            self._say(RepartitionEnded(request=request.request, finished=False, problem=problem))
            return
        for index, choice in enumerate(request.choices):
            self._say(Repartitioned(request=request.request, index=index, result=result_of(choice)))
        self._say(RepartitionEnded(request=request.request))

    def _say_stale(self, held: Repartition) -> None:
        wrong = PartitionChoice(partitioner="stale")
        self._say(Repartitioned(request=held.request, index=0, result=result_of(wrong)))
        self._say(RepartitionEnded(request=held.request, finished=False))


def result_of(choice: PartitionChoice) -> PartitionResult:
    """64 bytes at the whole budget; 16 more or less for each decision."""
    changes = {Decision.SAVE: 16, Decision.RECOMPUTE: -16}
    saved = round(64 * choice.memory_budget) + sum(changes[decision] for decision in choice.decisions.values())
    is_other = choice.memory_budget < 1 or bool(choice.decisions)
    return PartitionResult(
        choice=choice,
        saved_bytes=saved,
        saved_activation_bytes=saved,
        saved_count=2,
        recomputed=["f0"] if is_other else [],
        recomputed_flops=1000 if is_other else 0,
        recomputed_seconds=0.001 if is_other else 0.0,
        forward_peak_bytes=1024 + saved,
        backward_peak_bytes=2048 + saved,
        fates=[1 if is_other else 0, *[0] * (NODES - 1)],
        seconds=0.01,
        ignored={"f1": "torch saves it anyway."} if "f1" in choice.decisions else {},
    )
