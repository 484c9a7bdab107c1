"""How much memory kept values take, and which of them to let go.

Values are kept for going back. What later nodes still read, and what was given to the graph, would be kept by any
interpreter and is no matter here; of the rest the largest and oldest go first once a limit is exceeded. Bytes are those
of distinct storages: a view costs nothing, and letting go of it alone frees nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from torch.utils import _pytree as pytree

TARGET_SHARE: Final = 0.75
"""Of the limit is what stays after values were let go, so that this is not done at each node."""

LEAST_GROWTH: Final = 8
"""A new look is worth it once values have grown by the limit over this."""


@dataclass(slots=True)
class Storage:
    """A storage and the values that lie in it.

    Attributes:
        size_bytes: of all of it.
        holders: indexes of the nodes whose values lie in it.
    """

    size_bytes: int
    holders: list[int] = field(default_factory=list)


def storages_of(value: Any) -> Iterator[tuple[int, torch.UntypedStorage]]:
    """Identity and storage of each tensor in a value; what has no storage of its own kind is left out."""
    leaves = [value] if isinstance(value, torch.Tensor) else pytree.tree_leaves(value)
    for leaf in leaves:
        if type(leaf) in (torch.Tensor, torch.nn.Parameter) and leaf.layout is torch.strided and not leaf.is_meta:
            storage = leaf.untyped_storage()
            yield storage._cdata, storage


def by_storage(values: Iterable[tuple[int, Any]]) -> dict[int, Storage]:
    """The distinct storages of values that are given with their nodes' indexes."""
    found: dict[int, Storage] = {}
    for index, value in values:
        for key, storage in storages_of(value):
            entry = found.setdefault(key, Storage(storage.nbytes()))
            if not entry.holders or entry.holders[-1] != index:
                entry.holders.append(index)
    return found


class MemoryLimit:
    """Decides when to look at the memory that values take, and what goes.

    Attributes:
        limit_bytes: of kept values.
    """

    def __init__(self, limit_bytes: int) -> None:
        self.limit_bytes = limit_bytes
        self._most = 0
        self._threshold = limit_bytes

    def grew(self, size_bytes: int) -> bool:
        """Takes in that a value of at most so many bytes was added; whether it is time to look."""
        self._most += size_bytes
        return self._most > self._threshold

    def looked(self, remaining_bytes: int) -> None:
        """Takes in what is really kept after a look."""
        self._most = remaining_bytes
        self._threshold = max(self.limit_bytes, remaining_bytes + self.limit_bytes // LEAST_GROWTH)

    def victims(self, storages: dict[int, Storage], pinned: set[int], now: int) -> list[Storage]:
        """The storages to let go so that the limit is kept.

        Args:
            storages: of all values that count.
            pinned: keys of those that must stay.
            now: index of the next node, from which age is counted.
        """
        excess = sum(storage.size_bytes for storage in storages.values()) - self.limit_bytes
        if excess <= 0:
            return []
        excess += int(self.limit_bytes * (1 - TARGET_SHARE))
        free = [storage for key, storage in storages.items() if key not in pinned and storage.size_bytes]
        free.sort(key=lambda storage: storage.size_bytes * (now - storage.holders[-1]), reverse=True)
        chosen = []
        for storage in free:
            if excess <= 0:
                break
            excess -= storage.size_bytes
            chosen.append(storage)
        return chosen
