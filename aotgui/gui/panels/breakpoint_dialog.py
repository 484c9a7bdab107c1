"""Asks for one breakpoint: what it looks at, under which condition it stops, or what it says instead."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.breakpoint_words import KIND_WORDS, problem_of, remark_on, sentence
from aotgui.gui.panels.look import code_font, graph_palette
from aotgui.gui.session.session import Session
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import Graph, GraphKind

PLACES: Final = (BreakpointKind.NODE, BreakpointKind.OPERATOR, BreakpointKind.MODULE, BreakpointKind.LINE)
EXAMPLES: Final = {
    BreakpointKind.NODE: "mm_1",
    BreakpointKind.OPERATOR: "aten.mm",
    BreakpointKind.MODULE: "layers.0",
    BreakpointKind.LINE: "model.py",
}
MAX_LINE: Final = 10_000_000


class BreakpointDialog(QDialog):
    """A form for a breakpoint on a place.

    Signals:
        chosen: the ``Breakpoint``.

    Attributes:
        kind: what it looks at.
        where: node, operator, module or file.
        line: of the file.
        graph: in which graph.
        condition: Python over ``value``, ``args`` and ``node``.
        hit_count: from which hit on it stops.
        log: what is said instead of a stop.
        remark: what it would do, or what is wrong.
    """

    chosen = Signal(object)

    def __init__(self, session: Session, point: Breakpoint, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._point = session, point
        self._asked = False
        self.setWindowTitle("Edit Breakpoint" if session.breakpoints.named(point.id) else "New Breakpoint")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(520)
        self.kind, self.where, self.line = QComboBox(), QLineEdit(), QSpinBox()
        self.graph, self.condition, self.hit_count, self.log = QComboBox(), QLineEdit(), QSpinBox(), QLineEdit()
        self.remark = QLabel(wordWrap=True)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        self._set_up_fields()
        self._lay_out()
        self._show_point()
        self._connect()
        self._on_kind_changed()

    @property
    def point(self) -> Breakpoint:
        """What the form says, right or wrong."""
        # Qt keeps a StrEnum as the text that it is.
        kind, graph = BreakpointKind(self.kind.currentData()), self.graph.currentData()
        return Breakpoint(
            id=self._point.id,
            kind=kind,
            graph=GraphKind(graph) if graph else None,
            where=self.where.text().strip(),
            line=self.line.value() if kind is BreakpointKind.LINE else 0,
            condition=self.condition.text().strip(),
            hit_count=self.hit_count.value(),
            log=self.log.text(),
            enabled=self._point.enabled,
        )

    def accept(self) -> None:
        """Hands the breakpoint over, unless something is wrong with it."""
        if not problem_of(self.point):
            self.chosen.emit(self.point)
            super().accept()

    def _set_up_fields(self) -> None:
        for kind in PLACES:
            self.kind.addItem(KIND_WORDS[kind], kind)
        self.graph.addItem("Any graph that runs", None)
        region = self._session.region
        for graph in (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE):
            if region is not None and graph in region.graphs:
                self.graph.addItem(f"Only {graph}", graph)
        self.line.setRange(1, MAX_LINE)
        self.line.setPrefix("line ")
        self.hit_count.setRange(0, 1_000_000_000)
        self.hit_count.setSpecialValueText("every hit")
        self.hit_count.setPrefix("from hit ")
        for box in (self.line, self.hit_count):
            box.setMinimumHeight(self.where.sizeHint().height())
        self.condition.setPlaceholderText("value.abs().max() > 1e4")
        self.log.setPlaceholderText("{node} is at most {value.abs().max():.3g}")
        for field in (self.where, self.condition, self.log):
            field.setFont(code_font())
            field.setClearButtonEnabled(True)
        self.condition.setToolTip(
            "Python over value, args, kwargs, node, torch and math, evaluated after the node has run; it stops there."
        )
        self.log.setToolTip(
            "Said in the Log panel instead of a stop; expressions in braces are evaluated after the node has run."
        )

    def _lay_out(self) -> None:
        place = QHBoxLayout()
        place.addWidget(self.where, 1)
        place.addWidget(self.line)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        for words, field in (
            ("&Stop at", self.kind),
            ("&Which", place),
            ("&Graph", self.graph),
            ("&Condition", self.condition),
            ("&Hits", self.hit_count),
            ("&Log message", self.log),
        ):
            label = QLabel(words)
            label.setBuddy(self.where if field is place else field)  # type: ignore[arg-type] # the layout was replaced
            form.addRow(label, field)
        column = QVBoxLayout(self)
        column.addLayout(form)
        column.addWidget(self.remark)
        column.addStretch(1)
        column.addWidget(self._buttons)
        self.remark.setMinimumHeight(2 * self.fontMetrics().lineSpacing() + 4)

    def _show_point(self) -> None:
        point = self._point
        self.kind.setCurrentIndex(max(0, self.kind.findData(point.kind)))
        self.where.setText(point.where)
        self.line.setValue(max(1, point.line))
        self.graph.setCurrentIndex(max(0, self.graph.findData(point.graph)))
        self.condition.setText(point.condition)
        self.hit_count.setValue(point.hit_count)
        self.log.setText(point.log)

    def _connect(self) -> None:
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        for field in (self.where, self.condition, self.log):
            field.textChanged.connect(self._show_remark)
        for box in (self.line, self.hit_count):
            box.valueChanged.connect(self._show_remark)
        self.graph.currentIndexChanged.connect(self._show_remark)

    def _on_kind_changed(self) -> None:
        kind = BreakpointKind(self.kind.currentData())
        self.line.setVisible(kind is BreakpointKind.LINE)
        self.where.setPlaceholderText(EXAMPLES[kind])
        completer = QCompleter(sorted(self._names(kind)), self.where)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.where.setCompleter(completer)
        self._show_remark()

    def _names(self, kind: BreakpointKind) -> set[str]:
        """What there is to stop at."""
        region, capture = self._session.region, self._session.capture
        if kind is BreakpointKind.LINE:
            return set(capture.sources if capture else ())
        graphs = [one for one in region.graphs.values() if one.kind is not GraphKind.JOINT] if region else []
        return {name for one in graphs for name in _names_in(one, kind)}

    def _show_remark(self) -> None:
        point = self.point
        problem = problem_of(point)
        self._buttons.button(QDialogButtonBox.StandardButton.Ok).setEnabled(not problem)
        self.remark.setText(problem or f"{sentence(point)} {remark_on(point, self._session.region)}".strip())
        colors = QPalette()
        if problem and point.where:
            colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.remark.setPalette(colors)


def _names_in(graph: Graph, kind: BreakpointKind) -> Iterable[str]:
    match kind:
        case BreakpointKind.NODE:
            return graph.names
        case BreakpointKind.OPERATOR:
            return {graph.target(node) for node in range(len(graph)) if "." in graph.target(node)}
        case _:
            return {graph.module(node) for node in range(len(graph))} - {""}
