"""The ledger of what the forward keeps for the backward, in groups with subtotals."""

from __future__ import annotations

import csv
import io
from typing import Final

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, MutedLabel, is_behind
from aotgui.gui.panels.padded_cells import CELL_PADDING, PaddedDelegate, PaddedHeader
from aotgui.gui.panels.row_model import tsv_of
from aotgui.gui.panels.saved_columns import GROUPINGS, kept_apart, saved_columns
from aotgui.gui.panels.table_panel import LOW_LINES, NodeRef, offer_copy, select_in_shown_graph
from aotgui.gui.panels.tree_model import TreeModel
from aotgui.gui.session.session import Session
from aotgui.model.capture import Region, SavedValue
from aotgui.model.graph import GraphKind
from aotgui.model.ledger import LedgerRow, ledger_of
from aotgui.model.text import bytes_text, count_text

NO_CAPTURE: Final = "What the forward saves for the backward appears here after a run."
NO_BACKWARD: Final = "Nothing is saved: no input or parameter requires a gradient, so there is no backward."
NOTHING_SAVED: Final = "Nothing is saved: the backward needs no value of the forward."
OPEN_GROUPS: Final = 12
"""So few groups open by themselves."""
INDENTATION_PX: Final = 14
MOST_CHARACTERS: Final = 40
"""What is longer is cut in the middle."""


