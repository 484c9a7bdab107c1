"""Captions at the cut ends of long edges: where they lead. A click on one jumps there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from aotgui.gui.canvas.labels import Label, Labels
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.raster import Area
from aotgui.gui.canvas.scene import Scene
from aotgui.layout.result import RouteKind

MAX_WIDTH_UNITS: Final = 130.0
SIDE_GAP_UNITS: Final = 4.0
LINE_GAP_UNITS: Final = 1.0
ARROW: Final = "\u2192"


@dataclass(frozen=True, slots=True)
class Caption:
    """One caption.

    Attributes:
        label: what it says.
        place: scene units.
        items: the items at the other ends.
        edges: the cut edges.
    """

    label: Label
    place: QRectF
    items: NDArray[np.int32]
    edges: NDArray[np.intp]


def captions_in(scene: Scene, labels: Labels, states: NodeStates, area: Area) -> Iterator[Caption]:
    """The captions that reach into an area; one for all stubs that leave or reach the same box."""
    left, top, right, bottom = area
    reach = MAX_WIDTH_UNITS
    found = scene.segment_index.in_rect(left - reach, top - reach, right + reach, bottom + reach)
    layout, owners = scene.layout, scene.segments.edges
    found = found[(layout.route_kinds[owners[found]] == RouteKind.STUB) & states.shown_edges(owners[found], layout)]
    # Of a stub there are two pieces: an edge between far ends must not bring both of them here.
    is_first = (found == 0) | (owners[found - 1] != owners[found])
    for item in np.unique(layout.edge_sources[owners[found[is_first]]]).tolist():
        leaving = scene.stubs(scene.edges_from(item))
        leaving = leaving[states.shown_edges(leaving, layout)]
        first = layout.route_starts[leaving]
        others = layout.edge_targets[leaving]
        label = labels.name(f"{ARROW} {_names(scene, others)}", MAX_WIDTH_UNITS)
        place = _place(label, layout.points[first], layout.points[first + 1])
        yield Caption(label, place, others, leaving)
    for item in np.unique(layout.edge_targets[owners[found[~is_first]]]).tolist():
        arriving = scene.stubs(scene.edges_into(item))
        arriving = arriving[states.shown_edges(arriving, layout)]
        last = layout.route_starts[arriving + 1] - 1
        others = layout.edge_sources[arriving]
        label = labels.name(f"{_names(scene, others)} {ARROW}", MAX_WIDTH_UNITS)
        place = _place(label, layout.points[last], layout.points[last - 1])
        yield Caption(label, place, others, arriving)


def caption_at(scene: Scene, labels: Labels, states: NodeStates, x: float, y: float) -> Caption | None:
    """The caption under a scene point."""
    near = captions_in(scene, labels, states, (x, y, x, y))
    return next((caption for caption in near if caption.place.contains(x, y)), None)


def _names(scene: Scene, items: NDArray[np.int32]) -> str:
    return scene.title(int(items[0])) if len(items) == 1 else f"{len(items)} nodes"


def _place(label: Label, at_box: NDArray[np.float32], cut: NDArray[np.float32]) -> QRectF:
    """Beyond cut ends, in scene units; both arrays are float32 (k, 2)."""
    (bx, by), (x, y) = at_box.mean(axis=0).tolist(), cut.mean(axis=0).tolist()
    if abs(x - bx) < abs(y - by):
        left, top = x - label.width / 2, y + (LINE_GAP_UNITS if y > by else -label.height - LINE_GAP_UNITS)
    else:
        left, top = x + (SIDE_GAP_UNITS if x > bx else -label.width - SIDE_GAP_UNITS), y - label.height / 2
    return QRectF(left, top, label.width, label.height)
