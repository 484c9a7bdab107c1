"""A joint graph as traced, kept so that it can be partitioned again without tracing.

Partitioners change the joint graph that they are given. The copy shares the traced values and every tensor with it, so
it costs little, and it is copied again for each partition.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import fx
from torch._dispatch.python import enable_python_dispatcher
from torch._guards import TracingContext, detect_fake_mode, tracing
from torch.fx._lazy_graph_module import _make_graph_module

from aotgui.engine.graphs import mark_origins
from aotgui.engine.names import Names
from aotgui.model.graph import Graph


@dataclass(frozen=True)
class JointCopy:
    """What a partition function is called with, before it is called.

    Attributes:
        root: the joint module, for its attributes.
        graph: a copy of its graph as traced, with the index of each node in its meta; never changed.
        columns: the same graph as columns, without fates.
        arguments: what torch passes beside the joint graph.
        options: what torch passes by keyword, ``num_fwd_outputs`` among it.
        names: human names.
    """

    root: fx.GraphModule
    graph: fx.Graph
    columns: Graph
    arguments: tuple[Any, ...]
    options: dict[str, Any]
    names: Names

    @classmethod
    def of(
        cls, joint: fx.GraphModule, columns: Graph, arguments: tuple[Any, ...], options: dict[str, Any], names: Names
    ) -> JointCopy:
        """Marks the nodes of a joint graph with their index and copies it."""
        mark_origins(joint)
        return cls(joint, copy_graph(joint.graph), columns, arguments, options, names)

    def module(self) -> fx.GraphModule:
        """A joint module that a partitioner may change."""
        return _make_graph_module(self.root, copy_graph(self.graph))


def copy_graph(graph: fx.Graph) -> fx.Graph:
    """Copies nodes with their meta; ``copy.deepcopy`` would copy tensors and fail under a fake mode."""
    copied = fx.Graph()
    returned = copied.graph_copy(graph, {})
    output = next(reversed(graph.nodes))
    copied.output(returned).meta = dict(output.meta)
    copied.set_codegen(graph._codegen)
    return copied


@contextmanager
def tracing_again(graph: fx.Graph) -> Iterator[None]:
    """The modes under which AOT Autograd calls a partition function: that of the traced values, and no gradients."""
    values = [node.meta.get("val") for node in graph.find_nodes(op="placeholder")]
    fake_mode = detect_fake_mode([value for value in values if isinstance(value, torch.Tensor)])
    with ExitStack() as stack:
        stack.enter_context(torch.no_grad())
        if fake_mode is not None:
            stack.enter_context(tracing(TracingContext(fake_mode)))
            stack.enter_context(fake_mode)
            if fake_mode.shape_env is not None:
                stack.enter_context(enable_python_dispatcher())
        yield
