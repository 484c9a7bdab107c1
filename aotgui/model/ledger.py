"""The ledger of saved values: where each is computed, what reads it, how long it lives, and what it costs."""

from __future__ import annotations

import msgspec

from aotgui.model.capture import Region, SavedValue
from aotgui.model.graph import Graph, GraphKind

KEPT_ROLES = ("parameter", "buffer", "input")
"""Roles of values that exist anyway and are merely kept for the backward."""


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True):
    """One saved value.

    Attributes:
        value: what is known of it.
        node: index in the forward graph, -1 where it is not found.
        placeholder: index in the backward graph, -1 where it is not found.
        consumers: indexes of the backward's nodes that read it, in order.
        last_forward_use: index of the last node of the forward that reads it; its own where none does.
        is_returned: whether the forward also returns it to the caller, or writes it into an input.
        share: of the bytes of all saved values, 0 to 1.
        same_storage: names of the other saved values that lie in the same storage.
        is_kept: whether it is a parameter, buffer or input that exists anyway.
    """

    value: SavedValue
    node: int
    placeholder: int
    consumers: tuple[int, ...]
    last_forward_use: int
    is_returned: bool
    share: float
    same_storage: tuple[str, ...] = ()
    is_kept: bool = False

    @property
    def first_backward_use(self) -> int:
        """Index of the backward's first node that reads it, -1 without."""
        return self.consumers[0] if self.consumers else -1

    @property
    def last_backward_use(self) -> int:
        """Index of the backward's last node that reads it, -1 without."""
        return self.consumers[-1] if self.consumers else -1

    @property
    def counts(self) -> bool:
        """Whether its bytes are in the total; those of a view are counted with the first value of its storage."""
        return self.value.storage_bytes > 0


def ledger_of(region: Region) -> list[LedgerRow]:
    """One row for each value that the forward passes to the backward, in the order of the forward's outputs."""
    forward, backward = region.graphs.get(GraphKind.FORWARD), region.graphs.get(GraphKind.BACKWARD)
    if forward is None or backward is None:
        return []
    total = region.saved_bytes
    shared = _same_storage(region.saved, forward)
    return [_row(value, forward, backward, total, shared) for value in region.saved]


def _row(
    value: SavedValue, forward: Graph, backward: Graph, total: int, shared: dict[str, tuple[str, ...]]
) -> LedgerRow:
    node = forward.index_of.get(value.name, -1)
    placeholder = backward.index_of.get(value.name, -1)
    users = forward.users(node) if node >= 0 else []
    return LedgerRow(
        value=value,
        node=node,
        placeholder=placeholder,
        consumers=tuple(backward.users(placeholder)) if placeholder >= 0 else (),
        last_forward_use=users[-1] if users else node,
        is_returned=node >= 0 and len(forward.outputs_of(node)) > 1,
        share=value.storage_bytes / total if total else 0.0,
        same_storage=shared.get(value.name, ()),
        is_kept=value.role in KEPT_ROLES,
    )


def _same_storage(saved: list[SavedValue], forward: Graph) -> dict[str, tuple[str, ...]]:
    """For each saved value that shares its storage the names of the others in it."""
    if not forward.storages:
        return {}
    by_storage: dict[int, list[str]] = {}
    for value in saved:
        node = forward.index_of.get(value.name, -1)
        for storage in forward.storages[node] if node >= 0 else ():
            if storage >= 0:
                by_storage.setdefault(storage, []).append(value.name)
    return {
        name: tuple(other for other in names if other != name)
        for names in by_storage.values()
        if len(names) > 1
        for name in names
    }
