"""A window of numbers into a value."""

from __future__ import annotations

from typing import Any, Final

import torch

from aotgui.engine.errors import one_line
from aotgui.engine.values import described, tensor_of, unreadable
from aotgui.model.values import ValueSlice
from aotgui.protocol.messages import ReadValue

WINDOW_ROWS: Final = 64
WINDOW_COLUMNS: Final = 32


def slice_of(value: Any, request: ReadValue) -> ValueSlice:
    """The window of a value that was asked for, at most 64 x 32 numbers.

    A position outside the value is moved to its last row, column or index.
    """
    tensor = tensor_of(value, request.item)
    if not isinstance(tensor, torch.Tensor):
        return _said(request, tensor)
    info = described(tensor)
    shape = info.shape if info else ()
    try:
        if text := unreadable(tensor) or ("no elements" if not tensor.numel() else ""):
            return _said(request, text, shape)
        return _window(tensor.detach(), request)
    except (RuntimeError, NotImplementedError, TypeError) as error:
        return _said(request, f"cannot be shown: {one_line(error, 120)}", shape)


def _said(request: ReadValue, text: str, shape: tuple[int | str, ...] = ()) -> ValueSlice:
    return ValueSlice(node=request.node, item=request.item, shape=tuple(map(int, shape)), text=text)


def _window(tensor: torch.Tensor, request: ReadValue) -> ValueSlice:
    leading = tensor.shape[:-2]
    asked = (*request.index, *[0] * len(leading))
    index = tuple(min(max(i, 0), length - 1) for i, length in zip(asked, leading, strict=False))
    plane = tensor[index]
    plane = plane.reshape(1, -1) if plane.dim() < 2 else plane
    row = min(max(request.row, 0), plane.shape[0] - 1)
    column = min(max(request.column, 0), plane.shape[1] - 1)
    return ValueSlice(
        node=request.node,
        item=request.item,
        shape=tuple(tensor.shape),
        index=index,
        row=row,
        column=column,
        rows=_rows(plane[row : row + WINDOW_ROWS, column : column + WINDOW_COLUMNS]),
    )


def _rows(window: torch.Tensor) -> list[list[float | int | bool | str]]:
    if window.is_complex():
        return [[f"{z.real:.6g}{z.imag:+.6g}j" for z in row] for row in window.tolist()]
    # Numbers of 8 bits and the like have no ``tolist``; float64 holds them all exactly.
    numbers = window.to(torch.float64) if window.is_floating_point() else window
    rows: list[list[float | int | bool | str]] = numbers.tolist()
    return rows
