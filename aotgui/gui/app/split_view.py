"""A second graph beside the tabs, for looking at two at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QStackedWidget, QTabBar, QToolButton, QVBoxLayout, QWidget

from aotgui.gui.app.graph_tabs import TITLES, GraphTabs
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.linked_views import LinkedViews
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph, GraphKind


class SplitView(QSplitter):
    """The tabs and, where wanted, a second graph at their right.

    The selection is the session's, so that both sides show it; what is selected on one side comes into view on the
    other.
    """

    def __init__(self, session: Session, tabs: GraphTabs, build_pane: Callable[[GraphKind], CanvasPane]) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._session = session
        self._tabs = tabs
        self._second = SecondGraph(session, build_pane)
        self._copies = SessionCopies(session)
        self._scrolling = LinkedViews(self._copies.between, parent=self)
        self.addWidget(tabs)
        self.addWidget(self._second)
        self.setChildrenCollapsible(False)
        self._second.hide()
        session.selection_changed.connect(self._on_selection_changed)
        for signal in (self._second.linked.toggled, self._second.chosen, session.graph_shown_changed):
            signal.connect(self._link)

    @property
    def second(self) -> SecondGraph:
        """The side at the right."""
        return self._second

    @property
    def is_split(self) -> bool:
        """Whether there are two sides."""
        return not self._second.isHidden()

    def set_split(self, wanted: bool) -> None:
        """Shows or hides the second side; at first it shows what the first does not."""
        if wanted:
            self._second.begin(self._session.graph_shown)
            self.setSizes([self.width() // 2, self.width() // 2])
        self._second.setVisible(wanted)
        self._link()

    def _link(self) -> None:
        """Both sides scroll together while that is wanted and both are seen."""
        panes = (self._tabs.pane(self._session.graph_shown), self._second.pane)
        is_wanted = self.is_split and self._second.linked.isChecked()
        self._scrolling.link(*(pane for pane in panes if pane is not None and is_wanted))

    def _on_selection_changed(self) -> None:
        if self.is_split:
            for pane in (self._tabs.pane(self._session.graph_shown), self._second.pane):
                if pane is not None:
                    pane.follow_selection()


class SessionCopies:
    """Which node of one graph of a session is which of another, looked up once for each pair."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._known: dict[tuple[GraphKind, GraphKind], tuple[Graph, Graph, NDArray[np.int64]]] = {}

    def between(self, one: CanvasPane, other: CanvasPane) -> NDArray[np.int64]:
        """For each node of the graph of a pane its first copy in that of the other, or -1: int64 (nodes,)."""
        graph, there = self._session.graph(one.kind), self._session.graph(other.kind)
        if graph is None or there is None:
            return np.empty(0, np.int64)
        known = self._known.get((one.kind, other.kind))
        if known is None or known[0] is not graph or known[1] is not there:
            found = (self._session.copies_in(other.kind, one.kind, [node])[:1] for node in range(len(graph)))
            copies = np.fromiter((copy[0] if copy else -1 for copy in found), np.int64, len(graph))
            known = self._known[one.kind, other.kind] = (graph, there, copies)
        return known[2]


class SecondGraph(QWidget):
    """Any graph of the region, chosen by tabs of its own.

    Signals:
        chosen: another graph is in front.

    Attributes:
        bar: the tabs.
        linked: whether both sides should scroll together.
    """

    chosen = Signal()

    def __init__(self, session: Session, build_pane: Callable[[GraphKind], CanvasPane]) -> None:
        super().__init__()
        self._session = session
        self._build_pane = build_pane
        self._panes: dict[GraphKind, CanvasPane] = {}
        self._kinds: list[GraphKind] = []
        self._chosen: GraphKind | None = None
        self.bar = QTabBar()
        self.bar.setDocumentMode(True)
        self.bar.setExpanding(False)
        self.linked = QToolButton()
        self.linked.setText("Scroll together")
        self.linked.setToolTip("Move both graphs at once: what is in the middle of one stands beside it in the other.")
        self.linked.setCheckable(True)
        self.linked.setAutoRaise(True)
        self._stack = QStackedWidget()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 4, 0)
        row.addWidget(self.bar, 1)
        row.addWidget(self.linked)
        column.addLayout(row)
        column.addWidget(self._stack, 1)
        self.bar.currentChanged.connect(self._on_current_changed)
        session.capture_changed.connect(self.refresh)

    @property
    def pane(self) -> CanvasPane | None:
        """The canvas in front, or None before there was one."""
        return self._panes.get(self._chosen) if self._chosen else None

    def begin(self, beside: GraphKind) -> None:
        """Shows a graph that goes with the one at the left, unless one was chosen before."""
        if self._chosen is None:
            others = [kind for kind in self._available() if kind is not beside]
            self._chosen = (others or [beside])[-1]
        self.refresh()

    def refresh(self) -> None:
        """Offers the graphs of the region shown."""
        if self._chosen is None:
            return
        self._kinds = self._available()
        if self._kinds and self._chosen not in self._kinds:
            self._chosen = self._kinds[-1]
        with QSignalBlocker(self.bar):
            while self.bar.count():
                self.bar.removeTab(0)
            for kind in self._kinds:
                self.bar.addTab(TITLES[kind])
            if self._chosen in self._kinds:
                self.bar.setCurrentIndex(self._kinds.index(self._chosen))
        self._show_chosen()

    def _available(self) -> list[GraphKind]:
        region = self._session.region
        return [kind for kind in GraphKind if region and kind in region.graphs]

    def _on_current_changed(self, place: int) -> None:
        if 0 <= place < len(self._kinds):
            self._chosen = self._kinds[place]
            self._show_chosen()

    def _show_chosen(self) -> None:
        kind = self._chosen
        if kind is None:
            return
        if kind not in self._panes:
            self._panes[kind] = self._build_pane(kind)
            self._stack.addWidget(self._panes[kind])
        self._stack.setCurrentWidget(self._panes[kind])
        self.chosen.emit()
