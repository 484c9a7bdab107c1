"""Asks what the value of a node is replaced by."""

from __future__ import annotations

import math
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QDoubleValidator, QPalette
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QRadioButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.breakpoint_words import syntax_fault
from aotgui.gui.panels.look import MutedLabel, code_font, graph_palette
from aotgui.model.stepping import Replacement, ReplacementKind

INTRODUCTION: Final = (
    "Everything computed after {name} becomes void and is computed again with the new value as you step on. What that "
    "changes is marked with \u0394 on the graph, with its size in the Values table and as colours."
)
KIND_WORDS: Final = {
    ReplacementKind.ZEROS: "&Zeros",
    ReplacementKind.ONES: "&Ones",
    ReplacementKind.NOISE: "&Noise",
    ReplacementKind.CLAMP: "&Clamp",
    ReplacementKind.EXPRESSION: "&Expression",
}
MAX_SEED: Final = 2_147_483_647


class ReplaceDialog(QDialog):
    """A choice of five kinds of value.

    Signals:
        chosen: the ``Replacement``.

    Attributes:
        kinds: the choices.
        seed: of the noise.
        low: lower bound; empty for none.
        high: upper bound.
        expression: Python over ``value``.
        problem: what is wrong.
    """

    chosen = Signal(object)

    def __init__(self, name: str, description: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Replace {name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(480)
        self.kinds = {kind: QRadioButton(words) for kind, words in KIND_WORDS.items()}
        self.seed = QSpinBox(maximum=MAX_SEED)
        self.low, self.high, self.expression = QLineEdit(), QLineEdit(), QLineEdit()
        self.problem = QLabel(wordWrap=True)
        self._group = QButtonGroup(self)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._replace = self._buttons.addButton("Replace", QDialogButtonBox.ButtonRole.AcceptRole)
        self._set_up_fields()
        self._lay_out(name, description)
        self._connect()
        self.kinds[ReplacementKind.ZEROS].setChecked(True)
        self._show_possible()

    @property
    def kind(self) -> ReplacementKind:
        """The kind that is chosen."""
        return next((kind for kind, button in self.kinds.items() if button.isChecked()), ReplacementKind.ZEROS)

    def accept(self) -> None:
        """Hands the choice over, unless something is wrong with it."""
        if not self._problem():
            kind = self.kind
            is_clamp = kind is ReplacementKind.CLAMP
            replacement = Replacement(
                kind=kind,
                seed=self.seed.value() if kind is ReplacementKind.NOISE else 0,
                low=_number(self.low.text()) if is_clamp else None,
                high=_number(self.high.text()) if is_clamp else None,
                expression=self.expression.text().strip() if kind is ReplacementKind.EXPRESSION else "",
            )
            self.chosen.emit(replacement)
            super().accept()

    def _set_up_fields(self) -> None:
        self.kinds[ReplacementKind.NOISE].setToolTip("Standard normal noise; the same seed gives the same noise")
        self.kinds[ReplacementKind.CLAMP].setToolTip("The value itself, with what is beyond the bounds set to them")
        self.kinds[ReplacementKind.EXPRESSION].setToolTip("Python over value, names of nodes, torch and math")
        for field, words in ((self.low, "no lower bound"), (self.high, "no upper bound")):
            field.setValidator(QDoubleValidator(field))
            field.setPlaceholderText(words)
        self.low.setAccessibleName("Lower bound")
        self.high.setAccessibleName("Upper bound")
        self.seed.setPrefix("seed ")
        self.expression.setFont(code_font())
        self.expression.setPlaceholderText("value.nan_to_num() * 0.5")
        self.expression.setAccessibleName("Expression")

    def _lay_out(self, name: str, description: str) -> None:
        bounds = QHBoxLayout()
        bounds.addWidget(self.low)
        bounds.addWidget(QLabel("to"))
        bounds.addWidget(self.high)
        beside: dict[ReplacementKind, QWidget | QHBoxLayout] = {
            ReplacementKind.NOISE: self.seed,
            ReplacementKind.CLAMP: bounds,
            ReplacementKind.EXPRESSION: self.expression,
        }
        grid = QGridLayout()
        for row, (kind, button) in enumerate(self.kinds.items()):
            self._group.addButton(button)
            grid.addWidget(button, row, 0)
            more = beside.get(kind)
            if isinstance(more, QWidget):
                grid.addWidget(more, row, 1)
            elif more is not None:
                grid.addLayout(more, row, 1)
        grid.setColumnStretch(1, 1)
        column = QVBoxLayout(self)
        column.addWidget(QLabel(f"<b>{name}</b>  {description}"))
        column.addWidget(MutedLabel(INTRODUCTION.format(name=name)))
        column.addLayout(grid)
        column.addWidget(self.problem)
        column.addWidget(self._buttons)

    def _connect(self) -> None:
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        for button in self.kinds.values():
            button.toggled.connect(self._show_possible)
        for kind, field in (
            (ReplacementKind.CLAMP, self.low),
            (ReplacementKind.CLAMP, self.high),
            (ReplacementKind.EXPRESSION, self.expression),
        ):
            field.textEdited.connect(self.kinds[kind].click)
            field.textChanged.connect(self._show_possible)
        self.seed.valueChanged.connect(self.kinds[ReplacementKind.NOISE].click)

    def _problem(self) -> str:
        """Why nothing can be replaced by that; empty where it can."""
        if self.kind is ReplacementKind.EXPRESSION:
            text = self.expression.text().strip()
            if not text:
                return "Write an expression over value."
            why = syntax_fault(text)
            return f"That is no Python expression: {why}." if why else ""
        if self.kind is ReplacementKind.CLAMP:
            low, high = _number(self.low.text()), _number(self.high.text())
            if low is None and high is None:
                return "Give at least one bound."
            if low is not None and high is not None and low > high:
                return "The lower bound is above the upper one."
        return ""

    def _show_possible(self) -> None:
        problem = self._problem()
        self._replace.setEnabled(not problem)
        self.problem.setText(problem or " ")
        colors = QPalette()
        colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.problem.setPalette(colors)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value
