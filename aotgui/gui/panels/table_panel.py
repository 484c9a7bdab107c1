"""The base of every dock that is a table: filter, sort, copy, totals, empty state, shared selection."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Generic

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStackedWidget,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, MutedLabel, is_behind
from aotgui.gui.panels.padded_cells import CELL_PADDING, PaddedDelegate, PaddedHeader
from aotgui.gui.panels.row_model import Column, Row, RowModel, RowStyle, tsv_of
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.text import count_text

FIT_CHARACTERS: Final = 34
LOW_LINES: Final = 8
"""A panel lower than so many lines of text shows nothing but rows."""
FIT_ROWS: Final = 50
"""How many rows are looked at when columns are fitted."""

NodeRef = tuple[GraphKind, int]
"""A node: the graph that holds it and its index."""


class TablePanel(QWidget, Generic[Row]):
    """A filter field, a table and a line below it.

    A subclass gives columns and fills ``model``. Where its rows stand for nodes it sets ``rows_are_nodes`` and says
    which by ``node_of``; then the selection is the session's.

    Signals:
        row_activated: a row was double-clicked or Enter was pressed on it.

    Attributes:
        session: the truth.
        model: the rows.
        view: the table.
        filter_field: words that a row must contain.
        summary: the line below the table.
        noun: what a row is called.
        rows_are_nodes: whether selection is shared with the graphs.
        has_summary: whether the line below is shown.
        fits_tightly: whether columns are no wider than the rows that there are need: no other ones will come.
    """

    row_activated = Signal(object)
    noun = "row"
    rows_are_nodes = False
    has_summary = True
    fits_tightly = False

    def __init__(
        self,
        session: Session,
        columns: Sequence[Column[Row]],
        *,
        empty_text: str,
        filterable: bool = True,
        style: Callable[[Row], RowStyle | None] | None = None,
        search_text: Callable[[Row], str] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.session = session
        self.model: RowModel[Row] = RowModel(columns, style, self, search_text)
        self.view = QTableView()
        self.filter_field = QLineEdit()
        self.summary = MutedLabel()
        self._empty = EmptyState(empty_text)
        self._stack = QStackedWidget()
        self._filterable = filterable
        self._syncing = False
        self._fitted = False
        self._set_up_view()
        self._set_up_layout()
        self._connect()
        self._on_rows_changed()

    def node_of(self, row: Row) -> NodeRef | None:
        """The node that a row stands for, or None."""
        return None

    def summary_text(self) -> str:
        """What the line below the table says."""
        shown, total = len(self.model.shown), self.model.total
        counted = count_text(total, self.noun)
        return counted if shown == total else f"{shown:,} of {counted}"

    @property
    def is_empty(self) -> bool:
        """Whether the empty state is shown."""
        return self._stack.currentWidget() is self._empty

    @property
    def empty_text(self) -> str:
        """What the empty state says."""
        return self._empty.text()

    def set_empty_text(self, text: str) -> None:
        """Another sentence for the empty state."""
        self._empty.setText(text)

    def selected_rows(self) -> list[Row]:
        """The selected rows in the order shown."""
        indexes = self.view.selectionModel().selectedRows()
        return [self.model.shown[index.row()] for index in sorted(indexes, key=QModelIndex.row)]

    def tsv(self) -> str:
        """The selected rows, or all shown ones, with a header line, as tab-separated text."""
        return tsv_of(self.model.columns, self.selected_rows() or self.model.shown)

    def copy(self) -> None:
        """Put ``tsv`` on the clipboard."""
        QGuiApplication.clipboard().setText(self.tsv())

    def _set_up_view(self) -> None:
        view = self.view
        view.setHorizontalHeader(PaddedHeader(Qt.Orientation.Horizontal, view))
        view.setItemDelegate(PaddedDelegate(view))
        view.setModel(self.model)
        view.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setAccessibleName(f"{self.noun.capitalize()}s")
        view.setShowGrid(False)
        view.setWordWrap(False)
        view.setTabKeyNavigation(False)
        view.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setFrameShape(QTableView.Shape.NoFrame)
        self._set_up_headers()
        offer_copy(view, self.copy)

    def _set_up_headers(self) -> None:
        rows, header = self.view.verticalHeader(), self.view.horizontalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setDefaultSectionSize(self.fontMetrics().height() + SPACING)
        header.setHighlightSections(False)
        header.setResizeContentsPrecision(FIT_ROWS)
        header.setSectionsClickable(True)
        header.setSectionsMovable(True)
        header.setStretchLastSection(True)
        header.setMinimumSectionSize(self.fontMetrics().horizontalAdvance("00000"))
        # The order of arrival is the order of the graph: nobody asked for another one yet.
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.view.setSortingEnabled(True)
        character = self.fontMetrics().averageCharWidth()
        for section, column in enumerate(self.model.columns):
            header.resizeSection(section, _pixels(column.width, character))

    def _set_up_layout(self) -> None:
        self.filter_field.setPlaceholderText("Filter")
        self.filter_field.setClearButtonEnabled(True)
        self.filter_field.setAccessibleName(f"Filter {self.noun}s")
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        # A low panel squeezes its rows, which scroll, and not the controls above them.
        self._stack.setMinimumHeight(self.fontMetrics().lineSpacing())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, MARGIN, 0, MARGIN)
        layout.setSpacing(SPACING)
        for widget in (self.filter_field, self._stack, self.summary):
            layout.addWidget(widget)
        self.filter_field.setContentsMargins(MARGIN, 0, MARGIN, 0)
        self.summary.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout.setStretchFactor(self._stack, 1)

    def _connect(self) -> None:
        self.filter_field.textChanged.connect(self.model.set_filter)
        self.model.modelReset.connect(self._on_rows_changed)
        self.model.rowsInserted.connect(self._on_rows_inserted)
        self.view.selectionModel().selectionChanged.connect(self._on_view_selection_changed)
        self.view.activated.connect(self._on_activated)
        if self.fits_tightly:
            self.session.capture_changed.connect(self._forget_fit)
        self.session.selection_changed.connect(self._on_session_selection_changed)

    def _on_rows_changed(self) -> None:
        self._show_totals()
        self._show_selection()

    def _on_rows_inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._show_totals()
        if self.rows_are_nodes and (places := self._selected_places(first, last + 1)):
            self._select_rows(places, QItemSelectionModel.SelectionFlag.Select)

    def _fit_once(self) -> None:
        """Fits the columns when there first are rows and somebody sees them: eight tables at once take 70 ms."""
        if self.model.total and not self._fitted and not is_behind(self):
            self._fitted = True
            self._fit_columns()

    def _forget_fit(self) -> None:
        self._fitted = False

    def _fit_columns(self) -> None:
        """As wide as what they say, within limits; afterwards the widths are the person's."""
        header, character = self.view.horizontalHeader(), self.fontMetrics().averageCharWidth()
        for section, column in enumerate(self.model.columns):
            wanted = self.view.sizeHintForColumn(section)
            least, most = (_pixels(width, character) for width in (column.width, max(column.width, FIT_CHARACTERS)))
            if self.fits_tightly:
                least = header.sectionSizeHint(section)
            header.resizeSection(section, min(max(wanted, least), most))

    def _show_totals(self) -> None:
        has_rows = self.model.total > 0
        self._fit_once()
        self._stack.setCurrentWidget(self.view if has_rows else self._empty)
        self._show_extras()
        self.summary.setText(self.summary_text())

    def _show_extras(self) -> None:
        """Where there is room for a few lines only, the rows get it."""
        has_rows = self.model.total > 0
        is_low = self.height() < LOW_LINES * self.fontMetrics().lineSpacing()
        is_used = bool(self.filter_field.text()) or self.filter_field.hasFocus()
        self.filter_field.setVisible(has_rows and self._filterable and (is_used or not is_low))
        self.summary.setVisible(self.has_summary and has_rows and not is_low)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A panel that is folded shows its rows."""
        super().resizeEvent(event)
        self._show_extras()

    def showEvent(self, event: QShowEvent) -> None:
        """What was filled behind another tab is fitted now."""
        super().showEvent(event)
        self._fit_once()

    def _on_activated(self, index: QModelIndex) -> None:
        self.row_activated.emit(self.model.shown[index.row()])

    def _on_view_selection_changed(self) -> None:
        if self._syncing:
            return
        nodes = [node for node in map(self.node_of, self.selected_rows()) if node]
        if nodes:
            self._syncing = True
            select_in_shown_graph(self.session, nodes)
            self._syncing = False

    def _on_session_selection_changed(self) -> None:
        self._show_selection()

    def _show_selection(self) -> None:
        if self._syncing or not self.rows_are_nodes:
            return
        places = self._selected_places(0, len(self.model.shown))
        self._select_rows(places, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        if places:
            self.view.scrollTo(self.model.index(places[0], 0))

    def _selected_places(self, first: int, end: int) -> list[int]:
        """Which rows from ``first`` to before ``end`` stand for selected nodes."""
        wanted = {(kind, node) for kind in GraphKind for node in self.session.selected_in(kind)}
        if not wanted:
            return []
        return [place for place in range(first, end) if self.node_of(self.model.shown[place]) in wanted]

    def _select_rows(self, places: Sequence[int], how: QItemSelectionModel.SelectionFlag) -> None:
        chosen = QItemSelection()
        for first, last in _runs(places):
            chosen.select(self.model.index(first, 0), self.model.index(last, 0))
        self._syncing = True
        self.view.selectionModel().select(chosen, how | QItemSelectionModel.SelectionFlag.Rows)
        self._syncing = False


def offer_copy(view: QAbstractItemView, copy: Callable[[], None]) -> None:
    """Gives a view the action and the shortcut that copy its rows."""
    action = QAction("Copy Rows", view)
    action.setShortcut(QKeySequence(QKeySequence.StandardKey.Copy))
    action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
    action.triggered.connect(copy)
    view.addAction(action)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)


def _pixels(characters: int, character: int) -> int:
    """Width of a column that has room for so many characters."""
    return characters * character + 2 * CELL_PADDING + MARGIN


def _runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of neighbours: Qt takes as long for a range as for a row."""
    runs: list[tuple[int, int]] = []
    for place in places:
        if runs and runs[-1][1] == place - 1:
            runs[-1] = (runs[-1][0], place)
        else:
            runs.append((place, place))
    return runs


def select_in_shown_graph(session: Session, nodes: Sequence[NodeRef], *, reveal: bool = True) -> None:
    """Select nodes where the person looks: their counterparts in the graph shown, else where they are."""
    region = session.region
    if region is None or not nodes:
        return
    kind = nodes[0][0]
    indexes = [index for owner, index in nodes if owner is kind]
    shown = session.graph_shown
    copies = [copy for index in indexes for copy in region.counterparts(kind, index).get(shown, ())]
    if copies:
        session.select(shown, dict.fromkeys(copies), reveal=reveal)
    else:
        session.select(kind, indexes, reveal=reveal)
