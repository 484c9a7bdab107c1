"""Parts of a graph that run by themselves: a prefix, a stretch, a single node.

A part takes the values that it needs from outside as arguments, under the names that they have in the whole graph.
Constants (``get_attr``) come with it. All symbolic sizes among the graph's inputs are arguments of every part,
because shapes inside may be written in them without any node saying so.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx

from aotgui.engine.half import copy_module, mutated_positions


@dataclass(frozen=True)
class Part:
    """A part of a graph.

    Attributes:
        module: the part.
        inputs: nodes of the whole graph whose values it takes, one a placeholder.
        outputs: nodes of the whole graph whose values it returns as a tuple.
    """

    module: fx.GraphModule
    inputs: list[fx.Node]
    outputs: list[fx.Node]

    @property
    def example_inputs(self) -> list[Any]:
        """One fake value a placeholder, as traced; None where the trace has none."""
        return [node.meta.get("val") for node in self.inputs]

    @property
    def output_names(self) -> list[str]:
        """Names of the values that it returns."""
        return [node.name for node in self.outputs]

    def protected(self, args: Sequence[Any]) -> list[Any]:
        """The arguments, with copies of those that running the part may write to."""
        written = frozenset(mutated_positions(self.module.graph))
        return [
            arg.detach().clone() if position in written and isinstance(arg, torch.Tensor) else arg
            for position, arg in enumerate(args)
        ]

    def module_copy(self) -> fx.GraphModule:
        """A graph module that a compiler may change."""
        return copy_module(self.module)


def operators_of(module: fx.GraphModule) -> list[fx.Node]:
    """What a graph executes, in order: neither inputs nor constants."""
    return [node for node in module.graph.nodes if node.op in ("call_function", "call_method", "call_module")]


def part_of(module: fx.GraphModule, inside: Sequence[fx.Node], outputs: Sequence[fx.Node]) -> Part:
    """Cuts a part out.

    Args:
        module: the whole; not changed.
        inside: operators of the part, in the order of the graph.
        outputs: operators of the part, or inputs of it, whose values it returns.
    """
    taken = set(inside)
    needed = {source for node in inside for source in node.all_input_nodes if source not in taken}
    symbols = [node for node in module.graph.find_nodes(op="placeholder") if isinstance(_value(node), torch.SymInt)]
    needed.update(symbols)
    inputs = [node for node in module.graph.nodes if node in needed and node.op != "get_attr"]
    constants = [node for node in module.graph.nodes if node in needed and node.op == "get_attr"]
    graph = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    for node in inputs:
        copies[node] = graph.placeholder(node.name)
        copies[node].meta = {key: node.meta[key] for key in ("val", "tensor_meta") if key in node.meta}
    for node in (*constants, *inside):
        copies[node] = graph.node_copy(node, lambda source: copies[source])
    graph.output(tuple(copies[node] for node in outputs))
    return Part(fx.GraphModule(module, graph, class_name="Part"), inputs, list(outputs))


def prefix_of(module: fx.GraphModule, count: int) -> Part:
    """The first ``count`` operators; returns every tensor that the rest of the graph would use or return."""
    inside = operators_of(module)[:count]
    return part_of(module, *closed(inside, live_after(inside)))


def alone(module: fx.GraphModule, node: fx.Node) -> Part:
    """One operator; returns its tensors."""
    return part_of(module, *closed([node], [node]))


def everything(module: fx.GraphModule, count: int) -> Part:
    """The first ``count`` operators; returns the tensors of all of them."""
    inside = operators_of(module)[:count]
    return part_of(module, *closed(inside, inside))


def live_after(inside: Sequence[fx.Node]) -> list[fx.Node]:
    """The nodes among ``inside`` whose value is used by a node that is not."""
    taken = set(inside)
    return [node for node in inside if any(user not in taken for user in node.users)]


def closed(inside: Sequence[fx.Node], wanted: Iterable[fx.Node]) -> tuple[list[fx.Node], list[fx.Node]]:
    """Takes in the items of tuples that are wanted, because only tensors are returned.

    Returns:
        The operators and the tensors to return.
    """
    nodes, outputs = list(dict.fromkeys(inside)), []
    for node in wanted:
        if isinstance(_value(node), tuple | list):
            items = [user for user in node.users if user.target is operator.getitem]
            nodes += [item for item in items if item not in nodes]
            outputs += [item for item in items if _is_tensor(item)]
        elif _is_tensor(node):
            outputs.append(node)
    return nodes, list(dict.fromkeys(outputs))


def _is_tensor(node: fx.Node) -> bool:
    return isinstance(_value(node), torch.Tensor)


def _value(node: fx.Node) -> Any:
    return node.meta.get("val")
