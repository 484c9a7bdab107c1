"""What a stepping session knows beyond single values: edits, errors against another run, watches, nested graphs."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.values import ValueStats


class Granularity(StrEnum):
    """How far one step goes."""

    NODE = "node"
    LINE = "line"
    MODULE = "module"


class ReplacementKind(StrEnum):
    """What a value is replaced by."""

    ZEROS = "zeros"
    ONES = "ones"
    NOISE = "noise"
    CLAMP = "clamp"
    EXPRESSION = "expression"


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """A new value for a node.

    Attributes:
        kind: what by.
        seed: of the standard normal noise.
        low: lower bound of ``CLAMP``; None for none.
        high: upper bound.
        expression: Python over ``value``, node names, ``torch`` and ``math``; its result takes the shape and dtype of
            the value, by broadcasting and conversion.
    """

    kind: ReplacementKind
    seed: int = 0
    low: float | None = None
    high: float | None = None
    expression: str = ""


class Edit(msgspec.Struct, frozen=True, kw_only=True):
    """A value that was replaced; it stays so until it is restored, also after a restart.

    Attributes:
        graph: of the node.
        node: name of the node.
        item: which item of a tuple.
        replacement: by what.
    """

    graph: GraphKind
    node: str
    replacement: Replacement
    item: int = 0


class NodeError(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How far a value is from that of another run of the same graph.

    Attributes:
        node: index of the node.
        max_abs: largest absolute difference; Inf where one of both is finite and the other is not.
        relative: ``max_abs`` over the largest finite magnitude of the other run; 0 where both are equal.
        text: why there is no number, or what the number does not tell.
    """

    node: int
    max_abs: float = 0.0
    relative: float = 0.0
    text: str = ""


class Mutation(msgspec.Struct, frozen=True, kw_only=True):
    """A node that wrote into a value computed before.

    Attributes:
        node: index of the node that wrote.
        target: index of the node whose value it wrote to.
        before: statistics before the write.
        after: statistics after it.
    """

    node: int
    target: int
    before: ValueStats
    after: ValueStats


class WatchValue(msgspec.Struct, frozen=True, kw_only=True):
    """What an expression gave.

    Attributes:
        expression: as asked for.
        text: the value, short, or why there is none.
        failed: whether ``text`` says why not.
        tensor: of a tensor.
    """

    expression: str
    text: str
    failed: bool = False
    tensor: TensorInfo | None = None


class NestedFrame(msgspec.Struct, frozen=True, kw_only=True):
    """A graph inside a node that is being stepped through.

    Attributes:
        subgraph: name of the attribute that holds it, a key of ``Graph.subgraphs`` of the graph around it.
        node: index of the node in it that would run next; their number at its end.
        executed: values of its nodes executed since the last report.
    """

    subgraph: str
    node: int
    executed: list[ValueStats] = []
