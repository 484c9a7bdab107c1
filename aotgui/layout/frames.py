"""Frames around expanded groups, and the room that they need between the rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aotgui.layout.coordinates import Floats
from aotgui.layout.options import LayoutOptions
from aotgui.layout.sheet import Sheet


@dataclass(frozen=True, slots=True)
class Frame:
    """The place of an expanded group.

    Attributes:
        group: its index.
        box: left, top, width and height.
    """

    group: int
    box: tuple[float, float, float, float]


def row_tops(
    rows: Sequence[int], item_modules: Sequence[int], parents: Sequence[int], options: LayoutOptions
) -> list[float]:
    """Top of each row, with room for the titles of frames that begin there and the borders of those that end."""
    count = max(rows, default=-1) + 1
    before, after = [0.0] * count, [0.0] * count
    for first, last in _spans(rows, item_modules, parents).values():
        before[first] += options.frame_title + options.frame_padding
        after[last] += options.frame_padding
    tops: list[float] = []
    y = 0.0
    for row in range(count):
        y += before[row]
        tops.append(y)
        y += options.pitch + after[row]
    return tops


def frames_of(boxes: Floats, sheet: Sheet, parents: Sequence[int], options: LayoutOptions) -> list[Frame]:
    """Frames of all expanded groups, outer ones first; those of one module are of equal height.

    Args:
        boxes: of all items.
        sheet: the items.
        parents: for each module the one around it, or -1; parents come before children.
        options: sizes and gaps.
    """
    count = len(parents)
    inside = [[np.inf, -np.inf] for _ in range(2 * count)]
    heights = [[np.inf, -np.inf] for _ in range(count)]
    for item, module in enumerate(sheet.parents):
        if module >= 0:
            left, top, width, height = boxes[item].tolist()
            _stretch(inside[2 * module + sheet.sides[item]], left, left + width)
            _stretch(heights[module], top, top + height)
    for module in range(count - 1, -1, -1):
        if heights[module][0] < np.inf:
            heights[module][0] -= options.frame_title + options.frame_padding
            heights[module][1] += options.frame_padding
        for side in (0, 1):
            extent = inside[2 * module + side]
            if extent[0] < np.inf:
                extent[0] -= options.frame_padding
                extent[1] += options.frame_padding
                if parents[module] >= 0:
                    _stretch(inside[2 * parents[module] + side], extent[0], extent[1])
        if parents[module] >= 0:
            _stretch(heights[parents[module]], *heights[module])
    return [
        Frame(sheet.module_groups[module, side], _box(inside[2 * module + side], heights[module]))
        for module in range(count)
        for side in (0, 1)
        if inside[2 * module + side][0] < np.inf
    ]


def _stretch(extent: list[float], low: float, high: float) -> None:
    extent[0], extent[1] = min(extent[0], low), max(extent[1], high)


def _box(across: list[float], along: list[float]) -> tuple[float, float, float, float]:
    return (across[0], along[0], across[1] - across[0], along[1] - along[0])


def _spans(rows: Sequence[int], item_modules: Sequence[int], parents: Sequence[int]) -> dict[int, tuple[int, int]]:
    """First and last row of each module with items inside."""
    spans: dict[int, tuple[int, int]] = {}
    for row, innermost in zip(rows, item_modules, strict=True):
        module = innermost
        while module >= 0:
            first, last = spans.get(module, (row, row))
            spans[module] = (min(first, row), max(last, row))
            module = parents[module]
    return spans
