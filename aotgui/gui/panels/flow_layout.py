"""A layout that puts widgets beside each other and goes on in the next line where a line is full."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget


class FlowLayout(QLayout):
    """From left to right, then downwards; each widget has the size that it wants."""

    def __init__(self, parent: QWidget | None = None, *, spacing: int) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        """One more."""
        self._items.append(item)

    def count(self) -> int:
        """How many there are."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """One of them."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Gives one away."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """It needs no more room than it has."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """The narrower, the higher."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Of all lines."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Puts everything in its place."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def sizeHint(self) -> QSize:
        """As small as it can be."""
        return self.minimumSize()

    def minimumSize(self) -> QSize:
        """The largest of them."""
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        """Height of all lines in a width; with ``move`` everything is put there, in the middle of its line."""
        y = rect.top()
        for line in self._lines(rect.width()):
            height = max(item.sizeHint().height() for item in line)
            x = rect.left()
            for item in line if move else ():
                wanted = item.sizeHint()
                item.setGeometry(QRect(QPoint(x, y + (height - wanted.height()) // 2), wanted))
                x += wanted.width() + self.spacing()
            y += height + self.spacing() // 2
        return max(0, y - self.spacing() // 2 - rect.top())

    def _lines(self, width: int) -> list[list[QLayoutItem]]:
        """The items that are shown, a list for each line."""
        lines: list[list[QLayoutItem]] = []
        x = width + 1
        for item in self._items:
            if item.isEmpty():  # hidden
                continue
            wanted = item.sizeHint().width()
            if not lines or x + wanted > width:
                lines.append([])
                x = 0
            lines[-1].append(item)
            x += wanted + self.spacing()
        return lines
