"""Counts what is really alive after each node, to hold against what lifetimes predict.

The halves of a region run node by node on the recorded call, values are dropped after their last use as compiled code
drops them, and when a node has computed, the storages that exist are counted. Storages are watched through weak
references, so nothing lives longer because it is watched.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import fx
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils import _pytree as pytree

from aotgui.engine.graphs import output_arguments
from aotgui.engine.half import Half
from aotgui.model.graph import GraphKind


def counted_bytes(halves: Mapping[GraphKind, Half]) -> list[int]:
    """Bytes alive at each step, in the steps of ``MemoryMap``.

    Args:
        halves: of a region that has been run: forward and backward, or inference.

    Raises:
        ValueError: a half has not been run.
    """
    watch = _Storages()
    first = halves.get(GraphKind.FORWARD) or halves[GraphKind.INFERENCE]
    backward = halves.get(GraphKind.BACKWARD)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        inputs = first.fresh_args()  # the caller's, which outlive both halves
        returned = _run(first, list(inputs), watch)
        if backward is None:
            return watch.counted
        passed, outputs = _parted(first, backward, returned)
        del returned
        gradients = _run(backward, _backward_args(backward, passed), watch)
        del inputs, outputs, gradients
    return watch.counted


def _run(half: Half, args: list[Any], watch: _Storages) -> list[Any]:
    if half.random_state is not None:
        half.random_state.restore()
    watch.note(args)
    counter = _Counter(half.module, watch)
    result = counter.boxed_run(args)
    return list(result) if isinstance(result, tuple | list) else [result]


def _parted(forward: Half, backward: Half, returned: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """What goes on to the backward, by name, and what only the caller gets."""
    wanted = {node.name for node in backward.nodes if node.op == "placeholder"}
    values = list(zip(output_arguments(forward.module), returned, strict=True))
    passed = {node.name: value for node, value in values if isinstance(node, fx.Node) and node.name in wanted}
    count = len(values) - len([out for out in forward.graph.outputs if out.label == "saved for backward"])
    return passed, [value for _, value in values[:count]]


def _backward_args(backward: Half, passed: dict[str, Any]) -> list[Any]:
    """What the forward passed on, and copies of the other recorded arguments (incoming gradients)."""
    names = [node.name for node in backward.nodes if node.op == "placeholder"]
    recorded = backward.fresh_args()
    args = [passed.pop(name) if name in passed else _copied(value) for name, value in zip(names, recorded, strict=True)]
    passed.clear()
    return args


def _copied(value: Any) -> Any:
    return value.detach().clone() if isinstance(value, torch.Tensor) else value


class _Storages:
    """The storages seen so far, and how many bytes of them were alive at each step."""

    def __init__(self) -> None:
        self.counted: list[int] = []
        self._seen: dict[int, tuple[StorageWeakRef, int]] = {}

    def note(self, values: Any) -> None:
        """Watches the storages of values."""
        for value in pytree.tree_leaves(values):
            if isinstance(value, torch.Tensor) and value.layout is torch.strided:
                try:
                    storage = value.untyped_storage()
                except (NotImplementedError, RuntimeError):
                    continue
                if storage._cdata not in self._seen:
                    self._seen[storage._cdata] = _watched(storage), storage.nbytes()

    def count(self) -> None:
        """Ends a step."""
        self._seen = {key: entry for key, entry in self._seen.items() if not _is_gone(entry[0])}
        self.counted.append(sum(size for _, size in self._seen.values()))


def _watched(storage: torch.UntypedStorage) -> StorageWeakRef:
    return StorageWeakRef(storage)  # type: ignore[no-untyped-call] # untyped in torch


def _is_gone(storage: StorageWeakRef) -> bool:
    return bool(storage.expired())  # type: ignore[no-untyped-call] # untyped in torch


class _Counter(fx.Interpreter):
    """Counts when a node has computed; values that nobody reads are dropped before the next one."""

    def __init__(self, module: fx.GraphModule, watch: _Storages) -> None:
        super().__init__(module)
        self._watch = watch
        self._unread: fx.Node | None = None
        for node in module.graph.nodes:
            if node.op == "placeholder":
                watch.count()

    def run_node(self, n: fx.Node) -> Any:  # a node may return anything
        """Runs a node and ends its step; what it read for the last time is still there."""
        if self._unread is not None:
            self.env.pop(self._unread)
        self._unread = None if n.users else n
        value = super().run_node(n)
        if n.op != "output":
            self._watch.note(value)
            self._watch.count()
        return value
