"""The smallest part of a graph at which a compiler still goes wrong, found within a time limit.

A culprit that is wrong by itself is that part. Otherwise operators before it are needed: stretches that end at the
culprit are tried, each twice as long as the one before, until one fails; then its operators are taken out one by one.
What is taken out becomes an input with the value that it had in the recorded call.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from torch import fx

from aotgui.engine.culprit import Found, values_of
from aotgui.engine.half import RandomState
from aotgui.engine.subgraph import Part, closed, live_after, operators_of, part_of
from aotgui.engine.trial import Court, Outcome


@dataclass(frozen=True)
class Reduced:
    """A small part that fails.

    Attributes:
        part: the part.
        args: one an input.
        outcome: how it fails.
    """

    part: Part
    args: list[Any]
    outcome: Outcome

    @property
    def size(self) -> int:
        """Number of operators."""
        return len(operators_of(self.part.module))


class Reduction:
    """One reduction."""

    def __init__(self, found: Found, seconds: float) -> None:
        self._half = found.half
        self._node = found.node
        self._kind = found.culprit.kind
        self._court = Court(found.compiler, found.half.random_state or RandomState.now())
        self._end = time.monotonic() + seconds

    def run(self) -> Reduced | None:
        """The smallest part that fails as the culprit does; None where not even everything up to it does."""
        operators = operators_of(self._half.module)
        upto = operators[: operators.index(self._node) + 1]
        smallest = self._shortest_stretch(upto)
        if smallest is None:
            return None
        return self._thinned(smallest)

    def _shortest_stretch(self, upto: Sequence[fx.Node]) -> Reduced | None:
        length = 1
        while True:
            stretch = upto[-length:]
            if (reduced := self._tried(stretch)) is not None:
                return reduced
            if length >= len(upto):
                return self._tried(upto, everything_live=True)
            # Out of time: the longest one is known to fail as it did when the culprit was found.
            length = len(upto) if self._is_over() else min(2 * length, len(upto))

    def _thinned(self, reduced: Reduced) -> Reduced:
        for node in reversed(_inside(reduced, self._half)):
            if node is self._node or self._is_over():
                continue
            remaining = [kept for kept in _inside(reduced, self._half) if kept is not node]
            reduced = self._tried(remaining) or reduced
        return reduced

    def _tried(self, inside: Sequence[fx.Node], *, everything_live: bool = False) -> Reduced | None:
        """The part, if it fails in the same way."""
        nodes = _without_orphans(inside)
        part = part_of(self._half.module, *closed(nodes, live_after(nodes) if everything_live else [self._node]))
        args = values_of(self._half, part.inputs, self._court)
        outcome = self._court.judge(part, args)
        return Reduced(part, args, outcome) if outcome.kind is self._kind else None

    def _is_over(self) -> bool:
        return time.monotonic() > self._end


def _inside(reduced: Reduced, half: Any) -> list[fx.Node]:
    """The nodes of the whole graph that the part has, in order."""
    names = {node.name for node in operators_of(reduced.part.module)}
    return [node for node in operators_of(half.module) if node.name in names]


def _without_orphans(inside: Sequence[fx.Node]) -> list[fx.Node]:
    """Without the items of tuples that are not computed inside: the items are taken as inputs instead."""
    taken = set(inside)
    return [node for node in inside if node.target is not operator.getitem or node.all_input_nodes[0] in taken]
