"""Where the names of points go in a plot: beside their points, on no other name and on no other point."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSizeF

GAP_PX: Final = 2
"""Between a point and its name."""
LINES: Final = 3
"""How many lines away from its point a name may stand."""
DOTS: Final = 40
"""As so many points a piece of a line is taken."""


def label_places(
    points: Sequence[QPointF], sizes: Sequence[QSizeF], area: QRectF, radius: float, line: Sequence[QPointF] = ()
) -> list[QRectF | None]:
    """The places of names, the earlier ones first served.

    Args:
        points: in pixels.
        sizes: of the names, one a point; empty for a point without a name, which is kept free all the same.
        area: what names must not leave.
        radius: of the points.
        line: corners of a line that names should not cross, where that can be.

    Returns:
        One a point; None where it has no name or there is no room for it.
    """
    marks = [QRectF(point.x() - radius, point.y() - radius, 2 * radius, 2 * radius) for point in points]
    taken, dots = list(marks), _along(line)
    found: list[QRectF | None] = []
    for mark, size in zip(marks, sizes, strict=True):
        place = _place(mark, size, area, taken, dots) if size.isValid() else None
        found.append(place)
        if place is not None:
            taken.append(place)
    return found


def _place(mark: QRectF, size: QSizeF, area: QRectF, taken: Sequence[QRectF], dots: Sequence[QPointF]) -> QRectF | None:
    """The nearest place; of those that are equally near rather one beside the line."""
    for away in range(LINES):
        free = [place for place in _around(mark, size, area, away) if _fits(place, area, taken)]
        if free:
            return next((place for place in free if not any(map(place.contains, dots))), free[0])
    return None


def _around(mark: QRectF, size: QSizeF, area: QRectF, away: int) -> Iterator[QRectF]:
    """Places so many lines away from a point, above before below, as one reads a plot."""
    wide, high = size.width(), size.height()
    right, left, level = mark.right() + GAP_PX, mark.left() - GAP_PX - wide, mark.center().y() - high / 2
    middle = max(area.left(), min(mark.center().x() - wide / 2, area.right() - wide))
    above, below = mark.top() - GAP_PX - (away + 1) * high, mark.bottom() + GAP_PX + away * high
    beside = [] if away else [(right, level), (left, level)]
    for x, y in [(right, above), (left, above), *beside, (right, below), (left, below), (middle, above)]:
        yield QRectF(x, y, wide, high)
    yield QRectF(middle, below, wide, high)


def _along(line: Sequence[QPointF]) -> list[QPointF]:
    """Points on a line, closer to each other than a name is high."""
    steps = [step / DOTS for step in range(DOTS + 1)]
    return [begin + (end - begin) * step for begin, end in pairwise(line) for step in steps]


def _fits(place: QRectF, area: QRectF, taken: Sequence[QRectF]) -> bool:
    return area.contains(place) and not any(place.intersects(other) for other in taken)
