"""The min-cut network around the selected node, drawn like any other graph."""

from __future__ import annotations

import math
from typing import Final

import msgspec
from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QPalette, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from aotgui.gui.canvas.arranging import Arrangement, Request
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.layout_runner import LayoutRunner
from aotgui.gui.session.session import Session
from aotgui.model.capture import Region
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.cut_view import SINK, SOURCE, CutView, cut_view
from aotgui.model.graph import GraphKind
from aotgui.model.text import bytes_text
from aotgui.model.why_words import ban_words, need_words, obstacle_words

MARGIN: Final = 8
READABLE_SCALE: Final = 0.7
FIRST_LIMIT: Final = 8
"""Nodes of the network that are shown at first."""
MOST: Final = 400

NO_CAPTURE: Final = "The network that decides what is saved appears here after a run."
NO_NETWORK: Final = (
    "There is no min-cut network for this partition: the default partitioner needs none, and neither does a "
    "memory budget of 0. Choose the min_cut partitioner to see one."
)
NO_SELECTION: Final = "Select a node to see the min-cut network around it."
OUTSIDE: Final = "This node is not in the min-cut network: torch merged it with an equal one or removed it."
KEY: Final = (
    "Blue: the source side, computed in the forward only. Red: the sink side, computed in the backward. "
    "The cut goes through what is saved (S); the number on that edge is what saving costs. Infinite edges say what "
    "must not be recomputed (banned), what cannot be saved (unsaveable) and what the backward needs (needed)."
)
_SIDES: Final = {
    CutSide.SOURCE: "On the source side: computed in the forward, not passed on.",
    CutSide.CUT: "The cut goes through it: saved.",
    CutSide.SINK: "On the sink side: computed in the backward.",
}


class NetworkPanel(QWidget):
    """Follows the selection; a click in the network selects, and stays in the part that is shown.

    Attributes:
        session: the truth.
        view: the network.
        more: shows more of it.
        note: what the network says of the selected node.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.view = GraphView(self)
        self.title = QLabel()
        self.note = QLabel()
        self.key = QLabel("blue: source, red: sink")
        self.more = QPushButton("More")
        self._runner = LayoutRunner(self)
        self._shown: CutView | None = None
        self._region: Region | None = None
        self._node = -1
        self._limit = FIRST_LIMIT
        self._is_clicked = False
        self._framed = self.view.camera
        self._later = QTimer(self, interval=0, singleShot=True)
        self._later.timeout.connect(self._refresh)
        self._arrange()
        self._connect()
        self.view.show_message(NO_CAPTURE)

    @property
    def shown(self) -> CutView | None:
        """What is shown, or None."""
        return self._shown

    @property
    def message(self) -> str:
        """What is said instead of a network."""
        return self.view.message

    def close_background(self) -> None:
        """Gives up a layout at work; to be called before the window goes."""
        self._later.stop()
        self._runner.close()

    # --- Building ---------------------------------------------------------------------------------------------

    def _arrange(self) -> None:
        self.view.setAccessibleName("Min-cut network")
        for label in (self.title, self.note):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.note.setWordWrap(True)
        self.title.setToolTip(KEY)
        self.key.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.key.setToolTip(KEY)
        self.more.setToolTip("Show twice as many nodes of the network.")
        self._head = QWidget()
        head = QHBoxLayout(self._head)
        head.setContentsMargins(MARGIN, 3, MARGIN, 3)
        head.addWidget(self.title, 1)
        head.addWidget(self.key)
        head.addWidget(self.more)
        self.note.setContentsMargins(MARGIN, 3, MARGIN, 3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._head)
        column.addWidget(self.view, 1)
        column.addWidget(self.note)

    def _connect(self) -> None:
        self.more.clicked.connect(self._on_more)
        self.view.selection_requested.connect(self._on_selection_requested)
        self._runner.finished.connect(self._on_arranged)
        self.session.capture_changed.connect(self._later.start)
        self.session.selection_changed.connect(self._on_selection_changed)

    # --- From the session -------------------------------------------------------------------------------------

    def _on_selection_changed(self) -> None:
        if not self._is_clicked:
            self._later.start()

    def _refresh(self) -> None:
        if not self.isVisible():
            return
        region, node = self.session.region, self._selected_node()
        if region is not self._region or node != self._node:
            self._region, self._node, self._limit = region, node, FIRST_LIMIT
            self._show()

    def _selected_node(self) -> int:
        return next(iter(self.session.selected_in(GraphKind.JOINT)), -1)

    def _show(self) -> None:
        region = self._region
        self._shown = layered(cut_view(region, self._node, self._limit)) if region and self._node >= 0 else None
        self._head.setVisible(self._shown is not None)
        self.note.setVisible(self._shown is not None)
        if self._shown is None:
            self._runner.cancel()
            self.view.set_graph(None, None)
            self.view.show_message(_obstacle(region, self._node))
            return
        self.more.setEnabled(not self._shown.is_whole and self._limit < MOST)
        self.title.setText(self._title_text(self._shown))
        self.view.show_message("Laying out\u2026")
        self._runner.start(Request(self._shown.graph))

    def _on_arranged(self, arrangement: Arrangement) -> None:
        if self._shown is None or arrangement.graph is not self._shown.graph:
            return
        self.view.set_graph(arrangement.graph, arrangement.layout, edge_texts=edge_texts(self._shown))
        self._frame()
        self._mark()

    def _frame(self) -> None:
        """Everything, if that is readable; else the part around the node."""
        self.view.fit()
        if self.view.camera.scale < READABLE_SCALE:
            self.view.zoom_by(READABLE_SCALE / self.view.camera.scale)
            self._look_at_node()
        self._framed = self.view.camera

    def _look_at_node(self) -> None:
        """Where everything is too small to read: the node itself in the middle."""
        scene, shown = self.view.scene, self._shown
        place = scene.centre_of(shown.joint.index(self._node)) if scene and shown else None
        if place is not None:
            self.view.keep_at(place, QPointF(self.view.width() / 2, self.view.height() / 2))

    def _mark(self) -> None:
        """The ends of the selected node, and what the network says of it."""
        node = self._selected_node()
        if self._shown is not None and node in self._shown.joint:
            self.view.set_selection(place for place, joint in enumerate(self._shown.joint) if joint == node)
        region = self.session.region
        self.note.setText(network_note(region.cut, node) if region and region.cut else "")

    # --- From the person --------------------------------------------------------------------------------------

    def _on_more(self) -> None:
        self._limit *= 2
        self._show()

    def _on_selection_requested(self, places: list[int]) -> None:
        """Selects what was clicked without drawing the network around it anew."""
        if self._shown is None:
            return
        nodes = dict.fromkeys(self._shown.joint[place] for place in places if self._shown.joint[place] >= 0)
        self._is_clicked = True
        self.session.select(GraphKind.JOINT, nodes, reveal=True)
        self._is_clicked = False
        self._mark()

    def _title_text(self, shown: CutView) -> str:
        graph = self.session.graph(GraphKind.JOINT)
        count = len({joint for joint in shown.joint if joint >= 0})
        if graph is None:
            return ""
        part = "All" if shown.is_whole else "Nearest"
        return f"{part} {count:,} around {graph.title(self._node)}"

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another size shows another part, unless the person looks elsewhere."""
        was_framed = self.view.camera == self._framed
        super().resizeEvent(event)
        if was_framed and self._shown is not None and self.view.scene is not None:
            QTimer.singleShot(0, self, self._frame)

    def showEvent(self, event: QShowEvent) -> None:
        """What happened behind another tab is shown now."""
        super().showEvent(event)
        self._later.start()


