"""Pictures of a value: two of its dimensions at a bounded size, and how its elements are distributed.

Both read large values in pieces, so that looking at one never doubles its memory, and neither raises.
"""

from __future__ import annotations

import math
from typing import Any, Final

import torch

from aotgui.engine.errors import one_line
from aotgui.engine.values import numbers_in_pieces, stats_of, tensor_of, unreadable
from aotgui.model.values import Histogram, ValuePlane, ValueStats
from aotgui.protocol.messages import ReadHistogram, ReadPlane

MAX_SIDE: Final = 1024
"""Largest height and width of a picture."""

MAX_BINS: Final = 4096

STRIP_ELEMENTS: Final = 1 << 21
"""Elements of a plane that are reduced together."""


def plane_of(value: Any, request: ReadPlane) -> ValuePlane:
    """The picture that was asked for; a dimension or index outside of the value is moved into it."""
    tensor = tensor_of(value, request.item)
    if not isinstance(tensor, torch.Tensor):
        return ValuePlane(node=request.node, item=request.item, text=tensor)
    shape = tuple(map(int, tensor.shape)) if not tensor.is_nested else ()
    try:
        if text := unreadable(tensor) or ("" if tensor.numel() else "no elements"):
            return ValuePlane(node=request.node, item=request.item, shape=shape, text=text)
        return _plane(tensor.detach(), request)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        text = f"cannot be shown: {one_line(error, 120)}"
        return ValuePlane(node=request.node, item=request.item, shape=shape, text=text)


def _plane(tensor: torch.Tensor, request: ReadPlane) -> ValuePlane:
    row_dim, column_dim = _dims(tensor, request)
    asked = (*request.index, *[0] * tensor.dim())
    index = tuple(min(max(i, 0), length - 1) for i, length in zip(asked, tensor.shape, strict=False))
    plane = _selected(tensor, index, row_dim, column_dim)
    height = _block(plane.shape[0], request.max_rows)
    width = _block(plane.shape[1], request.max_columns)
    picture = _reduced_by_strips(plane, height, width)
    finite = picture[torch.isfinite(picture)]
    return ValuePlane(
        node=request.node,
        item=request.item,
        shape=tuple(tensor.shape),
        row_dim=row_dim,
        column_dim=column_dim,
        index=index,
        rows=picture.shape[0],
        columns=picture.shape[1],
        block_rows=height,
        block_columns=width,
        data=picture.numpy().astype("<f4").tobytes(),
        minimum=finite.min().item() if finite.numel() else None,
        maximum=finite.max().item() if finite.numel() else None,
        text="magnitudes of complex numbers" if tensor.is_complex() else "",
    )


def _dims(tensor: torch.Tensor, request: ReadPlane) -> tuple[int, int]:
    """The dimensions shown, both different; -1 for one that the value lacks."""
    count = tensor.dim()
    if count < 2:
        return -1, count - 1
    column = request.column_dim if 0 <= request.column_dim < count else count - 1
    row = request.row_dim if 0 <= request.row_dim < count else count - 2
    if row == column:
        row = count - 1 if column != count - 1 else count - 2
    return row, column


def _selected(tensor: torch.Tensor, index: tuple[int, ...], row_dim: int, column_dim: int) -> torch.Tensor:
    if row_dim < 0:
        return tensor.reshape(1, -1)
    chosen = tuple(slice(None) if dim in (row_dim, column_dim) else i for dim, i in enumerate(index))
    plane = tensor[chosen]
    return plane if row_dim < column_dim else plane.T


def _block(length: int, wanted: int) -> int:
    return math.ceil(length / min(max(wanted, 1), MAX_SIDE))


