"""A window that shows two captures side by side, with what differs marked, listed and in step."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QSplitter,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.app.graph_tabs import TITLES
from aotgui.gui.canvas.arranging import Arrange, arrange
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.linked_views import LinkedViews
from aotgui.gui.panels.difference_panel import DifferencePanel
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel
from aotgui.gui.session.capture_pair import CapturePair
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture
from aotgui.model.diff import GraphDiff
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import bytes_text, signed_bytes_text

SIZE: Final = (1500, 950)


class DiffWindow(QWidget):
    """Old at the left, new at the right, the list of differences below.

    Signals:
        closed: nothing works for it any more.

    Attributes:
        pair: the two captures.
        bar: chooses the graph.
        list: the differences of the graph shown.
        dims: whether what is the same is faded.
        follows: whether one side goes where the other goes.
    """

    closed = Signal()

    def __init__(self, old: Capture, new: Capture, parent: QWidget | None = None, work: Arrange = arrange) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.pair = CapturePair(old, new, self)
        self._work = work
        self._sides: dict[GraphKind, _Side] = {}
        self.bar = QTabBar()
        self.bar.setDocumentMode(True)
        self.bar.setExpanding(False)
        self.dims = QCheckBox("Fade what is the same")
        self.dims.setToolTip("Only what differs keeps its full colour.")
        self.follows = QCheckBox("Scroll together")
        self.follows.setToolTip("Where one graph goes, the other goes to the same node.")
        self._regions = QComboBox()
        self._regions.setAccessibleName("Region")
        self._regions.hide()  # until it is known which there are
        self._facts = MutedLabel()
        self._stack = QStackedWidget()
        self.list = DifferencePanel(self.pair)
        self._arrange(old, new)
        self._connect()
        self._show_kinds()
        self.resize(*SIZE)
        self.setWindowTitle(f"{_title(old)} and {_title(new)} — differences")

    def side(self, kind: GraphKind) -> tuple[CanvasPane, CanvasPane]:
        """The canvases of a graph: old and new."""
        side = self._sides[kind]
        return side.old, side.new

    def _arrange(self, old: Capture, new: Capture) -> None:
        for box in (self.dims, self.follows):
            box.setChecked(True)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, SPACING, MARGIN, 0)
        row.setSpacing(2 * SPACING)
        row.addWidget(self.bar)
        row.addWidget(self._regions)
        row.addStretch(1)
        row.addWidget(self.dims)
        row.addWidget(self.follows)
        names = QHBoxLayout()
        names.setContentsMargins(MARGIN, 0, MARGIN, 0)
        for words, capture in (("Old", old), ("New", new)):
            label = QLabel(f"<b>{words}</b>  {_title(capture)}, partitioner {capture.settings.partitioner}")
            label.setToolTip(capture.source)
            names.addWidget(label, 1)
        self._facts.setContentsMargins(MARGIN, 0, MARGIN, 0)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self._stack)
        split.addWidget(self.list)
        split.setSizes([SIZE[1] * 2 // 3, SIZE[1] // 3])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACING)
        column.addLayout(row)
        column.addWidget(self._facts)
        column.addLayout(names)
        column.addWidget(split, 1)

    def _connect(self) -> None:
        self.bar.currentChanged.connect(self._on_kind_chosen)
        self._regions.activated.connect(self.pair.show_region)
        self.pair.changed.connect(self._on_compared)
        self.dims.toggled.connect(self._mark)
        self.follows.toggled.connect(self._on_follows_toggled)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Close), self, self.close)

    def _kinds(self) -> list[GraphKind]:
        old, new = self.pair.old.region, self.pair.new.region
        return [kind for kind in GraphKind if old and new and kind in old.graphs and kind in new.graphs]

    def _show_kinds(self) -> None:
        kinds = self._kinds()
        with QSignalBlocker(self.bar):
            while self.bar.count():
                self.bar.removeTab(0)
            for kind in kinds:
                self.bar.addTab(TITLES[kind])
        if kinds:
            shown = self.pair.new.graph_shown
            self.bar.setCurrentIndex(kinds.index(shown) if shown in kinds else 0)
            self._on_kind_chosen(self.bar.currentIndex())

    def _on_kind_chosen(self, place: int) -> None:
        kinds = self._kinds()
        if not 0 <= place < len(kinds):
            return
        kind = kinds[place]
        if kind not in self._sides:
            self._sides[kind] = _Side(self.pair, kind, self._work)
            self._stack.addWidget(self._sides[kind])
            self._on_follows_toggled(self.follows.isChecked())
        self._stack.setCurrentWidget(self._sides[kind])
        for session in (self.pair.old, self.pair.new):
            session.show_graph(kind)
        self._mark()

    def _on_compared(self) -> None:
        diff, region = self.pair.diff, self.pair.region
        with QSignalBlocker(self._regions):
            self._regions.clear()
            self._regions.addItems(self.pair.region_names)
            self._regions.setCurrentIndex(self.pair.new.region_index)
        self._regions.setVisible(self._regions.count() > 1)
        facts = [f"{name}: {old or 'none'} → {new or 'none'}" for name, old, new in diff.settings] if diff else []
        if region and (region.old_saved_bytes or region.new_saved_bytes):
            change = signed_bytes_text(region.new_saved_bytes - region.old_saved_bytes)
            old, new = bytes_text(region.old_saved_bytes), bytes_text(region.new_saved_bytes)
            facts.append(f"Saved: {old} → {new} ({change})")
        self._facts.setText("   ·   ".join(facts) or "The same settings.")
        self._show_kinds()

    def _mark(self) -> None:
        for side in self._sides.values():
            side.mark(self.dims.isChecked())

    def _on_follows_toggled(self, wanted: bool) -> None:
        for side in self._sides.values():
            side.link(wanted)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Gives up what is under way."""
        for side in self._sides.values():
            for pane in (side.old, side.new):
                pane.close_background()
        self.pair.close()
        super().closeEvent(event)
        self.closed.emit()


