"""Chooses the options of a compiler."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MutedLabel
from aotgui.model.compiler_choice import CompilerChoice
from aotgui.protocol.messages import CompilerInfo, CompilerOption

NO_OPTIONS = "This compiler has no options."


class CompilerOptionsDialog(QDialog):
    """One field for each option of a compiler.

    Signals:
        chosen: the compiler with its options in writing: ``inductor(max_autotune=true)``.

    Attributes:
        fields: by the option's name.
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
        self.fields = {option.name: _field(option, choice.options.get(option.name, "")) for option in info.options}
        about = QLabel(info.description, textFormat=Qt.TextFormat.PlainText, wordWrap=True)
        form = QFormLayout()
        for option in info.options:
            label = QLabel(option.name)
            label.setToolTip(option.description)
            form.addRow(label, self.fields[option.name])
            form.addRow("", MutedLabel(option.description))
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
        column.addWidget(buttons)
        self.setMinimumWidth(460)

    def text(self) -> str:
        """The choice in writing; options at their defaults are left out."""
        defaults = {option.name: option.default for option in self._info.options}
        values = {name: field.currentText().strip() for name, field in self.fields.items()}
        said = [f"{name}={value}" for name, value in values.items() if value and value != defaults[name]]
        return f"{self._info.name}({', '.join(said)})" if said else self._info.name

    def accept(self) -> None:
        """Tells the choice."""
        self.chosen.emit(self.text())
        super().accept()


def _field(option: CompilerOption, chosen: str) -> QComboBox:
    """A list of the values, or a line to type in."""
    field = QComboBox()
    field.setEditable(not option.choices)
    field.addItems(list(option.choices) or ([option.default] if option.default else []))
    field.setCurrentText(chosen or option.default)
    field.setAccessibleName(option.name)
    field.setToolTip(option.description)
    return field
