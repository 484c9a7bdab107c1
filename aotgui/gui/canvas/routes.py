"""Edge geometry for painting: corners rounded, short links bent, lines clipped. All in numpy, a view's worth at a time.

A curve stays a list of straight pieces, because Qt draws ten thousand lines in milliseconds and one antialiased
path of five hundred curves in seconds.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.result import Layout, RouteKind

CORNER_UNITS: Final = 14.0
CORNER_PIECES: Final = 5
BEND_PIECES: Final = 12

Lines = NDArray[np.float64]
"""float64 (n, 4): x and y of both ends, the memory layout of an array of ``QLineF``."""


def smooth(layout: Layout, edges: NDArray[np.int32], *, whole: bool = False) -> tuple[Lines, NDArray[np.int32]]:
    """The pieces of some edges with rounded corners, and the edge each piece belongs to, in scene units.

    ``whole`` includes the middle of stubs, which is otherwise left out.
    """
    starts = layout.route_starts[edges].astype(np.int64)
    counts = layout.route_starts[edges + 1] - starts
    bent = counts == 2
    lines, owners = _bends(layout, edges[bent], starts[bent])
    poly, poly_owners = _polylines(layout, edges[~bent], starts[~bent], counts[~bent], whole)
    return np.vstack([lines, poly]), np.concatenate([owners, poly_owners])


def _bends(layout: Layout, edges: NDArray[np.int32], starts: NDArray[np.int64]) -> tuple[Lines, NDArray[np.int32]]:
    """Links of two points as S-curves that leave and arrive along the longer axis of travel."""
    first, last = layout.points[starts].astype(np.float64), layout.points[starts + 1].astype(np.float64)
    delta = last - first
    along = np.where(layout.route_kinds[edges] == RouteKind.SAVED, 0, 1)
    pull = np.zeros_like(delta)
    rows = np.arange(len(edges))
    pull[rows, along] = delta[rows, along] / 2
    t = np.linspace(0.0, 1.0, BEND_PIECES + 1)[None, :, None]
    a, b, c, d = (p[:, None, :] for p in (first, first + pull, last - pull, last))
    curve = a * (1 - t) ** 3 + 3 * b * t * (1 - t) ** 2 + 3 * c * t**2 * (1 - t) + d * t**3
    return _pieces(curve), np.repeat(edges, BEND_PIECES)


def _polylines(layout: Layout, edges: NDArray[np.int32], starts: NDArray[np.int64],
               counts: NDArray[np.int64], whole: bool) -> tuple[Lines, NDArray[np.int32]]:  # fmt: skip
    """Routes of three and more points: straight runs and a quarter turn at each corner."""
    runs = np.maximum(counts - 1, 0)
    owner = np.repeat(edges, runs)
    place = np.arange(runs.sum()) - np.repeat(np.cumsum(runs) - runs, runs)
    index = np.repeat(starts, runs) + place
    first, last = layout.points[index].astype(np.float64), layout.points[index + 1].astype(np.float64)
    is_first, is_last = place == 0, place == np.repeat(runs, runs) - 1
    hidden = (layout.route_kinds[owner] == RouteKind.STUB) & ~is_first & ~is_last & (not whole)
    delta = last - first
    length = np.maximum(np.hypot(delta[:, 0], delta[:, 1]), 1e-9)
    cut = (delta / length[:, None]) * np.minimum(CORNER_UNITS, length / 2)[:, None]
    entry = np.where(is_first[:, None], first, first + cut)
    leave = np.where(is_last[:, None], last, last - cut)
    straight = np.hstack([entry, leave])[~hidden]
    turns = np.flatnonzero(~is_last & ~hidden & ~np.append(hidden[1:], False))
    corners = _turn(leave[turns], last[turns], entry[np.minimum(turns + 1, len(entry) - 1)])
    return np.vstack([straight, corners]), np.concatenate([owner[~hidden], np.repeat(owner[turns], CORNER_PIECES)])


def _turn(first: Lines, corner: Lines, last: Lines) -> Lines:
    t = np.linspace(0.0, 1.0, CORNER_PIECES + 1)[None, :, None]
    curve = first[:, None] * (1 - t) ** 2 + 2 * corner[:, None] * t * (1 - t) + last[:, None] * t**2
    return _pieces(curve)


def _pieces(curve: NDArray[np.float64]) -> Lines:
    """float64 (n, k, 2) curves as (n * (k - 1), 4) lines."""
    return np.concatenate([curve[:, :-1], curve[:, 1:]], axis=2).reshape(-1, 4)


def distinct(lines: Lines, owners: NDArray[np.int32], kinds: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Which lines a small picture needs: of those that fall onto the same pixels one, none shorter than a pixel.

    Args:
        lines: float64 (n, 4), device pixels.
        owners: int32 (n,): the edge of each.
        kinds: uint8 (edges,): kinds look different.
    """
    x0, y0, x1, y1 = lines.T
    long = np.flatnonzero((np.abs(x1 - x0) >= 1.0) | (np.abs(y1 - y0) >= 1.0))
    pixels = np.rint(np.clip(lines[long], -4096, 4095)).astype(np.int64) + 4096
    keys = kinds[owners[long]].astype(np.int64)
    for column in pixels.T:
        keys = keys << 13 | column
    return long[np.unique(keys, return_index=True)[1]]


def ends(layout: Layout, edges: NDArray[np.int32]) -> Lines:
    """The last straight piece of each edge, for arrow heads: float64 (n, 4)."""
    last = layout.route_starts[edges + 1].astype(np.int64) - 1
    before = np.maximum(last - 1, layout.route_starts[edges])
    return np.hstack([layout.points[before], layout.points[last]]).astype(np.float64)


def clip(lines: Lines, left: float, top: float, right: float, bottom: float) -> NDArray[np.bool_]:
    """Shortens lines in place to a rectangle (Liang and Barsky); False for those that miss it.

    Qt computes lines in fixed point: coordinates far outside a picture overflow.
    """
    x, y = lines[:, 0].copy(), lines[:, 1].copy()
    dx, dy = lines[:, 2] - x, lines[:, 3] - y
    enter, leave = np.zeros(len(lines)), np.ones(len(lines))
    inside = np.ones(len(lines), np.bool_)
    for p, q in ((-dx, x - left), (dx, right - x), (-dy, y - top), (dy, bottom - y)):
        with np.errstate(divide="ignore", invalid="ignore"):
            r = q / p
        np.maximum(enter, r, out=enter, where=p < 0)
        np.minimum(leave, r, out=leave, where=p > 0)
        inside &= (p != 0) | (q >= 0)
    lines[:, 0], lines[:, 1] = x + enter * dx, y + enter * dy
    lines[:, 2], lines[:, 3] = x + leave * dx, y + leave * dy
    return inside & (enter <= leave)
