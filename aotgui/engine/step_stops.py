"""Which breakpoints concern which nodes, worked out once when they are set."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from aotgui.engine.step_moves import is_within
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import Graph, GraphKind

Marks = dict[GraphKind, dict[int, list[Breakpoint]]]


class Stops:
    """The breakpoints of a session.

    Attributes:
        values: those that look at every value.
        on_mismatch: whether a mismatch with what was traced stops.
        kinds: what each looks at, by its id.
    """

    def __init__(self, points: Iterable[Breakpoint], graphs: Mapping[GraphKind, Graph]) -> None:
        every = list(points)
        enabled = [point for point in every if point.enabled]
        self.values = [p for p in enabled if not p.kind.is_place and p.kind is not BreakpointKind.MISMATCH]
        mismatches = [point for point in every if point.kind is BreakpointKind.MISMATCH]
        self.on_mismatch = not mismatches or any(point.enabled for point in mismatches)
        places = [point for point in enabled if point.kind.is_place]
        self._before = _marks((point for point in places if not point.is_after), graphs)
        self._after = _marks((point for point in places if point.is_after), graphs)
        self.kinds = {point.id: point.kind for point in enabled}
        self._hits: dict[str, int] = {}

    def before(self, graph: GraphKind, node: int) -> list[Breakpoint]:
        """Those that stop before a node."""
        marks = self._before.get(graph)
        return marks.get(node, []) if marks else []

    def after(self, graph: GraphKind, node: int) -> list[Breakpoint]:
        """Those on a place that look at a node's value."""
        marks = self._after.get(graph)
        return marks.get(node, []) if marks else []

    def counts(self, point: Breakpoint) -> bool:
        """Counts a hit; whether it is one that the breakpoint stops at."""
        self._hits[point.id] = self._hits.get(point.id, 0) + 1
        return self._hits[point.id] >= point.hit_count

    def forget_hits(self) -> None:
        """Counts from the beginning again."""
        self._hits.clear()

    def keep_hits(self, other: Stops) -> None:
        """Goes on counting where those that it replaces stood."""
        self._hits = other._hits


def named(breakpoints: Mapping[GraphKind, list[str]]) -> list[Breakpoint]:
    """Breakpoints on nodes that are given by their names."""
    return [
        Breakpoint(id=f"{kind}:{name}", kind=BreakpointKind.NODE, graph=kind, where=name)
        for kind, names in breakpoints.items()
        for name in names
    ]


def _marks(points: Iterable[Breakpoint], graphs: Mapping[GraphKind, Graph]) -> Marks:
    marks: Marks = {}
    for point in points:
        for kind, graph in graphs.items():
            if point.graph in (None, kind):
                for node in _nodes(point, graph):
                    marks.setdefault(kind, {}).setdefault(node, []).append(point)
    return marks


def _nodes(point: Breakpoint, graph: Graph) -> Iterator[int]:
    """The nodes that a breakpoint on a place concerns."""
    nodes = _matching(point, graph)
    if point.is_after or point.kind in (BreakpointKind.NODE, BreakpointKind.OPERATOR):
        yield from nodes
    else:
        inside = set(nodes)
        yield from (node for node in nodes if _enters(graph, node, inside))


def _matching(point: Breakpoint, graph: Graph) -> list[int]:
    match point.kind:
        case BreakpointKind.NODE:
            return [graph.index_of[point.where]] if point.where in graph.index_of else []
        case BreakpointKind.OPERATOR:
            return _of_strings(graph, graph.targets, lambda text: _is_operator(text, point.where))
        case BreakpointKind.MODULE:
            return _of_strings(graph, graph.modules, lambda text: is_within(text, point.where))
        case _:
            return sorted(
                {node for place, nodes in graph.nodes_by_line.items() if _is_line(place, point) for node in nodes}
            )


def _of_strings(graph: Graph, column: list[int], matches: Callable[[str], bool]) -> list[int]:
    wanted = {index for index in set(column) if index >= 0 and matches(graph.strings[index])}
    return [node for node, index in enumerate(column) if index in wanted]


def _is_operator(target: str, wanted: str) -> bool:
    return bool(wanted) and (target == wanted or target.startswith(f"{wanted}."))


def _is_line(place: tuple[str, int], point: Breakpoint) -> bool:
    file, line = place
    return line == point.line and (not point.where or file == point.where or file.endswith(f"/{point.where}"))


def _enters(graph: Graph, node: int, inside: set[int]) -> bool:
    """Whether a run of nodes of the same line or module begins here; nodes without a place do not end it."""
    previous = node - 1
    while previous >= 0 and graph.stacks[previous] < 0 and graph.modules[previous] < 0:
        previous -= 1
    return previous not in inside
