"""Which two dimensions of a value are a picture, and at which index the others are."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QLabel, QSpinBox, QWidget

from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import SPACING, MutedLabel


class PlaneControls(QWidget):
    """Two choosers of a dimension and a spin box for each other one.

    Signals:
        changed: the person wants another plane.

    Attributes:
        rows: the dimension that runs downwards.
        columns: the one that runs to the right.
        indexes: a spin box a dimension; those of the two shown are hidden.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows, self.columns = QComboBox(), QComboBox()
        self.indexes: list[QSpinBox] = []
        self._labels: list[QLabel] = []
        self._shape: tuple[int, ...] = ()
        self._flow = FlowLayout(self, spacing=SPACING)
        for words, box in (("down", self.rows), ("across", self.columns)):
            self._flow.addWidget(MutedLabel(words))
            self._flow.addWidget(box)
            box.setAccessibleName(f"Dimension that runs {words}")
            box.activated.connect(self._on_dimension_chosen)
        self.set_shape(())

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole value."""
        return self._shape

    @property
    def dimensions(self) -> tuple[int, int]:
        """Which dimension runs down and which across; -1 for the usual ones, as long as the shape is not known."""
        return (self.rows.currentIndex(), self.columns.currentIndex()) if len(self._shape) > 2 else (-1, -1)

    @property
    def index(self) -> tuple[int, ...]:
        """An index for each dimension; those of the two shown count nothing."""
        return tuple(box.value() for box in self.indexes)

    def set_shape(self, shape: tuple[int, ...]) -> None:
        """Another value: its last two dimensions at its first element."""
        self._shape = shape
        for widget in (*self.indexes, *self._labels):
            self._flow.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        for box in (self.rows, self.columns):
            with QSignalBlocker(box):
                box.clear()
                box.addItems([f"dim {place} ({size:,})" for place, size in enumerate(shape)])
        self.rows.setCurrentIndex(len(shape) - 2)
        self.columns.setCurrentIndex(len(shape) - 1)
        self._labels = [MutedLabel(f"dim {place}") for place in range(len(shape))]
        self.indexes = [self._index_box(place, size) for place, size in enumerate(shape)]
        for label, index in zip(self._labels, self.indexes, strict=True):
            label.setWordWrap(False)
            self._flow.addWidget(label)
            self._flow.addWidget(index)
        self._show_needed()

    def _index_box(self, place: int, size: int) -> QSpinBox:
        box = QSpinBox()
        box.setRange(0, max(0, size - 1))
        box.setSuffix(f" / {size}")
        box.setToolTip(f"Index along dimension {place}, which has {size} entries")
        box.setAccessibleName(f"Index along dimension {place}")
        box.valueChanged.connect(self.changed)
        return box

    def _on_dimension_chosen(self) -> None:
        """Two dimensions that are the same are exchanged for two that are not."""
        rows, columns = self.dimensions
        if rows == columns:
            other = self.columns if self.sender() is self.rows else self.rows
            other.setCurrentIndex(next(place for place in range(len(self._shape)) if place != rows))
        self._show_needed()
        self.changed.emit()

    def _show_needed(self) -> None:
        shown = self.dimensions
        self.setVisible(len(self._shape) > 2)
        for place, (label, box) in enumerate(zip(self._labels, self.indexes, strict=True)):
            label.setVisible(place not in shown)
            box.setVisible(place not in shown)
