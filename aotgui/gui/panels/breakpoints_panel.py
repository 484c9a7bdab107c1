"""The breakpoints: switches for the built-in ones, and a list of those that a person set."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPalette, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.breakpoint_dialog import BreakpointDialog
from aotgui.gui.panels.breakpoint_field import BreakpointField
from aotgui.gui.panels.breakpoint_switches import BreakpointSwitches
from aotgui.gui.panels.breakpoint_words import place_words, remark_on, sentence
from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, is_dark
from aotgui.gui.panels.row_model import AnyIndex
from aotgui.gui.panels.table_panel import select_in_shown_graph
from aotgui.gui.session.breakpoint_places import nodes_of
from aotgui.gui.session.session import Session
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import GraphKind

EMPTY: Final = "No breakpoints. Press F9 on a node, click beside a line of source, or type one above."
TITLES: Final = ("Stops at", "Hits", "Condition", "Log message")
_HITS: Final = 1
_ID: Final = Qt.ItemDataRole.UserRole


class _RowDelegate(QStyledItemDelegate):
    """Rows as high as those of the tables."""

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """A little air above and below."""
        return super().sizeHint(option, index) + QSize(2 * SPACING, SPACING)

    def initStyleOption(self, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """In a dark theme the box of a tick would be as dark as what is around it."""
        super().initStyleOption(option, index)
        if is_dark(option.palette):
            option.palette.setColor(
                QPalette.ColorRole.Base, option.palette.color(QPalette.ColorRole.Button).lighter(140)
            )


class BreakpointsPanel(QWidget):
    """Every breakpoint of the open file.

    A tick switches a breakpoint on and off; double click or Enter goes to its first node, F2 edits it, Delete
    removes it.

    Signals:
        source_requested: (file, line) of a breakpoint should be shown.

    Attributes:
        session: the truth.
        switches: check boxes of the built-in breakpoints.
        list: the others.
        field: takes a breakpoint as one types it: ``aten.mm if value.max() > 1``.
        new_button: asks for another one.
        edit_button: edits the selected one.
        remove_button: removes the selected ones.
        clear_button: removes all in the list.
    """

    source_requested = Signal(str, int)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.switches = BreakpointSwitches(session.breakpoints)
        self.field = BreakpointField(session.breakpoints)
        self.list = QTreeWidget()
        self.new_button = self._button("New…", self.ask_new, "Stop at an operator, a module, a line, or on a condition")
        self.edit_button = self._button("Edit…", self.edit_selected, "Edit the selected breakpoint (F2)")
        self.remove_button = self._button("Remove", self.remove_selected, "Remove the selected breakpoints (Del)")
        self.clear_button = self._button("Remove All", session.breakpoints.remove_all, "Remove all in the list")
        self._empty = EmptyState(EMPTY)
        self._empty.setMargin(MARGIN)  # the panel is a low one
        self._stack = QStackedWidget()
        self._set_up_list()
        self._lay_out()
        session.breakpoints.changed.connect(self._fill)
        session.breakpoints.hits_changed.connect(self._show_hits)
        session.capture_changed.connect(self._fill)
        self._fill()

    def texts(self) -> list[str]:
        """The lines shown: place, hits, condition and log message."""
        columns = range(len(TITLES))
        return [" | ".join(item.text(column) for column in columns).rstrip(" |") for item in self._items()]

    def selected(self) -> list[Breakpoint]:
        """The selected breakpoints."""
        found = (self.session.breakpoints.named(item.data(0, _ID)) for item in self.list.selectedItems())
        return [point for point in found if point is not None]

    def remove_selected(self) -> None:
        """Removes the selected breakpoints."""
        self.session.breakpoints.remove(point.id for point in self.selected())

    def edit_selected(self) -> None:
        """Asks how the first selected breakpoint should be."""
        for point in self.selected()[:1]:
            if point.kind.is_place:  # the form knows no others
                self.ask(point)

    def ask_new(self) -> None:
        """Asks for a breakpoint, starting from the selected node."""
        graph, node = self.session.graph(self.session.selection.graph), self.session.selection.current
        operator = graph.target(node) if graph and node >= 0 and "." in graph.target(node) else ""
        name = self.session.breakpoints.new_id()
        self.ask(Breakpoint(id=name, kind=BreakpointKind.OPERATOR, where=operator))

    def ask(self, point: Breakpoint) -> BreakpointDialog:
        """Asks how a breakpoint should be; the caller need not wait."""
        dialog = BreakpointDialog(self.session, point, self.window())
        dialog.chosen.connect(self.session.breakpoints.put)
        dialog.open()
        return dialog

    def go_to(self, point: Breakpoint) -> None:
        """Selects the nodes at which a breakpoint stops, and shows its line."""
        for kind in (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE):
            graph = self.session.graph(kind)
            if graph is not None and (nodes := nodes_of(point, graph)):
                select_in_shown_graph(self.session, [(kind, node) for node in nodes])
                break
        if point.kind is BreakpointKind.LINE:
            self.source_requested.emit(point.where, point.line)

    def _button(self, words: str, do: Callable[[], object], tip: str) -> QPushButton:
        button = QPushButton(words)
        button.setToolTip(tip)
        button.clicked.connect(lambda: do())
        return button

    def _set_up_list(self) -> None:
        view = self.list
        view.setHeaderLabels(TITLES)
        view.setRootIsDecorated(False)
        view.setUniformRowHeights(True)
        view.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        view.setItemDelegate(_RowDelegate(view))
        view.setAllColumnsShowFocus(True)
        view.setFrameShape(QTreeWidget.Shape.NoFrame)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.setAccessibleName("Breakpoints")
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        view.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        view.header().setStretchLastSection(True)
        view.itemChanged.connect(self._on_item_changed)
        view.itemActivated.connect(lambda item, _column: self._on_activated(item))
        view.itemSelectionChanged.connect(self._show_buttons)
        view.customContextMenuRequested.connect(self._on_menu_requested)
        for key, do in (("Del", self.remove_selected), ("F2", self.edit_selected)):
            QShortcut(QKeySequence(key), view, do, context=Qt.ShortcutContext.WidgetShortcut)

    def _lay_out(self) -> None:
        typing = QHBoxLayout()
        typing.setSpacing(SPACING)
        typing.addWidget(self.field, 1)
        typing.addWidget(self.new_button)
        buttons = QWidget()
        line = FlowLayout(buttons, spacing=SPACING)
        for button in (self.edit_button, self.remove_button, self.clear_button):
            line.addWidget(button)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.list)
        # A low panel scrolls as a whole: the list wants no more than its least height.
        self._stack.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Ignored)
        self._stack.setMinimumHeight(3 * self.fontMetrics().lineSpacing())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(SPACING)
        layout.addWidget(self.switches)
        layout.addLayout(typing)
        layout.addWidget(self.field.problem)
        layout.addWidget(buttons)
        layout.addWidget(self._stack, 1)

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.list.topLevelItem(row) for row in range(self.list.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _fill(self) -> None:
        chosen = {item.data(0, _ID) for item in self.list.selectedItems()}
        points = self.session.breakpoints.listed
        with QSignalBlocker(self.list):
            # An item that tells of its tick must not be deleted meanwhile: those that stay are filled again.
            if [item.data(0, _ID) for item in self._items()] != [point.id for point in points]:
                self.list.clear()
                self.list.addTopLevelItems([QTreeWidgetItem() for _ in points])
            for item, point in zip(self._items(), points, strict=True):
                self._show_point(item, point)
                item.setSelected(point.id in chosen)
        self._stack.setCurrentWidget(self.list if self.session.breakpoints.listed else self._empty)
        self._show_hits()
        self._show_buttons()

    def _show_point(self, item: QTreeWidgetItem, point: Breakpoint) -> None:
        module = "module " if point.kind is BreakpointKind.MODULE else ""
        where = f" in {point.graph}" if point.graph else ""
        for column, text in enumerate((f"{module}{place_words(point)}{where}", "", point.condition, point.log)):
            item.setText(column, text)
        item.setData(0, _ID, point.id)
        item.setCheckState(0, Qt.CheckState.Checked if point.enabled else Qt.CheckState.Unchecked)
        item.setTextAlignment(_HITS, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        tip = f"{sentence(point)}\n{remark_on(point, self.session.region)}".strip()
        for column in range(len(TITLES)):
            item.setToolTip(column, tip)

    def _show_hits(self) -> None:
        with QSignalBlocker(self.list):
            for item in self._items():
                point = self.session.breakpoints.named(item.data(0, _ID))
                hits = self.session.breakpoints.hits[item.data(0, _ID)]
                wanted = f" from {point.hit_count}" if point and point.hit_count > 1 else ""
                item.setText(_HITS, f"{hits:,}{wanted}" if hits or wanted else "")

    def _show_buttons(self) -> None:
        self.edit_button.setEnabled([point.kind.is_place for point in self.selected()] == [True])
        self.remove_button.setEnabled(bool(self.list.selectedItems()))
        for button in (self.edit_button, self.remove_button, self.clear_button):
            button.setVisible(bool(self.session.breakpoints.listed))

    def _on_item_changed(self, item: QTreeWidgetItem, _column: int) -> None:
        self.session.breakpoints.set_enabled(item.data(0, _ID), item.checkState(0) is Qt.CheckState.Checked)

    def _on_activated(self, item: QTreeWidgetItem) -> None:
        if point := self.session.breakpoints.named(item.data(0, _ID)):
            self.go_to(point)

    def _on_menu_requested(self, place: QPoint) -> None:
        item = self.list.itemAt(place)
        point = self.session.breakpoints.named(item.data(0, _ID)) if item else None
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        if point is not None:
            menu.addAction("Go to", lambda: self.go_to(point))
            menu.addAction("Edit…\tF2", lambda: self.ask(point)).setEnabled(point.kind.is_place)
            words = "Switch off" if point.enabled else "Switch on"
            menu.addAction(words, lambda: self.session.breakpoints.set_enabled(point.id, not point.enabled))
            menu.addAction("Remove\tDel", self.remove_selected)
            menu.addSeparator()
        menu.addAction("New…", self.ask_new)
        menu.popup(self.list.viewport().mapToGlobal(place))
