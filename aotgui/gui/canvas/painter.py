"""Paints a scene into any ``QPainter``: the buffer's tiles, the minimap, and the oracle of the tests.

Works in device pixels: a scene point is at ``point * scale - offset``. Level of detail follows the height of a box:
density (under two pixels, boxes add up to a share of colour), bars (plain rectangles), boxes with words.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPolygonF, QStaticText
from shiboken6 import Shiboken

from aotgui.gui.canvas import density, routes
from aotgui.gui.canvas.colouring import Colouring
from aotgui.gui.canvas.labels import Labels
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import OVERHANG_UNITS, Look, SpriteCache, overhang
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.layout.result import RouteKind
from aotgui.model.graph import Fate

DIM_OPACITY: Final = 0.22
SUBTITLE_OPACITY: Final = 0.85
DENSITY_BELOW_PX: Final = 2.5
BARS_BELOW_PX: Final = 9.0
TITLE_FROM_SCALE: Final = 0.45
SUBTITLE_FROM_SCALE: Final = 0.68
ARROWS_FROM_SCALE: Final = 0.45
SMOOTH_FROM_SCALE: Final = 0.06
CURVES_FROM_SCALE: Final = 0.25
TWO_LINES_UNITS: Final = 32.0
STUB_LABEL_UNITS: Final = 130.0


class Detail(IntEnum):
    """How much is drawn of a box."""

    DENSITY = 0
    BARS = 1
    FULL = 2


@dataclass(frozen=True, slots=True)
class Frame:
    """Where device pixels lie on the scene.

    Attributes:
        scale: device pixels for one scene unit.
        x: scene x times scale at the picture's left border, a whole number.
        y: likewise at the top.
        ratio: device pixels for one logical pixel.
    """

    scale: float
    x: int
    y: int
    ratio: float = 1.0

    @property
    def zoom(self) -> float:
        """Logical pixels for one scene unit."""
        return self.scale / self.ratio


@dataclass(slots=True)
class NodeStates:
    """What changes while a person works and is drawn on the boxes. Indexes are items.

    Attributes:
        executed: ran in this stepping session.
        breakpoints: stepping stops before them.
        nonfinite: hold NaN or Inf.
        dimmed: bool (items,), or None where nothing is dimmed.
    """

    executed: set[int] = field(default_factory=set)
    breakpoints: set[int] = field(default_factory=set)
    nonfinite: set[int] = field(default_factory=set)
    dimmed: NDArray[np.bool_] | None = None


class ScenePainter:
    """Paints one scene in one colouring and theme.

    Attributes:
        states: read at each painting; the owner changes it and paints again.
    """

    def __init__(self, scene: Scene, colouring: Colouring, theme: CanvasTheme, states: NodeStates) -> None:
        self.states = states
        self._scene = scene
        self._theme = theme
        self._labels = Labels(scene)
        self._sprites = SpriteCache(theme)
        self.set_colouring(colouring)

    def set_colouring(self, colouring: Colouring) -> None:
        """Other fills."""
        self._colouring = colouring
        self._text_colours = [QColor(self._theme.node_text(fill)) for fill in colouring.fills]
        self._bar_looks = _bar_looks(self._scene, colouring, self._theme)

    def detail(self, scale: float) -> Detail:
        """How much is drawn of boxes at ``scale`` device pixels for one unit."""
        height = self._scene.unit * scale
        return Detail.DENSITY if height < DENSITY_BELOW_PX else Detail.BARS if height < BARS_BELOW_PX else Detail.FULL

    def paint(self, painter: QPainter, frame: Frame, target: QRect) -> None:
        """Paints what lies in ``target`` (device pixels of the picture, whose origin ``frame`` places)."""
        painter.setClipRect(target)
        painter.fillRect(target, QColor(self._theme.background))
        room = OVERHANG_UNITS + 2 / frame.scale
        left, top = (target.left() + frame.x) / frame.scale, (target.top() + frame.y) / frame.scale
        right, bottom = left + target.width() / frame.scale, top + target.height() / frame.scale
        area = (left - room, top - room, right + room, bottom + room)
        self._paint_frames(painter, frame, area)
        self._paint_edges(painter, frame, area)
        items = self._scene.box_index.in_rect(*area)
        match self.detail(frame.scale):
            case Detail.DENSITY:
                self._paint_density(painter, frame, target, items)
            case Detail.BARS:
                self._paint_bars(painter, frame, items)
            case Detail.FULL:
                self._paint_boxes(painter, frame, items)

    def _paint_frames(self, painter: QPainter, frame: Frame, area: tuple[float, float, float, float]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        left, top, right, bottom = area
        for row, group in zip(self._scene.layout.frames.tolist(), self._scene.layout.frame_groups.tolist(),
                              strict=True):  # fmt: skip
            x, y, width, height = row
            if x > right or y > bottom or x + width < left or y + height < top:
                continue
            box = QRectF(round(x * frame.scale) - frame.x + 0.5, round(y * frame.scale) - frame.y + 0.5,
                         round(width * frame.scale), round(height * frame.scale))  # fmt: skip
            painter.setPen(QPen(QColor(self._theme.group_border), 1))
            painter.setBrush(QColor(self._theme.group_fill))
            painter.drawRoundedRect(box, 8 * frame.scale, 8 * frame.scale)
            if frame.zoom >= TITLE_FROM_SCALE:
                label = self._labels.name(self._scene.layout.groups[group].title, max(width - 20, 20))
                self._draw_label(painter, frame, label.text, x + 10, y + 5, self._theme.muted_text)

    def _draw_label(self, painter: QPainter, frame: Frame, text: QStaticText, x: float, y: float, colour: str) -> None:
        painter.save()
        painter.translate(round(x * frame.scale) - frame.x, round(y * frame.scale) - frame.y)
        painter.scale(frame.scale, frame.scale)
        painter.setPen(QColor(colour))
        painter.setFont(self._labels.subtitle_font)
        painter.drawStaticText(QPointF(0, 0), text)
        painter.restore()

    def _paint_edges(self, painter: QPainter, frame: Frame, area: tuple[float, float, float, float]) -> None:
        scene = self._scene
        found = scene.segment_index.in_rect(*area)
        if not found.size:
            return
        owners = scene.segments.edges[found]
        if frame.zoom >= CURVES_FROM_SCALE:
            lines, owners = routes.smooth(scene.layout, np.unique(owners))
        else:
            lines = scene.segments.ends[found].astype(np.float64)
        lines *= frame.scale
        lines -= (frame.x, frame.y, frame.x, frame.y)
        if frame.zoom < SMOOTH_FROM_SCALE:
            distinct = routes.distinct(lines, owners, scene.layout.route_kinds)
            lines, owners = lines[distinct], owners[distinct]
        left, top, right, bottom = (value * frame.scale for value in area)
        kept = routes.clip(lines, left - frame.x - 64, top - frame.y - 64, right - frame.x + 64, bottom - frame.y + 64)
        self._draw_lines(painter, frame, lines[kept], owners[kept])
        if frame.zoom >= ARROWS_FROM_SCALE:
            self._paint_arrows(painter, frame, np.unique(owners[kept]))
        if frame.zoom >= SUBTITLE_FROM_SCALE:
            self._paint_stub_labels(painter, frame, np.unique(owners[kept]))

    def _draw_lines(self, painter: QPainter, frame: Frame, lines: routes.Lines, owners: NDArray[np.int32]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, frame.zoom >= SMOOTH_FROM_SCALE)
        kinds = self._scene.layout.route_kinds[owners]
        faded = self._dimmed_edges(owners)
        for kind in (RouteKind.LANE, RouteKind.STUB, RouteKind.PLAIN, RouteKind.SAVED):
            for fade in (True, False):
                chosen = lines[(kinds == kind) & (faded == fade)]
                if len(chosen):
                    painter.setPen(self._edge_pen(kind, frame, fade))
                    draw_lines(painter, chosen)

    def _dimmed_edges(self, edges: NDArray[np.int32]) -> NDArray[np.bool_]:
        dimmed = self.states.dimmed
        if dimmed is None:
            return np.zeros(len(edges), np.bool_)
        return dimmed[self._scene.layout.edge_sources[edges]] | dimmed[self._scene.layout.edge_targets[edges]]

    def _edge_pen(self, kind: RouteKind, frame: Frame, fade: bool) -> QPen:
        colour = QColor(self._edge_colour(kind))
        # Thousands of edges in a small picture would cover the boxes.
        alpha = 1.0 if frame.zoom >= 0.3 else 0.35 + 0.65 * frame.zoom / 0.3
        colour.setAlphaF(alpha * (DIM_OPACITY if fade else 1.0))
        wide = kind is RouteKind.SAVED and frame.zoom >= TITLE_FROM_SCALE
        return QPen(colour, max(1.0, (1.5 if wide else 1.0) * frame.ratio))

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
        for kind, fade, head in zip(kinds, faded.tolist(), arrow_heads(lines, 7 * frame.scale), strict=True):
            colour = QColor(self._edge_colour(kind) if kind == RouteKind.SAVED else self._theme.edge)
            colour.setAlphaF(DIM_OPACITY if fade else 1.0)
            painter.setBrush(colour)
            painter.drawConvexPolygon(head)

    def _paint_stub_labels(self, painter: QPainter, frame: Frame, edges: NDArray[np.int32]) -> None:
        """Where the cut ends lead; one caption for all that leave or reach the same box."""
        scene, layout = self._scene, self._scene.layout
        stubs = edges[layout.route_kinds[edges] == RouteKind.STUB]
        for item in np.unique(layout.edge_sources[stubs]).tolist():
            leaving = scene.stubs(scene.edges_from(item))
            first = layout.route_starts[leaving]
            cuts = np.stack([layout.points[first], layout.points[first + 1]], 1)
            self._paint_caption(painter, frame, f"\u2192 {self._names(layout.edge_targets[leaving])}", cuts)
        for item in np.unique(layout.edge_targets[stubs]).tolist():
            arriving = scene.stubs(scene.edges_into(item))
            last = layout.route_starts[arriving + 1] - 1
            cuts = np.stack([layout.points[last], layout.points[last - 1]], 1)
            self._paint_caption(painter, frame, f"{self._names(layout.edge_sources[arriving])} \u2192", cuts)

    def _names(self, items: NDArray[np.int32]) -> str:
        return self._scene.title(int(items[0])) if len(items) == 1 else f"{len(items)} nodes"

    def _paint_caption(self, painter: QPainter, frame: Frame, text: str, cuts: NDArray[np.float32]) -> None:
        """A caption beyond cut ends: float32 (k, 2, 2), the end at the box first, the cut one second."""
        label = self._labels.name(text, STUB_LABEL_UNITS)
        (bx, by), (x, y) = cuts.mean(axis=0).tolist()
        if abs(x - bx) < abs(y - by):
            place = x - label.width / 2, y + (1.0 if y > by else -label.height - 1.0)
        else:
            place = x + (4.0 if x > bx else -label.width - 4.0), y - label.height / 2
        left, top = (value * frame.scale for value in place)
        ground = QRectF(left - frame.x, top - frame.y, label.width * frame.scale, label.height * frame.scale)
        painter.fillRect(ground, QColor(self._theme.background))
        self._draw_label(painter, frame, label.text, *place, self._theme.muted_text)

    def _paint_density(self, painter: QPainter, frame: Frame, target: QRect, items: NDArray[np.int32]) -> None:
        if not items.size:
            return
        looks = self._bar_looks[items]
        weights = None if self.states.dimmed is None else np.where(self.states.dimmed[items], DIM_OPACITY, 1.0)
        boxes = self._scene.boxes[items] * frame.scale
        boxes[:, :2] -= (frame.x, frame.y)
        # Only the part that holds boxes: a fitted tall graph is a thin strip.
        x, y, wide, high = boxes.T
        left, top = math.floor(x.min()), math.floor(y.min())
        right, bottom = math.ceil(np.max(x + np.maximum(wide, 1))), math.ceil(np.max(y + np.maximum(high, 1)))
        part = QRect(left, top, right - left, bottom - top).intersected(target)
        boxes[:, :2] -= (part.left(), part.top())
        painter.drawImage(part.topLeft(), density.image(boxes, looks, weights, part.width(), part.height()))

    def overview(self, width: int, height: int) -> QImage:
        """All boxes in a picture of a size in pixels, with a scale of its own for each direction."""
        left, top, wide, high = self._scene.bounds
        fx, fy = width / max(wide, 1.0), height / max(high, 1.0)
        boxes = (self._scene.boxes - (left, top, 0, 0)) * (fx, fy, fx, fy)
        return density.image(boxes.astype(np.float32), self._bar_looks, None, width, height)

    def _paint_bars(self, painter: QPainter, frame: Frame, items: NDArray[np.int32]) -> None:
        """Plain rectangles, a batch for each colour; the fate is a stripe at the left end."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        for part, opacity in self._by_dim(items):
            painter.setOpacity(opacity)
            colours = self._bar_looks[part]
            rects = self._device_rects(part, frame)
            for colour in np.unique(colours):
                painter.setBrush(QColor.fromRgb(int(colour)))
                draw_rects(painter, rects[colours == colour])
        painter.setOpacity(1.0)

    def _paint_boxes(self, painter: QPainter, frame: Frame, items: NDArray[np.int32]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for part, opacity in self._by_dim(items):
            painter.setOpacity(opacity)
            rects = self._device_rects(part, frame).tolist()
            room = overhang(frame.scale)
            for item, (x0, y0, x1, y1) in zip(part.tolist(), rects, strict=True):
                sprite = self._sprites.sprite(self.look(item), x1 - x0 + 1, y1 - y0 + 1, frame.scale)
                painter.drawPixmap(QPoint(x0 - room, y0 - room), sprite)
            if frame.zoom >= TITLE_FROM_SCALE:
                self._paint_words(painter, frame, part, rects)
        painter.setOpacity(1.0)

    def paint_again(self, painter: QPainter, frame: Frame, items: list[int]) -> None:
        """Paints single boxes once more, above what was painted over them meanwhile."""
        if self.detail(frame.scale) is Detail.FULL:
            self._paint_boxes(painter, frame, np.array(items, np.int32))

    def look(self, item: int) -> Look:
        """How an item's box looks."""
        scene, states = self._scene, self.states
        return Look(
            self._colouring.fills[self._colouring.classes[item]],
            int(scene.shapes[item]),
            int(scene.fates[item]),
            int(scene.marks[item]),
            item in states.executed,
            item in states.breakpoints,
            item in states.nonfinite,
        )

    def _paint_words(self, painter: QPainter, frame: Frame, items: NDArray[np.int32], rects: list[list[int]]) -> None:
        """Both lines of each box. Baselines are put on whole device pixels."""
        scale, labels = frame.scale, self._labels
        painter.save()
        painter.scale(scale, scale)
        classes = self._colouring.classes[items].tolist()
        two_lines = frame.zoom >= SUBTITLE_FROM_SCALE
        painter.setFont(labels.title_font)
        for item, rect, colour in zip(items.tolist(), rects, classes, strict=True):
            label = labels.title(item)
            painter.setPen(self._text_colours[colour])
            painter.drawStaticText(_line_place(rect, label.width, label.height, scale, 0 if two_lines else -1),
                                   label.text)  # fmt: skip
        if two_lines:
            painter.setFont(labels.subtitle_font)
            for item, rect, colour in zip(items.tolist(), rects, classes, strict=True):
                if rect[3] - rect[1] >= TWO_LINES_UNITS * scale:
                    label = labels.subtitle(item)
                    muted = QColor(self._text_colours[colour])
                    muted.setAlphaF(SUBTITLE_OPACITY)
                    painter.setPen(muted)
                    painter.drawStaticText(_line_place(rect, label.width, label.height, scale, 1), label.text)
        painter.restore()

    def _by_dim(self, items: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int32], float]]:
        dimmed = self.states.dimmed
        if dimmed is None:
            yield items, 1.0
            return
        yield items[dimmed[items]], DIM_OPACITY
        yield items[~dimmed[items]], 1.0

    def _device_rects(self, items: NDArray[np.int32], frame: Frame) -> NDArray[np.int32]:
        """int32 (n, 4): the corners of boxes as ``QRect`` keeps them, sizes independent of the place."""
        return device_rects(self._scene.boxes[items], frame)