def layered(view: CutView | None) -> CutView | None:
    """A network flows from its source at the top to its sink at the bottom: one column, not two sides."""
    if view is None:
        return None
    return msgspec.structs.replace(view, graph=msgspec.structs.replace(view.graph, kind=GraphKind.FORWARD))


def edge_texts(view: CutView) -> list[str]:
    """What is written on each edge: what saving costs, infinite with its kind where that is forbidden or demanded."""
    graph = view.graph
    edges = zip(graph.edge_sources, graph.edge_targets, view.capacities, view.reasons, strict=True)
    return [
        bytes_text(round(capacity)) if math.isfinite(capacity) else _infinite(graph.names[start], graph.names[end], why)
        for start, end, capacity, why in edges
    ]


def _infinite(start: str, end: str, reason: str) -> str:
    """A short word for the kind of an edge that no cut goes through; data flows without a word."""
    if not reason:
        return ""
    return "∞ banned" if start == SOURCE else "∞ needed" if end == SINK else "∞ unsaveable"


def network_note(cut: CutNetwork, node: int) -> str:
    """What the network says of a node of the joint graph; empty where it does not hold it."""
    position = cut.position_of.get(node)
    if position is None:
        return ""
    sentences = [_SIDES[cut.side(position)]]
    capacity = cut.capacities[position]
    if math.isfinite(capacity):
        sentences.append(f"Saving it weighs {bytes_text(round(capacity))}.")
    if obstacle := cut.obstacle(position):
        sentences.append(f"It cannot be saved, because {obstacle_words(obstacle).text}.")
    if ban := cut.ban(position):
        sentences.append(f"It must not be recomputed, because {ban_words(ban).text}.")
    if need := cut.need(position):
        sentences.append(f"The backward needs it, because {need_words(need).text}.")
    return " ".join(sentences)


def _obstacle(region: Region | None, node: int) -> str:
    if region is None:
        return NO_CAPTURE
    if region.cut is None:
        return NO_NETWORK
    return OUTSIDE if node >= 0 else NO_SELECTION
