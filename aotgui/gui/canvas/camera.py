"""Which part of the scene a view shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from PySide6.QtCore import QPointF, QRectF

MIN_SCALE: Final = 1e-4
MAX_SCALE: Final = 8.0
FIT_MARGIN_PX: Final = 24.0


@dataclass(frozen=True, slots=True)
class Camera:
    """A scale and the scene point at the view's top left corner.

    Attributes:
        scale: logical pixels for one scene unit.
        left: scene x at the view's left border.
        top: scene y at the view's top border.
    """

    scale: float = 1.0
    left: float = 0.0
    top: float = 0.0

    def to_view(self, x: float, y: float) -> QPointF:
        """A scene point in logical pixels of the view."""
        return QPointF((x - self.left) * self.scale, (y - self.top) * self.scale)

    def to_scene(self, point: QPointF) -> tuple[float, float]:
        """The scene point under a view point."""
        return self.left + point.x() / self.scale, self.top + point.y() / self.scale

    def rect_to_view(self, left: float, top: float, width: float, height: float) -> QRectF:
        """A scene rectangle in logical pixels of the view."""
        return QRectF(self.to_view(left, top), self.to_view(left + width, top + height))

    def scene_rect(self, width: float, height: float) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of what a view of a size in logical pixels shows."""
        return self.left, self.top, self.left + width / self.scale, self.top + height / self.scale

    def zoomed(self, factor: float, anchor: QPointF, low: float = MIN_SCALE) -> Camera:
        """Another scale, with the scene point under ``anchor`` staying there."""
        x, y = self.to_scene(anchor)
        scale = min(max(self.scale * factor, low), MAX_SCALE)
        return Camera(scale, x - anchor.x() / scale, y - anchor.y() / scale)

    def panned(self, dx: float, dy: float) -> Camera:
        """The scene moved by logical pixels."""
        return replace(self, left=self.left - dx / self.scale, top=self.top - dy / self.scale)

    def centred(self, x: float, y: float, width: float, height: float) -> Camera:
        """The same scale with a scene point in the middle of a view of some size."""
        return replace(self, left=x - width / 2 / self.scale, top=y - height / 2 / self.scale)


def fitted(rect: tuple[float, float, float, float], width: float, height: float, largest: float = 1.0) -> Camera:
    """The camera that shows a scene rectangle (left, top, width, height) whole and centred, at ``largest`` at most."""
    left, top, wide, high = rect
    room_x, room_y = max(width - 2 * FIT_MARGIN_PX, 1.0), max(height - 2 * FIT_MARGIN_PX, 1.0)
    scale = min(room_x / max(wide, 1e-6), room_y / max(high, 1e-6), largest)
    return Camera(max(scale, MIN_SCALE)).centred(left + wide / 2, top + high / 2, width, height)
