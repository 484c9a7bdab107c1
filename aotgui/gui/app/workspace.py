"""The graphs in the middle and the panels around them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.docks import Docks
from aotgui.gui.app.graph_tabs import GraphTabs
from aotgui.gui.app.notice_badges import NoticeBadges
from aotgui.gui.app.views import Views
from aotgui.gui.session.controller import Controller


class Workspace:
    """Everything that shows a capture.

    Attributes:
        views: canvases and panels.
        docks: the panels' places.
        badges: how many problems and findings there are, on their tabs.
        tabs: the canvases.
        page: the canvases with the search above them.
    """

    def __init__(self, window: QMainWindow, controller: Controller, actions: Actions, layout: bytes) -> None:
        self._session = controller.session
        self.views = Views(controller, actions, window)
        self.docks = Docks(window, self.views.dock_specs())
        self.badges = NoticeBadges(controller.session, self.docks, window)
        self.tabs = GraphTabs(controller.session, self.views.build_pane)
        self.page = QWidget()
        column = QVBoxLayout(self.page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.views.search_bar)
        column.addWidget(self.tabs, 1)
        self._connect_search(actions)
        self.views.panel_wanted.connect(self.docks.bring_to_front)
        self.docks.restore(layout)

    def _connect_search(self, actions: Actions) -> None:
        bar = self.views.search_bar
        bar.closed.connect(self._focus_graph)
        for name, slot in (
            (ActionId.FIND, bar.open),
            (ActionId.FIND_NEXT, bar.go_next),
            (ActionId.FIND_PREVIOUS, bar.go_previous),
        ):
            actions[name].triggered.connect(slot)

    def _focus_graph(self) -> None:
        pane = self.tabs.pane(self._session.graph_shown)
        if pane is not None:
            pane.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def close(self) -> None:
        """Gives up what works in the background."""
        self.views.close()
