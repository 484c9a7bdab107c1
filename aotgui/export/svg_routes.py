"""Edges as SVG paths: links of two points bend, corners of longer routes are round, as on the canvas."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.result import Layout, RouteKind

CORNER_UNITS: Final = 14.0

Points = list[str]


def paths(layout: Layout, edges: NDArray[np.int64]) -> Iterator[str]:
    """One path element an edge, in the order given; its class is ``e`` and its ``RouteKind``."""
    points = _texts(layout.points)
    before, after = _corners(layout)
    starts, ends = layout.route_starts[edges].tolist(), layout.route_starts[edges + 1].tolist()
    coordinates = np.round(layout.points.astype(np.float64), 1).tolist()
    for start, end, kind in zip(starts, ends, layout.route_kinds[edges].tolist(), strict=True):
        if end - start < 2:
            continue
        if end - start == 2:
            d = _bend(coordinates[start], coordinates[end - 1], kind == RouteKind.SAVED)
        elif kind == RouteKind.STUB:
            d = f"M{points[start]}L{points[start + 1]}M{points[end - 2]}L{points[end - 1]}"
        else:
            turns = "".join(f"L{before[i]}Q{points[i]} {after[i]}" for i in range(start + 1, end - 1))
            d = f"M{points[start]}{turns}L{points[end - 1]}"
        yield f'<path class="e{kind}" d="{d}"/>'


def _bend(first: list[float], last: list[float], sideways: bool) -> str:
    """An S-curve that leaves and arrives along the direction of travel."""
    (x0, y0), (x1, y1) = first, last
    if (x0 == x1) if not sideways else (y0 == y1):
        return f"M{x0:.9g},{y0:.9g}L{x1:.9g},{y1:.9g}"
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    pulls = f"{x:.9g},{y0:.9g} {x:.9g},{y1:.9g}" if sideways else f"{x0:.9g},{y:.9g} {x1:.9g},{y:.9g}"
    return f"M{x0:.9g},{y0:.9g}C{pulls} {x1:.9g},{y1:.9g}"


def _corners(layout: Layout) -> tuple[Points, Points]:
    """For each point of a route that has a neighbour on both sides, where its rounding begins and ends."""
    points = layout.points.astype(np.float64)
    if len(points) < 3:
        empty = [""] * len(points)
        return empty, empty
    steps = np.diff(points, axis=0)
    lengths = np.maximum(np.hypot(steps[:, 0], steps[:, 1]), 1e-9)
    cuts = steps / lengths[:, None] * np.minimum(CORNER_UNITS, lengths / 2)[:, None]
    before, after = points.copy(), points.copy()
    before[1:] -= cuts
    after[:-1] += cuts
    return _texts(before), _texts(after)


def _texts(points: NDArray[np.floating]) -> Points:
    return [f"{x:.9g},{y:.9g}" for x, y in np.round(points.astype(np.float64), 1).tolist()]