class SavedPanel(QWidget):
    """One row a saved value, with what it costs, how long it lives and why it is saved.

    Signals:
        source_requested: (file, line) that computes a value: its row was double-clicked or Enter was pressed on it.
        save_requested: (title, suggested name, filter, text) of a file that the person wants to save.

    Attributes:
        session: the truth.
        model: the rows.
        view: the tree.
        filter_field: words that a row must contain.
        grouping: what the rows are grouped by.
        summary: the line below the tree.
    """

    source_requested = Signal(str, int)
    save_requested = Signal(str, str, str, str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model: TreeModel[LedgerRow] = TreeModel(saved_columns(session), kept_apart, self)
        self.view = QTreeView()
        self.filter_field = QLineEdit()
        self.grouping = QComboBox()
        self.export = QPushButton("Export…")
        self.summary = MutedLabel()
        self._empty = EmptyState(NO_CAPTURE)
        self._stack = QStackedWidget()
        self._tools = QWidget()
        self._saved: list[SavedValue] = []
        self._syncing = False
        self._is_stale = False
        self._fitted = False
        self._set_up_view()
        self._set_up_layout()
        self._connect()
        self._on_capture_changed()

    @property
    def is_empty(self) -> bool:
        """Whether the empty state is shown."""
        return self._stack.currentWidget() is self._empty

    @property
    def empty_text(self) -> str:
        """What the empty state says."""
        return self._empty.text()

    def node_of(self, row: LedgerRow) -> NodeRef:
        """The saved node in the forward graph."""
        return GraphKind.FORWARD, row.node

    def selected_rows(self) -> list[LedgerRow]:
        """The selected rows, those of selected groups included, each once, in the order shown."""
        indexes = sorted(self.view.selectionModel().selectedRows(), key=lambda index: self.view.visualRect(index).top())
        rows = [row for index in indexes for row in self.model.item(index).rows]
        return list({id(row): row for row in rows}.values())

    def group_by(self, title: str) -> None:
        """Groups by one of ``GROUPINGS``."""
        self.grouping.setCurrentText(title)

    def csv(self) -> str:
        """The shown rows with a header line, sizes as numbers of bytes as well."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([*(column.title for column in self.model.columns), "Size in bytes", "Bytes added"])
        for row in self.model.shown:
            writer.writerow([*self.model.row_texts(row), row.value.size_bytes, row.value.storage_bytes])
        return text.getvalue()

    def copy(self) -> None:
        """Puts the selected rows, or all shown ones, on the clipboard as tab-separated text."""
        QGuiApplication.clipboard().setText(tsv_of(self.model.columns, self.selected_rows() or self.model.shown))

    # --- Building ---------------------------------------------------------------------------------------------

    def _set_up_view(self) -> None:
        view = self.view
        view.setHeader(PaddedHeader(Qt.Orientation.Horizontal, view))
        view.setItemDelegate(PaddedDelegate(view))
        view.setModel(self.model)
        view.setUniformRowHeights(True)
        view.setIndentation(INDENTATION_PX)
        view.setExpandsOnDoubleClick(False)  # a double click shows the line
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setAllColumnsShowFocus(True)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setFrameShape(QTreeView.Shape.NoFrame)
        view.setAccessibleName("Saved values")
        header = view.header()
        header.setSectionsClickable(True)
        header.setSectionsMovable(True)
        header.setFirstSectionMovable(False)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        view.setSortingEnabled(True)
        offer_copy(view, self.copy)

    def _set_up_layout(self) -> None:
        self.filter_field.setPlaceholderText("Filter")
        self.filter_field.setClearButtonEnabled(True)
        self.filter_field.setAccessibleName("Filter saved values")
        self.grouping.addItems(list(GROUPINGS))
        self.grouping.setAccessibleName("Group by")
        self.grouping.setToolTip("What the saved values are grouped by; every group has its subtotal.")
        self.export.setToolTip("Save the rows shown as a CSV file.")
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(MARGIN, 0, MARGIN, 0)
        tools.setSpacing(SPACING)
        tools.addWidget(self.filter_field, 1)
        tools.addWidget(self.grouping)
        tools.addWidget(self.export)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, MARGIN, 0, MARGIN)
        layout.setSpacing(SPACING)
        for widget in (self._tools, self._stack, self.summary):
            layout.addWidget(widget)
        self.summary.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout.setStretchFactor(self._stack, 1)

    def _connect(self) -> None:
        self.filter_field.textChanged.connect(self.model.set_filter)
        self.grouping.currentTextChanged.connect(lambda title: self.model.set_grouping(GROUPINGS[title]))
        self.export.clicked.connect(self.export_table)
        self.model.modelReset.connect(self._on_rows_changed)
        self.view.selectionModel().selectionChanged.connect(self._on_view_selection_changed)
        self.view.activated.connect(self._on_activated)
        self.session.capture_changed.connect(self._on_capture_changed)
        self.session.result_changed.connect(self._on_result_changed)
        self.session.selection_changed.connect(self._show_selection)

    # --- From the session -------------------------------------------------------------------------------------

    def _on_capture_changed(self) -> None:
        self._is_stale = is_behind(self)
        if not self._is_stale:
            self._show_ledger()

    def _show_ledger(self) -> None:
        region = self.session.region
        self._is_stale = False
        self._empty.setText(_empty_text(region))
        self._saved = region.saved if region else []
        self.model.set_rows(ledger_of(region) if region else [])

    def _on_result_changed(self) -> None:
        """The same graphs: mostly with the same ledger, which then stays as it is."""
        region = self.session.region
        self._is_stale = self._is_stale or is_behind(self)
        if region and not self._is_stale and region.saved != self._saved:
            self._on_capture_changed()

    def _on_rows_changed(self) -> None:
        has_rows = self.model.total > 0
        self._stack.setCurrentWidget(self.view if has_rows else self._empty)
        groups = self.model.groups()
        if self.model.is_filtered or len(groups) <= OPEN_GROUPS:
            self.view.expandAll()
        self._show_extras()
        self.summary.setText(self.summary_text())
        self._fit_once()
        self._show_selection()

    def summary_text(self) -> str:
        """How many rows, and totals of distinct storages: activations apart from what exists anyway."""
        region = self.session.region
        if region is None:
            return ""
        shown, total = len(self.model.shown), self.model.total
        counted = count_text(total, "saved value")
        activations = region.saved_bytes_of("activation")
        others = region.saved_bytes - activations
        return (
            f"{counted if shown == total else f'{shown:,} of {counted}'}: {bytes_text(activations)} of activations, "
            f"{bytes_text(others)} of parameters and inputs"
        )

    def _show_selection(self) -> None:
        if self._syncing or self._is_stale:
            return
        wanted = set(self.session.selected_in(GraphKind.FORWARD))
        indexes = self.model.indexes_where(lambda row: row.node in wanted) if wanted else []
        chosen = QItemSelection()
        for index in indexes:
            chosen.select(index, index)
        self._syncing = True
        flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
        self.view.selectionModel().select(chosen, flags)
        if indexes:
            self.view.scrollTo(indexes[0])
        self._syncing = False

    # --- From the person --------------------------------------------------------------------------------------

    def _on_view_selection_changed(self) -> None:
        if self._syncing:
            return
        nodes = list(map(self.node_of, self.selected_rows()))
        if nodes:
            self._syncing = True
            select_in_shown_graph(self.session, nodes)
            self._syncing = False

    def _on_activated(self, index: QModelIndex) -> None:
        item = self.model.item(index)
        if item.is_group:
            self.view.setExpanded(index.siblingAtColumn(0), not self.view.isExpanded(index.siblingAtColumn(0)))
            return
        file, _, line = item.rows[0].value.source.rpartition(":")
        if file:
            self.source_requested.emit(file, int(line))

    def export_table(self) -> None:
        """Asks to save the rows shown."""
        if self._is_stale:
            self._show_ledger()
        self.save_requested.emit("Export the Saved Values", "saved.csv", "CSV table (*.csv)", self.csv())

    # --- How it looks -----------------------------------------------------------------------------------------

    def _fit_once(self) -> None:
        """Column widths when there first are rows; afterwards they are the person's."""
        if self._fitted or not self.model.total or is_behind(self):
            return
        self._fitted = True
        header, character = self.view.header(), self.fontMetrics().averageCharWidth()
        for section, column in enumerate(self.model.columns):
            least, most = (count * character + 2 * CELL_PADDING + MARGIN for count in (column.width, MOST_CHARACTERS))
            wanted = self.view.sizeHintForColumn(section)
            header.resizeSection(section, max(least, min(wanted, most)))

    def _show_extras(self) -> None:
        """Where there is room for a few lines only, the rows get it."""
        has_rows = self.model.total > 0
        is_low = self.height() < LOW_LINES * self.fontMetrics().lineSpacing()
        is_used = bool(self.filter_field.text()) or self.filter_field.hasFocus()
        self._tools.setVisible(has_rows and (is_used or not is_low))
        self.summary.setVisible(has_rows and not is_low)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A panel that is folded shows its rows."""
        super().resizeEvent(event)
        self._show_extras()

    def showEvent(self, event: QShowEvent) -> None:
        """What happened behind another tab is shown now."""
        super().showEvent(event)
        if self._is_stale:
            self._on_capture_changed()
        self._fit_once()


def _empty_text(region: Region | None) -> str:
    if region is None:
        return NO_CAPTURE
    return NOTHING_SAVED if region.is_training else NO_BACKWARD
