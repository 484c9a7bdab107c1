"""Edges as SVG paths: links of two points bend, corners of longer routes are round, as on the canvas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.result import Layout, RouteKind

CORNER_UNITS: Final = 14.0

Point = list[float]


def tenths(values: NDArray[np.floating]) -> NDArray[np.float64]:
    """Rounded to a tenth of a scene unit, which is finer than anybody sees and short to write."""
    rounded: NDArray[np.float64] = np.rint(values.astype(np.float64) * 10) / 10
    return rounded


def paths(layout: Layout, edges: NDArray[np.int64], kinds: Sequence[str]) -> Iterator[str]:
    """One path element an edge, in the order given; its class is ``e`` and its ``RouteKind``.

    Args:
        layout: has the routes.
        edges: their numbers.
        kinds: attributes of each kind of edge.
    """
    looks = [f'class="e{number}" {kind}'.rstrip() for number, kind in enumerate(kinds)]
    points = tenths(layout.points)
    before, after = _corners(points)
    rows = points.tolist()
    starts, ends = layout.route_starts[edges].tolist(), layout.route_starts[edges + 1].tolist()
    for start, end, kind in zip(starts, ends, layout.route_kinds[edges].tolist(), strict=True):
        if end - start < 2:
            continue
        if end - start == 2:
            d = _bend(rows[start], rows[end - 1], kind == RouteKind.SAVED)
        elif kind == RouteKind.STUB:
            d = f"M{_at(rows[start])}L{_at(rows[start + 1])}M{_at(rows[end - 2])}L{_at(rows[end - 1])}"
        else:
            turns = "".join(_turn(before[i], rows[i], after[i]) for i in range(start + 1, end - 1))
            d = f"M{_at(rows[start])}{turns}L{_at(rows[end - 1])}"
        yield f'<path {looks[kind]} d="{d}"/>'


def _at(point: Point) -> str:
    return f"{point[0]:.9g},{point[1]:.9g}"


def _turn(before: Point, corner: Point, after: Point) -> str:
    """A round corner; nothing where two points coincide, because a piece of no length has no direction to point to."""
    if corner in (before, after):
        return ""
    return f"L{_at(before)}Q{_at(corner)} {_at(after)}"


def _bend(first: Point, last: Point, sideways: bool) -> str:
    """An S-curve that leaves and arrives along the direction of travel."""
    (x0, y0), (x1, y1) = first, last
    if (y0 == y1) if sideways else (x0 == x1):
        return f"M{_at(first)}L{_at(last)}"
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    pulls = ([x, y0], [x, y1]) if sideways else ([x0, y], [x1, y])
    return f"M{_at(first)}C{_at(pulls[0])} {_at(pulls[1])} {_at(last)}"


def _corners(points: NDArray[np.float64]) -> tuple[list[Point], list[Point]]:
    """For each point that has a neighbour on both sides, where the rounding of its corner begins and ends."""
    steps = np.diff(points, axis=0)
    lengths = np.maximum(np.hypot(steps[:, 0], steps[:, 1]), 1e-9)
    cuts = steps / lengths[:, None] * np.minimum(CORNER_UNITS, lengths / 2)[:, None]
    before, after = points.copy(), points.copy()
    before[1:] -= cuts
    after[:-1] += cuts
    return tenths(before).tolist(), tenths(after).tolist()
