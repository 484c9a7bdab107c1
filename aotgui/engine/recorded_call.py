"""Recorded calls as files hold them: plain tensors, without the rest of the storages that they are views of."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.half import Half, RandomState


def recorded_call(half: Half) -> dict[str, Any]:
    """The recorded arguments of a half, what the graph itself returns for them, and the random numbers it began with.

    Returns:
        ``args``, ``outputs`` (flat) and ``random_state``; loads with ``weights_only=True``.
    """
    random_state = half.random_state or RandomState.now()
    random_state.restore()
    with torch.no_grad():
        outputs = half.module(*half.fresh_args())
    outputs = list(outputs) if isinstance(outputs, tuple | list) else [outputs]
    return {"args": plain(half.fresh_args()), "outputs": plain(outputs), "random_state": random_state.cpu}


def plain(tree: Any) -> Any:
    """A tree with its tensors detached and owning their memory; shapes and strides stay."""
    return pytree.tree_map_only(torch.Tensor, own, tree)


def own(value: torch.Tensor) -> torch.Tensor:
    """A tensor without the rest of its storage, which would be saved with it."""
    value = value.detach()
    if value.layout is not torch.strided or value.is_nested or type(value) is not torch.Tensor:
        return value
    if value.untyped_storage().nbytes() <= value.numel() * value.element_size():
        return value
    if 0 in value.stride() or not value.numel():
        return value.clone()
    made = torch.empty_strided(value.size(), value.stride(), dtype=value.dtype, device=value.device)
    return made.copy_(value)
