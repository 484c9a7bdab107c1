"""Where a NaN or Inf comes from.

From a bad value the chain goes back along the input that is worst itself (NaN before Inf, then the one computed
first), until a node has only finite inputs. Inf that was meant, as the ``-inf`` of a mask, is told apart: it is given
by a constant, an argument of the graph, or a number in the call. Inf that an overflow made is the thing to look at even
where the NaN was only made of it later.
"""

from __future__ import annotations

import math
from typing import Any, Final

from torch import fx

from aotgui.engine.graphs import target_text
from aotgui.engine.step_record import Record
from aotgui.engine.timeline import Timeline
from aotgui.model.cause import Cause, CauseInput, CausePartner, CauseStep
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import place_text
from aotgui.model.values import ValueStats

_HANDING_ON: Final = ("aten.detach.", "aten.alias.")
"""Operators that tracing adds to values that are saved."""


class Inquiry:
    """Looks for causes in the values of one session."""

    def __init__(self, timeline: Timeline, record: Record) -> None:
        self._timeline = timeline
        self._record = record

    def cause(self, graph: GraphKind, node: int) -> Cause:
        """The chain of an executed node's value, across from the backward into the forward."""
        steps: list[CauseStep] = []
        at: tuple[GraphKind, int] | None = (graph, node)
        while at is not None and not self._stats(*at).is_finite:
            step, at = self._step(*at)
            steps.append(step)
        if not steps:
            name = self._timeline.cursors[graph].plans[node].node.name
            return Cause(text=f"{name} has neither NaN nor Inf.")
        origin = self._origin(steps)
        return Cause(steps=steps, origin=origin, text=_sentence(steps[origin]))

    def _step(self, kind: GraphKind, index: int) -> tuple[CauseStep, tuple[GraphKind, int] | None]:
        """One node of the chain, and the node before it."""
        cursor = self._timeline.cursors[kind]
        plan, graph, stats = cursor.plans[index], cursor.half.graph, self._stats(kind, index)
        forward = self._timeline.in_forward(kind, index)
        earlier = None if forward is None else (GraphKind.FORWARD, forward)
        bad = [source for source in plan.inputs if not self._stats(kind, source).is_finite]
        worst = min(bad, key=lambda source: (not self._stats(kind, source).nans, source), default=None)
        before = earlier or (None if worst is None else (kind, worst))
        frame = graph.source(index)
        step = CauseStep(
            graph=kind,
            node=index,
            name=plan.node.name,
            target=graph.target(index),
            text=self._text(plan.node, stats, [(kind, source) for source in bad], earlier),
            stats=stats,
            inputs=self._inputs(kind, index),
            file=frame.file if frame else "",
            line=frame.line if frame else 0,
            module=graph.module(index),
            partner=self._partner(kind, index),
        )
        return step, before

    def _text(
        self, node: fx.Node, stats: ValueStats, bad: list[tuple[GraphKind, int]], earlier: tuple[GraphKind, int] | None
    ) -> str:
        what = _what(stats)
        if earlier is not None:
            return f"{node.name} is what the forward handed on, with {what}."
        if node.op in ("placeholder", "get_attr"):
            return f"{node.name} was given with {what}."
        if not bad:
            return f"{node.name} {_given(node)} {what}." if names_infinity(node) else _made(node.name, what)
        if stats.nans and not any(self._stats(*source).nans for source in bad):
            return f"{node.name} makes NaN of the Inf in its input."
        return f"{node.name} hands on {what}."

    def _origin(self, steps: list[CauseStep]) -> int:
        """The deepest step that computed bad from good; else the one that made NaN of Inf; else the deepest."""
        last = len(steps) - 1
        if self._computes(steps[last]):
            return last
        makers = (i for i, s in enumerate(steps) if s.stats.nans and not any(x.stats.nans for x in s.inputs))
        return next((i for i in makers if self._computes(steps[i])), last)

    def _computes(self, step: CauseStep) -> bool:
        node = self._timeline.cursors[step.graph].plans[step.node].node
        is_given = node.op in ("placeholder", "get_attr")
        return not is_given and not (names_infinity(node) and all(x.stats.is_finite for x in step.inputs))

    def _partner(self, kind: GraphKind, index: int) -> CausePartner | None:
        """The forward node whose derivative this is: of the same sequence number and line the last that computes.

        What is not differentiable takes the number of the node before it, so the number alone is not enough.
        """
        forward, graph = self._timeline.forward, self._timeline.cursors[kind].half.graph
        if kind is not GraphKind.BACKWARD or forward is None or graph.seq_nrs[index] < 0:
            return None
        same = [node for node, number in enumerate(forward.seq_nrs) if number == graph.seq_nrs[index]]
        same = [node for node in same if forward.source(node) == graph.source(index)] or same
        computing = [node for node in same if not forward.target(node).startswith(_HANDING_ON)]
        return self._partner_of(forward, (computing or same)[-1]) if same else None

    def _partner_of(self, graph: Graph, index: int) -> CausePartner:
        frame, cursor = graph.source(index), self._timeline.cursors.get(GraphKind.FORWARD)
        was_run = cursor is not None and cursor.has(index)
        return CausePartner(
            node=index,
            name=graph.names[index],
            target=graph.target(index),
            file=frame.file if frame else "",
            line=frame.line if frame else 0,
            stats=self._stats(GraphKind.FORWARD, index) if was_run else None,
            inputs=self._inputs(GraphKind.FORWARD, index) if was_run else [],
        )

    def _inputs(self, kind: GraphKind, index: int) -> list[CauseInput]:
        plans = self._timeline.cursors[kind].plans
        return [
            CauseInput(name=plans[source].node.name, stats=self._stats(kind, source)) for source in plans[index].inputs
        ]

    def _stats(self, kind: GraphKind, index: int) -> ValueStats:
        return self._record.stats(self._timeline, kind, index)


def _what(stats: ValueStats) -> str:
    counts = [f"{count} {name}" for count, name in ((stats.nans, "NaN"), (stats.infs, "Inf")) if count]
    return " and ".join(counts)


def _made(name: str, what: str) -> str:
    return f"{name} makes {what} of finite inputs."


def _given(node: fx.Node) -> str:
    return f"({target_text(node)}) puts in the infinity that its call names:"


def names_infinity(node: fx.Node) -> bool:
    """Whether a number in the call is NaN or Inf, as of a mask that fills in ``-inf``."""
    found: list[Any] = []
    fx.node.map_aggregate((node.args, node.kwargs), found.append)
    return any(isinstance(value, float) and not math.isfinite(value) for value in found)


def _sentence(origin: CauseStep) -> str:
    place = f" in {place_text(origin.file, origin.line)}" if origin.file else ""
    sentence = f"{origin.name} ({origin.target}){place}: {origin.text}"
    partner = origin.partner
    if partner is not None:
        where = f" in {place_text(partner.file, partner.line)}" if partner.file else ""
        sentence += f" It is part of the derivative of {partner.name} ({partner.target}){where}."
    return sentence
