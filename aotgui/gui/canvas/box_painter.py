"""Paints boxes: as density, as bars, or in full with words."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from aotgui.gui.canvas import density
from aotgui.gui.canvas.colouring import Colouring
from aotgui.gui.canvas.detail import (
    SIGNS_FROM_ZOOM,
    SUBTITLE_FROM_ZOOM,
    TIGHT_FROM_UNITS,
    TITLE_FROM_ZOOM,
    Detail,
    detail_of,
    title_units,
)
from aotgui.gui.canvas.labels import Labels
from aotgui.gui.canvas.node_states import DIM_OPACITY, NodeStates
from aotgui.gui.canvas.raster import Frame, device_rects, draw_rects
from aotgui.gui.canvas.scene import Scene, Shape
from aotgui.gui.canvas.sprites import Look, SpriteCache, overhang
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Fate

SUBTITLE_OPACITY: Final = 0.85
TWO_LINES_UNITS: Final = 32.0
"""A lower box has room for its title only."""


class BoxPainter:
    """Paints the boxes of one scene in one colouring and theme."""

    def __init__(
        self, scene: Scene, colouring: Colouring, theme: CanvasTheme, labels: Labels, states: NodeStates
    ) -> None:
        self._scene = scene
        self._theme = theme
        self._labels = labels
        self._states = states
        self._sprites = SpriteCache(theme)
        # Words of a group stand beside its sign and above its bar.
        self._shifts = {shape: QPointF(7, -3) if shape is Shape.GROUP else QPointF() for shape in Shape}
        self.set_colouring(colouring)

    def set_colouring(self, colouring: Colouring) -> None:
        """Other fills."""
        self._colouring = colouring
        self._bars: dict[int, tuple[tuple[str, int], ...]] = {}
        self._text_colours = [QColor(self._theme.node_text(fill)) for fill in colouring.fills]
        self._bar_looks = _bar_looks(self._scene, colouring, self._theme)

    def paint(self, painter: QPainter, frame: Frame, target: QRect, items: NDArray[np.int32]) -> None:
        """Paints some items, clipped to ``target``."""
        match detail_of(self._scene.unit, frame.scale):
            case Detail.DENSITY:
                self._paint_density(painter, frame, target, items)
            case Detail.BARS:
                self._paint_bars(painter, frame, items)
            case Detail.FULL:
                self._paint_boxes(painter, frame, items)

    def overview(self, width: int, height: int) -> QImage:
        """All boxes in a picture of a size in pixels, with a scale of its own for each direction."""
        left, top, wide, high = self._scene.bounds
        fx, fy = width / max(wide, 1.0), height / max(high, 1.0)
        items = self._states.shown(np.arange(len(self._scene), dtype=np.int32))
        boxes = (self._scene.boxes[items] - (left, top, 0, 0)) * (fx, fy, fx, fy)
        dimmed = self._states.dimmed
        weights = None if dimmed is None else np.where(dimmed[items], DIM_OPACITY, 1.0)
        return density.image(boxes.astype(np.float32), self._bar_looks[items], weights, width, height)

    def _paint_density(self, painter: QPainter, frame: Frame, target: QRect, items: NDArray[np.int32]) -> None:
        if not items.size:
            return
        looks = self._bar_looks[items]
        weights = None if self._states.dimmed is None else np.where(self._states.dimmed[items], DIM_OPACITY, 1.0)
        boxes = self._scene.boxes[items] * frame.scale
        boxes[:, :2] -= (frame.x, frame.y)
        # Only the part that holds boxes: a fitted tall graph is a thin strip.
        x, y, wide, high = boxes.T
        left, top = math.floor(x.min()), math.floor(y.min())
        right, bottom = math.ceil(np.max(x + np.maximum(wide, 1))), math.ceil(np.max(y + np.maximum(high, 1)))
        part = QRect(left, top, right - left, bottom - top).intersected(target)
        boxes[:, :2] -= (part.left(), part.top())
        painter.drawImage(part.topLeft(), density.image(boxes, looks, weights, part.width(), part.height()))

    def _paint_bars(self, painter: QPainter, frame: Frame, items: NDArray[np.int32]) -> None:
        """Plain rectangles, a batch for each colour."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        for part, opacity in self._by_dim(items):
            painter.setOpacity(opacity)
            colours = self._bar_looks[part]
            rects = device_rects(self._scene.boxes[part], frame)
            for colour in np.unique(colours):
                painter.setBrush(QColor.fromRgb(int(colour)))
                draw_rects(painter, rects[colours == colour])
        painter.setOpacity(1.0)

    def _paint_boxes(self, painter: QPainter, frame: Frame, items: NDArray[np.int32]) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        for part, opacity in self._by_dim(items):
            painter.setOpacity(opacity)
            rects = device_rects(self._scene.boxes[part], frame).tolist()
            room, has_sign = overhang(frame.scale), frame.zoom >= SIGNS_FROM_ZOOM
            for item, (x0, y0, x1, y1) in zip(part.tolist(), rects, strict=True):
                sprite = self._sprites.sprite(
                    self._look(item, has_sign=has_sign), x1 - x0 + 1, y1 - y0 + 1, frame.scale
                )
                painter.drawPixmap(QPoint(x0 - room, y0 - room), sprite)
            if frame.zoom >= TITLE_FROM_ZOOM:
                self._paint_words(painter, frame, part, rects)
        painter.setOpacity(1.0)

    def _look(self, item: int, *, has_sign: bool) -> Look:
        """How an item's box looks; a group's with or without the sign that opens it."""
        scene, states = self._scene, self._states
        return Look(
            self._colouring.fills[self._colouring.classes[item]],
            int(scene.shapes[item]),
            int(scene.fates[item]),
            int(scene.marks[item]),
            item in states.executed,
            item in states.breakpoints,
            item in states.nonfinite,
            *self._group_look(scene.group_of(item)),
            has_sign,
            item in states.changed,
        )

    def _group_look(self, group: int) -> tuple[tuple[tuple[str, int], ...], bool]:
        """Summary bar of a group, and whether it differs from its like; nothing for a node."""
        if group < 0:
            return (), False
        if group not in self._bars:
            self._bars[group] = self._bar(group)
        return self._bars[group], self._scene.layout.groups[group].differs

    def _bar(self, group: int) -> tuple[tuple[str, int], ...]:
        """Shares of 1000: of fates where the colours say the fate, else of the classes."""
        nodes = self._scene.layout.groups[group]
        if self._colouring.shows_fate:
            colours, counts = self._theme.fates, list(self._scene.ledger.facts(nodes).fates)
        else:
            inside = self._colouring.node_classes[nodes.nodes]
            colours = tuple(_stronger(fill, self._theme).name() for fill in self._colouring.fills)
            counts = np.bincount(inside, minlength=len(colours)).tolist()
        total = max(sum(counts), 1)
        ends = [round(1000 * sum(counts[: place + 1]) / total) for place in range(len(counts))]
        starts = [0, *ends[:-1]]
        shares = zip(colours, starts, ends, strict=True)
        return tuple((colour, end - start) for colour, start, end in shares if end > start)

    def _paint_words(self, painter: QPainter, frame: Frame, items: NDArray[np.int32], rects: list[list[int]]) -> None:
        """Both lines of each box. Baselines are put on whole device pixels."""
        scale, labels = frame.scale, self._labels
        painter.save()
        painter.scale(scale, scale)
        classes, shapes = self._colouring.classes[items].tolist(), self._scene.shapes
        two_lines = frame.zoom >= SUBTITLE_FROM_ZOOM
        units = title_units(frame.zoom)
        painter.setFont(labels.title_font(units))
        for item, rect, colour in zip(items.tolist(), rects, classes, strict=True):
            label = labels.title(item, units)
            painter.setPen(self._text_colours[colour])
            shift = self._shifts[shapes[item]] if units < TIGHT_FROM_UNITS else QPointF()
            painter.drawStaticText(_line_place(rect, label.width, label.height, scale, 0 if two_lines else -1) + shift,
                                   label.text)  # fmt: skip
        if two_lines:
            painter.setFont(labels.subtitle_font)
            for item, rect, colour in zip(items.tolist(), rects, classes, strict=True):
                if rect[3] - rect[1] >= TWO_LINES_UNITS * scale:
                    label = labels.subtitle(item)
                    muted = QColor(self._text_colours[colour])
                    muted.setAlphaF(SUBTITLE_OPACITY)
                    painter.setPen(muted)
                    place = _line_place(rect, label.width, label.height, scale, 1) + self._shifts[shapes[item]]
                    painter.drawStaticText(place, label.text)
        painter.restore()

    def _by_dim(self, items: NDArray[np.int32]) -> Iterator[tuple[NDArray[np.int32], float]]:
        dimmed = self._states.dimmed
        if dimmed is None:
            yield items, 1.0
            return
        yield items[dimmed[items]], DIM_OPACITY
        yield items[~dimmed[items]], 1.0


