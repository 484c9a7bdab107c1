"""Which of its inputs a graph writes to.

AOT Autograd keeps a write in one of two ways: the new value is an additional output, copied into the input after the
graph has run, or the graph itself ends with the copy (``keep_inference_input_mutations``, backends of Dynamo).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from aotgui.model.graph import Graph, Op, OutputKind

_WRITTEN: Final = re.compile(r"\([a-z]!\)\S* (\w+)")
"""A written argument in an operator's schema: ``Tensor(a!) self``."""


class Writes(NamedTuple):
    """Names of written inputs, in the order of the graph.

    Attributes:
        by_output: the new value is an output of the graph.
        in_place: the graph writes by itself.
    """

    by_output: list[str]
    in_place: list[str]


def writes_of(graph: Graph) -> Writes:
    """The inputs that a joint or inference graph writes to."""
    by_output = [out.label.removeprefix("updated ") for out in graph.outputs if out.kind is OutputKind.MUTATION]
    written = {
        index for node, op in enumerate(graph.ops) if op == Op.CALL_FUNCTION for index in _written_nodes(graph, node)
    }
    inputs = (index for index in sorted(written) if graph.ops[index] == Op.PLACEHOLDER)
    return Writes(by_output, [label for index in inputs if (label := graph.label(index)) not in by_output])


def _written_nodes(graph: Graph, node: int) -> list[int]:
    names = _WRITTEN.findall(graph.schemas.get(graph.target(node), "").partition("->")[0])
    if not names:
        return []
    texts = [graph.string(index) for index in graph.arguments[node]]
    given = dict(zip(texts[::2], texts[1::2], strict=True))
    values = (given.get(name, "") for name in names)
    return [graph.index_of[value[1:]] for value in values if value.startswith("%") and value[1:] in graph.index_of]
