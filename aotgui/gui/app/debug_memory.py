"""Remembers breakpoints and watch expressions of each file, and how much memory going back may take."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject

from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.session.session import Session


class DebugMemory(QObject):
    """Fills the session when another source is opened, and writes down what changes."""

    def __init__(self, session: Session, store: PreferencesStore, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._store = session, store
        self._source = ""
        options = session.debug.options
        limit = store.value.debug_memory_mib << 20
        session.debug.set_options(msgspec.structs.replace(options, memory_limit_bytes=limit))
        session.source_changed.connect(self._on_source_changed)
        session.breakpoints.changed.connect(self._remember)
        session.debug.watches_changed.connect(self._remember)
        session.debug.options_changed.connect(self._remember_options)
        self._on_source_changed()

    def _on_source_changed(self) -> None:
        session = self._session
        if session.source == self._source:
            return
        points = self._store.value.breakpoints.get(session.source, ())
        watches = self._store.value.watches.get(session.source, ())
        self._source = ""  # what is filled in need not be written down
        session.breakpoints.set_points(points)
        session.debug.set_expressions(watches)
        self._source = session.source

    def _remember(self) -> None:
        """While another source is being opened, what changes is that of neither."""
        session = self._session
        if session.source and session.source == self._source:
            points, watches = session.breakpoints.points, session.debug.expressions
            self._store.update(self._store.value.with_debugging(session.source, points, watches))

    def _remember_options(self) -> None:
        limit = self._session.debug.options.memory_limit_bytes >> 20
        self._store.update(msgspec.structs.replace(self._store.value, debug_memory_mib=limit))
