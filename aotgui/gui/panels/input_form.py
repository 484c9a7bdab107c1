"""A form for the inputs of one target: a row for each parameter, and what the rows together say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from aotgui.gui.panels.input_row import InputRow
from aotgui.gui.panels.look import SPACING, MutedLabel, code_font, graph_palette
from aotgui.model.inputs import InputSpec, InputSpecError, parse_inputs
from aotgui.model.targets import Parameter

TITLES: Final = ("Parameter", "Kind", "Number or value", "Shape", "Dtype", "Gradient")


class InputForm(QWidget):
    """Rows for parameters; the same language as ``--input``.

    Signals:
        changed: another text, or none that can be read.

    Attributes:
        rows: one a parameter that takes a value.
        preview: the text of the inputs, or what is wrong.
    """

    changed = Signal()

    def __init__(self, parameters: Sequence[Parameter], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = [InputRow(parameter, self) for parameter in parameters if not parameter.name.startswith("**")]
        self.preview = QLabel(wordWrap=True)
        self.preview.setFont(code_font())
        self._error = ""
        self._lay_out()
        for row in self.rows:
            row.changed.connect(self._on_changed)
        self._show_preview()

    @property
    def error(self) -> str:
        """Why the inputs cannot be read, or empty."""
        return self._error

    def text(self) -> str:
        """The inputs as text that may be wrong; parameters with a default, and those after them, are given by name."""
        arguments: list[str] = []
        by_name = False
        for row in self.rows:
            name, value = row.parameter.name, row.text()
            takes_any = name.startswith("*")
            by_name = by_name or not (row.parameter.required or takes_any)
            if value and not by_name:
                arguments.append(value)
            elif value and not takes_any:
                arguments.append(f"{name}={value}")
        return "; ".join(arguments)

    def set_text(self, text: str) -> None:
        """Fills the rows from a text; one that is no specification fills none."""
        try:
            spec = parse_inputs(text)
        except InputSpecError:
            spec = InputSpec()
        positional = [argument.value for argument in spec.arguments if not argument.name]
        named = {argument.name: argument.value for argument in spec.arguments if argument.name}
        for place, row in enumerate(self.rows):
            value = positional[place] if place < len(positional) else named.get(row.parameter.name)
            row.set_value(value)
        self._show_preview()

    def _on_changed(self) -> None:
        self._show_preview()
        self.changed.emit()

    def _show_preview(self) -> None:
        self._error = self._problem()
        self.preview.setText(self._error or self.text())
        colors = QPalette()
        if self._error:
            colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.preview.setPalette(colors)

    def _problem(self) -> str:
        for row in self.rows:
            if row.parameter.required and not row.text():
                return f"{row.parameter.name} needs a value."
            try:
                parse_inputs(row.text())
            except InputSpecError as error:
                return f"{row.parameter.name}: {str(error).partition(': ')[2]}"
        return ""

    def _lay_out(self) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(SPACING)
        for column, title in enumerate(TITLES if self.rows else ()):
            grid.addWidget(MutedLabel(title), 0, column)
        for place, row in enumerate(self.rows, start=1):
            name = QLabel(row.parameter.name)
            name.setToolTip(str(row.parameter))
            for column, widget in enumerate([name, *row.widgets()]):
                grid.addWidget(widget, place, column)
        grid.setColumnStretch(2, 2)
        grid.setColumnStretch(3, 2)
        column_layout = QVBoxLayout(self)
        column_layout.setContentsMargins(0, 0, 0, 0)
        column_layout.addLayout(grid)
        column_layout.addWidget(self.preview)
        column_layout.addStretch(1)
