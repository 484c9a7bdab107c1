"""Every executed node with the statistics of its value, as they arrive."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final, NamedTuple

from PySide6.QtCore import QTimer
from PySide6.QtGui import QBrush, QColor
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.look import blend, graph_palette, muted_color
from aotgui.gui.panels.row_model import Column, RowStyle
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind, TensorInfo
from aotgui.model.stepping import NodeError
from aotgui.model.text import NONE_TEXT, number_text, shape_text
from aotgui.model.values import ValueStats

NOT_STEPPING: Final = "Start the debugger: each executed node appears here with the statistics of its value."
ERROR: Final = "Error"
DIFFERENCE: Final = "Difference"
NOTHING_EXECUTED: Final = "Nothing has been executed yet. Step to see values."
FLUSH_MS: Final = 150
"""While the debugger runs on, rows are added this often: a table of 300 cells takes 20 ms to paint."""


class ValueRow(NamedTuple):
    """One executed node.

    Attributes:
        order: in which it was executed, from 1.
        kind: its graph.
        name: of the node.
        op: what it calls; the human name of a placeholder that has one.
        stats: of its value.
    """

    order: int
    kind: GraphKind
    name: str
    op: str
    stats: ValueStats

    @property
    def tensor(self) -> TensorInfo:
        """The value as computed."""
        return self.stats.tensor


class ValuesPanel(TablePanel[ValueRow]):
    """One row an executed node; those with NaN or Inf stand out."""

    noun = "executed node"
    rows_are_nodes = True
    _bad = 0
    """How many of all rows have NaN or Inf."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[ValueRow]("#", lambda row: f"{row.order:,}", key=lambda row: row.order, numeric=True, width=5),
            Column[ValueRow]("Graph", lambda row: row.kind.value, key=lambda row: row.order, width=11),
            Column[ValueRow]("Node", lambda row: row.name, width=18),
            Column[ValueRow]("Operator", lambda row: row.op, width=26),
            Column[ValueRow]("Shape", _shape, width=14),
            Column[ValueRow]("Dtype", lambda row: row.tensor.dtype, width=9),
            _number("Min", lambda stats: stats.minimum),
            _number("Max", lambda stats: stats.maximum),
            _number("Mean", lambda stats: stats.mean, hint="Of the finite elements."),
            _number("Std", lambda stats: stats.std, hint="Of the finite elements."),
            _count("Zeros", lambda stats: stats.zeros),
            _count("NaN", lambda stats: stats.nans),
            _count("Inf", lambda stats: stats.infs),
            self._compared(ERROR, "Relative error against the float64 reference run", session.debug.errors),
            self._compared(DIFFERENCE, "Relative difference to the run without the what-if", session.debug.differences),
            Column[ValueRow](
                "ms",
                lambda row: number_text(row.stats.ms, 3),
                key=lambda row: row.stats.ms,
                numeric=True,
                hint="Milliseconds that the node took",
                width=8,
            ),
        )
        super().__init__(
            session,
            columns,
            empty_text=NOT_STEPPING,
            style=self._row_style,
            search_text=lambda row: f"{row.kind} {row.name} {row.op} {_shape(row)} {row.tensor.dtype}",
            parent=parent,
        )
        self._pending: list[NodeRef] = []
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self._flush)
        self._is_at_end = True
        self.model.rowsAboutToBeInserted.connect(self._on_rows_about_to_be_inserted)
        session.values_changed.connect(self._on_values_changed)
        session.stepping_changed.connect(self._on_stepping_changed)
        for engine_changed in (session.source_changed, session.progress_changed):
            engine_changed.connect(self._say_why_empty)
        session.debug.errors_changed.connect(self._on_compared)
        session.debug.differences_changed.connect(self._on_compared)
        self._on_compared()
        self._reload()

    def node_of(self, row: ValueRow) -> NodeRef | None:
        """The executed node."""
        return row.kind, row.stats.node

    def summary_text(self) -> str:
        """How many nodes, how many of them with NaN or Inf."""
        shown, is_whole = self.model.shown, len(self.model.shown) == self.model.total
        # To look through 50,000 rows at each step would be felt.
        bad = self._bad if is_whole else sum(not row.stats.is_finite for row in shown)
        counted = super().summary_text()
        return f"{counted}, {bad:,} with NaN or Inf" if bad else counted

    def _compared(self, title: str, hint: str, errors: Callable[[GraphKind], dict[int, NodeError]]) -> Column[ValueRow]:
        """A column of errors; where there is no number a row says why in its tooltip."""

        def error(row: ValueRow) -> NodeError | None:
            return errors(row.kind).get(row.stats.node)

        return Column[ValueRow](
            title,
            lambda row: error_text(error(row)),
            key=lambda row: found.relative if (found := error(row)) else None,
            numeric=True,
            hint=hint,
            tooltip=lambda row: error_tip(error(row)),
            width=9,
        )

    def _row_style(self, row: ValueRow) -> RowStyle | None:
        stepping = self.session.stepping
        is_here = stepping.active and row.kind is stepping.graph
        if is_here and row.stats.node == stepping.node:
            following = QColor(graph_palette(self).next_node)
            return RowStyle(fill=QBrush(blend(self.palette().base().color(), following, 0.25)), bold=True)
        if not row.stats.is_finite:
            error = QColor(graph_palette(self).error)
            return RowStyle(fill=QBrush(blend(self.palette().base().color(), error, 0.2)), bold=True)
        if is_here and row.stats.node > stepping.node:
            return RowStyle(ink=QBrush(muted_color(self.palette())))
        return None

    def _on_compared(self, *_what: object) -> None:
        debug = self.session.debug
        for place, column in enumerate(self.model.columns):
            if column.title in (ERROR, DIFFERENCE):
                facts = debug.errors if column.title == ERROR else debug.differences
                self.view.setColumnHidden(place, not any(facts(kind) for kind in GraphKind))
        self.view.viewport().update()

    def _on_values_changed(self, kind: GraphKind, nodes: list[int]) -> None:
        if not nodes:
            self._reload()
            return
        self._pending += [(kind, node) for node in nodes]
        if not self.session.stepping.running:
            self._flush()
        elif not self._timer.isActive():
            self._timer.start()

    def _on_stepping_changed(self) -> None:
        self._say_why_empty()
        if not self.session.stepping.running:
            self._flush()
            self._follow_back()
        self.view.viewport().update()

    def _say_why_empty(self) -> None:
        is_active, obstacle = self.session.stepping.active, self.session.engine_obstacle
        self.set_empty_text(NOTHING_EXECUTED if is_active else obstacle or NOT_STEPPING)

    def _flush(self) -> None:
        pending, self._pending = self._pending, []
        self._timer.stop()
        executed = sum(len(self.session.values(kind)) for kind in GraphKind)
        if executed != self.model.total + len(pending):  # a node was executed again: it keeps its row
            self._reload()
        elif pending:
            rows = [
                self._row(order, kind, self.session.values(kind)[node])
                for order, (kind, node) in enumerate(pending, start=self.model.total + 1)
            ]
            self._bad += sum(not row.stats.is_finite for row in rows)
            self.model.append_rows(rows)
            self._follow_end()

    def _follow_back(self) -> None:
        """One who went back in time sees the row of the node that is next; the later ones are muted."""
        stepping = self.session.stepping
        values = self.session.values(stepping.graph) if stepping.active and stepping.graph else {}
        if stepping.node in values:
            wanted = (stepping.graph, stepping.node)
            places = (place for place, row in enumerate(self.model.shown) if self.node_of(row) == wanted)
            for place in itertools.islice(places, 1):
                self.view.scrollTo(self.model.index(place, 0))

    def _on_rows_about_to_be_inserted(self) -> None:
        bar = self.view.verticalScrollBar()
        self._is_at_end = bar.value() == bar.maximum()

    def _follow_end(self) -> None:
        """Keep the newest node in view, unless the person scrolled elsewhere or wants another order."""
        if self._is_at_end and not self.model.is_sorted:
            self.view.scrollToBottom()

    def _reload(self) -> None:
        self._pending = []
        rows: list[ValueRow] = []
        for kind in (GraphKind.INFERENCE, GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD):
            values = self.session.values(kind).values()
            rows += [self._row(order, kind, value) for order, value in enumerate(values, start=len(rows) + 1)]
        self._bad = sum(not row.stats.is_finite for row in rows)
        self.model.set_rows(rows)

    def _row(self, order: int, kind: GraphKind, stats: ValueStats) -> ValueRow:
        graph = self.session.graph(kind)
        assert graph is not None, f"a value of a {kind} graph that does not exist"
        op = graph.label(stats.node) or graph.target(stats.node)
        return ValueRow(order, kind, graph.names[stats.node], op, stats)


def _shape(row: ValueRow) -> str:
    return shape_text(row.tensor.shape) if row.tensor.is_tensor else row.stats.text


def _number(title: str, read: Callable[[ValueStats], float | None], hint: str = "") -> Column[ValueRow]:
    return Column(
        title,
        lambda row: number_text(read(row.stats)),
        key=lambda row: read(row.stats),
        numeric=True,
        hint=hint,
        width=11,
    )


def _count(title: str, read: Callable[[ValueStats], int]) -> Column[ValueRow]:
    def text(row: ValueRow) -> str:
        return f"{read(row.stats):,}" if row.tensor.is_tensor else NONE_TEXT

    return Column(title, text, key=lambda row: read(row.stats), numeric=True, width=7)


def error_text(error: NodeError | None) -> str:
    """A relative error; a dash where there is none to tell."""
    if error is None or (error.text and not error.max_abs):
        return NONE_TEXT
    return number_text(error.relative, 3)


def error_tip(error: NodeError | None) -> str:
    """The absolute error, and why there is no number."""
    if error is None:
        return ""
    sentence = f"largest absolute difference {number_text(error.max_abs)}"
    return f"{sentence}; {error.text}" if error.text and error.max_abs else error.text or sentence
