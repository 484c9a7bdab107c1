"""Expressions that every stop evaluates, and what they give."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyledItemDelegate,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel, code_font, graph_palette, muted_color
from aotgui.gui.panels.row_model import AnyIndex
from aotgui.gui.panels.table_panel import LOW_LINES
from aotgui.gui.session.session import Session
from aotgui.model.stepping import WatchValue

HINT: Final = (
    "Python over the values of executed nodes by their names, value (of the last executed node), torch and math: "
    "mm_1.abs().max(), value.dtype. Every stop evaluates it in the engine."
)
ADD: Final = "Add an expression…"
NOT_YET: Final = "not evaluated yet"


class _ExpressionDelegate(QStyledItemDelegate):
    """Edits expressions in the code font; the row for a new one starts empty."""

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        """The expression, or nothing."""
        super().setEditorData(editor, index)
        if isinstance(editor, QLineEdit):
            editor.setFont(code_font())
            if editor.text() == ADD:
                editor.clear()


class WatchPanel(QWidget):
    """A table of expressions and values; the last row takes another expression.

    F2 or a double click edits an expression, Delete removes it.

    Attributes:
        session: the truth.
        table: a row a watch, and one for a new one.
        hint: what can be written.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.table = QTableWidget(0, 2)
        self.hint = MutedLabel(HINT)
        self._set_up_table()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, MARGIN)
        layout.setSpacing(SPACING)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.hint)
        self.hint.setContentsMargins(MARGIN, 0, MARGIN, 0)
        session.debug.watches_changed.connect(self._fill)
        session.stepping_changed.connect(self._fill)
        self._fill()

    def texts(self) -> list[tuple[str, str]]:
        """Expressions and what they gave."""
        rows = range(self.table.rowCount() - 1)
        return [(self._text(row, 0), self._text(row, 1)) for row in rows]

    def remove_selected(self) -> None:
        """Watches the selected expressions no longer."""
        gone = {index.row() for index in self.table.selectedIndexes()}
        kept = [text for row, text in enumerate(self.session.debug.expressions) if row not in gone]
        self.session.debug.set_expressions(kept)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is room for a few lines only, the expressions get it; the hint is in the tip of the last row."""
        super().resizeEvent(event)
        self.hint.setVisible(self.height() >= LOW_LINES * self.fontMetrics().lineSpacing())

    def _set_up_table(self) -> None:
        table = self.table
        table.setHorizontalHeaderLabels(["Expression", "Value"])
        table.setAccessibleName("Watch expressions")
        table.verticalHeader().hide()
        table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + SPACING)
        header = table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        header.resizeSection(0, 26 * self.fontMetrics().averageCharWidth())
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        table.setItemDelegateForColumn(0, _ExpressionDelegate(table))
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTabKeyNavigation(False)
        table.setFrameShape(QTableWidget.Shape.NoFrame)
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.itemChanged.connect(self._on_item_changed)
        delete = QShortcut(QKeySequence(QKeySequence.StandardKey.Delete), table)
        delete.setContext(Qt.ShortcutContext.WidgetShortcut)
        delete.activated.connect(self.remove_selected)

    def _fill(self) -> None:
        watches = self.session.debug.watches
        with QSignalBlocker(self.table):
            self.table.setRowCount(len(watches) + 1)
            for row, watch in enumerate(watches):
                self._put(row, watch)
            self._put_new(len(watches))

    def _put(self, row: int, watch: WatchValue) -> None:
        expression, value = self._cell(row, 0), self._cell(row, 1)
        expression.setText(watch.expression)
        expression.setFont(code_font())
        expression.setForeground(self.palette().text())
        is_known = bool(watch.text) and self.session.stepping.active
        text = watch.text if is_known else NOT_YET
        if is_known and watch.tensor is not None and str(watch.tensor) not in text:
            text = f"{text}   {watch.tensor}"
        value.setText(text.replace("\n", " "))
        value.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
        value.setToolTip(text)
        value.setFont(code_font() if is_known and not watch.failed else self.font())
        if watch.failed:
            value.setForeground(QColor(graph_palette(self).error))
        else:
            value.setForeground(self.palette().text() if is_known else muted_color(self.palette()))

    def _put_new(self, row: int) -> None:
        item, nothing = self._cell(row, 0), self._cell(row, 1)
        item.setToolTip(HINT)
        item.setText(ADD)
        item.setFont(self.font())
        item.setForeground(muted_color(self.palette()))
        nothing.setText("")
        nothing.setToolTip("")
        nothing.setFlags(Qt.ItemFlag.ItemIsEnabled)

    def _cell(self, row: int, column: int) -> QTableWidgetItem:
        """The item of a cell. One that tells of its new text must not be deleted meanwhile, so they stay."""
        item = self.table.item(row, column)
        if item is None:
            item = QTableWidgetItem()
            self.table.setItem(row, column, item)
        return item

    def _on_item_changed(self, item: QTableWidgetItem) -> None:
        expressions = list(self.session.debug.expressions)
        text = item.text().strip()
        if item.row() < len(expressions):
            expressions[item.row()] = text
        elif text and text != ADD:
            expressions.append(text)
        before = self.session.debug.expressions
        self.session.debug.set_expressions(expressions)
        if self.session.debug.expressions == before:
            self._fill()

    def _text(self, row: int, column: int) -> str:
        item = self.table.item(row, column)
        return item.text() if item else ""
