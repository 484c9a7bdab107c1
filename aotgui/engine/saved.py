"""What the forward passes to the backward, as the table that people read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from torch import fx

from aotgui.engine.graphs import output_arguments, tensor_info
from aotgui.engine.storages import storage_bytes, storage_key
from aotgui.model.capture import SavedValue
from aotgui.model.cut_network import CutNetwork
from aotgui.model.graph import Graph, Role, TensorInfo

DEFAULT_RULE: Final = "the default partitioner saves every forward value that the backward reads"
CHEAPER: Final = "min-cut: saving it keeps fewer bytes than what recomputing it needs"


class SavedTable:
    """Makes the rows for one forward half."""

    def __init__(self, forward: fx.GraphModule, graph: Graph, cut: CutNetwork | None, rule: str) -> None:
        """Prepares for one half.

        Args:
            forward: the half.
            graph: its columns.
            cut: the network that decided, if there is one.
            rule: the reason where there is no network; may be empty.
        """
        self._forward = forward
        self._graph = graph
        self._cut = cut
        self._rule = rule
        self._owners = dict(self._storage_owners())
        self._counted: set[Any] = set()

    def rows(self, outputs_count: int) -> list[SavedValue]:
        """One row a saved value; the first ``outputs_count`` results of the half are its outputs."""
        passed = output_arguments(self._forward)[outputs_count:]
        return [self._row(node) for node in passed if isinstance(node, fx.Node)]

    def _storage_owners(self) -> Iterator[tuple[Any, Role]]:
        """Storage and the role of the graph input that owns it."""
        for node, role in zip(self._forward.graph.nodes, self._graph.roles, strict=False):
            if node.op == "placeholder" and (key := storage_key(node.meta.get("val"))) is not None:
                yield key, Role(role)

    def _row(self, node: fx.Node) -> SavedValue:
        graph, value = self._graph, node.meta.get("val")
        index = graph.index_of[node.name]
        info, key = tensor_info(value), storage_key(value)
        shared = key is not None and key in self._counted
        self._counted.add(key)
        frame = graph.source(index)
        return SavedValue(
            name=node.name,
            label=graph.label(index),
            tensor=info,
            size_bytes=info.size_bytes,
            storage_bytes=0 if shared else _kept_bytes(value, info),
            role=_saved_role(info.is_tensor, self._owners.get(key)),
            source=f"{frame.file}:{frame.line}" if frame else "",
            module=graph.module(index),
            reason=self._reason(index),
        )

    def _reason(self, index: int) -> str:
        """Torch's words for why a value is saved; empty where it gives none."""
        cut, graph = self._cut, self._graph
        position = cut.position_of.get(graph.origins[index]) if cut else None
        if cut is None:
            return self._rule
        if position is None:
            return ""
        if ban := cut.ban(position):
            return ban
        if (behind := cut.fixed_behind(position)) >= 0:
            return f"{cut.ban(behind)} (the operator that computes it)"
        return CHEAPER if cut.capacities[position] else ""


def _kept_bytes(value: Any, info: TensorInfo) -> int:
    """Bytes that a saved value keeps alive: a view keeps its whole storage."""
    return storage_bytes(value) if storage_key(value) is not None else info.size_bytes


def _saved_role(is_tensor: bool, owner: Role | None) -> str:
    if not is_tensor:
        return Role.SYMBOLIC_SIZE.label
    if owner in (Role.PARAMETER, Role.BUFFER, Role.INPUT):
        return owner.label
    return "activation"
