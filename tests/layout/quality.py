"""How good a layout is, in numbers that a layout by Graphviz can be held against."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Layout, RouteKind
from aotgui.model.graph import Output

_POINTS_PER_INCH = 72.0


@dataclass(frozen=True)
class Quality:
    """Crossings of drawn edges, total drawn length in pixels, height by width, and boxes run through."""

    crossings: int
    length: float
    aspect: float
    pierced: int = 0


def quality_of(layout: Layout) -> Quality:
    segments, owners = segments_of(layout)
    _, _, width, height = layout.bounds
    return Quality(
        crossings=count_crossings(segments, owners),
        length=float(np.hypot(*(segments[:, 2:] - segments[:, :2]).T).sum()),
        aspect=height / max(width, 1.0),
        pierced=len(pierced_boxes(layout)),
    )


def segments_of(layout: Layout) -> tuple[np.ndarray, np.ndarray]:
    """(x, y, u, v) of each straight piece that is drawn, and the edge that it belongs to."""
    points, starts = layout.points.astype(np.float64), layout.route_starts
    owner = np.repeat(np.arange(len(layout.route_kinds)), np.diff(starts))
    joined = owner[:-1] == owner[1:]
    stub = layout.route_kinds[owner[:-1]] == RouteKind.STUB
    inner = np.arange(len(points) - 1) - starts[owner[:-1]] == 1
    keep = joined & ~(stub & inner)
    return np.concatenate((points[:-1], points[1:]), axis=1)[keep], owner[:-1][keep]


def count_crossings(segments: np.ndarray, owners: np.ndarray) -> int:
    """Pairs of pieces of different edges that cross properly (touching and sharing a line do not count)."""
    order = np.argsort(np.minimum(segments[:, 1], segments[:, 3]), kind="stable")
    segments, owners = segments[order], owners[order]
    tops = np.minimum(segments[:, 1], segments[:, 3])
    bottoms = np.maximum(segments[:, 1], segments[:, 3])
    total = 0
    for i in range(len(segments)):
        end = int(np.searchsorted(tops, bottoms[i], side="right"))
        others = slice(i + 1, end)
        total += int((_cross(segments[i], segments[others]) & (owners[others] != owners[i])).sum())
    return total


def _cross(one: np.ndarray, many: np.ndarray) -> np.ndarray:
    a, b, c, d = one[:2], one[2:], many[:, :2], many[:, 2:]
    tolerance = 1e-6
    first = _turn(a, b, c) * _turn(a, b, d)
    second = _turn(c, d, a) * _turn(c, d, b)
    return (first < -tolerance) & (second < -tolerance)


def _turn(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    return (b[..., 0] - a[..., 0]) * (c[..., 1] - a[..., 1]) - (b[..., 1] - a[..., 1]) * (c[..., 0] - a[..., 0])


def pierced_boxes(layout: Layout) -> list[tuple[int, int]]:
    """(edge, item) for each box that the route of a foreign edge runs through."""
    segments, owners = segments_of(layout)
    boxes = layout.boxes.astype(np.float64)
    order = np.argsort(boxes[:, 1], kind="stable")
    tops = boxes[order, 1]
    tallest = boxes[:, 3].max(initial=0.0)
    found = set()
    for segment, owner in zip(segments, owners, strict=True):
        low, high = min(segment[1], segment[3]), max(segment[1], segment[3])
        begin, end = np.searchsorted(tops, (low - tallest, high))
        for item in order[begin:end]:
            ends = (layout.edge_sources[owner], layout.edge_targets[owner])
            if item not in ends and _enters(segment, boxes[item]):
                found.add((int(owner), int(item)))
    return sorted(found)


def _enters(segment: np.ndarray, box: np.ndarray) -> bool:
    """Whether a piece runs through the inside of a box (Liang and Barsky's clipping)."""
    begin, step = segment[:2], segment[2:] - segment[:2]
    enter, leave = 0.0, 1.0
    for axis in (0, 1):
        low, high = box[axis] + 0.5, box[axis] + box[axis + 2] - 0.5
        if abs(step[axis]) < 1e-9:
            if not low < begin[axis] < high:
                return False
            continue
        first, second = sorted(((low - begin[axis]) / step[axis], (high - begin[axis]) / step[axis]))
        enter, leave = max(enter, first), min(leave, second)
    return bool(enter < leave)


def dot_quality(layout: Layout, timeout_s: float) -> Quality:
    """What ``dot`` makes of the same boxes and edges.

    Raises:
        subprocess.TimeoutExpired: it did not finish in time.
    """
    drawn = json.loads(run_dot(dot_source(layout), timeout_s))
    segments, owners = [], []
    for number, edge in enumerate(drawn.get("edges", ())):
        curve = np.asarray([point.split(",") for point in edge["pos"].removeprefix("e,").split()], float)
        line = _flatten(curve[1:])
        segments.append(np.concatenate((line[:-1], line[1:]), axis=1))
        owners.append(np.full(len(line) - 1, number))
    left, bottom, right, top = (float(value) for value in drawn["bb"].split(","))
    pieces = np.concatenate(segments)
    return Quality(
        crossings=count_crossings(pieces, np.concatenate(owners)),
        length=float(np.hypot(*(pieces[:, 2:] - pieces[:, :2]).T).sum()),
        aspect=(top - bottom) / max(right - left, 1.0),
    )


def run_dot(source: str, timeout_s: float) -> str:
    """The picture as JSON.

    Raises:
        subprocess.TimeoutExpired: it did not finish in time.
    """
    command = ["dot", "-Tjson"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True, timeout=timeout_s).stdout


def dot_source(layout: Layout, outputs: Sequence[Output] = ()) -> str:
    """The items and edges of a layout in Graphviz' language, with the same sizes and gaps.

    With ``outputs`` all returned values run into one output node, as in the pictures that torch draws.
    """
    inch, options = _POINTS_PER_INCH, LayoutOptions()
    lines = [
        "digraph {",
        f"nodesep={options.column_gap / inch}; ranksep={options.row_gap / inch};",
        'node [shape=box fixedsize=true label=""];',
    ]
    for item, (_, _, width, height) in enumerate(layout.boxes.tolist()):
        lines.append(f"{item} [width={width / inch} height={height / inch}];")
    lines += [f"{a} -> {b};" for a, b in zip(layout.edge_sources, layout.edge_targets, strict=True)]
    lines += [f"{node} -> output;" for node in sorted({output.node for output in outputs} - {-1})]
    return "\n".join([*lines, "}"])


def _flatten(control: np.ndarray) -> np.ndarray:
    """Points on a chain of cubic Bezier curves."""
    steps = np.linspace(0.0, 1.0, 7)[1:, None]
    points = [control[:1]]
    for i in range(0, len(control) - 3, 3):
        a, b, c, d = control[i : i + 4]
        points.append(
            (1 - steps) ** 3 * a + 3 * (1 - steps) ** 2 * steps * b + 3 * (1 - steps) * steps**2 * c + steps**3 * d
        )
    return np.concatenate(points)
