"""Boxes that move from where they were to where they are when modules open or close.

It costs nothing but copies: what is seen before and after is painted already, and each box is a piece cut out of one of
the two pictures. Where the second one takes a few slices to paint, the first one is seen until it is there. Whatever
changes the view ends it, and where the system wants no animations none begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from PySide6.QtCore import QEasingCurve, QObject, QPointF, QRectF, QTimer, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QStyle, QWidget

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.painter import FRAME_CORNER_UNITS
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import OVERHANG_UNITS
from aotgui.gui.canvas.theme import CanvasTheme

DURATION_MS: Final = 180
WAIT_MS: Final = 100
"""So long the former picture may be seen; what takes longer to paint is shown as far as it is painted."""
MOST_BOXES: Final = 400
"""Nobody can follow more."""
_GONE_AT: Final = 0.35
_COMES_FROM: Final = 0.5
"""Shares of the time: what does not move, as edges, has gone at the one and comes from the other on."""

_Key = tuple[str, int]
"""Path and side of a group; an empty path and the index of a node."""


@dataclass(frozen=True, eq=False)
class Moment:
    """What a view shows.

    Attributes:
        scene: the graph.
        camera: where one looks.
        picture: as it is on the screen.
    """

    scene: Scene
    camera: Camera
    picture: QPixmap

    @cached_property
    def size(self) -> tuple[float, float]:
        """Width and height of the picture in logical pixels."""
        size = self.picture.deviceIndependentSize()
        return size.width(), size.height()

    @cached_property
    def items(self) -> list[int]:
        """What is in sight."""
        items: list[int] = self.scene.box_index.in_rect(*self.camera.scene_rect(*self.size)).tolist()
        return items

    @cached_property
    def frames(self) -> dict[_Key, QRectF]:
        """Where the open groups are, in view pixels."""
        layout = self.scene.layout
        groups = [layout.groups[group] for group in layout.frame_groups.tolist()]
        rects = [self.camera.rect_to_view(*frame) for frame in layout.frames.tolist()]
        return {(group.path, group.side): rect for group, rect in zip(groups, rects, strict=True)}

    def key(self, item: int) -> _Key:
        """What an item shows, in any layout of the graph."""
        number = self.scene.group_of(item)
        if number < 0:
            return "", self.scene.node_of(item)
        group = self.scene.layout.groups[number]
        return group.path, group.side

    def rect(self, item: int) -> QRectF:
        """Where an item is, in view pixels."""
        return self.camera.rect_to_view(*self.scene.box(item))

    def place_of(self, key: _Key, node: int) -> QRectF:
        """Where something is or is hidden, given one of its nodes."""
        frame = self.frames.get(key) if key[0] else None
        return frame if frame is not None else self.rect(self.scene.item_of(node))

    def middle_of(self, key: _Key, node: int, height: float) -> QPointF:
        """Where the middle of its box belongs: of a box so high, at the top of the frame where it is an open group."""
        place = self.place_of(key, node)
        return place.center() if key not in self.frames else QPointF(place.center().x(), place.top() + height / 2)


@dataclass(frozen=True, slots=True)
class Piece:
    """A box on its way; it keeps its size.

    Attributes:
        box: where it is in its picture, view pixels.
        begin: middle of where it was.
        end: middle of where it will be.
        is_new: whether it is cut out of the picture of afterwards.
        fades: whether it comes or goes on its way, being part of something else before or afterwards.
    """

    box: QRectF
    begin: QPointF
    end: QPointF
    is_new: bool = True
    fades: bool = False


def pieces_between(before: Moment, after: Moment) -> list[Piece]:
    """Boxes that stay, that come out of what was closed around them, and that go into what is closed now."""
    return [*_leaving(before, after), *_arriving(before, after)]


def _leaving(before: Moment, after: Moment) -> Iterator[Piece]:
    for item in before.items:
        key, node = before.key(item), before.scene.nodes_of([item])[0]
        if after.key(after.scene.item_of(node)) != key:
            box = before.rect(item)
            yield Piece(box, box.center(), after.middle_of(key, node, box.height()), is_new=False, fades=True)


def _arriving(before: Moment, after: Moment) -> Iterator[Piece]:
    for item in after.items:
        key, node = after.key(item), after.scene.nodes_of([item])[0]
        box, stays = after.rect(item), before.key(before.scene.item_of(node)) == key
        yield Piece(box, before.middle_of(key, node, box.height()), box.center(), fades=not stays)


def frames_between(before: Moment, after: Moment) -> list[tuple[QRectF, QRectF]]:
    """Where the frame of each group that is open before or afterwards begins and ends, outer ones first."""
    nodes = {(group.path, group.side): int(group.nodes[0]) for group in after.scene.layout.groups}
    frames = [(before.place_of(key, nodes[key]), rect) for key, rect in after.frames.items()]
    closing = [key for key in before.frames if key not in after.frames and key in nodes]
    return [*frames, *((before.frames[key], after.place_of(key, nodes[key])) for key in closing)]


class Moving(QObject):
    """Shows for a moment how one arrangement of a graph becomes another one."""

    def __init__(self, view: QWidget) -> None:
        super().__init__(view)
        self._view = view
        self._waiting: Moment | None = None
        self._moments: tuple[Moment, Moment] | None = None
        self._pieces: list[Piece] = []
        self._frames: list[tuple[QRectF, QRectF]] = []
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setEasingCurve(QEasingCurve.Type.InOutCubic)
        self._animation.valueChanged.connect(view.update)
        self._animation.finished.connect(self.stop)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(WAIT_MS)
        self._patience.timeout.connect(self.stop)

    @property
    def is_wanted(self) -> bool:
        """Whether the system wants animations."""
        return self._duration_ms > 0

    @property
    def is_active(self) -> bool:
        """Whether something is on its way."""
        return self._moments is not None

    @property
    def is_waiting(self) -> bool:
        """Whether the former picture is seen until the next one is painted."""
        return self._waiting is not None

    @property
    def _duration_ms(self) -> int:
        return min(self._view.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration), DURATION_MS)

    def wait(self, before: Moment) -> None:
        """Shows a moment until ``go`` says what comes next, for a short while at most."""
        self.stop()
        if self.is_wanted and len(before.items) <= MOST_BOXES:
            self._waiting = before
            self._patience.start()
            self._view.update()

    def go(self, after: Moment) -> None:
        """Moves from the moment that is seen to the next one."""
        if self._waiting is not None:
            self.start(self._waiting, after)

    def start(self, before: Moment, after: Moment) -> None:
        """Moves what is seen in both moments or in one; nothing where that is too much to follow."""
        self.stop()
        if not self.is_wanted or max(len(before.items), len(after.items)) > MOST_BOXES:
            return
        self._moments = before, after
        self._pieces = pieces_between(before, after)
        self._frames = frames_between(before, after)
        self._animation.setDuration(self._duration_ms)
        self._animation.start()

    def stop(self) -> None:
        """Everything is where it belongs."""
        self._animation.stop()
        self._patience.stop()
        if self._moments is not None or self._waiting is not None:
            self._waiting, self._moments, self._pieces, self._frames = None, None, [], []
            self._view.update()

    def paint(self, painter: QPainter, theme: CanvasTheme) -> None:
        """Paints the present moment into a painter whose unit is the logical pixel."""
        if self._waiting is not None:
            painter.drawPixmap(0, 0, self._waiting.picture)
        if self._moments is None:
            return
        before, after = self._moments
        done = float(self._animation.currentValue())
        painter.save()
        self._paint_whole(painter, before, 1.0 - done / _GONE_AT)
        self._paint_frames(painter, theme, done, after.camera.scale)
        room = OVERHANG_UNITS * after.camera.scale
        for piece in self._pieces:
            moment = after if piece.is_new else before
            painter.setOpacity((done if piece.is_new else 1.0 - done) if piece.fades else 1.0)
            _paint_piece(painter, moment, piece, piece.begin + (piece.end - piece.begin) * done, room)
        self._paint_whole(painter, after, (done - _COMES_FROM) / (1.0 - _COMES_FROM))
        painter.restore()

    def _paint_whole(self, painter: QPainter, moment: Moment, opacity: float) -> None:
        if opacity > 0.0:
            painter.setOpacity(opacity)
            painter.drawPixmap(0, 0, moment.picture)

    def _paint_frames(self, painter: QPainter, theme: CanvasTheme, done: float, scale: float) -> None:
        painter.setOpacity(1.0)
        painter.setPen(QPen(QColor(theme.group_border), 1))
        painter.setBrush(QColor(theme.group_fill))
        corner = FRAME_CORNER_UNITS * scale
        for begin, end in self._frames:
            painter.drawRoundedRect(_between(begin, end, done), corner, corner)


def _between(begin: QRectF, end: QRectF, done: float) -> QRectF:
    """The rectangle on the way from one to the other."""
    corner = begin.topLeft() * (1.0 - done) + end.topLeft() * done
    width = begin.width() + (end.width() - begin.width()) * done
    return QRectF(corner.x(), corner.y(), width, begin.height() + (end.height() - begin.height()) * done)


def _paint_piece(painter: QPainter, moment: Moment, piece: Piece, middle: QPointF, room: float) -> None:
    """Copies a box, with the badges around it, out of a picture; what is out of the picture is missing."""
    source = piece.box.adjusted(-room, -room, room, room).intersected(QRectF(0, 0, *moment.size))
    ratio = moment.picture.devicePixelRatio()
    pixels = QRectF(source.topLeft() * ratio, source.size() * ratio)
    painter.drawPixmap(source.translated(middle - piece.box.center()), moment.picture, pixels)
