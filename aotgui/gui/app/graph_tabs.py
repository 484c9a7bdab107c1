"""The middle of the window: a tab for each graph of the region shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QSignalBlocker, QTimer
from PySide6.QtWidgets import QComboBox, QTabWidget, QWidget

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.text import count_text

TITLES: Final = {
    GraphKind.JOINT: "Joint",
    GraphKind.FORWARD: "Forward",
    GraphKind.BACKWARD: "Backward",
    GraphKind.INFERENCE: "Inference",
}
TRAINING: Final = (GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD)


class GraphTabs(QTabWidget):
    """A canvas for each graph and, where a capture has several regions, a list of them.

    Panes are built when their graph first exists, and kept: what a person zoomed to stays.
    """

    def __init__(
        self, session: Session, build_pane: Callable[[GraphKind], CanvasPane], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setDocumentMode(True)
        self._session = session
        self._build_pane = build_pane
        self._panes: dict[GraphKind, CanvasPane] = {}
        self._regions = QComboBox()
        self._regions.setAccessibleName("Region")
        self._regions.setToolTip("torch.compile split the target into several regions; choose the one to show.")
        self._regions.activated.connect(session.set_region_index)
        self.setCornerWidget(self._regions)
        self._regions.hide()
        self.currentChanged.connect(self._on_current_changed)
        session.capture_changed.connect(self.refresh)
        session.result_changed.connect(self._show_counts)
        session.graph_shown_changed.connect(self._on_graph_shown_changed)
        self.refresh()

    @property
    def kinds(self) -> list[GraphKind]:
        """The graphs that have a tab, in order."""
        by_pane = {id(pane): kind for kind, pane in self._panes.items()}
        return [by_pane[id(self.widget(place))] for place in range(self.count())]

    def pane(self, kind: GraphKind) -> CanvasPane | None:
        """The canvas of a graph, or None where there never was one."""
        return self._panes.get(kind)

    def build_ahead(self) -> None:
        """Builds the canvases of a training region, one in each turn of the event loop, before there are graphs."""
        missing = next((kind for kind in TRAINING if kind not in self._panes), None)
        if missing:
            self._panes[missing] = self._build_pane(missing)
            QTimer.singleShot(0, self, self.build_ahead)

    def refresh(self) -> None:
        """Shows the tabs of the region shown."""
        region = self._session.region
        wanted = [kind for kind in GraphKind if region and kind in region.graphs]
        if wanted != self.kinds:
            self._show_tabs(wanted)
        self._show_counts()
        self._show_regions()
        self._on_graph_shown_changed()

    def _show_tabs(self, wanted: list[GraphKind]) -> None:
        with QSignalBlocker(self):
            self.clear()
            for kind in wanted:
                if kind not in self._panes:
                    self._panes[kind] = self._build_pane(kind)
                self.addTab(self._panes[kind], TITLES[kind])

    def _show_counts(self) -> None:
        for place, kind in enumerate(self.kinds):
            graph = self._session.graph(kind)
            if graph is not None:
                self.setTabText(place, f"{TITLES[kind]}  {graph.node_count:,}")
                self.setTabToolTip(place, f"{TITLES[kind]} graph: {count_text(graph.node_count, 'node')}")

    def _show_regions(self) -> None:
        capture = self._session.capture
        regions = capture.regions if capture else []
        with QSignalBlocker(self._regions):
            self._regions.clear()
            self._regions.addItems([region.name for region in regions])
            self._regions.setCurrentIndex(self._session.region_index)
        self._regions.setVisible(len(regions) > 1)

    def _on_current_changed(self, place: int) -> None:
        if 0 <= place < self.count():
            self._session.show_graph(self.kinds[place])

    def _on_graph_shown_changed(self) -> None:
        kinds = self.kinds
        if self._session.graph_shown in kinds:
            self.setCurrentIndex(kinds.index(self._session.graph_shown))
