"""How each node of a graph is run, worked out once: which values it reads, what it calls, what it writes to.

``fx.Interpreter`` walks the arguments of a node each time it runs it, which costs more than most small operators. Here
values live in *registers*: a list with one place a node, followed by the constants that arguments name. A node whose
arguments are not nested reads them with one ``itemgetter``; the others are mapped as ``torch.fx`` does.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.fx.node import map_aggregate

Registers = list[Any]
Call = Callable[[Registers], Any]
Arguments = Callable[[Registers], tuple[tuple[Any, ...], dict[str, Any]]]

_TORCH_NAMESPACES = frozenset({"aten", "prims", "quantized", "mkldnn", "_c10d_functional"})
"""Operators outside of these carry no reliable tag that they draw random numbers."""

_aten = torch.ops.aten

_REARRANGING = frozenset(
    {
        _aten.view.default,
        _aten._unsafe_view.default,
        _aten.reshape.default,
        _aten.permute.default,
        _aten.transpose.int,
        _aten.t.default,
        _aten.unsqueeze.default,
        _aten.squeeze.default,
        _aten.squeeze.dim,
        _aten.squeeze.dims,
        _aten.detach.default,
        _aten.alias.default,
        _aten.clone.default,
    }
)
"""Operators whose result has the elements of their first argument, each once."""

_PURE_MODULES = frozenset({"_operator", "builtins", "math"})


@dataclass(slots=True, frozen=True)
class NodePlan:
    """How one node is run.

    Attributes:
        node: the node.
        call: takes the registers and returns the node's value; None for a placeholder.
        arguments: takes the registers and returns positional and keyword arguments.
        inputs: indexes of the nodes that it reads, each once.
        writes: indexes of the nodes whose values it may write to.
        last_use: index of the last node that reads its value; the number of nodes where the graph returns it.
        may_draw: whether it may advance a random generator.
        position: of a placeholder among the arguments; -1 for others.
        rearranges: index of the node whose elements this one only rearranges, if it keeps all of them; -1 otherwise.
    """

    node: fx.Node
    call: Call | None
    arguments: Arguments
    inputs: tuple[int, ...]
    writes: tuple[int, ...]
    last_use: int
    may_draw: bool
    position: int = -1
    rearranges: int = -1

    @property
    def is_given(self) -> bool:
        """Whether the value is given to the graph, so that dropping it frees nothing."""
        return self.node.op in ("placeholder", "get_attr")


@dataclass
class GraphPlan:
    """How a graph is run.

    Attributes:
        nodes: one plan a node, without the output node.
        constants: what follows the nodes' places in the registers.
        writes: whether any node writes to a value.
    """

    nodes: list[NodePlan] = field(default_factory=list)
    constants: list[Any] = field(default_factory=list)
    writes: bool = False

    @classmethod
    def of(cls, module: fx.GraphModule) -> GraphPlan:
        """Plans a graph module, which must not change afterwards."""
        nodes = [node for node in module.graph.nodes if node.op != "output"]
        planner = _Planner(module, {node: index for index, node in enumerate(nodes)})
        plans = [planner.plan(node) for node in nodes]
        return cls(plans, planner.constants, any(plan.writes for plan in plans))

    def registers(self) -> Registers:
        """Registers in which nothing is known yet; the places of nodes hold None."""
        return [*[None] * len(self.nodes), *self.constants]


class _Planner:
    def __init__(self, module: fx.GraphModule, index_of: dict[fx.Node, int]) -> None:
        self.constants: list[Any] = []
        self._module = module
        self._index_of = index_of
        self._placeholders = 0

    def plan(self, node: fx.Node) -> NodePlan:
        arguments = self._arguments(node)
        position = -1
        if node.op == "placeholder":
            position, self._placeholders = self._placeholders, self._placeholders + 1
        count = len(self._index_of)
        return NodePlan(
            node=node,
            call=self._call(node, arguments),
            arguments=arguments,
            inputs=tuple(self._index_of[source] for source in node.all_input_nodes),
            writes=tuple(dict.fromkeys(self._index_of[source] for source in written_arguments(node))),
            last_use=max((self._index_of.get(user, count) for user in node.users), default=-1),
            may_draw=_may_draw(node),
            position=position,
            rearranges=self._rearranged(node),
        )

    def _call(self, node: fx.Node, arguments: Arguments) -> Call | None:
        match node.op:
            case "placeholder":
                return None
            case "get_attr":
                value = operator.attrgetter(str(node.target))(self._module)
                return lambda registers: value
            case "call_method":
                return _method_call(str(node.target), arguments)
            case "call_module":
                return _call(self._module.get_submodule(str(node.target)), arguments)
        return self._flat_call(node) or _call(_function(node), arguments)

    def _rearranged(self, node: fx.Node) -> int:
        source = node.args[0] if node.args and node.target in _REARRANGING else None
        return self._index_of[source] if isinstance(source, fx.Node) else -1

    def _flat_call(self, node: fx.Node) -> Call | None:
        """The fast way, for arguments that hold no nodes inside of lists."""
        if node.kwargs and any(_holds_nodes(value) for value in node.kwargs.values()):
            return None
        if any(not isinstance(arg, fx.Node) and _holds_nodes(arg) for arg in node.args):
            return None
        target, places, kwargs = _function(node), [self._place(arg) for arg in node.args], dict(node.kwargs)
        if not places:
            return lambda registers: target(**kwargs)
        if len(places) == 1:
            (place,) = places
            return lambda registers: target(registers[place], **kwargs)
        fetch = operator.itemgetter(*places)
        if kwargs:
            return lambda registers: target(*fetch(registers), **kwargs)
        return lambda registers: target(*fetch(registers))

    def _place(self, argument: Any) -> int:
        if isinstance(argument, fx.Node):
            return self._index_of[argument]
        self.constants.append(argument)
        return len(self._index_of) + len(self.constants) - 1

    def _arguments(self, node: fx.Node) -> Arguments:
        index_of = self._index_of

        def fetch(registers: Registers) -> tuple[tuple[Any, ...], dict[str, Any]]:
            def value(argument: Any) -> Any:
                return registers[index_of[argument]] if isinstance(argument, fx.Node) else argument

            args: Any = map_aggregate(node.args, value)
            kwargs: Any = map_aggregate(node.kwargs, value)
            return args, dict(kwargs)

        return fetch


def _function(node: fx.Node) -> Callable[..., Any]:
    assert callable(node.target), f"{node.name} calls {node.target}, which cannot be called"
    return node.target


def _call(target: Callable[..., Any], arguments: Arguments) -> Call:
    def call(registers: Registers) -> Any:
        args, kwargs = arguments(registers)
        return target(*args, **kwargs)

    return call


def _method_call(name: str, arguments: Arguments) -> Call:
    def call(registers: Registers) -> Any:
        (first, *args), kwargs = arguments(registers)
        return getattr(first, name)(*args, **kwargs)

    return call


def _holds_nodes(argument: Any) -> bool:
    found: list[fx.Node] = []
    fx.map_arg(argument, found.append)
    return bool(found)


def _may_draw(node: fx.Node) -> bool:
    """Whether running the node may advance a random generator; whether it did is seen afterwards."""
    if node.op in ("placeholder", "get_attr"):
        return False
    if isinstance(node.target, torch._ops.OpOverload):
        is_tagged = torch.Tag.nondeterministic_seeded in node.target.tags
        return is_tagged or node.target.namespace not in _TORCH_NAMESPACES
    return getattr(node.target, "__module__", "") not in _PURE_MODULES


def written_arguments(node: fx.Node) -> list[fx.Node]:
    """The nodes whose values an operator writes to, by its schema."""
    if not isinstance(node.target, torch._ops.OpOverload) or not node.target._schema.is_mutable:
        return []
    arguments = node.target._schema.arguments
    values = [
        node.args[position] if position < len(node.args) else node.kwargs.get(argument.name)
        for position, argument in enumerate(arguments)
        if argument.is_write
    ]
    found: list[fx.Node] = []
    fx.map_arg(values, found.append)
    return found
