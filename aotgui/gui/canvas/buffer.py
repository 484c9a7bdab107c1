"""The retained picture of the scene: tiles around what the view shows, painted a slice at a time.

A pan copies tiles; only those that come into the margin are painted. A zoom shows the former tiles stretched
until the new ones are done. A tile that went stale (a node was executed) stays visible until it is painted again.
Everything here counts in device pixels, so that pictures are crisp at any display scaling.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPixmap

from aotgui.gui.canvas.painter import ScenePainter
from aotgui.gui.canvas.raster import Frame, device_rects
from aotgui.gui.canvas.sprites import overhang

TILE_WIDTH: Final = 512
TILE_HEIGHT: Final = 256
MARGIN: Final = 256
"""Device pixels beyond the view's borders that are painted ahead."""

REMEMBERED_COSTS: Final = 64

TileKey = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Backdrop:
    """What was on the screen when the scale last changed.

    Attributes:
        picture: the size of the view then, device pixels.
        frame: where it lies.
    """

    picture: QPixmap
    frame: Frame


class TileBuffer:
    """Tiles of one scale. ``advance`` paints, ``draw`` only copies."""

    def __init__(self) -> None:
        self._painter: ScenePainter | None = None
        self._scale = 0.0
        self._tiles: dict[TileKey, QPixmap] = {}
        self._stale: set[TileKey] = set()
        self._backdrop: _Backdrop | None = None
        self._costs: deque[float] = deque(maxlen=REMEMBERED_COSTS)

    def set_painter(self, painter: ScenePainter | None) -> None:
        """Another scene; nothing of the former one stays."""
        self._painter = painter
        self._tiles.clear()
        self._stale.clear()
        self._backdrop = None
        self._costs.clear()

    def invalidate(self, boxes: NDArray[np.float32] | None = None) -> None:
        """Everything, or the tiles that some boxes (float32 (n, 4), scene units) touch, must be painted again."""
        if boxes is None:
            self._stale.update(self._tiles)
            return
        room = overhang(self._scale)
        rects = device_rects(boxes, Frame(self._scale, 0, 0)) + np.array((-room, -room, room, room), np.int32)
        columns, rows = rects[:, (0, 2)] // TILE_WIDTH, rects[:, (1, 3)] // TILE_HEIGHT
        for x0, x1, y0, y1 in np.unique(np.hstack([columns, rows]), axis=0).tolist():
            self._stale.update(key for key in _grid(x0, x1, y0, y1) if key in self._tiles)

    def missing(self, frame: Frame, size: QSize, margin: int = 0) -> list[TileKey]:
        """Tiles that a view needs and that are not there or stale, those nearest to its centre first."""
        if self._painter is None:
            return []
        keys = _needed(frame, size, margin)
        if frame.scale == self._scale:
            keys = [key for key in keys if key not in self._tiles or key in self._stale]
        x, y = frame.x + size.width() / 2 - TILE_WIDTH / 2, frame.y + size.height() / 2 - TILE_HEIGHT / 2
        return sorted(keys, key=lambda key: abs(key[0] * TILE_WIDTH - x) + abs(key[1] * TILE_HEIGHT - y))

    def advance(self, frame: Frame, size: QSize, budget_s: float) -> bool:
        """Paints missing tiles for at most about ``budget_s``, visible ones first.

        Returns:
            Whether everything, the margin included, is painted.
        """
        if self._painter is None:
            return True
        self._change_scale(frame)
        start = time.perf_counter()
        keys = self.missing(frame, size) or self.missing(frame, size, MARGIN)
        for done, key in enumerate(keys, 1):
            self._paint_tile(self._painter, key, frame)
            if done < len(keys) and (time.perf_counter() - start) * (done + 1) / done > budget_s:
                return False
        if self.missing(frame, size, MARGIN):
            return False
        self._backdrop = None
        self._drop_far_tiles(frame, size)
        return True

    def advance_if_quick(self, frame: Frame, size: QSize, budget_s: float) -> None:
        """Paints what a view lacks at once, if that is likely to fit into ``budget_s``: small graphs never blur."""
        missing = self.missing(frame, size)
        # The dearest of the last tiles counts: most tiles of a tall graph are empty.
        if self._painter is None or len(missing) * max(self._costs, default=0.0) > budget_s:
            return
        self._change_scale(frame)
        start = time.perf_counter()
        for key in missing:
            self._paint_tile(self._painter, key, frame)
            if time.perf_counter() - start > budget_s:
                return

    def draw(self, painter: QPainter, frame: Frame, size: QSize) -> None:
        """Copies what there is into a painter whose unit is the device pixel."""
        if frame.scale != self._scale:
            self._draw_stretched(painter, self._backdrop, frame)
            return
        keys = _needed(frame, size, 0)
        if self._backdrop is not None and not all(key in self._tiles for key in keys):
            self._draw_stretched(painter, self._backdrop, frame)
        for key in keys:
            if tile := self._tiles.get(key):
                painter.drawPixmap(QPoint(key[0] * TILE_WIDTH - frame.x, key[1] * TILE_HEIGHT - frame.y), tile)

    def is_crisp(self, frame: Frame, size: QSize) -> bool:
        """Whether what a view shows is painted at its own scale and up to date."""
        return frame.scale == self._scale and not self.missing(frame, size)

    @property
    def size_bytes(self) -> int:
        """Memory of the pictures."""
        tiles = len(self._tiles) * TILE_WIDTH * TILE_HEIGHT * 4
        return tiles + (self._backdrop.picture.width() * self._backdrop.picture.height() * 4 if self._backdrop else 0)

    def begin_zoom(self, frame: Frame, size: QSize) -> None:
        """Keeps what the view shows now, to be stretched while the scale changes."""
        if self._tiles and frame.scale == self._scale and self.is_crisp(frame, size):
            self._backdrop = self._snapshot(frame, size)

    def _snapshot(self, frame: Frame, size: QSize) -> _Backdrop:
        around = Frame(frame.scale, frame.x - MARGIN, frame.y - MARGIN, frame.ratio)
        room = QSize(size.width() + 2 * MARGIN, size.height() + 2 * MARGIN)
        picture = QPixmap(room)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        for key in _needed(around, room, 0):
            if tile := self._tiles.get(key):
                painter.drawPixmap(QPoint(key[0] * TILE_WIDTH - around.x, key[1] * TILE_HEIGHT - around.y), tile)
        painter.end()
        return _Backdrop(picture, around)

    def _draw_stretched(self, painter: QPainter, backdrop: _Backdrop | None, frame: Frame) -> None:
        if backdrop is None:
            return
        factor = frame.scale / backdrop.frame.scale
        place = QRectF(backdrop.frame.x * factor - frame.x, backdrop.frame.y * factor - frame.y,
                       backdrop.picture.width() * factor, backdrop.picture.height() * factor)  # fmt: skip
        painter.drawPixmap(place, backdrop.picture, QRectF(backdrop.picture.rect()))

    def _change_scale(self, frame: Frame) -> None:
        if frame.scale != self._scale:
            self._tiles.clear()
            self._stale.clear()
            self._scale = frame.scale

    def _paint_tile(self, scene_painter: ScenePainter, key: TileKey, frame: Frame) -> None:
        start = time.perf_counter()
        image = QImage(TILE_WIDTH, TILE_HEIGHT, QImage.Format.Format_RGB32)
        painter = QPainter(image)
        origin = Frame(frame.scale, key[0] * TILE_WIDTH, key[1] * TILE_HEIGHT, frame.ratio)
        scene_painter.paint(painter, origin, QRect(0, 0, TILE_WIDTH, TILE_HEIGHT))
        painter.end()
        self._tiles[key] = QPixmap.fromImage(image)
        self._stale.discard(key)
        self._costs.append(time.perf_counter() - start)

    def _drop_far_tiles(self, frame: Frame, size: QSize) -> None:
        wanted = set(_needed(frame, size, 2 * MARGIN))
        for key in [key for key in self._tiles if key not in wanted]:
            del self._tiles[key]
            self._stale.discard(key)


def _needed(frame: Frame, size: QSize, margin: int) -> list[TileKey]:
    return list(
        _grid(
            (frame.x - margin) // TILE_WIDTH,
            (frame.x + size.width() - 1 + margin) // TILE_WIDTH,
            (frame.y - margin) // TILE_HEIGHT,
            (frame.y + size.height() - 1 + margin) // TILE_HEIGHT,
        )
    )


def _grid(x0: int, x1: int, y0: int, y1: int) -> Iterable[TileKey]:
    return ((x, y) for y in range(y0, y1 + 1) for x in range(x0, x1 + 1))
