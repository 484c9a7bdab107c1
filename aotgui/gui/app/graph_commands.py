"""Connects the actions that are about the graph in front."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec
from PySide6.QtCore import QObject

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.graph_tabs import GraphTabs
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.split_view import SplitView
from aotgui.gui.app.views import Views
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.interaction import KEY_FACTOR
from aotgui.gui.session.session import Session

_IN_FRONT: Final[dict[ActionId, Callable[[CanvasPane], None]]] = {
    ActionId.EXPAND_LEVEL: lambda pane: pane.folds.open_level(),
    ActionId.COLLAPSE_LEVEL: lambda pane: pane.folds.close_level(),
    ActionId.EXPAND_ALL: lambda pane: pane.folds.open_all(),
    ActionId.COLLAPSE_ALL: lambda pane: pane.folds.close_all(),
    ActionId.FLAT: lambda pane: pane.folds.set_flat(pane.folds.expanded is not None),
    ActionId.FIT: lambda pane: pane.view.fit(),
    ActionId.FIT_SELECTION: lambda pane: pane.view.fit_selection(),
    ActionId.ZOOM_IN: lambda pane: pane.view.zoom_by(KEY_FACTOR),
    ActionId.ZOOM_OUT: lambda pane: pane.view.zoom_by(1 / KEY_FACTOR),
    ActionId.ACTUAL_SIZE: lambda pane: pane.view.zoom_100(),
    ActionId.SELECT_ANCESTORS: lambda pane: pane.selecting.select_ancestors(),
    ActionId.SELECT_DESCENDANTS: lambda pane: pane.selecting.select_descendants(),
    ActionId.SELECT_PATH: lambda pane: pane.selecting.select_path(),
    ActionId.ISOLATE: lambda pane: pane.selecting.conceal(others=True),
    ActionId.HIDE_SELECTION: lambda pane: pane.selecting.conceal(others=False),
    ActionId.SHOW_EVERYTHING: lambda pane: pane.selecting.show_all(),
    ActionId.COPY_NAMES: lambda pane: pane.selecting.copy_names(),
}


class GraphCommands(QObject):
    """Where one looks, what is selected, modules, splitting, and what is remembered of them."""

    def __init__(
        self,
        session: Session,
        actions: Actions,
        views: Views,
        tabs: GraphTabs,
        split: SplitView,
        store: PreferencesStore,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._session = session
        self._actions = actions
        self._views = views
        self._tabs = tabs
        self._store = store
        for name, act in _IN_FRONT.items():
            actions[name].triggered.connect(lambda _checked=False, act=act: self._act(act))
        actions[ActionId.SPLIT].toggled.connect(split.set_split)
        reveal = actions[ActionId.EXPAND_TO_REVEAL]
        reveal.setChecked(store.value.expands_to_reveal)
        views.set_expands_to_reveal(store.value.expands_to_reveal)
        reveal.toggled.connect(self._on_reveal_toggled)
        session.capture_changed.connect(self._refresh)
        self._refresh()

    def _act(self, act: Callable[[CanvasPane], None]) -> None:
        pane = self._tabs.pane(self._session.graph_shown)
        if pane is not None:
            act(pane)

    def _on_reveal_toggled(self, wanted: bool) -> None:
        self._views.set_expands_to_reveal(wanted)
        self._store.update(msgspec.structs.replace(self._store.value, expands_to_reveal=wanted))

    def _refresh(self) -> None:
        for name in (*_IN_FRONT, ActionId.SPLIT):
            self._actions[name].setEnabled(self._session.region is not None)
