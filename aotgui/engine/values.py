"""What is said of a computed value: statistics of all of it, and a few words.

Large tensors are read in pieces that fit the processor's cache, so that looking at a value never doubles its memory.
Sums are taken in float64. Nothing here raises: a value of which nothing can be said is named in words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np
import torch
from torch.utils import _pytree as pytree

from aotgui.engine.errors import one_line
from aotgui.engine.graphs import tensor_info
from aotgui.model.graph import TensorInfo
from aotgui.model.values import ValueStats

PIECE_ELEMENTS: Final = 1 << 17
"""Elements looked at together: one megabyte as float64."""

_FEW: Final = 6
"""Elements of a tensor that are all shown in a line of text."""

_TEXT_LIMIT: Final = 200

_CANCELLATION: Final = 1e-4
"""Below this share of the sum of squares, deviations are summed by themselves to keep twelve digits."""

_DESCRIPTIONS: Final = 4096
"""Descriptions of tensors that are remembered: they repeat from node to node."""


def stats_of(node: int, value: Any, ms: float = 0.0) -> ValueStats:
    """Statistics of what a node returned.

    Args:
        node: index of the node.
        value: a tensor, a number, or a tuple or list of such; of a tuple only NaN and Inf are counted.
        ms: milliseconds that the node took.
    """
    if isinstance(value, torch.Tensor):
        counts, text = _examine(value)
        return counts.stats(node, _info(value), ms, text)
    info = TensorInfo((), type(value).__name__)
    if isinstance(value, tuple | list):
        parts = [_examine(item)[0] for item in value if isinstance(item, torch.Tensor) and not _is_surely_finite(item)]
        nans, infs = sum(part.nans for part in parts), sum(part.infs for part in parts)
        return ValueStats(node=node, tensor=info, ms=ms, nans=nans, infs=infs, text=_short(_items_text(value)))
    if isinstance(value, float):
        nans, infs = int(math.isnan(value)), int(math.isinf(value))
        return ValueStats(node=node, tensor=info, ms=ms, nans=nans, infs=infs, text=str(value))
    return ValueStats(node=node, tensor=info, ms=ms, text=_short(repr(value)))


def same_elements(node: int, value: Any, known: ValueStats, ms: float) -> ValueStats | None:
    """Statistics of a value that holds the elements of another in another shape; None where it does not.

    Args:
        node: index of the node.
        value: what it returned.
        known: statistics of a value of which this one is a view or a copy.
        ms: milliseconds that the node took.
    """
    if not isinstance(value, torch.Tensor) or not known.tensor.is_tensor or known.text:
        return None
    tensor = _info(value)
    if tensor.dtype != known.tensor.dtype or tensor.size_bytes != known.tensor.size_bytes:
        return None
    return msgspec.structs.replace(known, node=node, tensor=tensor, ms=ms)


def brief_stats_of(node: int, value: Any, ms: float = 0.0) -> ValueStats:
    """Shape, dtype and time of what a node returned, without a look at its numbers; arguments as of ``stats_of``."""
    if isinstance(value, torch.Tensor):
        return ValueStats(node=node, tensor=_info(value), ms=ms)
    if isinstance(value, tuple | list):
        info = TensorInfo((), type(value).__name__)
        return ValueStats(node=node, tensor=info, ms=ms, text=_short(_items_text(value)))
    return stats_of(node, value, ms)


@dataclass(slots=True)
class _Counts:
    """Statistics gathered piece by piece; moments are joined as Chan, Golub and LeVeque (1979) do."""

    count: int = 0
    minimum: float = math.inf
    maximum: float = -math.inf
    mean: float = 0.0
    squares: float = 0.0
    zeros: int = 0
    nans: int = 0
    infs: int = 0

    def add(self, piece: torch.Tensor, repeats: int) -> None:
        """Takes in a piece of real numbers, each of which stands ``repeats`` times in the tensor.

        Each pass over the numbers counts here: this runs for every node that is executed.
        """
        numbers = piece.to(torch.float64)
        exact = piece if piece.dtype is torch.float32 else numbers  # half as much to read
        low, high = _bounds(exact)
        if not (math.isfinite(low) and math.isfinite(high)):  # the only pass that sees NaN and Inf
            exact = numbers = self._without_nonfinite(numbers, repeats)
            if not numbers.numel():
                return
            low, high = _bounds(numbers)
        if low <= 0.0 <= high:
            self.zeros += repeats * _zeros(exact)
        self.minimum, self.maximum = min(self.minimum, low), max(self.maximum, high)
        count, mean = numbers.numel(), numbers.sum().item() / numbers.numel()
        self._join(count * repeats, mean, _squares(numbers.reshape(-1), mean) * repeats)

    def add_complex(self, piece: torch.Tensor, repeats: int) -> None:
        """Takes in a piece of complex numbers, which have no order: only counts."""
        self.zeros += repeats * (piece.numel() - int(torch.count_nonzero(piece)))
        nans = int(torch.isnan(piece).sum())
        self.nans += repeats * nans
        self.infs += repeats * (piece.numel() - int(torch.isfinite(piece).sum()) - nans)

    def stats(self, node: int, tensor: TensorInfo, ms: float, text: str) -> ValueStats:
        """The statistics as they are sent."""
        known = self.count > 0
        return ValueStats(
            node=node,
            tensor=tensor,
            ms=ms,
            minimum=self.minimum if known else None,
            maximum=self.maximum if known else None,
            mean=self.mean if known else None,
            std=math.sqrt(self.squares / self.count) if known else None,
            zeros=self.zeros,
            nans=self.nans,
            infs=self.infs,
            text=text,
        )

    def _without_nonfinite(self, numbers: torch.Tensor, repeats: int) -> torch.Tensor:
        finite = numbers[torch.isfinite(numbers)]
        nans = int(torch.isnan(numbers).sum())
        self.nans += repeats * nans
        self.infs += repeats * (numbers.numel() - finite.numel() - nans)
        return finite

    def _join(self, count: int, mean: float, squares: float) -> None:
        total = self.count + count
        delta = mean - self.mean
        self.squares += squares + delta * delta * self.count * count / total
        self.mean += delta * count / total
        self.count = total


# NumPy takes a half to a fifth of torch's time for these on the processor; not so for ``dot``, whose threads spin.


def _bounds(numbers: torch.Tensor) -> tuple[float, float]:
    """Minimum and maximum; NaN where one of the numbers is."""
    if numbers.is_cpu:
        array = numbers.numpy()
        return float(array.min()), float(array.max())
    low, high = torch.aminmax(numbers)
    return low.item(), high.item()


def _zeros(numbers: torch.Tensor) -> int:
    if numbers.is_cpu:
        return int(np.count_nonzero(numbers.numpy() == 0))
    return numbers.numel() - int(torch.count_nonzero(numbers))


def _squares(numbers: torch.Tensor, mean: float) -> float:
    """Sum of the squared deviations from the mean. ``torch.var_mean`` takes ten times as long."""
    squares = torch.dot(numbers, numbers).item()
    deviations = squares - numbers.numel() * mean * mean
    if deviations > _CANCELLATION * squares:
        return deviations
    numbers = numbers - mean  # the difference above would be of rounding errors
    return torch.dot(numbers, numbers).item()


def _is_surely_finite(tensor: torch.Tensor) -> bool:
    """Whether one quick pass tells that there is neither NaN nor Inf; a sum may also overflow."""
    if not tensor.dtype.is_floating_point:
        return not tensor.is_complex()
    if tensor.dtype.itemsize < torch.float32.itemsize or unreadable(tensor) or tensor.is_sparse:
        return False
    return math.isfinite(tensor.detach().sum().item())


def _examine(tensor: torch.Tensor) -> tuple[_Counts, str]:
    """Statistics, and a sentence where there are none or not of everything."""
    counts = _Counts()
    try:
        tensor = tensor.detach()
        if tensor.is_sparse:
            values = tensor.coalesce().values()
            _examine_numbers(counts, values)
            return counts, f"statistics of the {values.numel()} stored values only"
        if text := unreadable(tensor):
            return counts, text
        _examine_numbers(counts, tensor)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return _Counts(), f"no statistics: {one_line(error, 120)}"
    return counts, ""


def _examine_numbers(counts: _Counts, tensor: torch.Tensor) -> None:
    distinct, repeats = _without_repeats(tensor.resolve_neg())
    for piece in _pieces(distinct):
        if tensor.is_complex():
            counts.add_complex(piece, repeats)
        elif piece.numel():
            counts.add(piece, repeats)


def unreadable(tensor: torch.Tensor) -> str:
    """Why there are no numbers to read, or empty."""
    if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.is_nested:
        return f"a {'nested tensor' if tensor.is_nested else type(tensor).__name__}, into which is not looked"
    if tensor.is_meta:
        return "a meta tensor holds no numbers"
    if tensor.layout is not torch.strided:
        return f"numbers of the layout {str(tensor.layout).removeprefix('torch.')} are not shown"
    if tensor.is_quantized:
        return "quantized numbers are not shown"
    return ""


def _without_repeats(tensor: torch.Tensor) -> tuple[torch.Tensor, int]:
    """One copy of what ``expand`` repeats, and how often it stands in the tensor."""
    repeats = 1
    for dim in reversed(range(tensor.dim())):
        if tensor.stride(dim) == 0 and tensor.shape[dim] > 1:
            repeats *= tensor.shape[dim]
            tensor = tensor.select(dim, 0)
    return tensor, repeats


def _pieces(tensor: torch.Tensor) -> Iterator[torch.Tensor]:
    """Views that together cover the tensor once, each of at most ``PIECE_ELEMENTS`` elements."""
    if tensor.numel() <= PIECE_ELEMENTS:
        yield tensor
        return
    by_stride = sorted(range(tensor.dim()), key=tensor.stride, reverse=True)
    dense = tensor.permute(by_stride)
    if dense.is_contiguous():
        yield from torch.split(dense.view(-1), PIECE_ELEMENTS)
        return
    dim = max(range(tensor.dim()), key=lambda d: tensor.shape[d])
    for part in torch.split(tensor, (tensor.shape[dim] + 1) // 2, dim):
        yield from _pieces(part)


def _info(tensor: torch.Tensor) -> TensorInfo:
    if tensor.layout is torch.strided and not tensor.is_nested and type(tensor) is torch.Tensor:
        return _described(tensor.dtype, tuple(tensor.shape), tensor.stride(), tensor.device, tensor.requires_grad)
    try:
        return tensor_info(tensor)
    except RuntimeError:  # a nested tensor without one shape
        return TensorInfo((), f"nested {str(tensor.dtype).removeprefix('torch.')}")


@lru_cache(maxsize=_DESCRIPTIONS)
def _described(
    dtype: torch.dtype, shape: tuple[int, ...], strides: tuple[int, ...], device: torch.device, requires_grad: bool
) -> TensorInfo:
    return TensorInfo(
        shape=shape,
        dtype=str(dtype).removeprefix("torch."),
        strides=strides,
        device=str(device),
        size_bytes=math.prod(shape) * dtype.itemsize,
        requires_grad=requires_grad,
    )


def _items_text(items: tuple[Any, ...] | list[Any]) -> str:
    texts = [str(_info(item)) if isinstance(item, torch.Tensor) else repr(item) for item in items]
    return f"({', '.join(texts)})"


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_LIMIT else f"{text[: _TEXT_LIMIT - 1]}…"


def described(value: Any) -> TensorInfo | None:
    """Shape, dtype and strides of a tensor; None for what is none."""
    return _info(value) if isinstance(value, torch.Tensor) else None


def tensor_of(value: Any, item: int) -> torch.Tensor | str:
    """The tensor in a node's value, or a sentence why there is none."""
    if isinstance(value, tuple | list):
        if not 0 <= item < len(value):
            return f"there is no item {item} among {len(value)}"
        value = value[item]
    return value if isinstance(value, torch.Tensor) else _short(repr(value))


