"""The modules from top to bottom along the left border of a view, in its scale, always in sight."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.labels import CLASS_MARK
from aotgui.gui.canvas.module_bands import Band

COLUMN_PX: Final = 20
COLUMNS: Final = 2
"""So many levels are shown beside each other."""
TEXT_PX: Final = 11
ENDS_PX: Final = 8.0
"""Blank at both ends of a title together."""
READABLE_PX: Final = 56.0
"""The ruler shows the deepest level whose bands are this high for the most part."""


class ModuleRuler(QWidget):
    """Bands of modules; hidden where there are fewer than two.

    Signals:
        chosen: the ``Group`` that was clicked, and whether by a double click.
    """

    chosen = Signal(object, bool)

    def __init__(self, view: GraphView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self._levels: list[list[Band]] = []
        self._seen: list[list[Band]] = []
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName("Modules from top to bottom")
        view.view_changed.connect(self.update)
        view.appearance_changed.connect(self.update)
        self.hide()

    def show_modules(self, levels: list[list[Band]]) -> None:
        """Shows the modules of the graph and layout in the view, level by level.

        There is room for those inside of collapsed ones too: the view should not move when they open.
        """
        self._levels = levels
        self._seen = self._seen_levels()
        self.setVisible(any(len(bands) > 1 for bands in self._levels))
        self.updateGeometry()
        self.update()

    @property
    def columns(self) -> list[list[Band]]:
        """What is shown at the view's scale, outer modules first: deeper ones the closer one looks."""
        scale = self._view.camera.scale
        level = next((n for n in range(len(self._seen) - 1, 0, -1) if _are_readable(self._seen[n], scale)), 0)
        first = max(level - COLUMNS + 1, 0)
        return self._seen[first : first + COLUMNS]

    def _seen_levels(self) -> list[list[Band]]:
        """The levels without what is inside of collapsed modules: it has no place of its own."""
        layout = self._view.scene.layout if self._view.scene is not None else None
        if layout is None or not layout.groups:
            return self._levels
        numbers = (*layout.frame_groups.tolist(), *layout.item_groups.tolist())
        paths = {layout.groups[number].path for number in numbers if number >= 0}
        levels = ([band for band in bands if band.group.path in paths] for bands in self._levels)
        return [bands for bands in levels if bands]

    def band_at(self, point: QPointF) -> Band | None:
        """The band under a point; the smallest where several are."""
        found = [band for band, place in self._places() if place.contains(point)]
        return min(found, key=lambda band: band.bottom - band.top, default=None)

    def _places(self) -> Iterator[tuple[Band, QRectF]]:
        """The bands in view that have room for a name; one that reaches over several columns is in the first."""
        shown: set[str] = set()
        camera, height = self._view.camera, self.height()
        for column, bands in enumerate(self.columns):
            for band in bands:
                top, bottom = (band.top - camera.top) * camera.scale, (band.bottom - camera.top) * camera.scale
                if bottom - top > ENDS_PX and bottom >= 0 and top <= height and band.group.path not in shown:
                    shown.add(band.group.path)
                    place = QRectF(column * COLUMN_PX + 2, top, COLUMN_PX - 3, max(bottom - top, 2.0))
                    if self._name(band, place):
                        yield band, place

    def _name(self, band: Band, place: QRectF) -> str:
        """A module's title, without its class where that has no room; empty where its name has none either."""
        room = place.intersected(QRectF(self.rect())).height() - ENDS_PX
        title, metrics = band.group.title, QFontMetricsF(_font())
        names = (title, title.partition(CLASS_MARK)[0])
        return next((name for name in names if metrics.horizontalAdvance(name) <= room), "")

    def _paint_band(self, painter: QPainter, band: Band, place: QRectF) -> None:
        theme = self._view.theme
        painter.setPen(QPen(QColor(theme.group_border), 1))
        painter.setBrush(QColor(theme.group_fill))
        painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        seen = place.intersected(QRectF(self.rect()))
        painter.save()
        painter.translate(seen.center())
        painter.rotate(-90)
        painter.setPen(QColor(theme.muted_text))
        painter.drawText(
            QRectF(-seen.height() / 2, -9, seen.height(), 18), Qt.AlignmentFlag.AlignCenter, self._name(band, place)
        )
        painter.restore()

    def sizeHint(self) -> QSize:
        """A narrow strip for each level."""
        return QSize(COLUMN_PX * min(COLUMNS, max(len(self._levels), 1)), 200)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The bands in view."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), QColor(self._view.theme.background))
        painter.setFont(_font())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for band, place in self._places():
            self._paint_band(painter, band, place)
        painter.end()

    def event(self, event: QEvent) -> bool:
        """Names the band under the pointer in full."""
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            band = self.band_at(QPointF(event.pos()))
            tip = f"{band.group.title}\nClick selects, double click shows it whole" if band is not None else ""
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Selects what is in a module."""
        self._choose(event.position(), is_double=False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Shows a module whole."""
        self._choose(event.position(), is_double=True)

    def _choose(self, point: QPointF, *, is_double: bool) -> None:
        if (band := self.band_at(point)) is not None:
            self.chosen.emit(band.group, is_double)


def _font() -> QFont:
    font = QFont()
    font.setPixelSize(TEXT_PX)
    return font


def _are_readable(bands: list[Band], scale: float) -> bool:
    """Whether bands are high enough for the most part."""
    heights = sorted((band.bottom - band.top) * scale for band in bands)
    return heights[len(heights) // 2] >= READABLE_PX
