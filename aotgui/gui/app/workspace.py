"""The graphs in the middle and the panels around them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.compiler_commands import CompilerCommands
from aotgui.gui.app.debug_commands import DebugCommands
from aotgui.gui.app.debug_memory import DebugMemory
from aotgui.gui.app.docks import Docks
from aotgui.gui.app.graph_commands import GraphCommands
from aotgui.gui.app.graph_tabs import GraphTabs
from aotgui.gui.app.memory_commands import MemoryCommands
from aotgui.gui.app.notice_badges import NoticeBadges
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.split_view import SplitView
from aotgui.gui.app.view_memory import ViewMemory
from aotgui.gui.app.views import Views
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.session.controller import Controller
from aotgui.model.graph import GraphKind


class Workspace:
    """Everything that shows a capture.

    Attributes:
        views: canvases and panels.
        debug: what the debugger's menu does.
        docks: the panels' places.
        badges: how many problems and findings there are, on their tabs.
        memory: how the graphs of each file were looked at.
        tabs: the canvases.
        split: the tabs and a second graph beside them.
        page: the canvases with the search above them.
    """

    def __init__(self, window: QMainWindow, controller: Controller, actions: Actions, store: PreferencesStore) -> None:
        session = self._session = controller.session
        self.views = Views(controller, actions, window)
        self.docks = Docks(window, self.views.dock_specs())
        self.badges = NoticeBadges(controller.session, self.docks, window)
        self.memory = ViewMemory(session, store, window)
        self.tabs = GraphTabs(session, self._build_pane)
        self.split = SplitView(session, self.tabs, self.views.build_pane)
        GraphCommands(session, actions, self.views, self.tabs, self.split, store, window)
        self.debug = DebugCommands(controller, actions, self.views, window)
        self.debug.notice.connect(self.views.notice)
        DebugMemory(session, store, window)
        MemoryCommands(controller, actions, self.views, window)
        CompilerCommands(controller, actions, self.views, window)
        self.page = QWidget()
        column = QVBoxLayout(self.page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.views.search_bar)
        column.addWidget(self.split, 1)
        self._connect_search(actions)
        self.views.panel_wanted.connect(self.docks.bring_to_front)
        self.docks.restore(store.value.layout)

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

    def commands(self) -> dict[str, Callable[[], object]]:
        """What the panels and the graph in front offer besides the actions, by name."""
        commands: dict[str, Callable[[], object]] = {}
        for name, title in self.docks.titles.items():
            commands[f"Panel: {title}"] = partial(self.docks.bring_to_front, name)
        if (pane := self.tabs.pane(self._session.graph_shown)) is not None:
            for mode in ColourMode:
                commands[f"Colour by: {mode.value}"] = partial(pane.set_colour_mode, mode)
        return commands

    def close(self) -> None:
        """Remembers how the graphs are looked at, and gives up what works in the background."""
        self.memory.save()
        self.views.close()

    def _build_pane(self, kind: GraphKind) -> CanvasPane:
        pane = self.views.build_pane(kind, self.memory.state_for(kind))
        self.memory.add(pane)
        return pane
