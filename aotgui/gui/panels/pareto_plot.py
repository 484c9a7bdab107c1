"""Partitions as points: what they save against what they compute again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QSizeF, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.label_places import label_places
from aotgui.gui.panels.plot_base import BytesAxis, Plot
from aotgui.model.palette import BLUE, ORANGE, palette

MARGIN: Final = 0.09
"""Room around the points, as a share of their extent."""
POINT_PX: Final = 12
NEAR_PX: Final = 10
"""Points closer than this lie on each other and share a name."""
NAMES: Final = 2
"""More names of points that lie on each other are counted, not written."""
LOW_PX: Final = 130
"""A plot lower than this has no room for words beside its axes."""
CHOSEN_PX: Final = 18


@dataclass(frozen=True, slots=True)
class ParetoPoint:
    """One partition.

    Attributes:
        label: its name.
        size_bytes: what it saves.
        cost: what it computes again, in whatever the axis says.
        tip: said beside the pointer.
        is_reference: whether it is of another kind than those along the budget.
    """

    label: str
    size_bytes: int
    cost: float
    tip: str
    is_reference: bool = False


class ParetoPlot(Plot):
    """Points that can be clicked; those that no other one beats in both are joined by a line.

    Signals:
        point_clicked: index of a point.
    """

    point_clicked = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__({"left": pg.AxisItem("left"), "bottom": BytesAxis("bottom")}, parent)
        self._points: tuple[ParetoPoint, ...] = ()
        self._chosen = -1
        self._cost = ""
        self._names: list[pg.TextItem] = []
        self.setMouseEnabled(x=False, y=False)
        self.setAccessibleName("Saved bytes against recomputation")
        self.getViewBox().sigResized.connect(self._on_resized)

    @property
    def points(self) -> tuple[ParetoPoint, ...]:
        """What is shown."""
        return self._points

    def show_points(self, points: Sequence[ParetoPoint], chosen: int, cost: str) -> None:
        """Draws other points.

        Args:
            points: the partitions.
            chosen: index of the one that stands out, -1 for none.
            cost: what the axis of the cost says.
        """
        self._points, self._chosen, self._cost = tuple(points), chosen, cost
        self.draw()

    def draw(self) -> None:
        """The line first, then the points and their names."""
        self.clear()
        self._names.clear()
        self._show_axis_words()
        if not self._points:
            return
        self._draw_frontier()
        self._draw_points()
        self._show_everything()
        self._draw_names()

    def _on_resized(self) -> None:
        self._show_axis_words()
        self._draw_names()

    def _show_axis_words(self) -> None:
        """As long as there is room for."""
        is_low, unit = self.height() < LOW_PX, self._cost.rpartition(", ")[2]
        is_short = self.fontMetrics().horizontalAdvance(self._cost) > self.height() - LOW_PX / 2
        cost = unit if is_short else self._cost
        for axis, words in (("bottom", "saved activations"), ("left", cost)):
            self.setLabel(axis, "" if is_low else words, color=self.muted.name())

    def _draw_frontier(self) -> None:
        front = frontier(self._points)
        pen = pg.mkPen(self.muted, width=1.5, style=Qt.PenStyle.DashLine)
        self.addItem(pg.PlotCurveItem([p.size_bytes for p in front], [p.cost for p in front], pen=pen))

    def _draw_points(self) -> None:
        spots = [self._spot(place, point) for place, point in enumerate(self._points)]
        tip = lambda x, y, data: self._points[data].tip  # noqa: E731 # pyqtgraph calls it by position
        dots = pg.ScatterPlotItem(spots, hoverable=True, hoverPen=pg.mkPen(self.ink, width=2), tip=tip)
        dots.sigClicked.connect(self._on_clicked)
        self.addItem(dots)

    def _draw_names(self) -> None:
        """Beside the points, where the plot as large as it is now has room for them; a tip says the others."""
        for name in self._names:
            self.removeItem(name)
        view = self.getViewBox()
        pixels = [view.mapFromView(QPointF(point.size_bytes, point.cost)) for point in self._points]
        words = shared_names([point.label for point in self._points], pixels)
        self._names = [self._name(text) for text in words]
        sizes = [
            name.boundingRect().size() if text else QSizeF() for name, text in zip(self._names, words, strict=True)
        ]
        line = [view.mapFromView(QPointF(point.size_bytes, point.cost)) for point in frontier(self._points)]
        places = label_places(pixels, sizes, view.rect(), POINT_PX / 2, line)
        for name, place in zip(self._names, places, strict=True):
            self.addItem(name, ignoreBounds=True)
            name.setVisible(place is not None)
            if place is not None:
                name.setPos(view.mapToView(place.topLeft()))

    def _name(self, text: str) -> pg.TextItem:
        name = pg.TextItem(text, color=self.ink, anchor=(0, 0))
        name.textItem.document().setDocumentMargin(1)
        name.updateTextPos()
        return name

    def _spot(self, place: int, point: ParetoPoint) -> dict[str, Any]:
        is_chosen = place == self._chosen
        ring = palette(self.is_dark).selection if is_chosen else self.palette().base().color().name()
        return {
            "pos": (point.size_bytes, point.cost),
            "data": place,
            "symbol": "s" if point.is_reference else "o",
            "size": CHOSEN_PX if is_chosen else POINT_PX,
            "brush": pg.mkBrush(QColor(ORANGE if point.is_reference else BLUE)),
            "pen": pg.mkPen(QColor(ring), width=3 if is_chosen else 1),
        }

    def _show_everything(self) -> None:
        sizes = np.array([point.size_bytes for point in self._points], np.float64)
        costs = np.array([point.cost for point in self._points], np.float64)
        self.setXRange(*_padded(sizes), padding=0)
        self.setYRange(*_padded(costs), padding=0)

    def _on_clicked(self, _dots: object, points: Sequence[Any], _event: object) -> None:
        if len(points):
            self.point_clicked.emit(int(points[0].data()))


def frontier(points: Sequence[ParetoPoint]) -> list[ParetoPoint]:
    """The points that no other one beats in both, by falling cost."""
    found: list[ParetoPoint] = []
    for point in sorted(points, key=lambda point: (point.size_bytes, point.cost)):
        if not found or point.cost < found[-1].cost:
            found.append(point)
    return found


def shared_names(names: Sequence[str], places: Sequence[QPointF]) -> list[str]:
    """The names, those of points that lie on each other joined at the first of them; empty for the others.

    Args:
        names: of the points.
        places: of the points, in pixels.
    """
    groups: dict[int, list[str]] = {}
    for place, name in enumerate(names):
        near = (first for first in groups if (places[first] - places[place]).manhattanLength() < NEAR_PX)
        groups.setdefault(next(near, place), []).append(name)
    return [_joined(groups.get(place, [])) for place in range(len(names))]


def _joined(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= NAMES else f"{names[0]} and {len(names) - 1} more"


def _padded(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = MARGIN * (high - low) if high > low else max(abs(high), 1.0) / 2
    return low - room, high + 2 * room
