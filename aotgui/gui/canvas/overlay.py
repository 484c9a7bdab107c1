"""What lies above the picture and never touches it: selection, neighbours, hover, step marker, rubber band."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from aotgui.gui.canvas import routes
from aotgui.gui.canvas.painter import ScenePainter
from aotgui.gui.canvas.raster import Frame, arrow_heads, device_rects, draw_lines
from aotgui.gui.canvas.scene import Scene, Shape
from aotgui.gui.canvas.sprites import CORNER, DOT_RADIUS
from aotgui.gui.canvas.theme import CanvasTheme

MAX_EDGES: Final = 400
"""More highlighted edges than this tell nobody anything and take time."""
MAX_RINGS: Final = 3000
MAX_AGAIN: Final = 60
LOWEST_DOT_PX: Final = 5.0


@dataclass(slots=True)
class Marks:
    """What is marked. Indexes are items, -1 for none.

    Attributes:
        selected: the current one first.
        hovered: under the pointer.
        hovered_edges: cut edges whose caption or box is under the pointer; they are drawn whole.
        stepping: where the debugger stands.
        band: rubber band in device pixels, or None.
        path: marked together, of a path in its order.
        is_path: whether the way from each to the next is drawn.
    """

    selected: list[int] = field(default_factory=list)
    hovered: int = -1
    hovered_edges: list[int] = field(default_factory=list)
    stepping: int = -1
    band: QRectF | None = None
    path: list[int] = field(default_factory=list)
    is_path: bool = False


class Overlay:
    """Paints marks over the picture of a scene, in device pixels."""

    def __init__(self, scene: Scene, theme: CanvasTheme, scene_painter: ScenePainter) -> None:
        self._scene = scene
        self._theme = theme
        self._scene_painter = scene_painter

    def paint(self, painter: QPainter, frame: Frame, view: QRectF, marks: Marks) -> None:
        """Paints ``marks`` where they lie in ``view``."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if marks.path:
            self._paint_path(painter, frame, view, marks)
        if marks.selected:
            self._paint_neighbours(painter, frame, view, marks.selected[:MAX_EDGES])
            self._paint_rings(painter, frame, view, marks.selected[:MAX_RINGS], self._theme.accent, 3.0)
        if marks.hovered_edges:
            self._paint_edges(painter, frame, view, np.asarray(marks.hovered_edges[:MAX_EDGES]), self._theme.accent)
        if marks.hovered >= 0 and marks.hovered not in marks.selected:
            self._paint_rings(painter, frame, view, [marks.hovered], self._theme.accent, 1.5)
        if marks.stepping >= 0:
            self._paint_step(painter, frame, marks.stepping)
        if marks.band is not None:
            self._paint_band(painter, frame, marks.band)

    def _paint_neighbours(self, painter: QPainter, frame: Frame, view: QRectF, selected: Iterable[int]) -> None:
        """Edges to direct inputs and users in colour, and a thin ring around those."""
        scene, layout = self._scene, self._scene.layout
        items = list(selected)
        for find, far_ends, colour in (
            (scene.edges_into, layout.edge_sources, self._theme.inputs),
            (scene.edges_from, layout.edge_targets, self._theme.users),
        ):
            edges = np.concatenate([find(item) for item in items])[:MAX_EDGES].astype(np.int32)
            edges = edges[self._scene_painter.states.shown_edges(edges, layout)]
            if edges.size:
                self._paint_edges(painter, frame, view, edges, colour)
                self._paint_rings(painter, frame, view, np.unique(far_ends[edges]).tolist(), colour, 1.5)

    def _paint_path(self, painter: QPainter, frame: Frame, view: QRectF, marks: Marks) -> None:
        """Rings around the boxes of a path and, of a real one, the edges between them."""
        colour = self._theme.edge_saved
        steps = zip(marks.path, marks.path[1:], strict=False) if marks.is_path else ()
        edges = [edge for one, other in steps for edge in self._edges_between(one, other)]
        if edges:
            self._paint_edges(painter, frame, view, np.asarray(edges[:MAX_EDGES], np.int32), colour)
        self._paint_rings(painter, frame, view, marks.path[:MAX_RINGS], colour, 3.0)

    def _edges_between(self, one: int, other: int) -> list[int]:
        """The edges from one item to another, else those back."""
        targets, sources = self._scene.layout.edge_targets, self._scene.layout.edge_sources
        there = self._scene.edges_from(one)
        back = self._scene.edges_into(one)
        found: list[int] = there[targets[there] == other].tolist() or back[sources[back] == other].tolist()
        return found

    def _paint_edges(self, painter: QPainter, frame: Frame, view: QRectF, edges: np.ndarray, colour: str) -> None:
        lines, _ = routes.smooth(self._scene.layout, edges, whole=True)
        offset = (frame.x, frame.y, frame.x, frame.y)
        lines = lines * frame.scale - offset
        kept = routes.clip(lines, view.left() - 9, view.top() - 9, view.right() + 9, view.bottom() + 9)
        painter.setPen(QPen(QColor(colour), 2.0 * frame.ratio))
        draw_lines(painter, lines[kept])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour))
        heads = routes.ends(self._scene.layout, edges) * frame.scale - offset
        heads = heads[_inside(heads, view)]
        for head in arrow_heads(heads, max(8 * frame.scale, 4 * frame.ratio)):
            painter.drawConvexPolygon(head)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_rings(self, painter: QPainter, frame: Frame, view: QRectF, items: list[int], colour: str,
                     width: float) -> None:  # fmt: skip
        painter.setPen(QPen(QColor(colour), width * frame.ratio))
        rects = device_rects(self._scene.boxes[items], frame).tolist()
        seen: list[int] = []
        for item, (x0, y0, x1, y1) in zip(items, rects, strict=True):
            gap = (width / 2 + (1.5 if width > 2 else 0.5)) * frame.ratio
            ring = QRectF(x0 - gap, y0 - gap, x1 - x0 + 1 + 2 * gap, y1 - y0 + 1 + 2 * gap)
            if ring.intersects(view):
                radius = self._radius(item, ring, frame, gap)
                painter.drawRoundedRect(ring, radius, radius)
                seen.append(item)
        # Badges and marks stand on the border and would be cut by the ring.
        painter.save()
        self._scene_painter.paint_again(painter, frame, seen[:MAX_AGAIN])
        painter.restore()

    def _radius(self, item: int, ring: QRectF, frame: Frame, gap: float) -> float:
        if self._scene.shapes[item] == Shape.PLACEHOLDER:
            return min(ring.width(), ring.height()) / 2
        return CORNER * frame.scale + gap

    def _paint_step(self, painter: QPainter, frame: Frame, item: int) -> None:
        """A ring and a pointer at the left of the box that runs next, at least 12 pixels high at any zoom.

        The dot of a breakpoint lies between the two.
        """
        x0, y0, x1, y1 = device_rects(self._scene.boxes[[item]], frame)[0].tolist()
        ratio = frame.ratio
        box = QRectF(x0, y0, x1 - x0 + 1, y1 - y0 + 1)
        painter.setPen(QPen(QColor(self._theme.step), 2.5 * ratio))
        glow = QColor(self._theme.step)
        glow.setAlphaF(0.16)
        painter.setBrush(glow)
        gap = 3.0 * ratio
        ring = box.adjusted(-gap, -gap, gap, gap)
        radius = self._radius(item, ring, frame, gap)
        painter.drawRoundedRect(ring, radius, radius)
        size = max(7.0 * ratio, 8.0 * frame.scale)
        place = QPointF(ring.left(), ring.center().y())
        has_dot = item in self._scene_painter.states.breakpoints
        dot = max(LOWEST_DOT_PX * ratio, DOT_RADIUS * frame.scale) if has_dot else 0.0
        tip = place - QPointF(dot + 3 * ratio, 0)
        painter.setPen(QPen(QColor(self._theme.background), ratio))
        painter.setBrush(QColor(self._theme.step))
        painter.drawPolygon(QPolygonF([tip, tip + QPointF(-1.6 * size, -size), tip + QPointF(-1.6 * size, size)]))
        if has_dot:  # the ring would hide the one in the picture
            painter.setPen(QPen(QColor(self._theme.background), ratio))
            painter.setBrush(QColor(self._theme.breakpoint))
            painter.drawEllipse(place, dot, dot)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_band(self, painter: QPainter, frame: Frame, band: QRectF) -> None:
        inside = QColor(self._theme.accent)
        inside.setAlphaF(0.12)
        painter.setPen(QPen(QColor(self._theme.accent), frame.ratio))
        painter.setBrush(inside)
        painter.drawRect(band)
        painter.setBrush(Qt.BrushStyle.NoBrush)


def _inside(lines: routes.Lines, view: QRectF) -> np.ndarray:
    x, y = lines[:, 2], lines[:, 3]
    return (x >= view.left()) & (x <= view.right()) & (y >= view.top()) & (y <= view.bottom())
