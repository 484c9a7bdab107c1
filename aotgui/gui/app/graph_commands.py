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
from aotgui.gui.session.session import Session

_FOLDING: Final[dict[ActionId, Callable[[CanvasPane], None]]] = {
    ActionId.EXPAND_LEVEL: lambda pane: pane.folds.open_level(),
    ActionId.COLLAPSE_LEVEL: lambda pane: pane.folds.close_level(),
    ActionId.EXPAND_ALL: lambda pane: pane.folds.open_all(),
    ActionId.COLLAPSE_ALL: lambda pane: pane.folds.close_all(),
    ActionId.FLAT: lambda pane: pane.folds.set_flat(pane.folds.expanded is not None),
}


class GraphCommands(QObject):
    """Modules, splitting, and what is remembered of them."""

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
        for name, fold in _FOLDING.items():
            actions[name].triggered.connect(lambda _checked=False, fold=fold: self._fold(fold))
        actions[ActionId.SPLIT].toggled.connect(split.set_split)
        reveal = actions[ActionId.EXPAND_TO_REVEAL]
        reveal.setChecked(store.value.expands_to_reveal)
        views.set_expands_to_reveal(store.value.expands_to_reveal)
        reveal.toggled.connect(self._on_reveal_toggled)
        session.capture_changed.connect(self._refresh)
        self._refresh()

    def _fold(self, fold: Callable[[CanvasPane], None]) -> None:
        pane = self._tabs.pane(self._session.graph_shown)
        if pane is not None:
            fold(pane)

    def _on_reveal_toggled(self, wanted: bool) -> None:
        self._views.set_expands_to_reveal(wanted)
        self._store.update(msgspec.structs.replace(self._store.value, expands_to_reveal=wanted))

    def _refresh(self) -> None:
        for name in (*_FOLDING, ActionId.SPLIT):
            self._actions[name].setEnabled(self._session.region is not None)
