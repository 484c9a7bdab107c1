"""Boxes smaller than pixels: each adds its share of colour to the pixels that it covers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

MIN_SHARE = 0.35
"""A lone box of any size shows at least this much, or sparse graphs would vanish."""


def image(boxes: NDArray[np.float32], colours: NDArray[np.uint32], weights: NDArray[np.float64] | None, width: int,
          height: int) -> QImage:  # fmt: skip
    """A premultiplied picture of many tiny boxes.

    Args:
        boxes: float32 (n, 4): left, top, width and height in pixels of the picture.
        colours: uint32 (n,): 0xAARRGGBB.
        weights: opacity of each box, or None for 1.
        width: of the picture, pixels.
        height: likewise.
    """
    pixels, owners, shares = _splat(boxes, width, height)
    if weights is not None:
        shares = shares * weights[owners]
    size = width * height
    total = np.bincount(pixels, shares, size)
    cover = np.minimum(total, 1.0)
    norm = np.divide(cover, total, out=np.zeros(size), where=total > 0)
    result = np.rint(cover * 255).astype(np.uint32) << 24
    for shift in (16, 8, 0):
        channel = ((colours >> shift) & 0xFF).astype(np.float64)
        result |= np.rint(np.bincount(pixels, shares * channel[owners], size) * norm).astype(np.uint32) << shift
    # The copy belongs to Qt; the array goes away with this call.
    return QImage(result.data, width, height, 4 * width, QImage.Format.Format_ARGB32_Premultiplied).copy()


def _splat(boxes: NDArray[np.float32], width: int, height: int) -> tuple[
        NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:  # fmt: skip
    """Pixel, box and share of every pixel that a box touches."""
    left, top = boxes[:, 0].astype(np.float64), boxes[:, 1].astype(np.float64)
    right, bottom = left + np.maximum(boxes[:, 2], 1.0), top + np.maximum(boxes[:, 3], 1e-3)
    x0, y0 = np.floor(left).astype(np.int64), np.floor(top).astype(np.int64)
    columns = np.maximum(np.ceil(right).astype(np.int64) - x0, 1)
    rows = np.maximum(np.ceil(bottom).astype(np.int64) - y0, 1)
    cells = columns * rows
    owners = np.repeat(np.arange(len(boxes)), cells)
    place = np.arange(cells.sum()) - np.repeat(np.cumsum(cells) - cells, cells)
    x, y = x0[owners] + place % columns[owners], y0[owners] + place // columns[owners]
    share_x = np.minimum(right[owners], x + 1) - np.maximum(left[owners], x)
    share_y = np.minimum(bottom[owners], y + 1) - np.maximum(top[owners], y)
    share = np.clip(share_x * np.maximum(share_y, MIN_SHARE), 0.0, 1.0)
    inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return (y * width + x)[inside], owners[inside], share[inside]
