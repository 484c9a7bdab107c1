"""The breakpoints: go to one, remove one or all."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import SPACING, EmptyState
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind

_PLACE = Qt.ItemDataRole.UserRole


class BreakpointList(QWidget):
    """Names of the nodes to stop before.

    Double click or Enter goes to the node, Delete removes the breakpoint.

    Attributes:
        session: the truth.
        list: one line a breakpoint.
        remove_button: removes the selected ones.
        clear_button: removes all.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.list = QListWidget()
        self.remove_button = QPushButton("Remove")
        self.clear_button = QPushButton("Remove All")
        self._empty = EmptyState("No breakpoints. Select a node and press F9 to stop before it.")
        self._stack = QStackedWidget()
        self._set_up_layout()
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), self.list)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self.remove_selected)
        self.list.setSelectionMode(QListWidget.SelectionMode.ExtendedSelection)
        self.list.itemActivated.connect(self._on_item_activated)
        self.list.itemSelectionChanged.connect(self._show_buttons)
        self.remove_button.clicked.connect(self.remove_selected)
        self.clear_button.clicked.connect(lambda: session.set_breakpoints({}))
        session.breakpoints_changed.connect(self._fill)
        session.capture_changed.connect(self._fill)
        self._fill()

    def texts(self) -> list[str]:
        """The lines shown."""
        return [self.list.item(row).text() for row in range(self.list.count())]

    def remove_selected(self) -> None:
        """Remove the selected breakpoints."""
        gone = {item.data(_PLACE) for item in self.list.selectedItems()}
        left = {
            kind: frozenset(name for name in names if (kind.value, name) not in gone)
            for kind, names in self.session.breakpoints.items()
        }
        self.session.set_breakpoints(left)

    def _set_up_layout(self) -> None:
        heading = QLabel("Breakpoints")
        font = heading.font()
        font.setBold(True)
        heading.setFont(font)
        self.list.setFrameShape(QListWidget.Shape.NoFrame)
        self.list.setSpacing(2)
        self.list.setAccessibleName("Breakpoints")
        top = QHBoxLayout()
        top.setSpacing(SPACING)
        top.addWidget(heading, 1)
        top.addWidget(self.remove_button)
        top.addWidget(self.clear_button)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(SPACING)
        layout.addLayout(top)
        layout.addWidget(self._stack, 1)

    def _fill(self) -> None:
        self.list.clear()
        for kind in GraphKind:
            for name in self._in_order(kind):
                item = QListWidgetItem(f"{name} in {kind}")
                item.setData(_PLACE, (kind.value, name))
                self.list.addItem(item)
        self._stack.setCurrentWidget(self.list if self.list.count() else self._empty)
        self._show_buttons()

    def _in_order(self, kind: GraphKind) -> list[str]:
        """In the order of execution; names that the graph does not have come last."""
        graph = self.session.graph(kind)
        places = graph.index_of if graph else {}
        return sorted(self.session.breakpoints.get(kind, ()), key=lambda name: (places.get(name, len(places)), name))

    def _show_buttons(self) -> None:
        self.remove_button.setVisible(self.list.count() > 0)
        self.clear_button.setVisible(self.list.count() > 0)
        self.remove_button.setEnabled(bool(self.list.selectedItems()))

    def _on_item_activated(self, item: QListWidgetItem) -> None:
        value, name = item.data(_PLACE)
        kind = GraphKind(value)
        graph = self.session.graph(kind)
        if graph and name in graph.index_of:
            self.session.select(kind, [graph.index_of[name]], reveal=True)
