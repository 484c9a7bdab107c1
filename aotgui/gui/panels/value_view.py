"""The numbers of one executed node, a window at a time."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, code_font
from aotgui.gui.panels.slice_controls import SliceControls
from aotgui.gui.panels.slice_model import SliceModel
from aotgui.gui.panels.table_panel import NodeRef
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.text import shape_text
from aotgui.model.values import ValueSlice

NOTHING_SELECTED: Final = "Select an executed node to see its numbers."
NOT_EXECUTED: Final = "{name} has not been executed. Start the debugger and step over it to see its numbers."
NOT_REACHED: Final = "{name} has not been executed yet. Step over it to see its numbers."
ENDED: Final = "The debugger has ended, and its values with it. Start it again to see numbers."
READING: Final = "Reading…"


class ValueView(QWidget):
    """The value of the selected node.

    Asks for what it needs only while it can be seen.

    Signals:
        read_requested: (graph, node, item, index of the outer dimensions, first row, first column) is wanted;
            the answer comes as ``Session.value_read``.

    Attributes:
        session: the truth.
        title: name, shape and type of the value.
        items: chooser among the items of a tuple, hidden for a single value.
        controls: which window of the value.
        view: the numbers.
        model: the same as a model.
    """

    read_requested = Signal(object, int, int, object, int, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.title = QLabel()
        self.items = QComboBox()
        self.controls = SliceControls()
        self.model = SliceModel(self)
        self.view = QTableView()
        self._message = EmptyState(NOTHING_SELECTED)
        self._stack = QStackedWidget()
        self._node: NodeRef | None = None
        self._is_stale = True
        self._set_up_view()
        self._set_up_layout()
        self.items.activated.connect(self._on_item_chosen)
        self.controls.window_changed.connect(self._request)
        session.selection_changed.connect(self._on_selection_changed)
        session.values_changed.connect(self._on_values_changed)
        session.stepping_changed.connect(self._on_stepping_changed)
        session.value_read.connect(self._on_value_read)
        self._on_selection_changed()

    @property
    def message(self) -> str:
        """What is said in place of numbers; empty while there are numbers."""
        return self._message.text() if self._stack.currentWidget() is self._message else ""

    def _set_up_view(self) -> None:
        self.view.setModel(self.model)
        self.view.setFont(code_font())
        self.view.setWordWrap(False)
        self.view.setFrameShape(QTableView.Shape.NoFrame)
        self.view.setTabKeyNavigation(False)
        self.view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.view.setAccessibleName("Numbers")
        metrics = self.view.fontMetrics()
        rows, columns = self.view.verticalHeader(), self.view.horizontalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(metrics.height() + SPACING)
        columns.setDefaultSectionSize(metrics.horizontalAdvance("-1.2345e-05") + 2 * SPACING)
        columns.setHighlightSections(False)
        rows.setHighlightSections(False)

    def _set_up_layout(self) -> None:
        self.title.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.title.setWordWrap(True)
        self.items.setAccessibleName("Item of the tuple")
        self._head = QWidget()
        head = QVBoxLayout(self._head)
        head.setContentsMargins(MARGIN, MARGIN, MARGIN, 0)
        head.setSpacing(SPACING)
        for widget in (self.title, self.items, self.controls):
            head.addWidget(widget)
        self._stack.addWidget(self._message)
        self._stack.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self._head)
        layout.addWidget(self._stack, 1)

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
        node = self._executed()
        if node is None or node != self._node:
            self._show_node(node)

    def _on_values_changed(self, kind: GraphKind, nodes: list[int]) -> None:
        node = self._executed()
        if node != self._node or (node and node[0] is kind and node[1] in nodes):
            self._show_node(node)

    def _show_node(self, node: NodeRef | None) -> None:
        self._node = node
        self._head.setVisible(node is not None)
        self.controls.set_shape(())
        self._fill_items()
        if node is None:
            self._say(self._why_nothing())
        else:
            self._show_title(())
            self._say(READING)
            self._request()

    def _why_nothing(self) -> str:
        selection = self.session.selection
        graph = self.session.graph(selection.graph)
        if graph is None or not selection.nodes:
            return NOTHING_SELECTED
        sentence = NOT_REACHED if self.session.stepping.active else NOT_EXECUTED
        return sentence.format(name=graph.names[selection.current])

    def _on_stepping_changed(self) -> None:
        if self._node is None:
            self._say(self._why_nothing())

    def _fill_items(self) -> None:
        self.items.clear()
        graph = self.session.graph(self._node[0]) if self._node else None
        values = graph.tensors(self._node[1]) if graph and self._node else []
        self.items.addItems([f"Item {place}: {value}" for place, value in enumerate(values)])
        self.items.setVisible(len(values) > 1)

    def _on_item_chosen(self) -> None:
        self.controls.set_shape(())
        self._request()

    def _request(self) -> None:
        self._is_stale = not self.isVisible()
        if self._node is None or self._is_stale:
            return
        if not self.session.stepping.active:
            self._say(ENDED)
        else:
            kind, node = self._node
            place = self.controls.place
            self.read_requested.emit(kind, node, self._item(), place.index, place.row, place.column)

    def _item(self) -> int:
        return max(0, self.items.currentIndex())

    def _on_value_read(self, kind: GraphKind, value: ValueSlice) -> None:
        if self._node != (kind, value.node) or value.item != self._item():
            return
        if value.shape != self.controls.shape:
            self.controls.set_shape(value.shape)
        self._show_title(value.shape)
        self.model.show_slice(value, self.palette())
        if value.text or not value.rows:
            self._say(value.text or "Nothing to show.")
        else:
            self.controls.show_extent(value)
            self._stack.setCurrentWidget(self.view)

    def _show_title(self, shape: tuple[int, ...]) -> None:
        graph = self.session.graph(self._node[0]) if self._node else None
        if graph is None or self._node is None:
            return
        kind, node = self._node
        traced = graph.tensors(node)
        value = traced[self._item()] if len(traced) > 1 else self.session.values(kind)[node].tensor
        self.title.setText(f"{graph.title(node)}  {value.dtype}{shape_text(shape) if shape else ''}  in {kind}")

    def _say(self, text: str) -> None:
        self._message.setText(text)
        self._stack.setCurrentWidget(self._message)

    def showEvent(self, event: QShowEvent) -> None:
        """What was not asked for while nobody could see it is asked for now."""
        super().showEvent(event)
        if self._is_stale:
            self._request()

    def changeEvent(self, event: QEvent) -> None:
        """The heat colours follow the theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.model.show_slice(self.model.slice, self.palette())
