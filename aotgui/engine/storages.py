"""Which values of a region's graphs share memory, and how much that is."""

from __future__ import annotations

from typing import Any

import msgspec
import torch
from torch import fx

from aotgui.engine.graphs import hint, values_of
from aotgui.model.graph import Graph


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

    Traced values stand for the real ones: views of one storage are views of one fake storage. Both halves hold copies
    of the same traced values, so a value has the same storage in both.

    Attributes:
        sizes: bytes of each storage.
    """

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self._index_of: dict[Any, int] = {}

    def column(self, module: fx.GraphModule) -> list[list[int]]:
        """For each node of a graph the storages of its values, -1 for a value without memory of its own."""
        nodes = (node for node in module.graph.nodes if node.op != "output")
        return [[self._index(value) for value in values_of(node)] for node in nodes]

    def of(self, graph: Graph, module: fx.GraphModule) -> Graph:
        """The graph with its storages."""
        return msgspec.structs.replace(graph, storages=self.column(module))

    def _index(self, value: Any) -> int:
        key = storage_key(value)
        if key is None:
            return self._add(value.numel() * value.element_size()) if _has_bytes(value) else -1
        index = self._index_of.get(key)
        if index is None:
            index = self._index_of[key] = self._add(storage_bytes(value))
        return index

    def _add(self, size: Any) -> int:
        self.sizes.append(hint(size))
        return len(self.sizes) - 1


def _has_bytes(value: Any) -> bool:
    """Whether a value whose storage cannot be read takes memory all the same (a subclass that wraps others)."""
    return isinstance(value, torch.Tensor) and value.layout is torch.strided
