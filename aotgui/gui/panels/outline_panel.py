"""The modules of the region with what each costs: nodes, saved bytes, recomputation."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Final

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import MARGIN, SPACING, EmptyState, is_behind
from aotgui.gui.panels.outline_model import OutlineModel
from aotgui.gui.panels.padded_cells import PaddedDelegate, PaddedHeader
from aotgui.gui.panels.table_panel import select_in_shown_graph
from aotgui.gui.session.background import Background
from aotgui.gui.session.session import Session
from aotgui.model.capture import Region
from aotgui.model.outline import OutlineEntry, outline_of

Entries = tuple[OutlineEntry, ...]

NO_CAPTURE: Final = "The modules of the captured target appear here after a run."
NO_MODULES: Final = "The target has no modules: nothing in the graph is attributed to one."
SORTING: Final = "Sorting the nodes into modules\u2026"
AT_ONCE_NODES: Final = 5_000
"""The modules of a larger graph are counted in the background."""
OPEN_ROWS: Final = 40
"""The tree opens as deep as so many rows allow."""
MODULE_CHARACTERS: Final = 16
MOST_OF_WIDTH: Final = 0.6
INDENTATION_PX: Final = 14


class OutlinePanel(QWidget):
    """A tree of modules whose selection is the session's.

    Attributes:
        session: the truth.
        model: the modules.
        view: the tree.
        filter_field: words that a module must contain.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.model = OutlineModel(self)
        self.view = QTreeView()
        self.filter_field = QLineEdit()
        self._empty = EmptyState(NO_CAPTURE)
        self._stack = QStackedWidget()
        self._syncing = False
        self._is_stale = False
        self._background: Background[Entries] = Background(self)
        self._set_up_view()
        self._set_up_layout()
        self._connect()
        self._on_capture_changed()

    def close_background(self) -> None:
        """Waits for what is being counted; nothing is counted after that."""
        self._background.close()

    @property
    def is_empty(self) -> bool:
        """Whether the empty state is shown."""
        return self._stack.currentWidget() is self._empty

    @property
    def empty_text(self) -> str:
        """What the empty state says."""
        return self._empty.text()

    def _set_up_view(self) -> None:
        view = self.view
        view.setHeader(PaddedHeader(Qt.Orientation.Horizontal, view))
        view.setItemDelegate(PaddedDelegate(view))
        view.setModel(self.model)
        view.setUniformRowHeights(True)
        view.setIndentation(INDENTATION_PX)
        view.setExpandsOnDoubleClick(False)  # a double click reveals
        view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        view.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        view.setFrameShape(QTreeView.Shape.NoFrame)
        view.setAccessibleName("Modules")
        header = view.header()
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)

    def _set_up_layout(self) -> None:
        self.filter_field.setPlaceholderText("Filter modules")
        self.filter_field.setClearButtonEnabled(True)
        self.filter_field.setAccessibleName("Filter modules")
        self.filter_field.setContentsMargins(MARGIN, 0, MARGIN, 0)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.view)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, MARGIN, 0, 0)
        layout.setSpacing(SPACING)
        layout.addWidget(self.filter_field)
        layout.addWidget(self._stack, 1)

    def _connect(self) -> None:
        self.filter_field.textChanged.connect(self._on_filter_changed)
        self.view.selectionModel().selectionChanged.connect(self._on_view_selection_changed)
        self.view.activated.connect(self._on_activated)
        self.view.expanded.connect(self._fit_modules)
        self.view.collapsed.connect(self._fit_modules)
        self.session.capture_changed.connect(self._on_capture_changed)
        self.session.result_changed.connect(self._on_result_changed)
        self.session.selection_changed.connect(self._show_selection)

    def showEvent(self, event: QShowEvent) -> None:
        """The width is known only now, and what happened behind another tab is shown."""
        super().showEvent(event)
        if self._is_stale:
            self._on_capture_changed()
        self._fit_modules()

    # --- From the session -------------------------------------------------------------------------------------

    def _on_capture_changed(self) -> None:
        self._is_stale = is_behind(self)
        if self._is_stale:
            return
        region = self.session.region
        self._background.forget()
        if region and _is_large(region):
            self._show_entries((), SORTING)
            self._background.start(partial(outline_of, region), self._on_counted)
        else:
            self._show_entries(outline_of(region) if region else (), NO_MODULES if region else NO_CAPTURE)

    def _on_counted(self, entries: Entries | Exception) -> None:
        """The modules of a large region are known."""
        if isinstance(entries, Exception):
            raise entries
        if entries != self.model.entries:
            self._show_entries(entries, NO_MODULES)

    def _show_entries(self, entries: Entries, otherwise: str) -> None:
        self.model.set_entries(entries)
        has_modules = any(entry.path for entry in entries)
        self._empty.setText(otherwise)
        self._stack.setCurrentWidget(self.view if has_modules else self._empty)
        self.filter_field.setVisible(has_modules)
        self._open_rows()
        self._show_selection()

    def _on_result_changed(self) -> None:
        """The same graphs with the bytes of another run; mostly nothing changes, and the tree stays as it is."""
        region = self.session.region
        self._is_stale = self._is_stale or is_behind(self)
        if region is None or self._is_stale:
            return
        if _is_large(region):
            self._background.start(partial(outline_of, region), self._on_counted)
        elif outline_of(region) != self.model.entries:
            self._on_capture_changed()

    def _show_selection(self) -> None:
        if self._syncing or self._is_stale:
            return
        index = self.model.index_of(self._selected_path())
        self._syncing = True
        if index.isValid():
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
        else:
            self.view.selectionModel().clearSelection()
        self._syncing = False

    def _selected_path(self) -> str:
        """Module of the current node; no module has no path, and nothing selected neither."""
        selection, graph = self.session.selection, self.session.graph(self.session.selection.graph)
        return graph.module(selection.current) if graph and selection.nodes else "."

    # --- From the person --------------------------------------------------------------------------------------

    def _on_filter_changed(self, text: str) -> None:
        self.model.set_filter(text)
        if self.model.is_filtered:
            self.view.expandAll()
        else:
            self._open_rows()
        self._show_selection()

    def _on_view_selection_changed(self) -> None:
        if not self._syncing:
            self._select(reveal=False)

    def _on_activated(self, _index: QModelIndex) -> None:
        self._select(reveal=True)

    def _select(self, *, reveal: bool) -> None:
        """Selects the nodes of the selected rows in the graph shown."""
        main = self.session.region.main_graph if self.session.region else None
        if main is None:
            return
        nodes = dict.fromkeys(node for entry in self.selected_entries() for node in entry.nodes)
        self._syncing = True
        select_in_shown_graph(self.session, [(main.kind, node) for node in nodes], reveal=reveal)
        self._syncing = False

    def selected_entries(self) -> list[OutlineEntry]:
        """What is selected, from the top."""
        rows = self.view.selectionModel().selectedRows()
        return [self.model.entry(index) for index in rows]

    # --- How it opens -----------------------------------------------------------------------------------------

    def _open_rows(self) -> None:
        """As deep as so many rows allow; runs of blocks stay folded."""
        entries, depth = self.model.entries, 0
        while _row_count(entries, depth) < _row_count(entries, depth + 1) <= OPEN_ROWS:
            depth += 1
        self.view.collapseAll()
        self._expand(QModelIndex(), depth)
        self._fit_modules()

    def _fit_modules(self) -> None:
        """Room for the titles, as long as the numbers beside them stay in view."""
        least = MODULE_CHARACTERS * self.fontMetrics().averageCharWidth()
        most = max(least, round(MOST_OF_WIDTH * self.view.viewport().width()))
        self.view.setColumnWidth(0, min(max(self.view.sizeHintForColumn(0), least), most))

    def _expand(self, parent: QModelIndex, depth: int) -> None:
        for row in range(self.model.rowCount(parent)):
            index = self.model.index(row, 0, parent)
            if depth > 0 and not self.model.entry(index).is_run:
                self.view.expand(index)
                self._expand(index, depth - 1)


def _is_large(region: Region) -> bool:
    return region.main_graph is not None and len(region.main_graph) > AT_ONCE_NODES


def _row_count(entries: Iterable[OutlineEntry], depth: int) -> int:
    """Rows that are seen when the tree is open so deep."""
    return sum(1 + (_row_count(entry.children, depth - 1) if depth and not entry.is_run else 0) for entry in entries)
