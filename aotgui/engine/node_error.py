"""How far a value is from that of another run of the same node."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.errors import one_line
from aotgui.model.stepping import NodeError

PIECE_ELEMENTS: Final = 1 << 18
"""Elements compared together: two megabytes as float64."""


@dataclass(slots=True)
class _Error:
    """What was seen so far: largest difference, largest magnitude of the other run."""

    difference: float = 0.0
    magnitude: float = 0.0

    def add(self, value: torch.Tensor, other: torch.Tensor) -> None:
        """Takes in two pieces of the same shape."""
        wide = torch.complex128 if value.is_complex() or other.is_complex() else torch.float64
        value, other = value.to(wide), other.to(wide)
        same = (value == other) | (torch.isnan(value) & torch.isnan(other))
        if bool(same.all()):
            self.difference = max(self.difference, 0.0)
        else:
            difference = (value - other).abs().masked_fill_(same, 0.0)
            self.difference = max(self.difference, torch.nan_to_num(difference, nan=math.inf).max().item())
        finite = torch.nan_to_num(other.abs(), nan=0.0, posinf=0.0)
        self.magnitude = max(self.magnitude, finite.max().item())

    @property
    def relative(self) -> float:
        """Difference over magnitude; of a value that should be zero any difference is infinitely large."""
        if not self.difference:
            return 0.0
        return self.difference / self.magnitude if self.magnitude else math.inf


def error_of(node: int, value: Any, other: Any, text: str = "") -> NodeError:
    """How far ``value`` is from ``other``, over all tensors in it.

    Args:
        node: index of the node.
        value: what it returned.
        other: what it returned in the other run; may be of a wider type.
        text: to be said with it.
    """
    error = _Error()
    leaves, others = pytree.tree_leaves(value), pytree.tree_leaves(other)
    if len(leaves) != len(others):
        return NodeError(node=node, text=f"{len(leaves)} values against {len(others)}")
    try:
        for one, two in zip(leaves, others, strict=True):
            if isinstance(one, torch.Tensor) and isinstance(two, torch.Tensor):
                if one.shape != two.shape:
                    return NodeError(node=node, text=f"shape {list(one.shape)} against {list(two.shape)}")
                for pair in _pieces(one.detach(), two.detach()):
                    error.add(*pair)
            elif isinstance(one, int | float) and isinstance(two, int | float):
                error.add(torch.tensor(one), torch.tensor(two))
    except (RuntimeError, NotImplementedError, TypeError) as reason:
        return NodeError(node=node, text=f"cannot be compared: {one_line(reason, 120)}")
    return NodeError(node=node, max_abs=error.difference, relative=error.relative, text=text)


def _pieces(one: torch.Tensor, other: torch.Tensor) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    if one.numel() <= PIECE_ELEMENTS:
        if one.numel():
            yield one, other
        return
    dim = max(range(one.dim()), key=lambda d: one.shape[d])
    length = (one.shape[dim] + 1) // 2
    for parts in zip(torch.split(one, length, dim), torch.split(other, length, dim), strict=True):
        yield from _pieces(*parts)
