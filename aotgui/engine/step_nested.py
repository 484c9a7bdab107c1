"""Stepping through a graph inside of a node: the body of ``cond``, ``invoke_subgraph`` or a checkpoint region."""

from __future__ import annotations

import contextlib
import time
from typing import Any, Final

import torch
from torch import fx

from aotgui.engine.cursor import Cursor
from aotgui.engine.expectations import NodeMismatchError
from aotgui.engine.graphs import graph_of, target_text
from aotgui.engine.half import Half, RandomState
from aotgui.engine.names import Names
from aotgui.engine.step_moves import end_of_step
from aotgui.engine.values import stats_of
from aotgui.model.capture import Problem
from aotgui.model.stepping import Granularity, NestedFrame
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import StepAction

_BODY_FIRST: Final = frozenset({"tag_activation_checkpoint", "wrap", "wrap_activation_checkpoint"})
"""Operators whose first argument is the graph and the others its inputs."""


class CannotEnterError(Exception):
    """A node has no graph that can be stepped through; the text is one sentence.

    Attributes:
        has_graph: whether there is a graph at all.
    """

    def __init__(self, message: str, *, has_graph: bool = True) -> None:
        super().__init__(message)
        self.has_graph = has_graph


class NestedRun:
    """One execution of the graph inside of a node.

    Attributes:
        subgraph: name of the attribute that holds the graph.
        cursor: how far it was executed.
        before: state of the random generators when it began.
        executed: values of nodes that were executed and not reported.
        ms: milliseconds that they took.
    """

    def __init__(self, subgraph: str, cursor: Cursor, before: RandomState) -> None:
        self.subgraph = subgraph
        self.cursor = cursor
        self.before = before
        self.executed: list[ValueStats] = []
        self.ms = 0.0

    @classmethod
    def enter(cls, outer: Cursor, index: int) -> NestedRun:
        """Stands before the first node of the graph inside of the node that runs next.

        Raises:
            CannotEnterError: there is no such graph, or not one that runs exactly once.
        """
        node = outer.plans[index].node
        body, args = _body(node, outer, index)
        module = outer.value(outer.half.graph.index_of[body.name])
        graph = outer.half.graph.subgraphs.get(str(body.target)) or graph_of(module, outer.half.graph.kind, Names())
        before = outer.drew.get(index, outer.random)
        half = Half(outer.half.kind, module, [], graph, recorded=args, random_state=before)
        return cls(str(body.target), Cursor(half, half.fresh_args()), before)

    @property
    def at_end(self) -> bool:
        """Whether the graph is through."""
        return self.cursor.at_end

    def execute(self) -> None:
        """Runs its next node; raises as ``Cursor.execute`` does."""
        index, begin = self.cursor.position, time.perf_counter()
        try:
            self.cursor.execute()
        finally:
            ms = (time.perf_counter() - begin) * 1000
            self.ms += ms
            if self.cursor.has(index):
                self.executed.append(stats_of(index, self.cursor.value(index), ms))

    def accept(self, inner: NestedRun) -> None:
        """Takes the value of its next node from the graph inside of that."""
        index = self.cursor.position
        self.cursor.adopt_random(index, inner.before, inner.cursor.random)
        with contextlib.suppress(NodeMismatchError):  # the graph was checked node by node
            self.cursor.accept(inner.result())
        self.executed.append(stats_of(index, self.cursor.value(index), inner.ms))

    def result(self) -> Any:
        """At the end: what the graph returns."""
        returned = self.cursor.returned()
        value: Any = fx.map_arg(self.cursor.half.module.graph.output_node().args[0], lambda node: returned[node.name])
        return tuple(value) if isinstance(value, list | tuple) else value


def _body(node: fx.Node, outer: Cursor, index: int) -> tuple[fx.Node, list[Any]]:
    """The node that stands for the graph that will run, and its arguments."""
    if not isinstance(node.target, torch._ops.HigherOrderOperator):
        raise CannotEnterError(f"{node.name} ({target_text(node)}) has no graph inside.", has_graph=False)
    args, _ = outer.arguments(index)
    match str(node.target):
        case "cond":
            predicate, operands = args[0], args[3]
            return _graph_node(node, node.args[1 if bool(predicate) else 2]), list(operands)
        case "invoke_subgraph":
            return _graph_node(node, node.args[0]), list(args[2:])
        case name if name in _BODY_FIRST:
            return _graph_node(node, node.args[0]), list(args[1:])
    raise CannotEnterError(
        f"{node.name} ({target_text(node)}) cannot be stepped into: it runs its graph in a way of its own."
    )


def _graph_node(node: fx.Node, argument: Any) -> fx.Node:
    if isinstance(argument, fx.Node) and argument.op == "get_attr":
        return argument
    raise CannotEnterError(f"The graph inside {node.name} is not at hand.")


class NestedStack:
    """The nested graphs that a session stands in, the innermost last."""

    def __init__(self) -> None:
        self._runs: list[NestedRun] = []

    def __len__(self) -> int:
        return len(self._runs)

    @property
    def cursor(self) -> Cursor | None:
        """Of the innermost graph."""
        return self._runs[-1].cursor if self._runs else None

    @property
    def position(self) -> int:
        """Index of the next node of the innermost graph."""
        return self._runs[-1].cursor.position

    @property
    def at_end(self) -> bool:
        """Whether the innermost graph is through."""
        return self._runs[-1].cursor.at_end

    def enter(self, outer: Cursor, index: int) -> None:
        """Goes into the graph of a node; raises ``CannotEnterError``."""
        self._runs.append(NestedRun.enter(outer, index))

    def execute(self) -> None:
        """Runs the next node of the innermost graph; raises as ``Cursor.execute`` does."""
        self._runs[-1].execute()

    def pop(self) -> NestedRun:
        """Leaves the innermost graph."""
        return self._runs.pop()

    def accept(self, inner: NestedRun) -> None:
        """Gives the innermost graph what a graph inside of it returned."""
        self._runs[-1].accept(inner)

    def clear(self) -> None:
        """Leaves all of them, before the node around them."""
        self._runs.clear()

    def aim(self, action: StepAction, granularity: Granularity) -> int:
        """Where a step ends in the innermost graph."""
        graph, node = self._runs[-1].cursor.half.graph, self.position
        return len(graph) if action is StepAction.STEP_OUT else end_of_step(graph, node, granularity)

    def problem(self, error: BaseException, *, passed: bool = False) -> Problem:
        """What went wrong at the next node of the innermost graph, or at the one just passed."""
        return self._runs[-1].cursor.problem(self.position - passed, error)

    def seen(self, inside: int, node: int, at: int = -1) -> Any:
        """The value of a node of the n-th graph as it stood before the node ``at`` ran, by default as it stands.

        Raises:
            LookupError: the session is not in there, or the node has not been executed.
        """
        if inside > len(self._runs):
            raise LookupError("the session is not inside of this graph any more")
        cursor = self._runs[inside - 1].cursor
        if not cursor.has(node):
            raise LookupError("not executed yet")
        return cursor.value(node, at if at >= 0 else cursor.position)

    def frames(self) -> list[NestedFrame]:
        """Where it stands, with the values that have not been reported."""
        frames = []
        for run in self._runs:
            executed, run.executed = run.executed, []
            frames.append(NestedFrame(subgraph=run.subgraph, node=run.cursor.position, executed=executed))
        return frames
