"""Device pixels: where they lie on the scene, and how arrays are drawn into them without copying."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRect
from PySide6.QtGui import QColor, QFont, QPainter, QPolygonF, QStaticText
from shiboken6 import Shiboken

from aotgui.gui.canvas.routes import Lines

Area = tuple[float, float, float, float]
"""Left, top, right and bottom in scene units."""


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


def device_rects(boxes: NDArray[np.float32], frame: Frame) -> NDArray[np.int32]:
    """Boxes as int32 (n, 4) left, top, right, bottom, the last two inclusive as in ``QRect``."""
    scaled = boxes.astype(np.float64) * frame.scale
    rects = np.empty((len(boxes), 4), np.int32)
    rects[:, :2] = np.rint(scaled[:, :2]) - (frame.x, frame.y)
    rects[:, 2:] = rects[:, :2] + np.maximum(np.rint(scaled[:, 2:]), 1) - 1
    return rects


def draw_lines(painter: QPainter, lines: Lines) -> None:
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


def arrow_heads(lines: Lines, length: float) -> list[QPolygonF]:
    """A triangle at the end of each line."""
    delta = lines[:, 2:] - lines[:, :2]
    unit = delta / np.maximum(np.hypot(delta[:, 0], delta[:, 1]), 1e-9)[:, None]
    tip, base = lines[:, 2:], lines[:, 2:] - unit * length
    normal = np.stack([-unit[:, 1], unit[:, 0]], axis=1) * (0.42 * length)
    corners = np.stack([tip, base + normal, base - normal], axis=1).tolist()
    return [QPolygonF([QPointF(x, y) for x, y in triangle]) for triangle in corners]


def draw_text(painter: QPainter, frame: Frame, text: QStaticText, font: QFont, x: float, y: float, colour: str) -> None:
    """Draws a shaped line with its top left corner at a scene point, moved to a whole device pixel."""
    painter.save()
    painter.translate(round(x * frame.scale) - frame.x, round(y * frame.scale) - frame.y)
    painter.scale(frame.scale, frame.scale)
    painter.setPen(QColor(colour))
    painter.setFont(font)
    painter.drawStaticText(QPointF(0, 0), text)
    painter.restore()
