"""A panel that scrolls where there is too little height for it, instead of taking that height from the graphs."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

LEAST_HEIGHT_PX: Final = 80


class ScrollingPanel(QScrollArea):
    """Holds one panel, at least as wide as the panel wants to be."""

    def __init__(self, panel: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # What is inside takes the keyboard; a stop of its own would do nothing.
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._panel = panel
        self.setWidget(panel)

    def minimumSizeHint(self) -> QSize:
        """Room for the panel's width and the scroll bar beside it."""
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(self._panel.minimumSizeHint().width() + bar, LEAST_HEIGHT_PX)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """The panel wants another width: its buttons come and go."""
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)