def _bar_looks(scene: Scene, colouring: Colouring, theme: CanvasTheme) -> NDArray[np.uint32]:
    """One opaque colour for each item, for small boxes: the fill, or the fate where that is special."""
    fills = np.array([_stronger(fill, theme).rgb() for fill in colouring.fills], np.uint32)
    colours = fills[colouring.classes]
    for fate in (Fate.SAVED, Fate.RECOMPUTED, Fate.MOVED) if colouring.shows_fate else ():
        colours[scene.fates == fate] = QColor(theme.fates[fate]).rgb()
    return colours


def _stronger(fill: str, theme: CanvasTheme) -> QColor:
    """A fill for boxes without a border, on which no text has to be read."""
    colour = QColor(fill)
    purer, lighter = (2.2, 0.93) if theme.name == "light" else (1.1, 1.6)
    saturation, value = min(purer * colour.hsvSaturationF(), 1.0), min(lighter * colour.valueF(), 1.0)
    return QColor.fromHsvF(max(colour.hsvHueF(), 0.0), saturation, value)


def _line_place(rect: list[int], width: float, height: float, scale: float, line: int) -> QPointF:
    """Top left corner, in scene units of a scaled painter, of a centred line: -1 alone, 0 the upper, 1 the lower."""
    x0, y0, x1, y1 = rect
    tall = (y1 - y0 + 1) / scale
    if line < 0 or tall < TWO_LINES_UNITS:
        down = (tall - height) / 2
    else:
        down = tall / 2 - height + 1.0 if line == 0 else tall / 2 + 1.0
    return QPointF((x0 + x1 + 1) / 2 / scale - width / 2, round(y0 + down * scale) / scale)
