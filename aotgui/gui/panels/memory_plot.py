"""Live bytes after each node, one layer on the other, with a line that follows the pointer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pyqtgraph as pg
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.plot_base import BytesAxis, Plot
from aotgui.model.palette import palette

HEADROOM: Final = 1.12
"""Room above the peak for its mark."""
BAND_OPACITY: Final = 0.22
LEAST_STEPS: Final = 8
"""How far one can zoom in."""


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One part of the live bytes.

    Attributes:
        name: what is counted.
        color: ``#RRGGBB``.
        sizes: int64 (steps,): bytes alive after each step.
    """

    name: str
    color: str
    sizes: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class MemoryCurve:
    """What is drawn.

    Attributes:
        layers: from the ground up.
        boundary: the first step of the backward.
        peak: the step with the most bytes.
    """

    layers: Sequence[Layer]
    boundary: int
    peak: int

    @property
    def total(self) -> NDArray[np.int64]:
        """int64 (steps,): all layers together."""
        return np.asarray(np.sum([layer.sizes for layer in self.layers], axis=0), np.int64)


class MemoryPlot(Plot):
    """A stacked plot over the nodes in the order in which they run.

    Signals:
        step_hovered: the step under the pointer, -1 for none.
        step_clicked: a step was clicked.
    """

    step_hovered = Signal(int)
    step_clicked = Signal(int)

    def __init__(self, describe: Callable[[int], str], parent: QWidget | None = None) -> None:
        """An empty plot.

        Args:
            describe: what is said of a step beside the pointer.
            parent: Qt's.
        """
        super().__init__({"left": BytesAxis("left"), "bottom": pg.AxisItem("bottom")}, parent)
        self._describe = describe
        self._curve: MemoryCurve | None = None
        self._marks: dict[str, int] = {"hovered": -1, "stepping": -1, "selected": -1}
        self._lines: dict[str, Any] = {}
        self._card: Any = None
        self._span: tuple[int, int] | None = None
        self._band: Any = None
        self.setMouseEnabled(x=True, y=False)
        self.setAccessibleName("Live bytes after each node")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.scene().sigMouseMoved.connect(self._on_mouse_moved)
        self.scene().sigMouseClicked.connect(self._on_mouse_clicked)

    @property
    def hovered(self) -> int:
        """The step under the pointer, -1 for none."""
        return self._marks["hovered"]

    @property
    def marks(self) -> dict[str, int]:
        """Step of each line: hovered, stepping, selected; -1 where it is not shown. Do not change."""
        return self._marks

    def show_curve(self, curve: MemoryCurve | None) -> None:
        """Draws something else."""
        self._curve = curve
        self._marks = dict.fromkeys(self._marks, -1)
        self._span = None
        self.draw()
        self.show_all()

    def show_all(self) -> None:
        """Every step in view."""
        if self._curve is not None and (count := len(self._curve.total)):
            self.setLimits(xMin=0, xMax=count, minXRange=min(LEAST_STEPS, count), yMin=0)
            self.setXRange(0, count, padding=0)
            self.setYRange(0, HEADROOM * max(float(self._curve.total.max()), 1.0), padding=0)

    def mark(self, name: str, step: int) -> None:
        """Moves a line: ``stepping`` or ``selected``; -1 hides it."""
        self._marks[name] = step
        line = self._lines.get(name)
        if line is not None:
            line.setVisible(step >= 0)
            line.setValue(step + 0.5)
        if name == "hovered":
            self._show_card()

    @property
    def span(self) -> tuple[int, int] | None:
        """The first and the last step of the life that stands out, or None."""
        return self._span

    def show_span(self, span: tuple[int, int] | None) -> None:
        """Lets the life of something stand out: its first and last step, or None."""
        self._span = span
        if self._band is not None:
            self._band.setVisible(span is not None)
            self._band.setRegion((span[0], span[1] + 1) if span else (0, 0))

    def draw(self) -> None:
        """Layers, then what lies over them."""
        self.clear()
        self._lines, self._card, self._band = {}, None, None
        curve = self._curve
        if curve is None or not len(curve.total):
            return
        self._draw_layers(curve)
        self._draw_boundary(curve)
        self._draw_peak(curve)
        colors = palette(self.is_dark)
        self._draw_band(QColor(colors.selection))
        for name, color, style in (
            ("hovered", colors.muted, Qt.PenStyle.SolidLine),
            ("selected", colors.selection, Qt.PenStyle.SolidLine),
            ("stepping", colors.next_node, Qt.PenStyle.DashLine),
        ):
            self._lines[name] = pg.InfiniteLine(angle=90, pen=pg.mkPen(QColor(color), width=2, style=style))
            self.addItem(self._lines[name], ignoreBounds=True)
            self.mark(name, self._marks[name])

    def _draw_layers(self, curve: MemoryCurve) -> None:
        """The topmost first: each hides the part of those above it that it holds itself."""
        edges = np.arange(len(curve.total) + 1)
        below = np.cumsum([layer.sizes for layer in curve.layers], axis=0)
        for layer, heights in reversed(list(zip(curve.layers, below, strict=True))):
            if layer.sizes.any():
                self.addItem(
                    pg.PlotCurveItem(
                        edges, heights, stepMode="center", fillLevel=0, brush=QColor(layer.color), pen=pg.mkPen(None)
                    )
                )

    def _draw_boundary(self, curve: MemoryCurve) -> None:
        if 0 < curve.boundary < len(curve.total):
            pen = pg.mkPen(self.muted, style=Qt.PenStyle.DotLine)
            self.addItem(pg.InfiniteLine(curve.boundary, angle=90, pen=pen), ignoreBounds=True)
        for words, step, anchor in (("forward", curve.boundary, (1, 0)), ("backward", curve.boundary, (0, 0))):
            if 0 < step <= len(curve.total) and (words == "forward" or step < len(curve.total)):
                label = pg.TextItem(words, color=self.muted, anchor=anchor)
                self.addItem(label, ignoreBounds=True)
                label.setPos(step, HEADROOM * float(curve.total.max()))

    def _draw_peak(self, curve: MemoryCurve) -> None:
        height = float(curve.total[curve.peak])
        rim = pg.mkPen(self.palette().base().color())
        spot = pg.ScatterPlotItem([curve.peak + 0.5], [height], symbol="t", size=11, brush=self.ink, pen=rim)
        self.addItem(spot, ignoreBounds=True)

    def _draw_band(self, color: QColor) -> None:
        """Above the curve, so that it is seen on every layer."""
        color.setAlphaF(BAND_OPACITY)
        rim = pg.mkPen(None)
        self._band = pg.LinearRegionItem(brush=color, pen=rim, movable=False, swapMode="block")
        self.addItem(self._band, ignoreBounds=True)
        self.show_span(self._span)

    def _show_card(self) -> None:
        step, curve = self._marks["hovered"], self._curve
        if self._card is None:
            fill = self.palette().toolTipBase()
            self._card = pg.TextItem(color=self.palette().toolTipText().color(), fill=fill, border=pg.mkPen(self.muted))
            self._card.setZValue(10)
            self.addItem(self._card, ignoreBounds=True)
        self._card.setVisible(step >= 0)
        if step < 0 or curve is None:
            return
        (left, right), (_, top) = self.viewRange()
        is_right = step > (left + right) / 2
        self._card.setText(self._describe(step))
        self._card.setAnchor((1.04 if is_right else -0.04, 0))
        self._card.setPos(step + 0.5, top)

    def step_at(self, place: QPointF) -> int:
        """The step under a place of the scene, -1 beside the plot."""
        if self._curve is None or not self.getPlotItem().vb.sceneBoundingRect().contains(place):
            return -1
        step = int(self.getPlotItem().vb.mapSceneToView(place).x())
        return step if 0 <= step < len(self._curve.total) else -1

    def _on_mouse_moved(self, place: QPointF) -> None:
        self._hover(self.step_at(place))

    def _hover(self, step: int) -> None:
        if step != self._marks["hovered"]:
            self.mark("hovered", step)
            self.step_hovered.emit(step)

    def _on_mouse_clicked(self, event: Any) -> None:  # noqa: ANN401 # pyqtgraph's own event
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if event.double():
            self.show_all()
        elif (step := self.step_at(event.scenePos())) >= 0:
            self.step_clicked.emit(step)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows walk from step to step, Home and End go to the first and the last."""
        count, step = len(self._curve.total) if self._curve is not None else 0, self._marks["selected"]
        moves = {
            Qt.Key.Key_Left: step - 1,
            Qt.Key.Key_Right: step + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: count - 1,
        }
        wanted = moves.get(Qt.Key(event.key()), -1)
        if 0 <= wanted < count:
            self.step_clicked.emit(wanted)
        elif event.key() not in moves:
            super().keyPressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        """No line without a pointer."""
        super().leaveEvent(event)
        self._hover(-1)
