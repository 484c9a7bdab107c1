"""Where execution stands in one half: the interpreter, the next node, and every value computed so far."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from aotgui.engine.errors import error_text, one_line
from aotgui.engine.graphs import target_text
from aotgui.engine.half import Half
from aotgui.engine.interpreter import CheckedInterpreter, NodeMismatchError
from aotgui.model.capture import Problem, Severity


class Cursor:
    """Executes a half one node at a time and keeps the values.

    Attributes:
        half: the half.
        position: index of the node that runs next; the number of nodes at the end.
    """

    def __init__(self, half: Half, args: list[Any]) -> None:
        self.half = half
        self.position = 0
        self._interpreter = CheckedInterpreter(half.module, garbage_collect_values=False)
        self._interpreter.bind(args)

    @property
    def at_end(self) -> bool:
        """Whether every node ran."""
        return self.position >= len(self.half.nodes)

    @property
    def name(self) -> str:
        """Name of the node that runs next; empty at the end."""
        return "" if self.at_end else self.half.nodes[self.position].name

    def execute(self) -> Any:
        """Runs the next node, keeps its value and goes on to the one after it.

        Raises:
            NodeMismatchError: the value is not as traced; it is kept, and execution can go on.
            Exception: what the operator raised; the cursor stays before the node.
        """
        node = self.half.nodes[self.position]
        try:
            value = self._interpreter.run_node(node)
        except NodeMismatchError as mismatch:
            self._keep(node, mismatch.value)
            raise
        self._keep(node, value)
        return value

    def has(self, index: int) -> bool:
        """Whether the node's value is known."""
        return 0 <= index < self.position

    def value(self, index: int) -> Any:
        """The value of an executed node."""
        return self._interpreter.env[self.half.nodes[index]]

    def returned(self) -> dict[str, Any]:
        """At the end: node name to value of what the graph returns."""
        found: list[fx.Node] = []
        fx.map_arg(self.half.module.graph.output_node().args, found.append)
        return {node.name: self._interpreter.env[node] for node in found}

    def problem(self, index: int, error: BaseException) -> Problem:
        """What went wrong at a node, with the user's line that it comes from."""
        node, graph = self.half.nodes[index], self.half.graph
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

    def _keep(self, node: fx.Node, value: Any) -> None:
        self._interpreter.env[node] = value
        self.position += 1


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
