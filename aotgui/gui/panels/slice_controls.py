"""Which window of a value is shown: an index for each outer dimension, the first row and column."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QSpinBox, QToolButton, QWidget

from aotgui.gui.panels.look import SPACING, MutedLabel
from aotgui.model.values import ValueSlice

BOXES_PER_LINE = 3


@dataclass(frozen=True, slots=True)
class Place:
    """The first element of a window.

    Attributes:
        index: one index for each dimension but the last two.
        row: first row.
        column: first column.
    """

    index: tuple[int, ...] = ()
    row: int = 0
    column: int = 0


class SliceControls(QWidget):
    """Spin boxes for the outer dimensions; paging along rows and columns where the value is larger than the window.

    Signals:
        window_changed: the person wants another window.

    Attributes:
        indexes: one spin box an outer dimension.
        rows: paging along the last dimension but one.
        columns: paging along the last dimension.
    """

    window_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.indexes: list[QSpinBox] = []
        self.rows = Pager("Rows", "▲", "▼")
        self.columns = Pager("Columns", "◀", "▶")
        self._shape: tuple[int, ...] = ()
        self._boxes = QWidget()
        self._grid = QGridLayout(self._boxes)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(SPACING)
        self._grid.setColumnStretch(2 * BOXES_PER_LINE, 1)
        layout = QGridLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self._boxes, 0, 0)
        layout.addWidget(self.rows, 1, 0)
        layout.addWidget(self.columns, 2, 0)
        for pager in (self.rows, self.columns):
            pager.page_changed.connect(self.window_changed)
        self.set_shape(())

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the whole value."""
        return self._shape

    @property
    def place(self) -> Place:
        """What is wanted."""
        return Place(tuple(box.value() for box in self.indexes), self.rows.first, self.columns.first)

    def set_shape(self, shape: tuple[int, ...]) -> None:
        """Another value: starts at its first element."""
        self._shape = shape
        for box in (*self.indexes, *self._boxes.findChildren(QLabel)):
            self._grid.removeWidget(box)
            box.hide()
            box.deleteLater()
        self.indexes = [self._add_box(place, size) for place, size in enumerate(shape[:-2])]
        self._boxes.setVisible(bool(self.indexes))
        self.rows.reset()
        self.columns.reset()

    def show_extent(self, value: ValueSlice) -> None:
        """Say which rows and columns are on screen."""
        shape = value.shape
        self.rows.show_extent(value.row, len(value.rows), shape[-2] if len(shape) > 1 else 1)
        self.columns.show_extent(value.column, len(value.rows[0]), shape[-1] if shape else 1)

    def _add_box(self, place: int, size: int) -> QSpinBox:
        label, box = MutedLabel(f"dim {place}"), QSpinBox()
        label.setWordWrap(False)
        box.setRange(0, max(0, size - 1))
        box.setSuffix(f" / {size}")
        box.setToolTip(f"Index along dimension {place}, which has {size} entries")
        box.setAccessibleName(f"Index along dimension {place}")
        box.valueChanged.connect(self.window_changed)
        line, column = divmod(place, BOXES_PER_LINE)
        self._grid.addWidget(label, line, 2 * column)
        self._grid.addWidget(box, line, 2 * column + 1)
        return box


class Pager(QWidget):
    """Which part of one dimension is shown, and buttons to the parts before and after.

    Signals:
        page_changed: the person wants another part.

    Attributes:
        first: the first entry wanted.
        text: which part is on screen.
        back: to the part before.
        forth: to the part after.
    """

    page_changed = Signal()

    def __init__(self, noun: str, back: str, forth: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.first = 0
        self.text = MutedLabel()
        self.text.setWordWrap(False)
        self.back = self._button(back, f"Previous {noun.lower()}")
        self.forth = self._button(forth, f"Next {noun.lower()}")
        self._noun = noun
        self._count = 0
        self.back.clicked.connect(lambda: self._go(self.first - self._count))
        self.forth.clicked.connect(lambda: self._go(self.first + self._count))
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        for widget in (self.back, self.forth, self.text):
            layout.addWidget(widget)
        layout.addStretch(1)

    def reset(self) -> None:
        """Back to the first part."""
        self.first = self._count = 0
        self.hide()

    def show_extent(self, first: int, count: int, total: int) -> None:
        """``count`` of ``total`` entries from ``first`` on are on screen."""
        self.first, self._count = first, max(count, self._count)
        self.back.setEnabled(first > 0)
        self.forth.setEnabled(first + count < total)
        self.text.setText(f"{self._noun} {first:,} to {first + count - 1:,} of {total:,}")
        self.setVisible(first > 0 or count < total)

    def _button(self, sign: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setText(sign)
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoRaise(True)
        return button

    def _go(self, first: int) -> None:
        self.first = max(0, first)
        self.page_changed.emit()
