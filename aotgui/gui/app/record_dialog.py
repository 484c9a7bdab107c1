"""Asks which script is recorded, with which command line, and when it is ended."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.look import MutedLabel
from aotgui.gui.session.session import RecordingOptions

INTRODUCTION: Final = (
    "The script runs unchanged, as with python SCRIPT. Every region that it compiles with torch.compile, aot_function "
    "or aot_module is captured; where it compiles nothing, its outermost module call with gradients is."
)
MAX_REGIONS: Final = 1000


class RecordDialog(QDialog):
    """A script, its arguments and a number of regions.

    Signals:
        chosen: path of the script and its ``RecordingOptions``.

    Attributes:
        script: path of the script.
        arguments: its command line as one types it in a shell.
        regions: how many regions to record; 0 lets the script run to its end.
    """

    chosen = Signal(str, object)

    def __init__(self, script: str, options: RecordingOptions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Record Script")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(560)
        self.script = QLineEdit(script)
        self.script.setPlaceholderText("train.py")
        self.arguments = QLineEdit(shlex.join(options.arguments))
        self.arguments.setPlaceholderText("--epochs 1 --batch-size 8")
        self.regions = QSpinBox(maximum=MAX_REGIONS)
        self.regions.setSpecialValueText("the script ends")
        self.regions.setSuffix(" regions")
        self.regions.setValue(options.regions)
        self.problem = MutedLabel()
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._record = self._buttons.addButton("Record", QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out()
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        for field in (self.script, self.arguments):
            field.textChanged.connect(self._show_possible)
        self._show_possible()

    def _lay_out(self) -> None:
        browse = QPushButton("Browse…")
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.addWidget(self.script, 1)
        row.addWidget(browse)
        form = QFormLayout()
        label = QLabel("&Script")
        label.setBuddy(self.script)
        form.addRow(label, row)
        form.addRow("&Arguments", self.arguments)
        form.addRow("Record &until", self.regions)
        column = QVBoxLayout(self)
        column.addWidget(MutedLabel(INTRODUCTION))
        column.addLayout(form)
        column.addWidget(self.problem)
        column.addWidget(self._buttons)

    def _browse(self) -> None:
        folder = str(Path(self.script.text()).parent)
        path, _filter = QFileDialog.getOpenFileName(self, "Record a script", folder, "Scripts (*.py);;All files (*)")
        if path:
            self.script.setText(path)

    def _show_possible(self) -> None:
        problem = self._problem()
        self.problem.setText(problem)
        self._record.setEnabled(not problem)

    def _problem(self) -> str:
        if not Path(self.script.text()).is_file():
            return "Choose a script that exists." if self.script.text() else "Choose a script."
        try:
            shlex.split(self.arguments.text())
        except ValueError as error:
            return f"The arguments cannot be read: {str(error).lower()}."
        return ""

    def accept(self) -> None:
        """Tells what was chosen."""
        if not self._problem():
            arguments = tuple(shlex.split(self.arguments.text()))
            self.chosen.emit(self.script.text(), RecordingOptions(arguments, self.regions.value()))
            super().accept()
