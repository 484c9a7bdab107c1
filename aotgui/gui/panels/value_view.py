"""The value of the selected node: where it comes from, its numbers, a heat map, a histogram."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QTabWidget, QVBoxLayout, QWidget

from aotgui.gui.panels.heat_page import HeatPage
from aotgui.gui.panels.histogram_page import HistogramPage
from aotgui.gui.panels.inspector_links import Link, NodeTarget
from aotgui.gui.panels.look import MARGIN, SPACING
from aotgui.gui.panels.numbers_page import NumbersPage
from aotgui.gui.panels.table_panel import NodeRef
from aotgui.gui.panels.value_links import as_markup, lines_of
from aotgui.gui.panels.value_page import ValuePage, ValueRef
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import shape_text

NOTHING_SELECTED: Final = "Select an executed node to see its numbers."
NOT_EXECUTED: Final = "{name} has not been executed. Start the debugger and step over it to see its numbers."
NOT_REACHED: Final = "{name} has not been executed yet. Step over it to see its numbers."
REPLACE: Final = "Put another value here and see what that changes (Ctrl+Shift+V)"
NOT_INSIDE: Final = "A value inside of another node cannot be replaced; replace that of the node around it."
ENDED: Final = "The debugger has ended, and its values with it. Start it again to see numbers."


class ValueView(QWidget):
    """The value of the selected node, in one of three ways.

    Each way asks for what it needs only while it can be seen.

    Signals:
        save_requested: (graph, node, item, depth) should be written to a file.
        replace_requested: (graph, node, item) should become another value.
        cause_requested: (graph, node): where does its NaN or Inf come from?

    Attributes:
        session: the truth.
        title: name, shape and type of the value.
        links: where it comes from.
        items: chooser among the items of a tuple, hidden for a single value.
        numbers: a window of numbers.
        heat_map: two dimensions as a picture.
        histogram: how the elements are distributed.
        tabs: the three ways.
        save_button: asks for a file.
        replace_button: asks for another value.
        cause_button: asks for the cause; only of a value with NaN or Inf.
    """

    save_requested = Signal(object, int, int, int)
    replace_requested = Signal(object, int, int)
    cause_requested = Signal(object, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.title, self.links, self.items = QLabel(wordWrap=True), QLabel(wordWrap=True), QComboBox()
        self.numbers, self.heat_map = NumbersPage(session), HeatPage(session)
        self.histogram = HistogramPage(session)
        self.tabs = QTabWidget()
        self.save_button, self.replace_button = QPushButton("Save As…"), QPushButton("Replace…")
        self.cause_button = QPushButton("Find Cause")
        self._node: NodeRef | None = None
        self._inside = 0
        self._targets: list[Link] = []
        self._is_live = session.stepping.active
        self._set_up_layout()
        self._connect()
        self._on_selection_changed()

    @property
    def ref(self) -> ValueRef | None:
        """The value shown."""
        return ValueRef(*self._node, max(0, self.items.currentIndex()), self._inside) if self._node else None

    @property
    def graph(self) -> Graph | None:
        """The graph that holds the node."""
        return self.session.graph_inside(self._node[0], self._inside) if self._node else None

    @property
    def message(self) -> str:
        """What is said in place of numbers; empty while there are numbers."""
        return self.numbers.message

    @property
    def pages(self) -> tuple[ValuePage, ...]:
        """The three ways to look at it."""
        return self.numbers, self.heat_map, self.histogram

    def _set_up_layout(self) -> None:
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.links.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.items.setAccessibleName("Item of the tuple")
        self.save_button.setToolTip("Write the value to a .npy or .pt file")
        self.replace_button.setToolTip(REPLACE)
        self.cause_button.setToolTip("Trace the NaN or Inf back to the node that made it (Ctrl+Shift+F11)")
        first = QHBoxLayout()
        first.setSpacing(SPACING)
        first.addWidget(self.title, 1)
        for button in (self.cause_button, self.replace_button, self.save_button):
            first.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        self._head = QWidget()
        head = QVBoxLayout(self._head)
        head.setContentsMargins(MARGIN, MARGIN, MARGIN, 0)
        head.setSpacing(SPACING)
        head.addLayout(first)
        head.addWidget(self.links)
        head.addWidget(self.items)
        self.tabs.setDocumentMode(True)
        for page, words in ((self.numbers, "Numbers"), (self.heat_map, "Heat Map"), (self.histogram, "Histogram")):
            self.tabs.addTab(page, words)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self._head)
        layout.addWidget(self.tabs, 1)

    def _connect(self) -> None:
        session = self.session
        self.items.activated.connect(self._show_pages)
        self.numbers.shape_known.connect(self._show_title)
        self.links.linkActivated.connect(self._on_link)
        self.save_button.clicked.connect(self._ask_to_save)
        self.replace_button.clicked.connect(self._ask_to_replace)
        self.cause_button.clicked.connect(self._ask_cause)
        session.selection_changed.connect(self._on_selection_changed)
        session.debug.inner_changed.connect(self._on_selection_changed)
        session.values_changed.connect(self._on_values_changed)
        session.stepping_changed.connect(self._on_stepping_changed)
        session.source_changed.connect(self._on_selection_changed)
        for signal in (session.debug.edits_changed, session.debug.mutations_changed):
            signal.connect(self._show_links)
        for compared in (session.debug.errors_changed, session.debug.differences_changed):
            compared.connect(self._on_compared)

    def _ask_to_save(self) -> None:
        if self.ref is not None:
            self.save_requested.emit(*self.ref)

    def _ask_to_replace(self) -> None:
        if self.ref is not None:
            self.replace_requested.emit(*self.ref[:3])

    def _ask_cause(self) -> None:
        if self._node is not None:
            self.cause_requested.emit(*self._node)

    def _inner(self) -> tuple[NodeRef, int] | None:
        """What is selected in a nested graph, and its depth, where it was executed."""
        inner, frames = self.session.debug.inner, self.session.debug.stop.frames
        if inner is None or inner.inside > len(frames) or inner.node >= frames[inner.inside - 1].node:
            return None
        return (inner.kind, inner.node), inner.inside

    def _executed(self) -> NodeRef | None:
        """The selected node where it was executed: in its own graph or in another one."""
        selection = self.session.selection
        if selection.graph is None:
            return None
        for kind in (selection.graph, *GraphKind):
            for node in self.session.selected_in(kind)[:1]:
                if node in self.session.values(kind):
                    return kind, node
        return None

    def _on_selection_changed(self) -> None:
        node, inside = self._inner() or (self._executed(), 0)
        if node is None or (node, inside) != (self._node, self._inside):
            self._show_node(node, inside)

    def _on_values_changed(self, kind: GraphKind, nodes: list[int]) -> None:
        node = self._executed()
        if self._inside == 0 and (node != self._node or (node and node[0] is kind and node[1] in nodes)):
            self._show_node(node)

    def _on_compared(self, kind: GraphKind, nodes: list[int]) -> None:
        if self._node and not self._inside and self._node[0] is kind and (not nodes or self._node[1] in nodes):
            self._show_links()

    def _on_stepping_changed(self) -> None:
        was_live, self._is_live = self._is_live, self.session.stepping.active
        if self._node is None or self._is_live is not was_live or self._is_written_into():
            self._show_pages()
        self._show_buttons()

    def _is_written_into(self) -> bool:
        """Whether the value is another one before and after some node, so that it depends on where one stands."""
        if self._node is None or self._inside or self.session.stepping.running:
            return False
        kind, node = self._node
        return any(write.target == node for write in self.session.debug.mutations(kind))

    def _show_node(self, node: NodeRef | None, inside: int = 0) -> None:
        self._node, self._inside = node, inside
        self._head.setVisible(node is not None)
        self.tabs.tabBar().setVisible(node is not None)
        self._fill_items()
        self._show_title(())
        self._show_links()
        self._show_buttons()
        self._show_pages()

    def _show_pages(self) -> None:
        why = "" if self._node else self._why_nothing()
        if self._node and not self.session.stepping.active:
            why = ENDED
        for page in self.pages:
            page.show_value(self.ref, why)

    def _why_nothing(self) -> str:
        selection = self.session.selection
        graph = self.session.graph(selection.graph)
        if self.session.engine_obstacle:
            return self.session.engine_obstacle
        if graph is None or not selection.nodes:
            return NOTHING_SELECTED
        sentence = NOT_REACHED if self.session.stepping.active else NOT_EXECUTED
        return sentence.format(name=graph.names[selection.current])

    def _fill_items(self) -> None:
        self.items.clear()
        graph = self.graph
        values = graph.tensors(self._node[1]) if graph and self._node else []
        self.items.addItems([f"Item {place}: {value}" for place, value in enumerate(values)])
        self.items.setVisible(len(values) > 1)

    def _show_title(self, shape: tuple[int, ...]) -> None:
        graph, ref = self.graph, self.ref
        if graph is None or ref is None:
            return
        traced = graph.tensors(ref.node)
        if len(traced) > 1 or ref.inside:
            dtype = traced[ref.item].dtype if traced else ""
        else:
            dtype = self.session.values(ref.kind)[ref.node].tensor.dtype
        where = self.session.debug.stop.frames[ref.inside - 1].subgraph if ref.inside else ref.kind
        self.title.setText(f"{graph.title(ref.node)}  {dtype}{shape_text(shape) if shape else ''}  in {where}")

    def _show_links(self) -> None:
        lines = lines_of(self.session, self._node) if self._node and not self._inside else []
        markup, self._targets = as_markup(lines, self.palette().color(QPalette.ColorRole.Link).name())
        self.links.setText(markup)
        self.links.setVisible(bool(lines))

    def _show_buttons(self) -> None:
        stepping, node = self.session.stepping, self._node
        can_ask = node is not None and stepping.active
        stats = self.session.values(node[0]).get(node[1]) if node and not self._inside else None
        self.save_button.setEnabled(can_ask)
        self.replace_button.setEnabled(can_ask and not stepping.running and not self._inside)
        self.replace_button.setToolTip(NOT_INSIDE if self._inside else REPLACE)
        self.cause_button.setVisible(stats is not None and not stats.is_finite)
        self.cause_button.setEnabled(can_ask)

    def _on_link(self, address: str) -> None:
        target = self._targets[int(address)].target
        if isinstance(target, NodeTarget):
            self.session.show_graph(target.graph)
            self.session.select(target.graph, [target.node], reveal=True)

    def changeEvent(self, event: QEvent) -> None:
        """The links follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._show_links()
