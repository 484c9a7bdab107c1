"""What the window shows while a file is open of which there is no capture: what happens, or what went wrong."""

from __future__ import annotations

from pathlib import PurePath

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from aotgui.gui.app.result_line import ResultState, result_line
from aotgui.gui.session.session import Session


class WaitPage(QWidget):
    """A calm page with the file's name, a sentence and, after a failure, what to do next.

    Signals:
        reload_requested: the person wants to try again.
        problems_requested: the person wants to see the problems.
        target_requested: the person wants to choose what to capture.
    """

    reload_requested = Signal()
    problems_requested = Signal()
    target_requested = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._title = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        font = self._title.font()
        font.setPointSizeF(font.pointSizeF() * 1.4)
        font.setBold(True)
        self._title.setFont(font)
        self._text = QLabel(alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True)
        self._text.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._reload = QPushButton("Run Again")
        self._reload.clicked.connect(self.reload_requested)
        self._problems = QPushButton("Show Problems")
        self._problems.clicked.connect(self.problems_requested)
        self._target = QPushButton("Choose Target…")
        self._target.clicked.connect(self.target_requested)
        self._lay_out()
        for signal in (
            session.source_changed,
            session.progress_changed,
            session.run_status_changed,
            session.problems_changed,
            session.offer_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    @property
    def text(self) -> str:
        """The sentence shown."""
        return self._text.text()

    def refresh(self) -> None:
        """Shows the session as it is."""
        line = result_line(self._session)
        self._title.setText(PurePath(self._session.source).name)
        self._text.setText(line.text)
        is_over = line.state not in {ResultState.BUSY, ResultState.EMPTY}
        self._reload.setVisible(is_over)
        offer = self._session.offer
        self._target.setVisible(is_over and offer is not None and bool(offer.targets))
        self._problems.setVisible(is_over and bool(self._session.problems))

    def _lay_out(self) -> None:
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        buttons.addWidget(self._target)
        buttons.addWidget(self._reload)
        buttons.addWidget(self._problems)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(48, 32, 48, 32)
        column.setSpacing(12)
        column.addStretch(1)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addLayout(buttons)
        column.addStretch(2)
