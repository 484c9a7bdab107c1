"""Paints a scene into any ``QPainter``: the buffer's tiles, and the oracle of the tests.

Works in device pixels: a scene point is at ``point * scale - offset``. Order: background, frames of expanded groups,
edges, boxes. ``detail`` says what is drawn at which size.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from aotgui.gui.canvas.box_painter import BoxPainter
from aotgui.gui.canvas.captions import Caption, caption_at
from aotgui.gui.canvas.colouring import Colouring
from aotgui.gui.canvas.detail import (
    CAPTIONS_FROM_ZOOM,
    SIGNS_FROM_ZOOM,
    TITLE_FROM_ZOOM,
    Detail,
    detail_of,
    title_units,
)
from aotgui.gui.canvas.edge_painter import EdgePainter
from aotgui.gui.canvas.frame_titles import TITLE_UNITS
from aotgui.gui.canvas.labels import Labels
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.raster import Area, Frame, draw_text
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import EXPANDER_UNITS, OVERHANG_UNITS, draw_sign
from aotgui.gui.canvas.theme import CanvasTheme

FRAME_CORNER_UNITS: Final = 8.0
SIGN_LEFT_UNITS: Final = 8.0
TITLE_LEFT_UNITS: Final = 25.0


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
        self._edges = EdgePainter(scene, theme, self._labels, states)
        self._boxes = BoxPainter(scene, colouring, theme, self._labels, states)

    def set_colouring(self, colouring: Colouring) -> None:
        """Other fills."""
        self._boxes.set_colouring(colouring)

    def detail(self, scale: float) -> Detail:
        """How much is drawn of boxes at ``scale`` device pixels for one unit."""
        return detail_of(self._scene.unit, scale)

    def paint(self, painter: QPainter, frame: Frame, target: QRect) -> None:
        """Paints what lies in ``target`` (device pixels of the picture, whose origin ``frame`` places)."""
        painter.setClipRect(target)
        painter.fillRect(target, QColor(self._theme.background))
        area = _area(frame, target)
        frames = self._frames_in(area)
        for number in frames:
            self._paint_frame(painter, frame, number)
        self._edges.paint(painter, frame, target, area)
        for number in frames if frame.zoom >= TITLE_FROM_ZOOM else ():
            self._paint_title(painter, frame, number)
        self._boxes.paint(painter, frame, target, self.states.shown(self._scene.box_index.in_rect(*area)))

    def paint_again(self, painter: QPainter, frame: Frame, items: list[int]) -> None:
        """Paints single boxes once more, above what was painted over them meanwhile."""
        if items and self.detail(frame.scale) is Detail.FULL:
            self._boxes.paint(painter, frame, QRect(), np.array(items, np.int32))

    def overview(self, width: int, height: int) -> QImage:
        """All boxes in a picture of a size in pixels, with a scale of its own for each direction."""
        return self._boxes.overview(width, height)

    def caption_at(self, x: float, y: float, zoom: float) -> Caption | None:
        """The caption of a cut edge under a scene point, where captions are shown."""
        return caption_at(self._scene, self._labels, self.states, x, y) if zoom >= CAPTIONS_FROM_ZOOM else None

    def _frames_in(self, area: Area) -> list[int]:
        left, top, right, bottom = area
        x, y, width, height = self._scene.layout.frames.T
        seen = (x <= right) & (y <= bottom) & (x + width >= left) & (y + height >= top)
        return [number for number in np.flatnonzero(seen).tolist() if number not in self.states.hidden_frames]

    def _paint_frame(self, painter: QPainter, frame: Frame, number: int) -> None:
        x, y, width, height = self._scene.layout.frames[number].tolist()
        scale = frame.scale
        # Half a pixel in: a border one pixel wide then covers whole pixels.
        place = QRectF(round(x * scale) - frame.x + 0.5, round(y * scale) - frame.y + 0.5, round(width * scale),
                       round(height * scale))  # fmt: skip
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(QColor(self._theme.group_border), 1))
        painter.setBrush(QColor(self._theme.group_fill))
        painter.drawRoundedRect(place, FRAME_CORNER_UNITS * scale, FRAME_CORNER_UNITS * scale)

    def _paint_title(self, painter: QPainter, frame: Frame, number: int) -> None:
        """Sign and words on a ground of their own: edges may run below them."""
        layout, scale = self._scene.layout, frame.scale
        x, y, width, _ = layout.frames[number].tolist()
        title = layout.groups[layout.frame_groups[number]].title
        has_sign, units = frame.zoom >= SIGNS_FROM_ZOOM, title_units(frame.zoom)
        indent = TITLE_LEFT_UNITS if has_sign else SIGN_LEFT_UNITS
        label = self._labels.heading(title, max(width - indent - 8.0, 20.0), units)
        left, top = round(x * scale) - frame.x, round(y * scale) - frame.y
        ground = QRectF(left + 4 * scale, top + 3 * scale, (indent + label.width) * scale, (TITLE_UNITS - 6) * scale)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.fillRect(ground, QColor(self._theme.group_fill))
        if has_sign:
            sign = EXPANDER_UNITS * scale
            corner = QPointF(left + SIGN_LEFT_UNITS * scale, top + (TITLE_UNITS * scale - sign) / 2)
            draw_sign(painter, QRectF(corner, QSizeF(sign, sign)), QColor(self._theme.muted_text), plus=False)
        # An enlarged title reaches below its strip, not above its frame.
        draw_text(painter, frame, label.text, self._labels.title_font(units), x + indent,
                  y + max((TITLE_UNITS - label.height) / 2, 0.0), self._theme.muted_text)  # fmt: skip


def _area(frame: Frame, target: QRect) -> Area:
    """What can reach into ``target``, badges that stand out of boxes included."""
    room = OVERHANG_UNITS + 2 / frame.scale
    left, top = (target.left() + frame.x) / frame.scale, (target.top() + frame.y) / frame.scale
    right, bottom = left + target.width() / frame.scale, top + target.height() / frame.scale
    return left - room, top - room, right + room, bottom + room
