"""Bars of a distribution. Imported when the first histogram is shown: see ``plot_base``."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.plot_base import Plot
from aotgui.model.palette import BLUE, SKY_BLUE
from aotgui.model.values import Histogram

HEADROOM: Final = 1.15
"""Height of the plot over that of its highest bar."""


class PowerAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph ships no types
    """Decimal logarithms written as the numbers that they stand for."""

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """``1e-05``, ``0.1``, ``100``."""
        return [f"{10.0**value:.3g}" for value in values]


class HistogramPlot(Plot):
    """Bars over the numbers of a value; their heights may grow with the logarithm of the counts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._histogram = Histogram(node=-1)
        super().__init__({}, parent)
        self._bars: pg.BarGraphItem | None = None
        self.setMouseEnabled(x=False, y=False)
        self.getAxis("left").setWidth(56)
        self.setAccessibleName("Histogram")

    @property
    def heights(self) -> list[float]:
        """Of the bars as drawn."""
        return [] if self._bars is None else list(self._bars.opts["height"])

    def show_histogram(self, histogram: Histogram) -> None:
        """Another distribution."""
        self._histogram = histogram
        axis = PowerAxis(orientation="bottom") if histogram.log else pg.AxisItem(orientation="bottom")
        self.setAxisItems({"bottom": axis})
        self.apply_theme()
        self.setToolTip("Elements over their magnitudes" if histogram.log else "Elements over their values")
        self.draw()
        if histogram.counts:
            self.setXRange(histogram.edges[0], histogram.edges[-1], padding=0.02)
            self.setYRange(0, max(histogram.counts) * HEADROOM, padding=0)

    def draw(self) -> None:
        """Paints the bars."""
        if self._bars is not None:
            self.removeItem(self._bars)
            self._bars = None
        counts, edges = np.array(self._histogram.counts), np.array(self._histogram.edges)
        if not counts.size:
            return
        fill = QColor(SKY_BLUE if self.is_dark else BLUE)
        self._bars = pg.BarGraphItem(
            x0=edges[:-1], x1=edges[1:], y0=0, height=counts, brush=fill, pen=pg.mkPen(fill.darker(130))
        )
        self.addItem(self._bars)
