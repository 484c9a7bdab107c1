"""The search for the node at which a compiler goes wrong, and what it found."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QStackedWidget, QVBoxLayout, QWidget

from aotgui.gui.panels.culprit_page import culprit_page
from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, MutedLabel
from aotgui.gui.panels.page_browser import PageBrowser
from aotgui.gui.session.compiler_trials import CulpritSearch
from aotgui.gui.session.session import Session
from aotgui.gui.session.trial_control import TrialControl
from aotgui.model.text import count_text

EMPTY: Final = (
    "When a compiler refuses a graph or its result differs from eager, Find Culprit compiles ever smaller parts of the "
    "graph until the first node that goes wrong is known."
)


class CulpritPanel(QWidget):
    """Begins and stops the search; shows how far it is and what it found.

    Signals:
        source_requested: (file, line) should be shown.
        repro_requested: the person wants a script that fails in the same way.

    Attributes:
        find_button: begins the search, or stops it.
        show_button: marks the node again.
        repro_button: asks for the script.
        browser: what was found.
        status: how far the search is, or how it ended.
    """

    source_requested = Signal(str, int)
    repro_requested = Signal()

    def __init__(self, session: Session, control: TrialControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.control = session, control
        self.find_button = QPushButton("Find Culprit")
        self.show_button = QPushButton("Show on Canvas")
        self.repro_button = QPushButton("Save Minimal Repro…")
        self.browser = PageBrowser(session, "Culprit")
        self.status = MutedLabel()
        self._bar = QProgressBar()
        self._empty = EmptyState(EMPTY)
        self._stack = QStackedWidget()
        self._set_up()
        self._connect()
        self._refresh()

    @property
    def is_empty(self) -> bool:
        """Whether no node was found."""
        return self._stack.currentWidget() is self._empty

    def _set_up(self) -> None:
        self.find_button.setToolTip("Find the first node at which the compiler of the last run goes wrong.")
        self.show_button.setToolTip("Mark the node in every graph and select it.")
        self.repro_button.setToolTip("Save the smallest script that fails in the same way with plain Python.")
        self._bar.setTextVisible(False)
        self._bar.setMaximumHeight(SPACING)
        for page in (self._empty, self.browser):
            self._stack.addWidget(page)
        head = QWidget()
        head.setContentsMargins(MARGIN, 0, MARGIN, 0)
        tools = FlowLayout(head, spacing=SPACING)
        for button in (self.find_button, self.show_button, self.repro_button):
            tools.addWidget(button)
        self.status.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACING, 0, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(head)
        layout.addWidget(self._bar)
        layout.addWidget(self.status)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.find_button.clicked.connect(self._on_find_clicked)
        self.show_button.clicked.connect(self.control.show_culprit)
        self.repro_button.clicked.connect(self.repro_requested)
        self.browser.source_requested.connect(self.source_requested)
        self.session.trials.search_changed.connect(self._refresh)
        self.control.working_changed.connect(self._refresh)
        for signal in (self.session.progress_changed, self.session.capture_changed):
            signal.connect(self._refresh)

    def _refresh(self) -> None:
        search, is_searching = self.session.trials.search, self.control.is_searching
        obstacle = self.control.obstacle
        culprit = search.culprit if search else None
        self.find_button.setText("Stop" if is_searching else "Find Culprit")
        self.find_button.setEnabled(is_searching or not obstacle)
        self.show_button.setEnabled(culprit is not None and self.session.graph(culprit.graph) is not None)
        self.repro_button.setEnabled(culprit is not None and not obstacle and not self.control.is_working)
        self._show_progress(search, is_searching)
        self._empty.setText(obstacle or EMPTY)
        said = search.detail if search and search.is_over and culprit is None else ""
        self.status.setText(_progress_text(search) if is_searching else said)
        self.status.setVisible(bool(self.status.text()))
        self._stack.setCurrentWidget(self._empty if culprit is None else self.browser)
        if culprit is not None:
            self.browser.show_page(culprit_page(culprit, self.session.graph(culprit.graph)))

    def _show_progress(self, search: CulpritSearch | None, is_searching: bool) -> None:
        progress = search.progress if search else None
        self._bar.setVisible(is_searching)
        if progress is None:
            self._bar.setRange(0, 0)
            return
        left = progress.last - progress.first
        self._bar.setRange(0, max(progress.nodes, 1))
        self._bar.setValue(max(progress.nodes - left, 0))

    def _on_find_clicked(self) -> None:
        if self.control.is_searching:
            self.control.stop()
        else:
            self.control.find_culprit()


def _progress_text(search: CulpritSearch | None) -> str:
    progress = search.progress if search else None
    if progress is None:
        return "Compiling the whole graph…"
    left = progress.last - progress.first + 1
    done = count_text(progress.compilations, "compilation")
    return f"Searching the {progress.graph}: {count_text(left, 'operator')} left of {progress.nodes:,} after {done}."
