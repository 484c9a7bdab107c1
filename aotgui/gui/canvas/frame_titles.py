"""Where titles of open groups are: on their frames, or at the border of the view while the frame reaches beyond it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.detail import TITLE_FROM_ZOOM
from aotgui.gui.canvas.labels import TITLE_PX
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import draw_sign
from aotgui.gui.canvas.theme import CanvasTheme

TITLE_UNITS: Final = 22.0
STICKY_PX: Final = 22.0
LOWEST_STICKY_PX: Final = 14.0
TITLE_LEFT_PX: Final = 25.0
MIN_STICKY_WIDTH_PX: Final = 90.0


@dataclass(frozen=True, slots=True)
class FrameTitle:
    """One title.

    Attributes:
        group: index of the group.
        place: view pixels.
        is_sticky: it stands at the border of the view, not where the frame begins.
    """

    group: int
    place: QRectF
    is_sticky: bool


def titles_in(scene: Scene, camera: Camera, size: QSize, hidden: Collection[int] = frozenset()) -> list[FrameTitle]:
    """The titles that a view shows, outer groups first; ``hidden`` are numbers of frames that it does not."""
    layout = scene.layout
    view = QRectF(0, 0, size.width(), size.height())
    lowest: dict[int, float] = {}
    titles = []
    for number, (box, group) in enumerate(zip(layout.frames.tolist(), layout.frame_groups.tolist(), strict=True)):
        frame = camera.rect_to_view(*box)
        above = lowest.get(layout.groups[group].parent, 0.0)
        lowest[group] = above
        if number in hidden or not frame.intersects(view):
            continue
        title = QRectF(frame.left(), frame.top(), frame.width(), TITLE_UNITS * camera.scale)
        begins_outside = frame.left() < 0 and camera.scale >= TITLE_FROM_ZOOM
        if frame.top() < above or begins_outside:
            height = STICKY_PX if frame.top() < above else max(title.height(), LOWEST_STICKY_PX)
            place = _sticky(frame, view, above, height)
            if place is None:
                continue
            lowest[group] = max(place.bottom(), above) if frame.top() < above else above
            titles.append(FrameTitle(group, place, True))
        elif camera.scale >= TITLE_FROM_ZOOM:
            titles.append(FrameTitle(group, title, False))
    return titles


def _sticky(frame: QRectF, view: QRectF, above: float, height: float) -> QRectF | None:
    """A strip along the visible part of a frame's top; the frame's end pushes it out. None where it has no room."""
    left, right = max(frame.left(), view.left()), min(frame.right(), view.right())
    top = min(max(frame.top(), above), frame.bottom() - height)
    if right - left < MIN_STICKY_WIDTH_PX or top < above - height:
        return None
    return QRectF(left, top, right - left, height)


def paint_sticky(painter: QPainter, titles: list[FrameTitle], scene: Scene, theme: CanvasTheme) -> None:
    """Paints the titles that stand at the border of the view, in logical pixels; one that is pushed out goes under."""
    for title in reversed(titles):
        if not title.is_sticky:
            continue
        size = title.place.height() / STICKY_PX
        font = QFont()
        font.setPixelSize(round(TITLE_PX * size))
        font.setWeight(QFont.Weight.DemiBold)
        metrics = QFontMetricsF(font)
        painter.setFont(font)
        place = title.place.adjusted(0.5, 0.0, -0.5, -0.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.setPen(QPen(QColor(theme.group_border), 1))
        painter.setBrush(QColor(theme.group_fill))
        painter.drawRect(place)
        sign = QRectF(place.left() + 8 * size, place.center().y() - 5.5 * size, 11 * size, 11 * size)
        draw_sign(painter, sign, QColor(theme.muted_text), plus=False)
        painter.setPen(QColor(theme.text))
        room = place.adjusted(TITLE_LEFT_PX * size, 0, -6, 0)
        text = metrics.elidedText(scene.layout.groups[title.group].title, Qt.TextElideMode.ElideMiddle, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)


def title_at(
    scene: Scene, camera: Camera, size: QSize, point: QPointF, hidden: Collection[int] = frozenset()
) -> FrameTitle | None:
    """The title under a view point: the outermost that stands at the border of the view, else the innermost one."""
    found = [title for title in titles_in(scene, camera, size, hidden) if title.place.contains(point)]
    sticky = next((title for title in found if title.is_sticky), None)
    return sticky or (found[-1] if found else None)
