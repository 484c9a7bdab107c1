"""The network whose cut decides what is saved: torch's own of one run, as columns.

Min-cut partitioning sees every node of the joint graph as an edge from its *in* to its *out* end. Cutting that edge
means saving the value, and its capacity says what that costs. Infinite edges say what may not be: from the source, a
node that must not be recomputed; to the sink, one that the backward must compute or must have. What is left on the
source side runs in the forward alone, what is on the sink side is computed in the backward.

The data edges are those of the joint graph after torch merged equal nodes, so they are kept here.
"""

from __future__ import annotations

import math
from enum import IntEnum
from functools import cached_property

import msgspec


class CutSide(IntEnum):
    """Where the cut leaves a node.

    Attributes:
        SOURCE: both ends on the source side: computed in the forward, not passed on.
        CUT: the cut goes through it: saved.
        SINK: both ends on the sink side: computed in the backward (again, where it is a node of the forward).
    """

    SOURCE = 0
    CUT = 1
    SINK = 2


class CutNetwork(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """A min-cut network and its cut; all columns but the edges and strings have one entry a network node.

    Attributes:
        nodes: index of the node in the joint graph.
        capacities: what saving it costs: its bytes, weighted by torch with the distance to the backward and doubled
            where it would have been fused away; infinite where it cannot be saved.
        bans: why it must not be recomputed, as string index; -1 where it may.
        unsaveable: why it cannot be saved, as string index; -1 where it can.
        needs: why the backward needs it, as string index; -1 where nothing demands it.
        needs_value: whether the backward needs the value as it is (True) or has to compute it itself (False); without
            meaning where ``needs`` is -1.
        sides: ``CutSide`` values.
        edge_sources: positions in ``nodes`` of the data edges' producers.
        edge_targets: positions of their readers.
        strings: the texts that the columns index.
        cut_value: sum of the capacities that the cut goes through; infinite without a cut.
        solved: how many networks torch solved in this run; with a memory budget below 1 it solves up to four, and
            this one is the last.
    """

    nodes: list[int]
    capacities: list[float]
    bans: list[int]
    unsaveable: list[int]
    needs: list[int]
    needs_value: list[bool]
    sides: list[int]
    edge_sources: list[int]
    edge_targets: list[int]
    strings: list[str]
    cut_value: float = math.inf
    solved: int = 1

    def __len__(self) -> int:
        """Number of network nodes, each with its two ends counted as one."""
        return len(self.nodes)

    def _text(self, index: int) -> str:
        return self.strings[index] if index >= 0 else ""

    def ban(self, position: int) -> str:
        """Why a node must not be recomputed, in torch's words; empty where it may."""
        return self._text(self.bans[position])

    def obstacle(self, position: int) -> str:
        """Why a node cannot be saved, in torch's words; empty where it can."""
        return self._text(self.unsaveable[position])

    def need(self, position: int) -> str:
        """Why the backward needs a node, in torch's words; empty where nothing demands it."""
        return self._text(self.needs[position])

    def side(self, position: int) -> CutSide:
        """Where the cut leaves a node."""
        return CutSide(self.sides[position])

    @cached_property
    def position_of(self) -> dict[int, int]:
        """Index in the joint graph to position here."""
        return {node: position for position, node in enumerate(self.nodes)}

    @cached_property
    def inputs(self) -> list[list[int]]:
        """For each position those that it reads."""
        return self._neighbours(self.edge_targets, self.edge_sources)

    @cached_property
    def users(self) -> list[list[int]]:
        """For each position those that read it."""
        return self._neighbours(self.edge_sources, self.edge_targets)

    def _neighbours(self, keys: list[int], values: list[int]) -> list[list[int]]:
        found: list[list[int]] = [[] for _ in self.nodes]
        for key, value in zip(keys, values, strict=True):
            found[key].append(value)
        return found

    def fixed_behind(self, position: int) -> int:
        """The nearest node behind that can neither be recomputed nor saved itself; -1 without.

        It is the operator of whose result a node is a part: a tuple cannot be saved, only its parts.
        """
        seen = {position}
        queue = list(self.inputs[position])
        for behind in queue:
            if behind in seen or math.isfinite(self.capacities[behind]):
                continue
            seen.add(behind)
            if self.ban(behind):
                return behind
            queue += self.inputs[behind]
        return -1

    def is_fixed(self, position: int) -> bool:
        """Whether a node cannot be recomputed: itself, or the operator of whose result it is a part."""
        return bool(self.ban(position)) or self.fixed_behind(position) >= 0
