"""Chooses the options of a compiler."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QGridLayout, QLabel, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MARGIN, MutedLabel, graph_palette
from aotgui.model.compiler_choice import ChoiceError, CompilerChoice, parse_choice
from aotgui.protocol.messages import CompilerInfo, CompilerOption

NO_OPTIONS = "This compiler has no options."
OTHERS: Final = "*"
"""The option that stands for any others, of which there are too many for a field each."""
WIDTH_PX: Final = 460
CAPTION_PX: Final = 2
"""Between a field and what is said of it."""


class CompilerOptionsDialog(QDialog):
    """One field for each option of a compiler.

    Signals:
        chosen: the compiler with its options in writing: ``inductor(max_autotune=true)``.

    Attributes:
        fields: by the option's name.
        problem: what is wrong with what was typed; hidden while nothing is.
    """

    chosen = Signal(str)

    def __init__(self, info: CompilerInfo, choice: CompilerChoice, parent: QWidget | None = None) -> None:
        """Makes the dialog; the caller opens it.

        Args:
            info: the compiler.
            choice: what is chosen now.
            parent: the window.
        """
        super().__init__(parent)
        self.setWindowTitle(f"Options of {info.name}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._info = info
        self.fields = {option.name: _field(option, self._written(option, choice)) for option in info.options}
        self.problem = QLabel(wordWrap=True)
        about = QLabel(info.description, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        form = QGridLayout()  # a form layout gives lines that wrap uneven heights
        form.setContentsMargins(0, MARGIN, 0, 0)
        form.setHorizontalSpacing(MARGIN)
        form.setVerticalSpacing(CAPTION_PX)
        form.setColumnStretch(1, 1)
        for row, option in enumerate(info.options):
            label = QLabel("Others" if option.name == OTHERS else option.name)
            label.setToolTip(option.description)
            about_option = MutedLabel(option.description)
            about_option.setContentsMargins(0, 0, 0, MARGIN)
            form.addWidget(label, 2 * row, 0)
            form.addWidget(self.fields[option.name], 2 * row, 1)
            form.addWidget(about_option, 2 * row + 1, 1)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.addWidget(about)
        if info.needs:
            column.addWidget(MutedLabel(f"Needs {info.needs}."))
        if not info.options:
            column.addWidget(MutedLabel(NO_OPTIONS))
        column.addLayout(form)
        column.addStretch(1)  # what is too high leaves the rows as they are
        colors = QPalette()
        colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.problem.setPalette(colors)
        self.problem.hide()
        column.addWidget(self.problem)
        column.addWidget(buttons)
        self.setMinimumWidth(WIDTH_PX)
        # Qt makes room for lines that wrap as if they were narrower.
        self.resize(WIDTH_PX, column.totalHeightForWidth(WIDTH_PX))

    def text(self) -> str:
        """The choice in writing; options at their defaults are left out."""
        defaults = {option.name: option.default for option in self._info.options}
        values = {name: field.currentText().strip() for name, field in self.fields.items()}
        others = values.pop(OTHERS, "")
        said = [f"{name}={value}" for name, value in values.items() if value and value != defaults[name]]
        said += [others] if others else []
        return f"{self._info.name}({', '.join(said)})" if said else self._info.name

    def accept(self) -> None:
        """Tells the choice, or what is wrong with it."""
        try:
            parse_choice(self.text())
        except ChoiceError as error:
            self.problem.setText(str(error))
            self.problem.show()
            return
        self.chosen.emit(self.text())
        super().accept()

    def _written(self, option: CompilerOption, choice: CompilerChoice) -> str:
        """What is chosen of an option now; of the others, all that have no field of their own."""
        if option.name != OTHERS:
            return choice.options.get(option.name, "")
        named = {one.name for one in self._info.options}
        return ", ".join(f"{name}={value}" for name, value in choice.options.items() if name not in named)


def _field(option: CompilerOption, chosen: str) -> QComboBox:
    """A list of the values, or a line to type in."""
    field = QComboBox()
    field.setEditable(not option.choices)
    field.addItems(list(option.choices) or ([option.default] if option.default else []))
    field.setCurrentText(chosen or option.default)
    if option.name == OTHERS and (line := field.lineEdit()):
        line.setPlaceholderText("name=value, name=value")
    field.setAccessibleName("Others" if option.name == OTHERS else option.name)
    field.setToolTip(option.description)
    return field
