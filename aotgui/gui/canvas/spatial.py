"""Finds boxes and segments by place, straight from arrays.

Things are sorted by their top edge. A query bisects to those that can reach into the rectangle and masks the
rest in numpy. The few things that are much taller than the others (long edges) would make every query look at
everything; they are kept apart and always masked.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

TALL_UNITS: Final = 400.0
"""Things taller than this are kept apart."""


class SpatialIndex:
    """Axis-aligned rectangles, found by rectangle or by point."""

    def __init__(self, left: NDArray[np.float32], top: NDArray[np.float32], right: NDArray[np.float32],
                 bottom: NDArray[np.float32]) -> None:  # fmt: skip
        """Sorts the rectangles.

        Args:
            left: float32 (n,), scene units; likewise the others.
            top: smaller y.
            right: larger x.
            bottom: larger y.
        """
        tall = (bottom - top) > TALL_UNITS
        self._tall = _Slab(np.flatnonzero(tall), left, top, right, bottom)
        self._short = _Slab(np.flatnonzero(~tall), left, top, right, bottom)

    def in_rect(self, left: float, top: float, right: float, bottom: float) -> NDArray[np.int32]:
        """Indexes of what touches a rectangle, ascending."""
        found = np.concatenate(
            [self._short.in_rect(left, top, right, bottom), self._tall.in_rect(left, top, right, bottom)]
        )
        found.sort()
        return found

    def at(self, x: float, y: float) -> int:
        """The last rectangle that holds a point, -1 where none does."""
        found = self.in_rect(x, y, x, y)
        return int(found[-1]) if found.size else -1


class _Slab:
    """Rectangles sorted by top; a query looks at those whose top is less than the tallest one's height above it."""

    def __init__(self, indexes: NDArray[np.intp], left: NDArray[np.float32], top: NDArray[np.float32],
                 right: NDArray[np.float32], bottom: NDArray[np.float32]) -> None:  # fmt: skip
        order = indexes[np.argsort(top[indexes], kind="stable")]
        self._order = order.astype(np.int32)
        self._left, self._top = left[order], top[order]
        self._right, self._bottom = right[order], bottom[order]
        self._tallest = float((self._bottom - self._top).max(initial=0.0))

    def in_rect(self, left: float, top: float, right: float, bottom: float) -> NDArray[np.int32]:
        # float32 bounds: a float64 needle would make searchsorted convert the whole array.
        first = int(np.searchsorted(self._top, np.float32(top - self._tallest - 1.0), "left"))
        last = int(np.searchsorted(self._top, np.float32(bottom), "right"))
        part = slice(first, last)
        mask = (self._bottom[part] >= top) & (self._left[part] <= right) & (self._right[part] >= left)
        return self._order[part][mask]
