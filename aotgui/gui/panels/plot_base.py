"""What every plot of the window shares: colours of the theme, an axis for bytes, and no surprises.

pyqtgraph takes 0.4 s to import, so modules that import this one are imported when the first plot is shown.
"""

from __future__ import annotations

import math
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import is_dark
from aotgui.model.palette import palette
from aotgui.model.text import bytes_text

TICKS: Final = 5
"""About so many marks on an axis of bytes."""
AXIS_CHARACTERS: Final = 10
"""Room for the words beside the axis at the left."""


class BytesAxis(pg.AxisItem):  # type: ignore[misc] # pyqtgraph ships no types
    """Marks at powers of two, written in binary units."""

    def tickSpacing(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, float]]:  # noqa: N803 # pyqtgraph's own names
        """One level of marks, a power of two apart."""
        room = max(maxVal - minVal, 1.0) / max(1.0, min(TICKS, size / 28))
        return [(2.0 ** math.ceil(math.log2(room)), 0.0)]

    def tickStrings(self, values: list[float], scale: float, spacing: float) -> list[str]:
        """Sizes in words."""
        return [bytes_text(max(0, round(value))) for value in values]


class Plot(pg.PlotWidget):  # type: ignore[misc] # pyqtgraph ships no types
    """An empty plot in the colours of the window, without menus and buttons of pyqtgraph's own.

    A subclass draws in ``draw``, which is called again where the theme changed.
    """

    def __init__(self, axes: dict[str, pg.AxisItem], parent: QWidget | None = None) -> None:
        super().__init__(parent, axisItems=axes)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setFrameShape(self.Shape.NoFrame)
        self._axes = ("left", "bottom")
        self.apply_theme()

    @property
    def ink(self) -> QColor:
        """Colour of words."""
        return QColor(palette(self.is_dark).text)

    @property
    def muted(self) -> QColor:
        """Colour of axes and of what is said in passing."""
        return QColor(palette(self.is_dark).muted)

    @property
    def is_dark(self) -> bool:
        """Whether the theme is dark."""
        return is_dark(self.palette())

    def draw(self) -> None:
        """Draws everything again."""

    def apply_theme(self) -> None:
        """Takes the colours of the palette."""
        self.setBackground(self.palette().color(QPalette.ColorRole.Base))
        small = QFont(self.font())
        small.setPointSizeF(small.pointSizeF() * 0.9)
        for name in self._axes:
            axis = self.getAxis(name)
            axis.setTextPen(pg.mkPen(self.muted))
            axis.setPen(pg.mkPen(QColor(palette(self.is_dark).frame)))
            axis.setStyle(tickFont=small)
            axis.enableAutoSIPrefix(False)
        self.getAxis("left").setWidth(AXIS_CHARACTERS * self.fontMetrics().averageCharWidth())

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and hasattr(self, "_axes"):
            self.apply_theme()
            self.draw()