def device_rects(boxes: NDArray[np.float32], frame: Frame) -> NDArray[np.int32]:
    """Boxes as int32 (n, 4) left, top, right, bottom, the last two inclusive as in ``QRect``."""
    scaled = boxes.astype(np.float64) * frame.scale
    rects = np.empty((len(boxes), 4), np.int32)
    rects[:, :2] = np.rint(scaled[:, :2]) - (frame.x, frame.y)
    rects[:, 2:] = rects[:, :2] + np.maximum(np.rint(scaled[:, 2:]), 1) - 1
    return rects


def draw_lines(painter: QPainter, lines: routes.Lines) -> None:
    """Draws float64 (n, 4) lines straight from the array."""
    lines = np.ascontiguousarray(lines)
    if len(lines):
        first = cast(QLineF, Shiboken.wrapInstance(lines.ctypes.data, QLineF))
        painter.drawLines(first, len(lines))


def draw_rects(painter: QPainter, rects: NDArray[np.int32]) -> None:
    """Draws int32 (n, 4) rectangles (``QRect`` corners) straight from the array."""
    rects = np.ascontiguousarray(rects)
    if len(rects):
        first = cast(QRect, Shiboken.wrapInstance(rects.ctypes.data, QRect))
        painter.drawRects(first, len(rects))