class _Side(QSplitter):
    """One kind of graph, old and new.

    Attributes:
        old: the canvas at the left.
        new: the canvas at the right.
    """

    def __init__(self, pair: CapturePair, kind: GraphKind, work: Arrange) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._pair, self._kind, self._fades = pair, kind, True
        self._marked: dict[CanvasPane, Graph | None] = {}
        self._known: dict[bool, tuple[GraphDiff | None, NDArray[np.int64]]] = {}
        self.old = self._pane(pair.old, kind, work)
        self.new = self._pane(pair.new, kind, work)
        self._views = LinkedViews(self._copies, same_kind=True, parent=self)
        self.setChildrenCollapsible(False)

    def link(self, wanted: bool) -> None:
        """Lets one side go where the other goes, or not."""
        self._views.link(*((self.old, self.new) if wanted else ()))

    def mark(self, fades: bool) -> None:
        """Fades what both have alike, or nothing."""
        self._fades = fades
        for pane in (self.old, self.new):
            self._apply(pane)

    def _pane(self, session: Session, kind: GraphKind, work: Arrange) -> CanvasPane:
        pane = CanvasPane(session, kind, work=work)
        pane.view.appearance_changed.connect(lambda: self._on_appearance_changed(pane))
        self.addWidget(pane)
        return pane

    def _copies(self, moved: CanvasPane, follower: CanvasPane) -> NDArray[np.int64]:
        diff, is_old = self._pair.graph(self._kind), moved is self.old
        known = self._known.get(is_old)
        if known is None or known[0] is not diff:
            graph = (self._pair.old if is_old else self._pair.new).graph(self._kind)
            translate = self._pair.to_new if is_old else self._pair.to_old
            count = len(graph) if graph else 0
            found = (translate(self._kind, node) for node in range(count))
            copies = np.fromiter((-1 if node is None else node for node in found), np.int64, count)
            known = self._known[is_old] = (diff, copies)
        return known[1]

    def _on_appearance_changed(self, pane: CanvasPane) -> None:
        """A layout that is finished shows a graph on which nothing is faded yet."""
        scene = pane.view.scene
        if (scene.graph if scene else None) is not self._marked.get(pane):
            self._apply(pane)

    def _apply(self, pane: CanvasPane) -> None:
        diff, scene = self._pair.graph(self._kind), pane.view.scene
        self._marked[pane] = scene.graph if scene else None
        if scene is not None and pane.is_current:
            pane.set_search(_same(diff, len(scene.graph), pane is self.old) if diff and self._fades else None)


def _same(diff: GraphDiff, count: int, is_old: bool) -> NDArray[np.bool_] | None:
    """Bool (nodes,): True for what both have alike; None where everything is alike."""
    faded = np.ones(count, np.bool_)
    lone = diff.removed if is_old else diff.added
    both = [(change.old, change.new) for change in diff.changed] + [(moved.old, moved.new) for moved in diff.moved]
    faded[[*lone, *(old if is_old else new for old, new in both)]] = False
    return None if faded.all() else faded


def _title(capture: Capture) -> str:
    return f"{Path(capture.source).name}: {capture.target}" if capture.target else Path(capture.source).name
