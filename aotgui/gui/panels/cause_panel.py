"""Where a NaN or Inf comes from."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from aotgui.gui.panels.cause_page import cause_page
from aotgui.gui.panels.look import EmptyState
from aotgui.gui.panels.page_browser import PageBrowser
from aotgui.gui.session.session import Session

EMPTY: Final = (
    "Select an executed node whose value holds NaN or Inf and press Find Cause (Ctrl+Shift+F11): here appears the node "
    "that made it, with its inputs, its line of source and the way from there."
)


class CausePanel(QWidget):
    """The last answer; links lead to nodes and lines.

    Signals:
        source_requested: (file, line) should be shown.

    Attributes:
        session: the truth.
        browser: what is shown.
    """

    source_requested = Signal(str, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.browser = PageBrowser(session, "Cause of NaN or Inf")
        self._empty = EmptyState(EMPTY)
        self._stack = QStackedWidget()
        self.browser.source_requested.connect(self.source_requested)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for widget in (self._empty, self.browser):
            self._stack.addWidget(widget)
        layout.addWidget(self._stack)
        session.debug.cause_changed.connect(self._show_cause)
        self._show_cause()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was asked yet."""
        return self._stack.currentWidget() is self._empty

    def _show_cause(self) -> None:
        cause = self.session.debug.cause
        graph = self.session.graph(cause[0]) if cause else None
        if cause is None or graph is None:
            self._stack.setCurrentWidget(self._empty)
            return
        self.browser.show_page(cause_page(graph.names[cause[1]], cause[2]))
        self._stack.setCurrentWidget(self.browser)