def _reduced_by_strips(plane: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """The picture, made of strips of whole blocks so that little memory is needed at a time."""
    picture = torch.empty(math.ceil(plane.shape[0] / height), math.ceil(plane.shape[1] / width))
    rows = max(1, STRIP_ELEMENTS // (plane.shape[1] * height))
    for start in range(0, picture.shape[0], rows):
        strip = plane[start * height : (start + rows) * height]
        picture[start : start + rows] = _reduced(strip, height, width)
    return picture


def _reduced(strip: torch.Tensor, height: int, width: int) -> torch.Tensor:
    """One number for each block of a strip: that of the largest magnitude, NaN before all others."""
    numbers = (strip.abs() if strip.is_complex() else strip).to(torch.float32).cpu()
    if height == width == 1:
        return numbers
    rows, columns = math.ceil(numbers.shape[0] / height), math.ceil(numbers.shape[1] / width)
    if numbers.shape != (rows * height, columns * width):
        padded = numbers.new_zeros(rows * height, columns * width)  # zero is never the largest magnitude
        padded[: numbers.shape[0], : numbers.shape[1]] = numbers
        numbers = padded
    blocks = numbers.reshape(rows, height, columns, width)  # a view: only the two dimensions are split
    highest, lowest = blocks.amax((1, 3)), blocks.amin((1, 3))  # both NaN where one is
    return torch.where(highest.abs() >= lowest.abs(), highest, lowest)


def histogram_of(value: Any, request: ReadHistogram) -> Histogram:
    """The distribution that was asked for."""
    tensor = tensor_of(value, request.item)
    if not isinstance(tensor, torch.Tensor):
        return Histogram(node=request.node, item=request.item, text=tensor)
    try:
        if text := unreadable(tensor) or ("" if tensor.numel() else "no elements"):
            return Histogram(node=request.node, item=request.item, text=text)
        if tensor.is_complex():
            return Histogram(node=request.node, item=request.item, text="complex numbers have no order")
        return _histogram(tensor.detach(), request)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        text = f"cannot be shown: {one_line(error, 120)}"
        return Histogram(node=request.node, item=request.item, text=text)


def _histogram(tensor: torch.Tensor, request: ReadHistogram) -> Histogram:
    bins = min(max(request.bins, 1), MAX_BINS)
    stats = stats_of(request.node, tensor)
    bounds = _log_bounds(tensor) if request.log else _bounds(stats)
    counts, negatives = torch.zeros(bins, dtype=torch.float64), 0
    for numbers, repeats in numbers_in_pieces(tensor):
        finite = numbers if stats.is_finite else numbers[torch.isfinite(numbers)]
        negatives += repeats * int(torch.count_nonzero(finite < 0))
        if bounds and (shown := _shown(finite, request.log)).numel():
            counts += repeats * torch.histc(shown, bins, *bounds).cpu()
    low, high = bounds or (0.0, 0.0)
    return Histogram(
        node=request.node,
        item=request.item,
        log=request.log,
        edges=torch.linspace(low, high, bins + 1, dtype=torch.float64).tolist() if bounds else [],
        counts=[int(count) for count in counts.tolist()] if bounds else [],
        zeros=stats.zeros,
        nans=stats.nans,
        infs=stats.infs,
        negatives=negatives,
        text="" if bounds else "no finite numbers" if not request.log else "no finite numbers other than zero",
    )


def _shown(numbers: torch.Tensor, log: bool) -> torch.Tensor:
    """What is counted: the numbers, or logarithms of their magnitudes (of zeros -Inf, which falls into no bin)."""
    return numbers.abs().log10_() if log else numbers


def _bounds(stats: ValueStats) -> tuple[float, float] | None:
    if stats.minimum is None or stats.maximum is None:
        return None
    return _apart(stats.minimum, stats.maximum)


def _log_bounds(tensor: torch.Tensor) -> tuple[float, float] | None:
    """Logarithms of the smallest and the largest finite magnitude other than zero."""
    low, high = math.inf, 0.0
    for numbers, _ in numbers_in_pieces(tensor):
        magnitudes = numbers.abs()
        usable = (magnitudes > 0) & (magnitudes < math.inf)
        low = min(low, torch.where(usable, magnitudes, math.inf).min().item())
        high = max(high, torch.where(usable, magnitudes, 0.0).max().item())
    return _apart(math.log10(low), math.log10(high)) if high else None


def _apart(low: float, high: float) -> tuple[float, float]:
    """Bounds of which the lower is really lower: ``histc`` takes equal ones for none."""
    if low < high:
        return low, high
    margin = max(abs(low) * 1e-3, 0.5 if not low else 0.0)
    return low - margin, high + margin
