"""Two dimensions of a value as a picture."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from aotgui.gui.panels import heat_colours
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel, is_dark
from aotgui.gui.panels.plane_controls import PlaneControls
from aotgui.gui.panels.value_page import ValuePage, ValueRef
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.text import number_text
from aotgui.model.values import ValuePlane

if TYPE_CHECKING:
    from aotgui.gui.panels.heat_plot import HeatPlot

SCALE_HEIGHT = 10


class HeatPage(ValuePage):
    """A heat map with choosers of its dimensions, a scale, and the number under the pointer.

    Signals:
        plane_requested: (graph, node, item, dimension downwards, dimension to the right, index, depth) is wanted; the
            answer comes as ``DebugState.plane_read``.

    Attributes:
        controls: which plane.
        plane: what is shown.
        scale: what the colours mean.
        under_pointer: the number under the pointer, or how the picture was made.
    """

    plane_requested = Signal(object, int, int, int, int, object, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.controls, self.scale, self.under_pointer = PlaneControls(), HeatScale(), MutedLabel()
        self.plane = ValuePlane(node=-1)
        self._plot: HeatPlot | None = None
        self._content = QWidget()
        below = QHBoxLayout()
        below.setContentsMargins(MARGIN, 0, MARGIN, SPACING)
        below.addWidget(self.under_pointer, 1)
        below.addWidget(self.scale)
        self._inside = QVBoxLayout(self._content)
        self._inside.setContentsMargins(0, 0, 0, 0)
        self._inside.setSpacing(SPACING)
        self._inside.addLayout(below)
        self.add_content(self._content)
        self._controls_row = QHBoxLayout()
        self._controls_row.setContentsMargins(MARGIN, 0, MARGIN, 0)
        self._controls_row.addWidget(self.controls)
        self._column.addLayout(self._controls_row)
        self._column.addWidget(self._stack, 1)
        self.controls.changed.connect(self.ask)
        session.debug.plane_read.connect(self._on_plane_read)

    @property
    def plot(self) -> HeatPlot:
        """The picture; pyqtgraph is imported when it is first needed."""
        if self._plot is None:
            from aotgui.gui.panels.heat_plot import HeatPlot  # the import takes 0.4 s

            self._plot = HeatPlot()
            self._plot.pointed_at.connect(self._on_pointed_at)
            self._inside.insertWidget(0, self._plot, 1)
        return self._plot

    def reset(self) -> None:
        """The last two dimensions, at the first element."""
        self.controls.set_shape(())

    def request(self, ref: ValueRef) -> None:
        """Asks for the plane that the controls say."""
        dimensions, index = self.controls.dimensions, self.controls.index
        self.plane_requested.emit(ref.kind, ref.node, ref.item, *dimensions, index, ref.inside)

    def _on_plane_read(self, kind: GraphKind, plane: ValuePlane) -> None:
        if not self.is_of(kind, plane.node, plane.item):
            return
        if plane.shape != self.controls.shape:
            self.controls.set_shape(plane.shape)
        self.plane = plane
        if plane.text or not plane.data:
            self.say(plane.text or "Nothing to show.")
            return
        self.plot.show_plane(plane)
        self.scale.set_limit(heat_colours.limit_of(self.plot.values), plane.minimum, plane.maximum)
        self._on_pointed_at(-1, -1)
        self.show_content()

    def _on_pointed_at(self, row: int, column: int) -> None:
        plane = self.plane
        if row < 0:
            self.under_pointer.setText(_block_text(plane))
            return
        value = float(self.plot.values[row, column])
        place = ", ".join(self._place(row, column))
        self.under_pointer.setText(f"[{place}] = {number_text(value, 6)}")

    def _place(self, row: int, column: int) -> list[str]:
        """Where an element of the picture is in the value, one text a dimension."""
        plane = self.plane
        index = [str(place) for place in plane.index[: len(plane.shape)]]
        index += ["0"] * (len(plane.shape) - len(index))
        if plane.row_dim >= 0:
            index[plane.row_dim] = _range(row, plane.block_rows, plane.shape[plane.row_dim])
        if plane.column_dim >= 0:
            index[plane.column_dim] = _range(column, plane.block_columns, plane.shape[plane.column_dim])
        return index


class HeatScale(QWidget):
    """The colours of a heat map from its lowest to its highest possible number, with words at both ends."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._limit = 0.0
        self._label = ""
        self.setAccessibleName("Scale of the colours")

    def set_limit(self, limit: float, minimum: float | None, maximum: float | None) -> None:
        """The magnitude that has the full colour, and the numbers that there are."""
        self._limit = limit
        self.setToolTip(f"Shown are numbers from {number_text(minimum)} to {number_text(maximum)}; NaN and Inf are red")
        self.update()

    def sizeHint(self) -> QSize:
        """Room for the colours and a number at each end."""
        return QSize(220, self.fontMetrics().height() + 2)

    def minimumSizeHint(self) -> QSize:
        """As wanted."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The ramp between two numbers."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = self.fontMetrics().horizontalAdvance("-1.234e-05") + 4
        box = QRectF(room, (self.height() - SCALE_HEIGHT) / 2, self.width() - 2 * room, SCALE_HEIGHT)
        gradient = QLinearGradient(box.topLeft(), box.topRight())
        ramp = heat_colours.ramp(dark=is_dark(self.palette()))
        for share, place in ((0.0, 0), (0.5, len(ramp) // 2), (1.0, len(ramp) - 1)):
            gradient.setColorAt(share, QColor(*ramp[place].tolist()))
        painter.setPen(self.palette().mid().color())
        painter.setBrush(gradient)
        painter.drawRoundedRect(box, 2, 2)
        painter.setPen(self.palette().placeholderText().color())
        flags = Qt.AlignmentFlag.AlignVCenter
        left, right = QRectF(0, 0, room - 5, self.height()), QRectF(box.right() + 5, 0, room - 5, self.height())
        painter.drawText(left, flags | Qt.AlignmentFlag.AlignRight, number_text(-self._limit))
        painter.drawText(right, flags | Qt.AlignmentFlag.AlignLeft, number_text(self._limit))
        painter.end()


def _block_text(plane: ValuePlane) -> str:
    if plane.block_rows == plane.block_columns == 1:
        return "Point at an element to read it."
    return (
        f"A cell stands for {plane.block_rows:,} x {plane.block_columns:,} elements and shows that of the largest "
        "magnitude."
    )


def _range(place: int, block: int, size: int) -> str:
    first = place * block
    last = min(first + block, size) - 1
    return str(first) if last <= first else f"{first}:{math.floor(last) + 1}"
