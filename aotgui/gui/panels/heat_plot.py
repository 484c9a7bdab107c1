"""The picture of a plane, and a scale of its colours. Imported when the first heat map is shown: see ``plot_base``."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, Signal
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels import heat_colours
from aotgui.gui.panels.plot_base import Plot
from aotgui.model.values import ValuePlane


class HeatPlot(Plot):
    """A grid of colours, row 0 at the top.

    Signals:
        pointed_at: row and column of the picture under the pointer; -1 and -1 beside it.
    """

    pointed_at = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._plane = ValuePlane(node=-1)
        self._values: NDArray[np.float32] = np.zeros((0, 0), np.float32)
        super().__init__({}, parent)
        self._image = pg.ImageItem(axisOrder="row-major")
        self.addItem(self._image)
        self.invertY(True)
        self.getViewBox().setDefaultPadding(0.01)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.setAccessibleName("Heat map")

    @property
    def values(self) -> NDArray[np.float32]:
        """The numbers shown: float32 (rows, columns)."""
        return self._values

    def show_plane(self, plane: ValuePlane) -> None:
        """Another plane."""
        self._plane = plane
        self._values = np.frombuffer(plane.data, "<f4").reshape(plane.rows, plane.columns)
        self.draw()
        self.autoRange()

    def draw(self) -> None:
        """Paints the picture; its axes count elements of the value."""
        if not self._values.size:
            return
        limit = heat_colours.limit_of(self._values)
        self._image.setImage(heat_colours.colours(self._values, limit, dark=self.is_dark), levels=(0, 255))
        plane = self._plane
        self._image.setRect(0, 0, plane.columns * plane.block_columns, plane.rows * plane.block_rows)

    def _on_mouse_moved(self, place: QPointF) -> None:
        inside = self._image.mapFromScene(place)
        row, column = int(inside.y()), int(inside.x())
        rows, columns = self._values.shape
        is_inside = 0 <= inside.y() < rows and 0 <= inside.x() < columns
        self.pointed_at.emit(*((row, column) if is_inside else (-1, -1)))
