"""Whether a breakpoint that looks at values stops after a node, and what it says."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import torch

from aotgui.engine.expressions import ExpressionError, evaluate, filled_in
from aotgui.engine.step_cause import names_infinity
from aotgui.engine.step_record import Record
from aotgui.engine.step_stops import Stops
from aotgui.engine.timeline import Timeline
from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind
from aotgui.model.graph import GraphKind
from aotgui.model.values import ValueStats

_LARGEST: Final = {
    BreakpointKind.OVERFLOW_FLOAT16: torch.finfo(torch.float16),
    BreakpointKind.OVERFLOW_BFLOAT16: torch.finfo(torch.bfloat16),
}


class Checks:
    """Looks at the value of one executed node after the other."""

    def __init__(self, stops: Stops, timeline: Timeline, record: Record) -> None:
        self._stops = stops
        self._timeline = timeline
        self._record = record

    def hits(self, graph: GraphKind, node: int, *, backwards: bool = False) -> list[BreakpointHit]:
        """The breakpoints that stop after a node; log messages go to the record.

        Args:
            graph: of the node.
            node: index of a node that has been executed.
            backwards: neither counts hits nor logs.
        """
        found = []
        for point in (*self._stops.after(graph, node), *self._stops.values):
            hit = self._hit(point, graph, node)
            if hit is None or (not backwards and not hit.failed and not self._stops.counts(point)):
                continue
            if not point.log:
                found.append(hit)
            elif not backwards:
                self._record.logged(hit)
        return found

    def _hit(self, point: Breakpoint, graph: GraphKind, node: int) -> BreakpointHit | None:
        if point.graph not in (None, graph):
            return None
        text = "" if point.kind.is_place else self._finding(point, graph, node)
        if text is None:
            return None
        try:
            if point.condition and not bool(evaluate(point.condition, self._names(graph, node), self._timeline.lookup)):
                return None
            if point.log:
                text = filled_in(point.log, self._names(graph, node), self._timeline.lookup)
        except (ExpressionError, RuntimeError, ValueError) as error:  # also what cannot be true or false
            message = f"{point.condition or point.log}: {error}"
            return BreakpointHit(id=point.id, graph=graph, node=node, after=True, text=message, failed=True)
        return BreakpointHit(id=point.id, graph=graph, node=node, after=True, text=text or point.condition)

    def _names(self, graph: GraphKind, node: int) -> dict[str, Any]:
        cursor = self._timeline.cursors[graph]
        args, kwargs = cursor.arguments(node)
        value = cursor.value(node, node + 1)
        return {"value": value, "args": args, "kwargs": kwargs, "node": cursor.plans[node].node}

    def _finding(self, point: Breakpoint, graph: GraphKind, node: int) -> str | None:
        """What a kind that looks at values finds at a node; None where it finds nothing new there."""
        plan = self._timeline.cursors[graph].plans[node]
        if plan.is_given and (graph is GraphKind.BACKWARD or plan.position < 0):
            return None  # a constant, or what the forward computed: it was not made here
        if point.kind is BreakpointKind.ERROR_ABOVE:
            return self._error(point, graph, node)
        stats = self._stats(graph, node)
        if point.kind is BreakpointKind.NONFINITE:
            return self._nonfinite(stats, graph, node)
        return self._overflow(point.kind, stats, list(self._inputs(graph, node)))

    def _overflow(self, kind: BreakpointKind, stats: ValueStats, inputs: list[ValueStats]) -> str | None:
        largest, dtype = _LARGEST[kind].max, kind.removeprefix("overflow_")
        if stats.infs and stats.tensor.dtype == dtype and all(other.is_finite for other in inputs):
            return f"{stats.infs} Inf in {dtype}"
        if _magnitude(stats) <= largest or any(_magnitude(other) > largest for other in inputs):
            return None
        return f"{_magnitude(stats):.4g} is beyond the largest {dtype}, {largest:.4g}"

    def _nonfinite(self, stats: ValueStats, graph: GraphKind, node: int) -> str | None:
        if stats.is_finite:
            return None
        inputs = list(self._inputs(graph, node))
        if stats.nans and not any(other.nans for other in inputs):
            return f"{stats.nans} NaN"
        is_meant = names_infinity(self._timeline.cursors[graph].plans[node].node)  # the ``-inf`` of a mask
        if stats.infs and not is_meant and all(other.is_finite for other in inputs):
            return f"{stats.infs} Inf"
        return None

    def _error(self, point: Breakpoint, graph: GraphKind, node: int) -> str | None:
        error = self._record.relative_error(graph, node)
        sources = self._timeline.cursors[graph].plans[node].inputs
        if error <= point.limit or any(self._record.relative_error(graph, other) > point.limit for other in sources):
            return None
        return f"relative error {error:.3g} against float64"

    def _inputs(self, graph: GraphKind, node: int) -> Iterator[ValueStats]:
        return (self._stats(graph, other) for other in self._timeline.cursors[graph].plans[node].inputs)

    def _stats(self, graph: GraphKind, node: int) -> ValueStats:
        return self._record.stats(self._timeline, graph, node)


def _magnitude(stats: ValueStats) -> float:
    if stats.minimum is None or stats.maximum is None:
        return 0.0
    return max(abs(stats.minimum), abs(stats.maximum))


def is_hit_before(point: Breakpoint, graph: GraphKind, node: int) -> BreakpointHit:
    """What is said of a breakpoint before its node."""
    return BreakpointHit(id=point.id, graph=graph, node=node)
