"""What if: values that are replaced by others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from aotgui.engine.expressions import Lookup, evaluate
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.stepping import Edit, Replacement, ReplacementKind

Replace = Callable[[Any], Any]


class ReplacementError(Exception):
    """A value cannot be replaced so; the text is one sentence."""


class Edits:
    """The values that a session replaces, at most one replacement for each node and item.

    Attributes:
        all: in the order in which they were made.
    """

    def __init__(self, edits: Iterable[Edit] = ()) -> None:
        self.all = list(edits)

    def __bool__(self) -> bool:
        return bool(self.all)

    def put(self, edit: Edit) -> None:
        """Adds an edit in place of an earlier one of the same node and item."""
        same = (edit.graph, edit.node, edit.item)
        self.all = [other for other in self.all if (other.graph, other.node, other.item) != same] + [edit]

    def take_back(self, graph: GraphKind | None, node: str) -> list[Edit]:
        """Removes the edits of a node, or all without a graph; returns them."""
        gone = [edit for edit in self.all if graph is None or (edit.graph, edit.node) == (graph, node)]
        self.all = [edit for edit in self.all if edit not in gone]
        return gone

    def of(self, graph: Graph, lookup: Lookup) -> dict[int, Replace]:
        """For each edited node of a graph what makes its new value of its own."""
        found: dict[int, Replace] = {}
        for edit in self.all:
            if edit.graph is graph.kind and edit.node in graph.index_of:
                index = graph.index_of[edit.node]
                found[index] = _after(found.get(index), _replace(edit, lookup))
        return found


def _replace(edit: Edit, lookup: Lookup) -> Replace:
    return lambda value: replaced(value, edit.replacement, edit.item, lookup)


def _after(first: Replace | None, second: Replace) -> Replace:
    return second if first is None else lambda value: second(first(value))


def replaced(value: Any, replacement: Replacement, item: int, lookup: Lookup) -> Any:
    """The value that takes the place of another, of the same shape, dtype and strides.

    Args:
        value: a tensor, or a tuple or list of such.
        replacement: by what.
        item: which item of a tuple.
        lookup: values of nodes by name, for an expression.

    Raises:
        ReplacementError: there is no such item, or it is no tensor, or what replaces it does not fit.
        ExpressionError: the expression cannot be evaluated.
    """
    if isinstance(value, tuple | list):
        if not 0 <= item < len(value):
            raise ReplacementError(f"There is no item {item} among {len(value)}.")
        new = replaced(value[item], replacement, 0, lookup)
        return type(value)([*value[:item], new, *value[item + 1 :]])
    if not isinstance(value, torch.Tensor):
        raise ReplacementError(f"Only tensors can be replaced, and this is of the type {type(value).__name__}.")
    try:
        # ``empty_strided`` keeps the strides, which later nodes may rely on.
        new = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
        new.copy_(_content(value.detach(), replacement, lookup))
    except (RuntimeError, TypeError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ReplacementError(f"The new value does not fit: {reason}") from error
    return new


def _content(value: torch.Tensor, replacement: Replacement, lookup: Lookup) -> torch.Tensor:
    match replacement.kind:
        case ReplacementKind.ZEROS:
            return torch.zeros((), dtype=value.dtype, device=value.device)
        case ReplacementKind.ONES:
            return torch.ones((), dtype=value.dtype, device=value.device)
        case ReplacementKind.NOISE:
            generator = torch.Generator().manual_seed(replacement.seed)
            return torch.randn(value.shape, generator=generator)
        case ReplacementKind.CLAMP:
            return torch.clamp(value, replacement.low, replacement.high)
        case _:
            torch.manual_seed(0)  # an expression that draws gives the same each time; nodes have a state of their own
            return torch.as_tensor(evaluate(replacement.expression, {"value": value}, lookup), device=value.device)
