"""The min-cut network around a node as a graph of its own, drawn with the canvas that draws every other graph.

A node is drawn as its two ends with the edge between them, whose capacity is what saving costs; where they fall
together (what the backward must compute itself has no outgoing end) it is drawn once. Infinite edges from the source
and to the sink say what is forbidden and what is demanded.
"""

from __future__ import annotations

import math

import msgspec

from aotgui.model.capture import Region
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Role, Side
from aotgui.model.text import bytes_text

SOURCE, SINK = "source", "sink"


class CutView(msgspec.Struct, frozen=True, kw_only=True):
    """A part of a network as a graph.

    Attributes:
        graph: to draw; ``Side.FORWARD`` is the source side and ``Side.BACKWARD`` the sink side, ``Fate.SAVED`` marks
            both ends of a node that the cut goes through.
        capacities: of each edge, in the order of the graph's edges.
        reasons: why an edge is infinite, in torch's words; empty where it is not or where data flows.
        joint: index in the joint graph of each node drawn, -1 for source and sink.
        ends: ``in``, ``out`` or empty for each node drawn.
        is_whole: whether everything that is connected with the node is shown.
    """

    graph: Graph
    capacities: list[float]
    reasons: list[str]
    joint: list[int]
    ends: list[str]
    is_whole: bool


def cut_view(region: Region, node: int, limit: int = 60) -> CutView | None:
    """The network around a node of the joint graph; None where torch gave none, or it does not hold the node.

    Args:
        region: with a network.
        node: index in the joint graph.
        limit: how many nodes of the network to show, the nearest first.
    """
    graph, cut = region.main_graph, region.cut
    position = cut.position_of.get(node) if cut else None
    if graph is None or cut is None or position is None:
        return None
    shown, is_whole = _around(cut, position, limit)
    return _Drawing(graph, cut, shown).view(is_whole)


def _around(cut: CutNetwork, position: int, limit: int) -> tuple[list[int], bool]:
    """The nearest positions in both directions, and whether those are all."""
    seen = {position: None}
    queue = [position]
    for current in queue:
        for near in (*cut.inputs[current], *cut.users[current]):
            if near not in seen:
                if len(seen) >= limit:
                    return sorted(seen), False
                seen[near] = None
                queue.append(near)
    return sorted(seen), True


class _Drawing:
    """Fills the columns of a view."""

    def __init__(self, graph: Graph, cut: CutNetwork, shown: list[int]) -> None:
        self._graph = graph
        self._cut = cut
        self._shown = shown
        self._strings: dict[str, int] = {}
        self._rows: list[tuple[int, str, str, CutSide]] = []
        self._edges: list[tuple[int, int, float, str]] = []
        self._entry: dict[int, int] = {}
        self._exit: dict[int, int] = {}

    def view(self, is_whole: bool) -> CutView:
        source = self._add(-1, SOURCE, "", CutSide.SOURCE)
        for position in self._shown:
            self._add_node(position)
        sink = self._add(-1, SINK, "", CutSide.SINK)
        for position in self._shown:
            self._add_infinite(position, source, sink)
        self._add_data()
        self._edges.sort(key=lambda edge: (edge[1], edge[0]))
        return CutView(
            graph=self._columns(),
            capacities=[capacity for _, _, capacity, _ in self._edges],
            reasons=[reason for _, _, _, reason in self._edges],
            joint=[joint for joint, _, _, _ in self._rows],
            ends=[end for _, _, end, _ in self._rows],
            is_whole=is_whole,
        )

    def _add(self, joint: int, name: str, end: str, side: CutSide) -> int:
        self._rows.append((joint, name, end, side))
        return len(self._rows) - 1

    def _add_node(self, position: int) -> None:
        cut = self._cut
        joint, side = cut.nodes[position], cut.side(position)
        name = self._graph.names[joint]
        if cut.need(position) and not cut.needs_value[position]:
            self._entry[position] = self._exit[position] = self._add(joint, name, "", side)
            return
        self._entry[position] = self._add(joint, f"{name}_in", "in", side)
        self._exit[position] = self._add(joint, f"{name}_out", "out", side)
        capacity, obstacle = cut.capacities[position], cut.obstacle(position)
        self._edges.append((self._entry[position], self._exit[position], capacity, obstacle))

    def _add_infinite(self, position: int, source: int, sink: int) -> None:
        cut = self._cut
        if ban := cut.ban(position):
            self._edges.append((source, self._entry[position], math.inf, ban))
        if need := cut.need(position):
            end = self._exit if cut.needs_value[position] else self._entry
            self._edges.append((end[position], sink, math.inf, need))

    def _add_data(self) -> None:
        shown = set(self._shown)
        for producer, reader in zip(self._cut.edge_sources, self._cut.edge_targets, strict=True):
            if producer in shown and reader in shown:
                self._edges.append((self._exit[producer], self._entry[reader], math.inf, ""))

    def _string(self, text: str) -> int:
        return self._strings.setdefault(text, len(self._strings))

    def _columns(self) -> Graph:
        count = len(self._rows)
        incoming: list[list[int]] = [[] for _ in range(count)]
        for start, target, capacity, reason in self._edges:
            weight = bytes_text(int(capacity)) if math.isfinite(capacity) else "∞"
            name = self._rows[start][1]
            incoming[target] += [self._string(name), self._string(f"{weight} {reason}".rstrip())]
        return Graph(
            kind=GraphKind.JOINT,
            names=[name for _, name, _, _ in self._rows],
            ops=[int(Op.CALL_FUNCTION)] * count,
            targets=[self._string(self._target(joint, name)) for joint, name, _, _ in self._rows],
            roles=[int(Role.OPERATOR)] * count,
            sides=[int(self._drawn_side(end, side)) for _, _, end, side in self._rows],
            fates=[int(self._drawn_fate(side)) for _, _, _, side in self._rows],
            seq_nrs=[-1] * count,
            origins=[joint for joint, _, _, _ in self._rows],
            labels=[-1] * count,
            modules=[-1] * count,
            stacks=[-1] * count,
            values=[self._value(joint) for joint, _, _, _ in self._rows],
            arguments=incoming,
            edge_sources=[start for start, _, _, _ in self._edges],
            edge_targets=[target for _, target, _, _ in self._edges],
            tensor_table=self._graph.tensor_table,
            strings=list(self._strings),
        )

    def _target(self, joint: int, name: str) -> str:
        return self._graph.target(joint) if joint >= 0 else name

    def _value(self, joint: int) -> list[int]:
        return self._graph.values[joint] if joint >= 0 else []

    @staticmethod
    def _drawn_side(end: str, side: CutSide) -> Side:
        """The ends of a node that the cut goes through lie on different sides."""
        on_source = side is CutSide.SOURCE or (side is CutSide.CUT and end == "in")
        return Side.FORWARD if on_source else Side.BACKWARD

    @staticmethod
    def _drawn_fate(side: CutSide) -> Fate:
        return {CutSide.SOURCE: Fate.FORWARD_ONLY, CutSide.CUT: Fate.SAVED, CutSide.SINK: Fate.BACKWARD_ONLY}[side]
