"""Remembers for each file how its graphs were looked at: zoom, place, open modules, colours."""

from __future__ import annotations

from PySide6.QtCore import QObject

from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.session.session import Session
from aotgui.gui.session.view_state import ViewState
from aotgui.model.graph import GraphKind


class ViewMemory(QObject):
    """Saves when another source is opened and when the window closes; restores when a source comes back."""

    def __init__(self, session: Session, store: PreferencesStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._store = store
        self._source = session.source
        self._panes: list[CanvasPane] = []
        session.source_changed.connect(self._on_source_changed)

    def state_for(self, kind: GraphKind) -> ViewState | None:
        """How a graph of the open source was looked at last, or None."""
        return self._store.value.views.get(self._session.source, {}).get(kind.value)

    def add(self, pane: CanvasPane) -> None:
        """Remembers a view."""
        self._panes.append(pane)

    def save(self) -> None:
        """Remembers how the graphs of the open source are looked at."""
        states = {pane.kind.value: pane.state() for pane in self._panes if pane.source == self._source}
        known = {kind: state for kind, state in states.items() if state is not None}
        if self._source and known:
            self._store.update(self._store.value.with_views(self._source, known))

    def _on_source_changed(self) -> None:
        self.save()
        self._source = self._session.source
        for pane in self._panes:
            pane.restore_state(self.state_for(pane.kind))