def arrow_heads(lines: routes.Lines, length: float) -> list[QPolygonF]:
    """A triangle at the end of each line."""
    delta = lines[:, 2:] - lines[:, :2]
    unit = delta / np.maximum(np.hypot(delta[:, 0], delta[:, 1]), 1e-9)[:, None]
    tip, base = lines[:, 2:], lines[:, 2:] - unit * length
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1) * (0.42 * length)
    corners = np.stack([tip, base + normal, base - normal], axis=1).tolist()
    return [QPolygonF([QPointF(x, y) for x, y in triangle]) for triangle in corners]


def _bar_looks(scene: Scene, colouring: Colouring, theme: CanvasTheme) -> NDArray[np.uint32]:
    """One opaque colour for each item, for small boxes: the fill, or the fate where that is special."""
    fills = np.array([QColor(fill).darker(115 if theme.name == "light" else 80).rgb() for fill in colouring.fills],
                     np.uint32)  # fmt: skip
    colours = fills[colouring.classes]
    for fate in (Fate.SAVED, Fate.RECOMPUTED, Fate.MOVED) if colouring.shows_fate else ():
        colours[scene.fates == fate] = QColor(theme.fates[fate]).rgb()
    return colours


def _line_place(rect: list[int], width: float, height: float, scale: float, line: int) -> QPointF:
    """Top left corner, in scene units of a scaled painter, of a centred line: -1 alone, 0 the upper, 1 the lower."""
    x0, y0, x1, y1 = rect
    tall = (y1 - y0 + 1) / scale
    if line < 0 or tall < TWO_LINES_UNITS:
        down = (tall - height) / 2
    else:
        down = tall / 2 - height + 1.0 if line == 0 else tall / 2 + 1.0
    return QPointF((x0 + x1 + 1) / 2 / scale - width / 2, round(y0 + down * scale) / scale)
