"""What stands in the session's light, shown on the boxes of one view and said in a line above it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from aotgui.gui.canvas.dimming import Dimming, Reason
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.session.session import Session
from aotgui.gui.session.spotlight import Spot
from aotgui.model.graph import GraphKind

MARGIN: Final = 8


class SpotBar(QWidget):
    """Keeps a view in step with the session's spotlight; visible while something of its graph stands in the light."""

    def __init__(
        self, view: GraphView, dimming: Dimming, session: Session, kind: GraphKind, is_current: Callable[[], bool]
    ) -> None:
        """Listens to the session.

        Args:
            view: marked.
            dimming: what is faded in it.
            session: whose spotlight.
            kind: of the graph in the view.
            is_current: whether the view shows the session's graph right now.
        """
        super().__init__()
        self._view, self._dimming, self._session = view, dimming, session
        self._kind, self._is_current = kind, is_current
        self.label = QLabel()
        self.fit = QPushButton("Fit")
        self.dismiss = QPushButton("Clear")
        self._arrange()
        session.spotlight.changed.connect(self._on_changed)

    def show_spot(self) -> None:
        """Marks a graph that has no marks yet."""
        spot, nodes = self._session.spotlight.spot, self._nodes()
        self._view.set_path(nodes, is_path=bool(spot and spot.is_path))
        self._dimming.set(Reason.SPOTLIGHT, self._faded(spot, nodes))
        self.setVisible(bool(nodes))
        self.label.setText(spot.title if spot else "")
        self.label.setToolTip(spot.title if spot else "")

    def _on_changed(self) -> None:
        """A path comes into view as a whole; where differences lie, one goes by oneself."""
        self.show_spot()
        spot, nodes = self._session.spotlight.spot, self._nodes()
        if spot is not None and spot.is_path and not all(self._view.shows_node(node) for node in nodes):
            self._view.fit_nodes(nodes)

    def _arrange(self) -> None:
        # A long sentence is cut rather than widening the window.
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.fit.setToolTip("Show all marked nodes.")
        self.dismiss.setToolTip("Mark nothing any more.")
        self.fit.clicked.connect(lambda: self._view.fit_nodes(self._nodes()))
        self.dismiss.clicked.connect(self._session.spotlight.clear)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 3, MARGIN, 3)
        row.addWidget(self.label, 1)
        row.addWidget(self.fit)
        row.addWidget(self.dismiss)
        self.hide()

    def _nodes(self) -> list[int]:
        spot = self._session.spotlight.spot
        if spot is None or not self._is_current():
            return []
        return self._session.copies_in(self._kind, spot.graph, spot.nodes)

    def _faded(self, spot: Spot | None, nodes: list[int]) -> np.ndarray | None:
        graph = self._session.graph(self._kind)
        if spot is None or graph is None or not nodes or not spot.fades_others:
            return None
        faded = np.ones(len(graph), np.bool_)
        faded[nodes] = False
        return faded
