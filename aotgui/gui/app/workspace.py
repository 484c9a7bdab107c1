"""The graphs in the middle and the panels around them."""

from __future__ import annotations

from PySide6.QtWidgets import QMainWindow

from aotgui.gui.app.actions import Actions
from aotgui.gui.app.docks import Docks
from aotgui.gui.app.graph_tabs import GraphTabs
from aotgui.gui.app.views import Views
from aotgui.gui.session.controller import Controller


class Workspace:
    """Everything that shows a capture.

    Attributes:
        views: canvases and panels.
        docks: the panels' places.
        tabs: the canvases.
    """

    def __init__(self, window: QMainWindow, controller: Controller, actions: Actions, layout: bytes) -> None:
        self.views = Views(controller, actions, window)
        self.docks = Docks(window, self.views.dock_specs())
        self.tabs = GraphTabs(controller.session, self.views.build_pane)
        self.views.panel_wanted.connect(self.docks.bring_to_front)
        self.docks.restore(layout)

    def close(self) -> None:
        """Gives up what works in the background."""
        self.views.close()
