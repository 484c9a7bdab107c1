"""Pictures of boxes, drawn once for each look and size and then copied.

A box has a fill, an outline that tells operators, placeholders and groups apart, a border and a badge for its
fate, and marks for returned values, executed nodes, breakpoints and values that are not finite. Copying a
finished picture is ten times faster than drawing a rounded rectangle again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen, QPixmap, QPolygonF

from aotgui.gui.canvas.scene import NO_FATE, Mark, Shape
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Fate

OVERHANG_UNITS: Final = 10.0
"""Room around a box for badges that stand on its border."""
BADGE_RADIUS: Final = 7.0
DOT_RADIUS: Final = 0.75 * BADGE_RADIUS
"""Of a breakpoint."""
CORNER: Final = 6.0
MAX_BYTES: Final = 24 << 20
"""Pictures of close boxes are large: their sum counts, not their number."""
BYTES_A_PIXEL: Final = 4
BAR_UNITS: Final = 4.0
EXPANDER_UNITS: Final = 11.0
"""Side of the sign that opens a group."""
EXPANDER_LEFT_UNITS: Final = 8.0

BADGES: Final = {Fate.SAVED: "S", Fate.RECOMPUTED: "R", Fate.MOVED: "M", Fate.ELIMINATED: "\u00d7"}
MARK_WORDS: Final = {Mark.OUTPUT: "out", Mark.GRADIENT: "grad", Mark.MUTATION: "upd"}


@dataclass(frozen=True, slots=True)
class Look:
    """All that decides how a box looks, apart from its size and its words.

    Attributes:
        fill: ``#rrggbb``.
        shape: ``Shape``.
        fate: ``Fate`` or ``NO_FATE``.
        mark: ``Mark``.
        executed: it ran in this stepping session.
        breakpoint: stepping stops before it.
        nonfinite: its value holds NaN or Inf.
        bar: what a group holds: colours and shares of 1000, in their order.
        differs: a block that is not like the others of its run.
        has_sign: a group shows the sign that opens it.
        changed: its value differs from that without the what-if.
    """

    fill: str
    shape: int
    fate: int
    mark: int
    executed: bool = False
    breakpoint: bool = False
    nonfinite: bool = False
    bar: tuple[tuple[str, int], ...] = ()
    differs: bool = False
    has_sign: bool = True
    changed: bool = False


class SpriteCache:
    """Keeps the pictures for one theme; emptied when too many sizes came together."""

    def __init__(self, theme: CanvasTheme) -> None:
        self._theme = theme
        self._sprites: dict[tuple[Look, int, int], QPixmap] = {}
        self._size_bytes = 0

    def sprite(self, look: Look, width: int, height: int, scale: float) -> QPixmap:
        """The picture of a box.

        Args:
            look: how it looks.
            width: of the box in device pixels.
            height: likewise.
            scale: device pixels for one scene unit.

        Returns:
            A picture that is ``overhang(scale)`` pixels larger than the box on each side.
        """
        key = (look, width, height)
        sprite = self._sprites.get(key)
        if sprite is None:
            sprite = self._draw(look, width, height, scale)
            size_bytes = sprite.width() * sprite.height() * BYTES_A_PIXEL
            if self._size_bytes + size_bytes > MAX_BYTES:
                self._sprites.clear()
                self._size_bytes = 0
            self._sprites[key] = sprite
            self._size_bytes += size_bytes
        return sprite

    def _draw(self, look: Look, width: int, height: int, scale: float) -> QPixmap:
        room = overhang(scale)
        pixmap = QPixmap(width + 2 * room, height + 2 * room)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(room, room, width, height)
        self._draw_box(painter, look, box, scale)
        self._draw_badges(painter, look, box, scale)
        painter.end()
        return pixmap

    def _draw_box(self, painter: QPainter, look: Look, box: QRectF, scale: float) -> None:
        pen = self._border(look, scale)
        inset = pen.widthF() / 2
        radius = min(box.height() / 2, box.width() / 2) if look.shape == Shape.PLACEHOLDER else CORNER * scale
        painter.setPen(pen)
        painter.setBrush(QColor(look.fill))
        if look.shape == Shape.GROUP:
            self._draw_stack(painter, box, scale, radius)
        painter.drawRoundedRect(box.adjusted(inset, inset, -inset, -inset), radius, radius)
        if look.shape == Shape.GROUP:
            self._draw_bar(painter, look, box, scale)
        if look.shape == Shape.GROUP and look.has_sign:
            self._draw_expander(painter, look, box, scale)

    def _draw_bar(self, painter: QPainter, look: Look, box: QRectF, scale: float) -> None:
        """Shares of what is inside, along the lower border."""
        height = max(2.0, round(BAR_UNITS * scale))
        room = box.adjusted(CORNER * scale, 0, -CORNER * scale, 0)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(Qt.PenStyle.NoPen)
        done = 0
        for colour, share in look.bar:
            left = round(room.left() + room.width() * done / 1000)
            done += share
            right = round(room.left() + room.width() * done / 1000)
            painter.setBrush(QColor(colour))
            painter.drawRect(QRectF(left, round(box.bottom() - 1.6 * height), right - left, height))
        painter.restore()

    def _draw_expander(self, painter: QPainter, look: Look, box: QRectF, scale: float) -> None:
        """A plus sign: there is more inside."""
        side = EXPANDER_UNITS * scale
        colour = QColor(self._theme.node_text(look.fill))
        place = QRectF(box.left() + EXPANDER_LEFT_UNITS * scale, box.center().y() - side / 2, side, side)
        draw_sign(painter, place, colour, plus=True)

    def _draw_stack(self, painter: QPainter, box: QRectF, scale: float, radius: float) -> None:
        """The edges of the boxes that lie behind a collapsed group's front."""
        for depth in (2, 1):
            shift = max(1.0, round(2 * scale)) * depth
            painter.drawRoundedRect(box.adjusted(shift, shift, shift - 1, shift - 1).adjusted(0.5, 0.5, -0.5, -0.5),
                                    radius, radius)  # fmt: skip

    def _border(self, look: Look, scale: float) -> QPen:
        if look.nonfinite:
            return QPen(QColor(self._theme.nonfinite), max(2.0, round(2.5 * scale)))
        if look.fate in BADGES:
            pen = QPen(QColor(self._theme.fates[look.fate]), max(1.0, round(2 * scale)))
            if look.fate == Fate.ELIMINATED:
                pen.setDashPattern([3.0, 2.0])
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            return pen
        return QPen(QColor(self._theme.node_border), max(1.0, round(scale)))

    def _draw_badges(self, painter: QPainter, look: Look, box: QRectF, scale: float) -> None:
        radius = BADGE_RADIUS * scale
        if radius < 3:
            return
        if look.fate != NO_FATE and (letter := BADGES.get(Fate(look.fate))):
            centre = QPointF(box.right() - 1.3 * radius, box.top() + 0.1 * radius)
            self._draw_badge(painter, centre, radius, self._theme.fates[look.fate], letter)
        if look.differs:
            centre = QPointF(box.right() - 1.3 * radius, box.top() + 0.1 * radius)
            self._draw_badge(painter, centre, radius, self._theme.muted_text, "\u2260")
        if look.nonfinite:
            centre = QPointF(box.left() + 1.3 * radius, box.top() + 0.1 * radius)
            self._draw_badge(painter, centre, radius, self._theme.nonfinite, "!")
        if look.executed:
            self._draw_tick(painter, QPointF(box.left() + 1.25 * radius, box.bottom() - 0.1 * radius), radius)
        if look.changed:
            centre = QPointF(box.right() - 1.3 * radius, box.bottom() - 0.1 * radius)
            self._draw_badge(painter, centre, radius, self._theme.users, "\u0394")
        if look.breakpoint:
            painter.setPen(QPen(QColor(self._theme.background), max(1.0, scale)))
            painter.setBrush(QColor(self._theme.breakpoint))
            painter.drawEllipse(QPointF(box.left(), box.center().y()), DOT_RADIUS * scale, DOT_RADIUS * scale)
        if look.mark:
            self._draw_mark(painter, look.mark, box, scale)

    def _draw_badge(self, painter: QPainter, centre: QPointF, radius: float, colour: str, letter: str) -> None:
        painter.setPen(QPen(QColor(self._theme.background), max(1.0, radius / 6)))
        painter.setBrush(QColor(colour))
        painter.drawEllipse(centre, radius, radius)
        painter.setPen(QColor(self._theme.badge_text))
        painter.setFont(_font(1.45 * radius, bold=True))
        painter.drawText(_around(centre, radius), Qt.AlignmentFlag.AlignCenter, letter)

    def _draw_tick(self, painter: QPainter, centre: QPointF, radius: float) -> None:
        painter.setPen(QPen(QColor(self._theme.background), max(1.0, radius / 6)))
        painter.setBrush(QColor(self._theme.done))
        painter.drawEllipse(centre, 0.8 * radius, 0.8 * radius)
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        painter.setPen(QPen(QColor(self._theme.badge_text), max(1.0, radius / 4)))
        tick = ((-0.35, 0.0), (-0.08, 0.28), (0.38, -0.25))
        painter.drawPolyline(QPolygonF([centre + QPointF(x, y) * radius for x, y in tick]))

    def _draw_mark(self, painter: QPainter, mark: int, box: QRectF, scale: float) -> None:
        """A small tab on the lower border: the value is returned."""
        height, width = 11.0 * scale, (26.0 if mark == Mark.OUTPUT else 32.0) * scale
        tab = QRectF(box.center().x() - width / 2, box.bottom() - 0.35 * height, width, height)
        painter.setPen(QPen(QColor(self._theme.background), max(1.0, scale)))
        painter.setBrush(QColor(self._theme.muted_text))
        painter.drawRoundedRect(tab, height / 2, height / 2)
        painter.setPen(QColor(self._theme.background))
        painter.setFont(_font(9.0 * scale, bold=True))
        painter.drawText(tab, Qt.AlignmentFlag.AlignCenter, MARK_WORDS[Mark(mark)])


def draw_sign(painter: QPainter, place: QRectF, colour: QColor, *, plus: bool) -> None:
    """A small square with a plus or a minus: opens or closes a group."""
    width = max(1.0, place.width() / 9)
    painter.setPen(QPen(colour, width))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(place, place.width() / 5, place.width() / 5)
    centre, arm = place.center(), place.width() * 0.27
    painter.drawLine(centre - QPointF(arm, 0), centre + QPointF(arm, 0))
    if plus:
        painter.drawLine(centre - QPointF(0, arm), centre + QPointF(0, arm))


def overhang(scale: float) -> int:
    """Device pixels around a box in its picture."""
    return int(OVERHANG_UNITS * scale) + 2


def _font(pixels: float, *, bold: bool = False) -> QFont:
    font = QFont()
    font.setPixelSize(max(1, round(pixels)))
    font.setBold(bold)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


def _around(centre: QPointF, radius: float) -> QRectF:
    return QRectF(centre.x() - 2 * radius, centre.y() - 2 * radius, 4 * radius, 4 * radius)
