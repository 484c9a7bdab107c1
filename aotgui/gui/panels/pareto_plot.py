"""Partitions as points: what they save against what they compute again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.plot_base import BytesAxis, Plot
from aotgui.model.palette import BLUE, ORANGE, palette

MARGIN: Final = 0.09
"""Room around the points, as a share of their extent."""
NEAR: Final = 0.05
"""Points closer than this share of the axes share a label."""
POINT_PX: Final = 12
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
        self.setMouseEnabled(x=False, y=False)
        self.setAccessibleName("Saved bytes against recomputation")

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
        self.setLabel("bottom", "saved activations", color=self.muted.name())
        self.setLabel("left", self._cost, color=self.muted.name())
        if not self._points:
            return
        self._draw_frontier()
        self._draw_points()
        self._show_everything()

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
        widest = max(point.size_bytes for point in self._points)
        for place, words in labels(self._points):
            is_right = place.size_bytes > 0.7 * widest
            label = pg.TextItem(words, color=self.ink, anchor=(1.0, 1.1) if is_right else (0.0, 1.1))
            self.addItem(label, ignoreBounds=True)
            label.setPos(place.size_bytes, place.cost)

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


def labels(points: Sequence[ParetoPoint]) -> list[tuple[ParetoPoint, str]]:
    """Where a name is written, and which: points that lie on each other share theirs."""
    wide = max((point.size_bytes for point in points), default=0) or 1
    high = max((point.cost for point in points), default=0.0) or 1.0
    found: list[tuple[ParetoPoint, str]] = []
    for point in points:
        near = [
            place
            for place, (other, _) in enumerate(found)
            if abs(other.size_bytes - point.size_bytes) < NEAR * wide and abs(other.cost - point.cost) < NEAR * high
        ]
        if near:
            found[near[0]] = (found[near[0]][0], f"{found[near[0]][1]}, {point.label}")
        else:
            found.append((point, point.label))
    return found


def _padded(values: np.ndarray) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    room = MARGIN * (high - low) if high > low else max(abs(high), 1.0) / 2
    return low - room, high + 2 * room
