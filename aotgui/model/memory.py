"""Memory over time: which storages are alive when each node of forward and backward has computed.

Computed from lifetimes, so it needs no run and no torch. A storage is counted once, however many values view it. It is
born with the first node whose value lies in it and dies with the last reader of such a value, as where graphs run with
boxed arguments, which is how AOT Autograd runs them: nothing holds a saved value or an incoming gradient once the
backward has read it for the last time. What the caller owns (parameters, buffers, inputs) and what was returned
(outputs, gradients) stays to the end. What an operator allocates for itself while it runs is not in the graph, and a
kernel may allocate a little more than was traced where a result has gaps between its rows (``aten.copy`` into a slice:
at most one row more); a value whose size is only known once it is computed counts nothing. Otherwise the bytes are
those that are counted while the graphs run.

A *step* is one node: first those of the forward (or of the inference graph), then those of the backward. What is alive
at a step includes what the node reads for the last time, because it is there while the node computes.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import cached_property
from itertools import accumulate

import msgspec

from aotgui.model.capture import Region
from aotgui.model.graph import Graph, GraphKind, Op, OutputKind, Role


class MemoryKind(IntEnum):
    """What a storage is alive for, in the order in which it is stacked."""

    PARAMETERS = 0
    INPUTS = 1
    SAVED = 2
    OUTPUTS = 3
    GRADIENTS = 4
    TEMPORARIES = 5

    @property
    def label(self) -> str:
        """The word shown to people."""
        return self.name.lower()


class StorageLife(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One storage and when it is alive.

    Attributes:
        graph: the graph in which it is born.
        node: index of the node that brings it, in that graph.
        kind: what it is alive for.
        size_bytes: of the whole storage.
        first: the step with which it is born.
        last: the last step at which it is alive.
    """

    graph: GraphKind
    node: int
    kind: MemoryKind
    size_bytes: int
    first: int
    last: int


