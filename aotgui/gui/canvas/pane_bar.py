"""The line below a graph: legend, colour mode, zoom, overview."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QHBoxLayout, QLabel, QToolButton, QWidget

from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.legend import Legend

ZOOM_FACTOR: Final = 1.25
NARROW_PX: Final = 720


class PaneBar(QWidget):
    """Controls of one view.

    Signals:
        overview_toggled: whether the overview is wanted.

    Attributes:
        legend: what the colours mean.
        colour_box: chooses what they say.
    """

    overview_toggled = Signal(bool)

    def __init__(self, view: GraphView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = view
        self.legend = Legend(view, self)
        self.colour_box = self._build_colour_box()
        self._zoom = QLabel()
        self._zoom.setMinimumWidth(self._zoom.fontMetrics().horizontalAdvance("1000%") + 4)
        self._zoom.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._whole = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._arrange()
        view.view_changed.connect(self._on_view_changed)
        self.colour_box.currentIndexChanged.connect(self._on_colour_chosen)

    def set_colour_mode(self, mode: ColourMode) -> None:
        """What the fills say, in the view and in the box that chooses it."""
        with QSignalBlocker(self.colour_box):
            self.colour_box.setCurrentIndex(self.colour_box.findData(mode))
        self._view.set_colour_mode(mode)

    def _build_colour_box(self) -> QComboBox:
        box = QComboBox(self)
        for mode in ColourMode:
            box.addItem(mode.value, mode)
        box.setToolTip("What the colour of a box says")
        box.setAccessibleName("Colour mode")
        return box

    def _arrange(self) -> None:
        view, controls = self._view, QWidget()
        row = QHBoxLayout(controls)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        row.addWidget(self.colour_box)
        row.addSpacing(6)
        row.addWidget(self._button("\u2212", "Zoom out (Ctrl+-)", lambda: view.zoom_by(1 / ZOOM_FACTOR)))
        row.addWidget(self._zoom)
        row.addWidget(self._button("+", "Zoom in (Ctrl++)", lambda: view.zoom_by(ZOOM_FACTOR)))
        row.addWidget(self._button("1:1", "Actual size (Ctrl+0)", view.zoom_100))
        row.addWidget(self._button("Fit", "Show the whole graph (Home)", view.fit))
        toggle = self._button("Map", "Show or hide the overview", None)
        toggle.setCheckable(True)
        toggle.setChecked(True)
        toggle.toggled.connect(self.overview_toggled)
        row.addWidget(toggle)
        self._whole.setContentsMargins(8, 3, 8, 3)
        self._whole.setSpacing(4)
        self._whole.addWidget(self.legend, 1)
        self._whole.addWidget(controls, 0, Qt.AlignmentFlag.AlignRight)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow bar has the legend above the controls."""
        is_narrow = event.size().width() < NARROW_PX
        direction = QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        if self._whole.direction() is not direction:
            self._whole.setDirection(direction)
        super().resizeEvent(event)

    def _button(self, text: str, tip: str, slot: object) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        if slot is not None:
            button.clicked.connect(slot)
        return button

    def _on_view_changed(self) -> None:
        percent = self._view.camera.scale * 100
        self._zoom.setText(f"{percent:.0f}%" if percent >= 10 else f"{percent:.1f}%")

    def _on_colour_chosen(self, index: int) -> None:
        self._view.set_colour_mode(self.colour_box.itemData(index))
