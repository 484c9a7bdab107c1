"""Where execution stands in one half: the next node, and every value computed so far.

Values are kept, within a limit of memory. What was let go is computed again when it is asked for: each node that drew
random numbers has the state of the generators before it noted, and storages that are written to keep their earlier
content, so the same kernel gets the same bits and gives the same bits.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

import torch
from torch import fx

from aotgui.engine.errors import error_text, one_line
from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.graphs import target_text
from aotgui.engine.half import Half, RandomState
from aotgui.engine.node_plan import NodePlan
from aotgui.engine.value_memory import MemoryLimit, by_storage, storages_of
from aotgui.engine.write_log import WriteLog
from aotgui.model.capture import Problem, Severity

UNLIMITED: Final = 1 << 62

Edit = Callable[[Any], Any]
"""Makes of a node's value the one that takes its place."""


class _Dropped:
    """Stands for a value that was let go."""


DROPPED: Final = _Dropped()


class Cursor:
    """Executes a half one node at a time and keeps the values.

    Attributes:
        half: the half.
        plans: how each node is run.
        position: index of the node that runs next; the number of nodes at the end.
        edits: for nodes whose value is replaced: what by.
        drew: for each node that drew random numbers the state of the generators before it.
        dropped: number of values that were let go.
    """

    def __init__(self, half: Half, args: list[Any], limit_bytes: int = UNLIMITED) -> None:
        self.half = half
        self.plans = half.plan.nodes
        self.position = 0
        self.edits: dict[int, Edit] = {}
        self.drew: dict[int, RandomState] = {}
        self.dropped = 0
        self._args = args
        self._registers = half.plan.registers()
        self._random = half.random_state or RandomState.now()
        self._writes = WriteLog()
        self._limit = MemoryLimit(limit_bytes)
        self._counted: dict[int, int] = {}
        self._counted_to = 0
        self._expectations = half.expectations
        self._expectations.bind(args)

    @property
    def at_end(self) -> bool:
        """Whether every node ran."""
        return self.position >= len(self.plans)

    @property
    def name(self) -> str:
        """Name of the node that runs next; empty at the end."""
        return "" if self.at_end else self.plans[self.position].node.name

    @property
    def random(self) -> RandomState:
        """State of the random generators for the next node that draws."""
        return self._random

    def execute(self) -> Any:
        """Runs the next node, keeps its value and goes on to the one after it.

        Raises:
            NodeMismatchError: the value is not as traced; it is kept, and execution can go on.
            Exception: what the operator raised; the cursor stays before the node.
        """
        index = self.position
        plan = self.plans[index]
        if plan.writes:
            self._writes.before(index, [self.value(source) for source in plan.writes])
        try:
            value = self._drawing(plan, self._compute) if plan.may_draw else self._compute(plan)
        except BaseException:
            self._writes.undo(index)
            raise
        return self.accept(value)

    def accept(self, value: Any) -> Any:
        """Takes a value as that of the next node, as ``execute`` does; returns it, or what an edit makes of it."""
        index = self.position
        if (edit := self.edits.get(index)) is not None:
            value = edit(value)
        self._registers[index] = value
        self.position = index + 1
        if self._limit.grew(self.half.sizes[index]):
            self._keep_limit()
        if index not in self.edits:
            self._check(self.plans[index].node, value)
        return value

    def has(self, index: int) -> bool:
        """Whether the node has been executed."""
        return 0 <= index < self.position

    def value(self, index: int, moment: int | None = None) -> Any:
        """The value of an executed node.

        Args:
            index: of the node.
            moment: as it stood before the node with this index ran; None for as it stands now.
        """
        if self._registers[index] is DROPPED:
            self._recompute([index])
        value = self._registers[index]
        return value if moment is None else self._writes.seen(value, moment)

    def arguments(self, index: int) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments that an executed node was run with, as they were then."""
        if not self.plans[index].is_given:
            self._recompute(list(self.plans[index].inputs))
        return self.plans[index].arguments(self._registers_of(self.plans[index], index))

    def adopt_random(self, index: int, before: RandomState, after: RandomState) -> None:
        """Notes what the nested graph of a node drew, when it was run elsewhere."""
        self._note_draw(index, before, after)

    def returned(self) -> dict[str, Any]:
        """At the end: node name to value of what the graph returns."""
        found: list[fx.Node] = []
        fx.map_arg(self.half.module.graph.output_node().args, found.append)
        index_of = self.half.graph.index_of
        return {node.name: self.value(index_of[node.name]) for node in found}

    def go_back(self, index: int) -> None:
        """Makes everything from a node on void: writes are undone, generators set back."""
        if index >= self.position:
            return
        self._writes.undo(index)
        later = sorted(node for node in self.drew if node >= index)
        if later:
            self._random = self.drew[later[0]]
        for node in later:
            del self.drew[node]
        self.dropped -= sum(value is DROPPED for value in self._registers[index : self.position])
        self._registers[index : len(self.plans)] = [None] * (len(self.plans) - index)
        self.position = index
        self._count_again()
        self._recompute([node for node, plan in enumerate(self.plans[:index]) if plan.last_use >= index])

    def fork(self) -> Cursor:
        """Another execution of the same half that stands at the same node, with the values known so far.

        Where the graph writes to values the other runs from the beginning: storages cannot be shared.
        """
        limit_bytes = self._limit.limit_bytes
        if self.half.plan.writes:
            return Cursor(self.half, self.first_args(), limit_bytes).caught_up(self.position)
        other = Cursor(self.half, self._args, limit_bytes)
        other._registers = list(self._registers)
        other._random, other.drew = self._random, dict(self.drew)
        other.position, other.dropped = self.position, self.dropped
        return other

    def caught_up(self, position: int) -> Cursor:
        """This cursor, once it stands before the node ``position``; raises what a node raises but mismatches."""
        while self.position < position:
            with contextlib.suppress(NodeMismatchError):
                self.execute()
        return self

    def kept_bytes(self) -> int:
        """Bytes of the distinct storages of computed values."""
        known, self._counted_to = self._counted_to, self.position
        for index in range(known, self.position):
            if not self.plans[index].is_given:
                self._counted.update((key, s.nbytes()) for key, s in storages_of(self._registers[index]))
        return sum(self._counted.values())

    def problem(self, index: int, error: BaseException) -> Problem:
        """What went wrong at a node, with the user's line that it comes from."""
        node, graph = self.plans[index].node, self.half.graph
        frame = graph.source(index)
        mismatch = isinstance(error, NodeMismatchError)
        return Problem(
            severity=Severity.ERROR,
            stage="step",
            message=str(error) if mismatch else f"{node.name} ({target_text(node)}) raised {one_line(error)}",
            file=frame.file if frame else "",
            line=frame.line if frame else 0,
            node=node.name,
            graph=graph.kind,
            details="" if mismatch else error_text(error),
        )

    def _compute(self, plan: NodePlan) -> Any:
        """The value of a node whose inputs are in the registers."""
        return self._args[plan.position] if plan.call is None else plan.call(self._registers)

    def _drawing(self, plan: NodePlan, compute: Callable[[NodePlan], Any]) -> Any:
        """Runs a node that may draw random numbers, from where the one before it left the generators."""
        before = self._random
        before.restore()
        value = compute(plan)
        self._note_draw(self.position, before, RandomState.now())
        return value

    def _note_draw(self, index: int, before: RandomState, after: RandomState) -> None:
        if not before.equals(after):
            self.drew[index] = before
            self._random = after

    def _check(self, node: fx.Node, value: Any) -> None:
        self._expectations.check(node, value, self._input)

    def _input(self, node: fx.Node) -> Any:
        return self._registers[self.half.graph.index_of[node.name]]

    def _count_again(self) -> None:
        self._counted.clear()
        self._counted_to = 0

    def _computed(self) -> list[tuple[int, Any]]:
        """Index and value of the nodes whose values were computed and are known."""
        return [
            (index, value)
            for index, value in enumerate(self._registers[: self.position])
            if value is not DROPPED and not self.plans[index].is_given
        ]

    def _keep_limit(self) -> None:
        """Lets values go that nothing needs, the largest and oldest first."""
        storages = by_storage(self._computed())
        pinned = self._pinned()
        chosen = self._limit.victims(storages, pinned, self.position)
        for index in {holder for storage in chosen for holder in storage.holders}:
            self._registers[index] = DROPPED
            self.dropped += 1
        self._count_again()
        freed = sum(storage.size_bytes for storage in chosen)
        self._limit.looked(sum(storage.size_bytes for storage in storages.values()) - freed)

    def _pinned(self) -> set[int]:
        """Storages that must stay: of what later nodes read or was given, and those that are written to."""
        needed = by_storage(
            (index, value)
            for index, value in enumerate(self._registers[: self.position])
            if self.plans[index].is_given or self.plans[index].last_use >= self.position
        )
        return set(needed) | self._writes.keys

    def _recompute(self, wanted: list[int]) -> None:
        """Computes values again that were let go, and those they need, in the order of the graph."""
        missing: set[int] = set()
        pending = [index for index in wanted if self._registers[index] is DROPPED]
        while pending:
            index = pending.pop()
            if index not in missing:
                missing.add(index)
                pending += [source for source in self.plans[index].inputs if self._registers[source] is DROPPED]
        for index in sorted(missing):
            self._registers[index] = self._replay(index)
            self.dropped -= 1
        if missing:
            self._count_again()

    def _replay(self, index: int) -> Any:
        plan = self.plans[index]
        if (state := self.drew.get(index)) is not None:
            state.restore()
        assert plan.call is not None, "what was given is never let go"
        value = plan.call(self._registers_of(plan, index))
        edit = self.edits.get(index)
        return value if edit is None else edit(value)

    def _registers_of(self, plan: NodePlan, moment: int) -> list[Any]:
        """The registers as a node found them: with inputs as they stood before it ran."""
        if not self._writes:
            return self._registers
        registers = list(self._registers)
        for source in plan.inputs:
            registers[source] = self._writes.seen(registers[source], moment)
        return registers

    def first_args(self) -> list[Any]:
        """The arguments as they were before any node wrote to them."""
        return self.half.protected([self._writes.seen(arg, 0) for arg in self._args])


def backward_args(forward: Cursor, backward: Half) -> list[Any]:
    """The backward's arguments: what the forward returned under the same name, the rest as recorded.

    The partitioner names the backward's placeholder of a saved value or symbolic size after the forward's node. A
    partition function that names them otherwise gets the recorded values, which are the same numbers.
    """
    returned = forward.returned()
    names = [node.name for node in backward.nodes if node.op == "placeholder"]
    recorded = backward.fresh_args()
    return backward.protected([returned.get(name, value) for name, value in zip(names, recorded, strict=True)])


def failing_node(half: Half, args: list[Any]) -> Problem | None:
    """Runs a half node by node to find the one that raises; None where none does."""
    cursor = Cursor(half, args)
    with torch.no_grad():
        while not cursor.at_end:
            position = cursor.position
            try:
                cursor.execute()
            except NodeMismatchError:
                continue
            except Exception as error:
                return cursor.problem(position, error)
    return None