class MemoryMap(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """The lives of all storages of a region.

    Attributes:
        lives: one entry a storage, in the order of birth.
        forward_steps: number of nodes of the forward or inference graph; steps from here on are the backward's.
        backward_steps: number of nodes of the backward.
        is_training: whether there is a backward.
    """

    lives: list[StorageLife]
    forward_steps: int
    backward_steps: int = 0
    is_training: bool = True

    @property
    def steps(self) -> int:
        """Number of steps."""
        return self.forward_steps + self.backward_steps

    def curve(self, *kinds: MemoryKind) -> list[int]:
        """Bytes alive at each step; of some kinds, or of all where none is given."""
        changes = [0] * (self.steps + 1)
        for life in self.lives:
            if not kinds or life.kind in kinds:
                changes[life.first] += life.size_bytes
                changes[life.last + 1] -= life.size_bytes
        return list(accumulate(changes[: self.steps]))

    @cached_property
    def total(self) -> list[int]:
        """Bytes alive at each step."""
        return self.curve()

    def alive_at(self, step: int) -> list[StorageLife]:
        """What is alive at a step, the largest first."""
        alive = (life for life in self.lives if life.first <= step <= life.last)
        return sorted(alive, key=lambda life: -life.size_bytes)

    def peak(self, kind: GraphKind | None = None) -> int:
        """The step at which most bytes are alive, in one graph or in all; -1 where there is no step."""
        steps = self.steps_of(kind) if kind else range(self.steps)
        return max(steps, key=self.total.__getitem__, default=-1)

    def peak_bytes(self, kind: GraphKind | None = None) -> int:
        """Most bytes alive at once, in one graph or in all."""
        step = self.peak(kind)
        return self.total[step] if step >= 0 else 0

    def steps_of(self, kind: GraphKind) -> range:
        """The steps of a graph."""
        if kind is GraphKind.BACKWARD:
            return range(self.forward_steps, self.steps)
        return range(self.forward_steps) if kind is not GraphKind.JOINT else range(0)

    def step_of(self, kind: GraphKind, node: int) -> int:
        """The step of a node of the forward, backward or inference graph."""
        return node + (self.forward_steps if kind is GraphKind.BACKWARD else 0)

    def place_of(self, step: int) -> tuple[GraphKind, int]:
        """Graph and index of the node that is a step."""
        if step >= self.forward_steps:
            return GraphKind.BACKWARD, step - self.forward_steps
        return GraphKind.FORWARD if self.is_training else GraphKind.INFERENCE, step


def memory_of(region: Region) -> MemoryMap | None:
    """The memory of a region over time; None where the capture does not tell which values share memory."""
    training = GraphKind.FORWARD in region.graphs
    forward = region.graphs.get(GraphKind.FORWARD if training else GraphKind.INFERENCE)
    backward = region.graphs.get(GraphKind.BACKWARD)
    if forward is None or not forward.storages or (training and (backward is None or not backward.storages)):
        return None
    lives = _Lives(region.storage_bytes, forward, backward)
    return MemoryMap(
        lives=sorted(lives.found(), key=lambda life: life.first),
        forward_steps=len(forward),
        backward_steps=len(backward) if backward else 0,
        is_training=training,
    )


class _Lives:
    """Follows each storage through both graphs."""

    def __init__(self, sizes: list[int], forward: Graph, backward: Graph | None) -> None:
        self._sizes = sizes
        self._end = len(forward) + (len(backward) if backward else 0) - 1
        self._born: dict[int, tuple[Graph, int, int]] = {}
        self._last: dict[int, int] = {}
        self._kinds: dict[int, MemoryKind] = {}
        self._add(forward, 0, backward is None)
        if backward is not None:
            self._add(backward, len(forward), True)

    def found(self) -> Iterator[StorageLife]:
        for storage, (graph, node, first) in self._born.items():
            yield StorageLife(
                graph=graph.kind,
                node=node,
                kind=self._kinds.get(storage, MemoryKind.TEMPORARIES),
                size_bytes=self._sizes[storage],
                first=first,
                last=self._last[storage],
            )

    def _add(self, graph: Graph, offset: int, is_last: bool) -> None:
        """One graph; ``offset`` is the step of its first node."""
        for node, storages in enumerate(graph.storages):
            is_input = graph.ops[node] == Op.PLACEHOLDER
            users = graph.users(node)
            last = offset + (users[-1] if users else node)
            for storage in storages:
                if storage >= 0:
                    self._born.setdefault(storage, (graph, node, offset if is_input else offset + node))
                    self._last[storage] = max(self._last.get(storage, 0), last)
            if is_input and (kind := _INPUT_KINDS.get(Role(graph.roles[node]))) is not None:
                self._hold(storages, kind, held=kind is not MemoryKind.GRADIENTS)
            elif graph.ops[node] == Op.GET_ATTR:
                self._hold(storages, MemoryKind.PARAMETERS)
        for output in graph.outputs:
            if output.node >= 0:
                self._return(graph, graph.storages[output.node], output.kind, offset + len(graph) - 1, is_last)

    def _return(self, graph: Graph, storages: list[int], kind: OutputKind, end: int, is_last: bool) -> None:
        """A value that a graph returns lives at least until that graph ends; if it is not saved, to the very end."""
        if kind is OutputKind.SAVED and not is_last:
            self._hold(storages, MemoryKind.SAVED, held=False)
            for storage in storages:
                if storage >= 0:
                    self._last[storage] = max(self._last[storage], end)
        else:
            self._hold(storages, _RETURNED.get(kind, MemoryKind.OUTPUTS))

    def _hold(self, storages: list[int], kind: MemoryKind, held: bool = True) -> None:
        """Gives storages a kind unless they have a stronger one; what is held lives to the end."""
        for storage in storages:
            if storage >= 0:
                self._kinds[storage] = min(kind, self._kinds.get(storage, kind))
                if held:
                    self._last[storage] = self._end


_INPUT_KINDS = {
    Role.PARAMETER: MemoryKind.PARAMETERS,
    Role.BUFFER: MemoryKind.PARAMETERS,
    Role.INPUT: MemoryKind.INPUTS,
    Role.TANGENT: MemoryKind.GRADIENTS,
    Role.RNG_STATE: MemoryKind.INPUTS,
}
_RETURNED = {OutputKind.GRADIENT: MemoryKind.GRADIENTS}
