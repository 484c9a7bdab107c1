"""Writes into values computed before, so that each value can be seen as it stood at any moment.

Before a node writes into storages, their content is copied. What a value held at a moment is then either the copy
made by the first write after that moment, or what its storage holds now; and writes are undone by copying back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.value_memory import storages_of


class Write(NamedTuple):
    """One storage before one node wrote to it.

    Attributes:
        node: index of the node that wrote.
        key: identity of the storage.
        storage: that was written to.
        content: a copy of what it held.
    """

    node: int
    key: int
    storage: torch.UntypedStorage
    content: torch.UntypedStorage


class WriteLog:
    """The writes of one execution, in order."""

    def __init__(self) -> None:
        self._writes: list[Write] = []

    @property
    def keys(self) -> set[int]:
        """Identities of the storages that were written to."""
        return {write.key for write in self._writes}

    def __bool__(self) -> bool:
        return bool(self._writes)

    def before(self, node: int, values: list[Any]) -> None:
        """Copies the storages of values that a node is about to write to."""
        for key, storage in {key: storage for value in values for key, storage in storages_of(value)}.items():
            self._writes.append(Write(node, key, storage, _copy(storage)))

    def undo(self, node: int) -> None:
        """Makes storages hold what they held before ``node`` ran."""
        while self._writes and self._writes[-1].node >= node:
            write = self._writes.pop()
            write.storage.copy_(write.content)

    def seen(self, value: Any, moment: int) -> Any:
        """A value as it stood before the node ``moment`` ran: itself, or one with the tensors of then."""
        if not self._writes:
            return value
        contents: dict[int, torch.UntypedStorage] = {}
        for write in self._writes:
            if write.node >= moment:
                contents.setdefault(write.key, write.content)
        if not any(key in contents for key, _ in storages_of(value)):
            return value
        return pytree.tree_map_only(torch.Tensor, lambda tensor: _moved(tensor, contents), value)


def _copy(storage: torch.UntypedStorage) -> torch.UntypedStorage:
    copy: torch.UntypedStorage = storage.clone()  # type: ignore[no-untyped-call] # untyped in torch
    return copy


def _moved(tensor: torch.Tensor, contents: dict[int, torch.UntypedStorage]) -> torch.Tensor:
    """The same view of the storage's earlier content."""
    for key, _ in storages_of(tensor):
        if (content := contents.get(key)) is not None:
            view = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
            view.set_(content, tensor.storage_offset(), tensor.shape, tensor.stride())
            return view.conj() if tensor.is_conj() else view
    return tensor
