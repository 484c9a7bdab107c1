"""A quiet line that says that the open file was changed by another program."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget


class ChangedBar(QFrame):
    """Hidden until the file changes.

    Signals:
        reload_requested: the person wants the new content.
    """

    reload_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ChangedBar")
        self._text = QLabel()
        reload = QPushButton("Reload")
        ignore = QPushButton("Not Now")
        ignore.setFlat(True)
        reload.clicked.connect(self.reload_requested)
        reload.clicked.connect(self.hide)
        ignore.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.addWidget(self._text, 1)
        row.addWidget(reload)
        row.addWidget(ignore)
        self.hide()

    def announce(self, name: str) -> None:
        """Says that a file changed."""
        self._text.setText(f"{name} changed on disk. The graphs are those of the earlier content.")
        self.show()
