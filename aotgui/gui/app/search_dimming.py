"""Fades in every graph what a search leaves out."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.session.search import Search
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph


class SearchDimming(QObject):
    """Keeps one canvas in step with the search; made for each canvas."""

    def __init__(self, session: Session, search: Search, pane: CanvasPane) -> None:
        super().__init__(pane)
        self._session = session
        self._search = search
        self._pane = pane
        self._dimmed: Graph | None = None
        search.changed.connect(self._apply)
        # A layout that is finished shows another graph, on which nothing is faded yet.
        pane.view.appearance_changed.connect(self._on_appearance_changed)

    def _on_appearance_changed(self) -> None:
        if self._search.is_active and self._shown() is not self._dimmed:
            self._apply()

    def _apply(self) -> None:
        graph = self._session.graph(self._pane.kind)
        if graph is not None and graph is not self._shown():
            return  # it is still being laid out
        self._dimmed = graph
        mask = self._search.mask(self._pane.kind)
        self._pane.set_search(np.frombuffer(mask, np.uint8) == 0 if mask is not None else None)

    def _shown(self) -> Graph | None:
        scene = self._pane.view.scene
        return scene.graph if scene is not None else None
