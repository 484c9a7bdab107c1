"""Paints edges: lines by kind, arrow heads, captions of stubs."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from aotgui.gui.canvas import routes
from aotgui.gui.canvas.captions import captions_in
from aotgui.gui.canvas.detail import (
    ARROWS_FROM_ZOOM,
    CAPTIONS_FROM_ZOOM,
    CURVES_FROM_ZOOM,
    EDGE_LABELS_FROM_ZOOM,
    EXACT_FROM_ZOOM,
    SMOOTH_FROM_ZOOM,
)
from aotgui.gui.canvas.edge_labels import WIDTH_UNITS, EdgeLabels
from aotgui.gui.canvas.labels import Label, Labels
from aotgui.gui.canvas.node_states import DIM_OPACITY, NodeStates
from aotgui.gui.canvas.raster import Area, Frame, arrow_heads, draw_lines, draw_text
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.layout.result import RouteKind

ARROW_UNITS: Final = 7.0
FADE_BELOW_ZOOM: Final = 0.3
"""Below, edges grow fainter: thousands of them in a small picture would cover the boxes."""
FAINTEST: Final = 0.35
MAX_LABELLED_EDGES: Final = 60_000
"""Deciding which labels have room takes a moment that larger graphs would feel."""
CLIP_ROOM_PX: Final = 64
EXACT_WIDTH: Final = 1.05
"""Qt draws antialiased lines of width 1 four times faster than others, but up to a third of a pixel beside their place;
how far depends on where they are cut, so that a line would have a step where tiles meet."""


class EdgePainter:
    """Paints the edges of one scene in one theme."""

    def __init__(self, scene: Scene, theme: CanvasTheme, labels: Labels, states: NodeStates) -> None:
        self._scene = scene
        self._theme = theme
        self._labels = labels
        self._states = states

    def paint(self, painter: QPainter, frame: Frame, target: QRect, area: Area) -> None:
        """Paints all that crosses ``target``, which is ``area`` in device pixels without its room for badges."""
        found = self._scene.segment_index.in_rect(*area)
        found = found[self._states.shown_edges(self._scene.segments.edges[found], self._scene.layout)]
        if found.size:
            lines, owners = self._lines(frame, found)
            room = QRectF(target).adjusted(-CLIP_ROOM_PX, -CLIP_ROOM_PX, CLIP_ROOM_PX, CLIP_ROOM_PX)
            kept = routes.clip(lines, room.left(), room.top(), room.right(), room.bottom())
            self._draw_lines(painter, frame, lines[kept], owners[kept])
            if frame.zoom >= ARROWS_FROM_ZOOM:
                self._paint_arrows(painter, frame, np.unique(owners[kept]))
        if frame.zoom >= CAPTIONS_FROM_ZOOM:
            self._paint_captions(painter, frame, area)
        labels_from = EDGE_LABELS_FROM_ZOOM if self._scene.edge_texts is None else CAPTIONS_FROM_ZOOM
        if frame.zoom >= labels_from and len(self._scene.layout.edge_sources) <= MAX_LABELLED_EDGES:
            self._paint_values(painter, frame, area)

    @cached_property
    def _values(self) -> EdgeLabels:
        return EdgeLabels(self._scene)

    def _paint_values(self, painter: QPainter, frame: Frame, area: Area) -> None:
        """What flows along the edges, on a ground that hides the line."""
        left, top, right, bottom = area
        hidden, layout = self._states.hidden, self._scene.layout
        for edge, x, y in self._values.in_rect(left, top, right, bottom):
            if hidden is not None and (hidden[layout.edge_sources[edge]] or hidden[layout.edge_targets[edge]]):
                continue
            label = self._labels.name(self._values.text(edge), WIDTH_UNITS)
            self._paint_note(painter, frame, label, x - label.width / 2, y - label.height / 2)

    def _paint_note(self, painter: QPainter, frame: Frame, label: Label, x: float, y: float) -> None:
        """Words with their top left corner at a scene point."""
        place = QRectF(x * frame.scale - frame.x, y * frame.scale - frame.y, label.width * frame.scale,
                       label.height * frame.scale)  # fmt: skip
        ground = self._scene.frame_at(x + label.width / 2, y + label.height / 2)
        painter.fillRect(place, QColor(self._theme.group_fill if ground else self._theme.background))
        draw_text(painter, frame, label.text, self._labels.subtitle_font, x, y, self._theme.muted_text)

    def _lines(self, frame: Frame, found: NDArray[np.int32]) -> tuple[routes.Lines, NDArray[np.int32]]:
        """Some segments in device pixels, bent where one can see it."""
        scene = self._scene
        owners = scene.segments.edges[found]
        if frame.zoom >= CURVES_FROM_ZOOM:
            lines, owners = routes.smooth(scene.layout, np.unique(owners))
        else:
            lines = scene.segments.ends[found].astype(np.float64)
        lines *= frame.scale
        lines -= (frame.x, frame.y, frame.x, frame.y)
        if frame.zoom < SMOOTH_FROM_ZOOM:
            distinct = routes.distinct(lines, owners, scene.layout.route_kinds)
            lines, owners = lines[distinct], owners[distinct]
        return lines, owners

    def _draw_lines(self, painter: QPainter, frame: Frame, lines: routes.Lines, owners: NDArray[np.int32]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, frame.zoom >= SMOOTH_FROM_ZOOM)
        kinds = self._scene.layout.route_kinds[owners]
        faded = self._dimmed_edges(owners)
        for kind in (RouteKind.LANE, RouteKind.STUB, RouteKind.PLAIN, RouteKind.SAVED):
            for fade in (True, False):
                chosen = lines[(kinds == kind) & (faded == fade)]
                if len(chosen):
                    painter.setPen(self._edge_pen(kind, frame, fade))
                    draw_lines(painter, chosen)

    def _dimmed_edges(self, edges: NDArray[np.int32]) -> NDArray[np.bool_]:
        dimmed = self._states.dimmed
        if dimmed is None:
            return np.zeros(len(edges), np.bool_)
        return dimmed[self._scene.layout.edge_sources[edges]] | dimmed[self._scene.layout.edge_targets[edges]]

    def _edge_pen(self, kind: RouteKind, frame: Frame, fade: bool) -> QPen:
        colour = QColor(self._edge_colour(kind))
        alpha = FAINTEST + (1.0 - FAINTEST) * min(frame.zoom / FADE_BELOW_ZOOM, 1.0)
        colour.setAlphaF(alpha * (DIM_OPACITY if fade else 1.0))
        wide = kind is RouteKind.SAVED and frame.zoom >= ARROWS_FROM_ZOOM
        exact = EXACT_WIDTH if frame.zoom >= EXACT_FROM_ZOOM else 1.0
        return QPen(colour, max(exact, (1.5 if wide else 1.0) * frame.ratio))

    def _edge_colour(self, kind: int) -> str:
        if kind == RouteKind.SAVED:
            return self._theme.edge_saved
        return self._theme.edge if kind == RouteKind.PLAIN else self._theme.edge_lane

    def _paint_arrows(self, painter: QPainter, frame: Frame, edges: NDArray[np.int32]) -> None:
        lines = routes.ends(self._scene.layout, edges) * frame.scale
        lines -= (frame.x, frame.y, frame.x, frame.y)
        faded = self._dimmed_edges(edges)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(Qt.PenStyle.NoPen)
        kinds = self._scene.layout.route_kinds[edges].tolist()
        for kind, fade, head in zip(kinds, faded.tolist(), arrow_heads(lines, ARROW_UNITS * frame.scale), strict=True):
            colour = QColor(self._edge_colour(kind) if kind == RouteKind.SAVED else self._theme.edge)
            colour.setAlphaF(DIM_OPACITY if fade else 1.0)
            painter.setBrush(colour)
            painter.drawConvexPolygon(head)

    def _paint_captions(self, painter: QPainter, frame: Frame, area: Area) -> None:
        for caption in captions_in(self._scene, self._labels, self._states, area):
            self._paint_note(painter, frame, caption.label, caption.place.x(), caption.place.y())
