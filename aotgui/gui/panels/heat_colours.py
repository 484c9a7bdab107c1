"""The colours of a heat map: blue for negative and orange for positive numbers, the stronger the larger.

Both hues are told apart by every kind of colour vision, and both grow darker (in the dark theme lighter) with the
magnitude, so the picture is also right in grey. NaN and Inf have a colour of their own.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from aotgui.model.palette import BLUE, ORANGE, SKY_BLUE, VERMILION, palette

STEPS: Final = 256
Rgb = NDArray[np.uint8]


def ramp(*, dark: bool) -> Rgb:
    """Colours from the most negative over zero to the most positive: uint8 (2 * STEPS + 1, 3)."""
    ground = _rgb(palette(dark).background)
    negative, positive = (_rgb(SKY_BLUE if dark else BLUE), _rgb(ORANGE if dark else VERMILION))
    share = np.linspace(0, 1, STEPS + 1)[:, None]
    below = ground + (negative - ground) * share[::-1]
    above = ground + (positive - ground) * share
    return np.vstack([below[:-1], above]).round().astype(np.uint8)


def colours(values: NDArray[np.float32], limit: float, *, dark: bool) -> Rgb:
    """A colour for each number: uint8 (rows, columns, 3).

    Args:
        values: float32 (rows, columns).
        limit: the magnitude that has the full colour.
        dark: whether the theme is dark.
    """
    finite = np.isfinite(values)
    scaled = np.where(finite, values, 0) / (limit or 1.0)
    places = np.clip(np.rint(STEPS + scaled * STEPS), 0, 2 * STEPS).astype(np.intp)
    picture = ramp(dark=dark)[places]
    picture[~finite] = _rgb(palette(dark).error).astype(np.uint8)
    return picture


def limit_of(values: NDArray[np.float32]) -> float:
    """The largest finite magnitude; 0 where there is none."""
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size else 0.0


def _rgb(name: str) -> NDArray[np.float64]:
    colour = QColor(name)
    return np.array([colour.red(), colour.green(), colour.blue()], np.float64)
