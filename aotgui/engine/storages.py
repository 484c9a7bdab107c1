"""Which values of a region's graphs share memory, and how much that is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
import torch
from torch import fx

from aotgui.engine.graphs import ORIGIN_META, hint, values_of
from aotgui.model.graph import Graph, Role


def storage_key(value: Any) -> Any:
    """What is equal for values that share a storage; None for what has none."""
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return None
    try:
        return value.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def storage_bytes(value: torch.Tensor) -> int:
    """Bytes of the storage that a value lies in; symbolic sizes by their hint."""
    return hint(value.untyped_storage().nbytes())


class Storages:
    """The storages of one region.

    Traced values stand for the real ones: views of one storage are views of one fake storage, and what the forward
    passes to the backward has the same in both halves. What the backward computes is new, also where it computes
    again what the forward has, and both halves hold the same traced value; so are incoming gradients, which tracing
    may take for views of the outputs. A view of a value that was merged with an equal one still lies in the memory of
    the value that is gone; it is taken for a view of the one that stayed.

    Attributes:
        sizes: bytes of each storage.
    """

    def __init__(self, joint: fx.Graph | None = None) -> None:
        """Makes an empty table.

        Args:
            joint: the joint graph as traced, with origins; None for a region without one.
        """
        self.sizes: list[int] = []
        self._passed: dict[Any, int] = {}
        self._bases = dict(_bases(joint)) if joint is not None else {}

    def of(self, graph: Graph, module: fx.GraphModule) -> Graph:
        """One graph with its storages: one that is alone in its region, or a half that was changed later."""
        return msgspec.structs.replace(graph, storages=self._column(_nodes(module), dict(self._passed)))

    def of_halves(
        self, forward: Graph, forward_module: fx.GraphModule, backward: Graph, backward_module: fx.GraphModule
    ) -> tuple[Graph, Graph]:
        """Both halves with their storages."""
        index_of: dict[Any, int] = {}
        ahead = self._column(_nodes(forward_module), index_of)
        nodes = zip(_nodes(backward_module), backward.roles, strict=False)
        saved = (node for node, role in nodes if node.op == "placeholder" and role != Role.TANGENT)
        passed = {storage_key(value) for node in saved for value in values_of(node)}
        self._passed = {key: index for key, index in index_of.items() if key in passed}
        back = self._column(_nodes(backward_module), dict(self._passed))
        return msgspec.structs.replace(forward, storages=ahead), msgspec.structs.replace(backward, storages=back)

    def _column(self, nodes: Iterable[fx.Node], index_of: dict[Any, int]) -> list[list[int]]:
        """For each node the storages of its values, -1 for a value without memory of its own."""
        column = []
        for node in nodes:
            base = self._bases.get(node.meta.get(ORIGIN_META, -1), -1)
            if base >= 0:
                self._know_base(node, base, index_of)
            column.append([self._index(value, index_of) for value in values_of(node)])
        return column

    @staticmethod
    def _know_base(node: fx.Node, base: int, index_of: dict[Any, int]) -> None:
        """Gives the values of a view, whose storage has not been met, that of what it reads now."""
        arguments = _flat_arguments(node)
        known = index_of.get(storage_key(arguments[base].meta.get("val"))) if base < len(arguments) else None
        if known is not None:
            for value in values_of(node):
                index_of.setdefault(storage_key(value), known)

    def _index(self, value: Any, index_of: dict[Any, int]) -> int:
        key = storage_key(value)
        if key is None:
            return self._add(value.numel() * value.element_size()) if _has_bytes(value) else -1
        index = index_of.get(key)
        if index is None:
            index = index_of[key] = self._add(value.untyped_storage().nbytes())
        return index

    def _add(self, size: Any) -> int:
        self.sizes.append(hint(size))
        return len(self.sizes) - 1


def _bases(joint: fx.Graph) -> Iterator[tuple[int, int]]:
    """Origin of each view, and which of its arguments that are nodes it is a view of."""
    for node in joint.nodes:
        key = storage_key(node.meta.get("val")) if node.op == "call_function" else None
        if key is None:
            continue
        for position, argument in enumerate(_flat_arguments(node)):
            if storage_key(argument.meta.get("val")) == key:
                yield node.meta[ORIGIN_META], position
                break


def _flat_arguments(node: fx.Node) -> list[fx.Node]:
    """The arguments that are nodes, in order, each as often as it is passed."""
    found: list[fx.Node] = []
    fx.map_arg((node.args, node.kwargs), found.append)
    return found


def _nodes(module: fx.GraphModule) -> Iterator[fx.Node]:
    return (node for node in module.graph.nodes if node.op != "output")


def _has_bytes(value: Any) -> bool:
    """Whether a value whose storage cannot be read takes memory all the same (a subclass that wraps others)."""
    return isinstance(value, torch.Tensor) and value.layout is torch.strided
