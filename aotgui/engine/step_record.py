"""What a session knows of executed nodes, and what of it has not been reported yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aotgui.engine.timeline import Timeline
from aotgui.engine.values import brief_stats_of, same_elements, stats_of
from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Mutation, NodeError
from aotgui.model.values import ValueStats


class Record:
    """Statistics and errors by graph and node; ``take`` hands out what is new.

    Attributes:
        statistics: whether they are computed of each executed node, or only when asked for.
    """

    def __init__(self, statistics: bool) -> None:
        self.statistics = statistics
        self._stats: dict[GraphKind, dict[int, ValueStats]] = {}
        self._errors: dict[GraphKind, dict[int, NodeError]] = {}
        self._news: dict[str, Any] = {}
        self._restarted = False
        self._arguments: dict[int, tuple[Any, ValueStats]] = {}

    def executed(self, timeline: Timeline, graph: GraphKind, node: int, value: Any, ms: float) -> None:
        """Takes in the value of a node that was executed."""
        if self.statistics:
            stats = self._known(timeline, graph, node, value, ms) or stats_of(node, value, ms)
        else:
            stats = brief_stats_of(node, value, ms)
        self._stats.setdefault(graph, {})[node] = stats
        self._of("executed", graph).append(stats)

    def _known(self, timeline: Timeline, graph: GraphKind, node: int, value: Any, ms: float) -> ValueStats | None:
        """Statistics that were computed already, of the same elements elsewhere."""
        cursor = timeline.cursors[graph]
        if cursor.half.plan.writes or node in cursor.edits:
            return None
        if (source := cursor.plans[node].rearranges) >= 0:
            known = self._stats[graph].get(source)
        elif cursor.plans[node].position >= 0:
            known = self._of_argument(timeline, graph, node, value)
        else:
            return None
        return same_elements(node, value, known, ms) if known else None

    def _of_argument(self, timeline: Timeline, graph: GraphKind, node: int, value: Any) -> ValueStats:
        """Of what the forward handed on, or of an argument, which stays the same through restarts."""
        forward = timeline.in_forward(graph, node)
        if forward is not None and timeline.cursors[GraphKind.FORWARD].value(forward) is value:
            return self.stats(timeline, GraphKind.FORWARD, forward)
        given, known = self._arguments.get(id(value), (None, None))
        if given is not value or known is None:
            known = stats_of(node, value)
            self._arguments[id(value)] = (value, known)
        return known

    def stats(self, timeline: Timeline, graph: GraphKind, node: int) -> ValueStats:
        """Statistics of an executed node, computed now where they were not."""
        known = self._stats.setdefault(graph, {}).get(node)
        if known is None or not self.statistics:
            ms = known.ms if known else 0.0
            known = stats_of(node, timeline.cursors[graph].value(node, node + 1), ms)
            self._stats[graph][node] = known
        return known

    def mutated(self, graph: GraphKind, mutation: Mutation) -> None:
        """Takes in a write into a value computed before."""
        self._of("mutated", graph).append(mutation)

    def difference(self, graph: GraphKind, error: NodeError) -> None:
        """Takes in how far a value is from that of the unmodified run."""
        self._of("differences", graph).append(error)

    def error(self, graph: GraphKind, error: NodeError) -> None:
        """Takes in how far a value is from that in float64."""
        self._errors.setdefault(graph, {})[error.node] = error
        self._of("errors", graph).append(error)

    def relative_error(self, graph: GraphKind, node: int) -> float:
        """Against float64; 0 where it is not known."""
        error = self._errors.get(graph, {}).get(node)
        return error.relative if error else 0.0

    def forget_errors(self) -> None:
        """Takes in that there is no run in float64 any more."""
        self._errors.clear()
        self._news.pop("errors", None)

    def logged(self, hit: BreakpointHit) -> None:
        """Takes in a log message."""
        self._news.setdefault("logs", []).append(hit)

    def void(self, voided: Mapping[GraphKind, int]) -> None:
        """Takes in that the values from some nodes on are void."""
        for graph, node in voided.items():
            for known in (self._stats.get(graph, {}), self._errors.get(graph, {})):
                for later in [index for index in known if index >= node]:
                    del known[later]
            for name in ("executed", "errors", "differences", "mutated"):
                news = self._news.get(name, {})
                if graph in news:
                    news[graph] = [item for item in news[graph] if item.node < node]
            lowest = self._news.setdefault("voided", {})
            lowest[graph] = min(node, lowest.get(graph, node))

    def restart(self) -> None:
        """Takes in that everything is void."""
        self._stats.clear()
        self._errors.clear()
        self._news.clear()
        self._restarted = True

    def take(self) -> dict[str, Any]:
        """What is new, as fields of ``Stepped``."""
        news, self._news = self._news, {}
        news["restarted"], self._restarted = self._restarted, False
        return news

    def _of(self, name: str, graph: GraphKind) -> list[Any]:
        found: list[Any] = self._news.setdefault(name, {}).setdefault(graph, [])
        return found
