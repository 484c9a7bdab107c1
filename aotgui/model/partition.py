"""What a partitioner would make of a joint graph that is known already: choices, decisions, and figures to compare."""

from __future__ import annotations

import msgspec

from aotgui.model.capture import Region
from aotgui.model.decision import Decision
from aotgui.model.text import number_text


class PartitionChoice(msgspec.Struct, frozen=True, kw_only=True):
    """One way to partition.

    Attributes:
        partitioner: ``default``, ``min_cut``, or the name of a function in the user's file.
        memory_budget: 0 to 1, for ``min_cut``; 1 is torch's default.
        decisions: name of a node of the joint graph to what is wanted for it.
    """

    partitioner: str = "min_cut"
    memory_budget: float = 1.0
    decisions: dict[str, Decision] = {}

    def __str__(self) -> str:
        """``min_cut``, ``min_cut@0.5``; decisions are counted."""
        budget = f"@{number_text(self.memory_budget, 3)}" if self.memory_budget != 1.0 else ""
        count = len(self.decisions)
        decided = f" with {count} decision{'s' if count != 1 else ''}" if count else ""
        return f"{self.partitioner}{budget}{decided}"


class PartitionResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a choice makes of a region.

    Attributes:
        choice: what was asked for.
        saved_bytes: of the distinct storages that the forward passes to the backward.
        saved_activation_bytes: those of them that are no parameter, buffer or input.
        saved_count: how many values are passed.
        recomputed: names of the joint graph's nodes that run in both halves.
        recomputed_flops: estimated floating-point operations of those nodes, by torch's formulas; an operator without
            a formula counts one an output element, views count nothing.
        recomputed_seconds: how long those nodes took when the region ran; None where it has not run.
        forward_peak_bytes: most bytes alive at once in the forward, by lifetimes.
        backward_peak_bytes: most bytes alive at once in the backward.
        fates: of each node of the joint graph, ``Fate`` values.
        seconds: how long partitioning took.
        ignored: decisions that did not come true: name of the node to one sentence.
        region: the region as this choice makes it, where graphs were asked for; it has not been run.
    """

    choice: PartitionChoice
    saved_bytes: int
    saved_activation_bytes: int
    saved_count: int
    recomputed: list[str]
    recomputed_flops: int
    recomputed_seconds: float | None
    forward_peak_bytes: int
    backward_peak_bytes: int
    fates: list[int]
    seconds: float
    ignored: dict[str, str] = {}
    region: Region | None = None