def numbers_in_pieces(tensor: torch.Tensor) -> Iterator[tuple[torch.Tensor, int]]:
    """The elements of a tensor of real numbers as float64, flat, in pieces; with how often each piece counts."""
    distinct, repeats = _without_repeats(tensor)
    for piece in _pieces(distinct):
        yield piece.to(torch.float64).flatten(), repeats


def _plain(tensor: torch.Tensor) -> Any:
    """The numbers of a small tensor as Python's, with no more digits than the type has."""
    if not tensor.is_floating_point():
        return tensor.tolist()
    # Numbers of 8 bits have no ``tolist``; float64 holds them all exactly.
    digits = 16 if tensor.dtype is torch.float64 else 7
    return pytree.tree_map(lambda number: float(f"{number:.{digits}g}"), tensor.to(torch.float64).tolist())


def value_text(value: Any) -> str:
    """A value in a few words: a number for a scalar, numbers of a few, else shape and range."""
    if not isinstance(value, torch.Tensor):
        return _short(_items_text(value) if isinstance(value, tuple | list) else repr(value))
    try:
        if unreadable(value):
            return f"{_info(value)}: {unreadable(value)}"
        if value.numel() <= _FEW:
            shown = _plain(value.detach())
            return _short(str(shown) if not value.dim() else f"{_info(value)} {shown}")
        stats = stats_of(0, value)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return f"{_info(value)}: {one_line(error, 120)}"
    bounds = "" if stats.minimum is None else f", {stats.minimum:.4g} to {stats.maximum:.4g}"
    bad = f", {stats.nans} NaN, {stats.infs} Inf" if not stats.is_finite else ""
    return f"{stats.tensor}{bounds}{bad}"
