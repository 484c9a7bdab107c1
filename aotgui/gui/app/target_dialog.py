"""Asks what of a source is to be captured, and with which inputs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLabel,
    QListWidget,
    QScrollArea,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.input_form import InputForm
from aotgui.gui.panels.look import MutedLabel
from aotgui.gui.session.session import TargetChoice
from aotgui.model.targets import TargetInfo
from aotgui.protocol.messages import TargetsFound


class TargetDialog(QDialog):
    """A list of targets and a form for the inputs of the selected one.

    Signals:
        chosen: a ``TargetChoice`` to run.

    Attributes:
        targets: the list.
        form: the inputs of the selected target.
    """

    chosen = Signal(object)

    def __init__(
        self, offer: TargetsFound, remembered: Mapping[str, str], parent: QWidget | None = None, *, first: str = ""
    ) -> None:
        """Makes the dialog; the caller opens it.

        Args:
            offer: what the source offers; must not be empty.
            remembered: inputs that targets had before, by name.
            parent: the window.
            first: name of the target to begin with; the offer's own choice is preferred.
        """
        super().__init__(parent)
        self.setWindowTitle("Choose What to Capture")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(860, 460)
        self._offer = offer
        self._remembered = dict(remembered)
        self.targets = QListWidget()
        self.form = InputForm(())
        self._what = QLabel(textFormat=Qt.TextFormat.PlainText)
        self._summary = MutedLabel()
        self._scroll = QScrollArea(widgetResizable=True)
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._run = self._buttons.addButton("Capture", QDialogButtonBox.ButtonRole.AcceptRole)
        self._fill_targets()
        self._lay_out()
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        self.targets.currentRowChanged.connect(self._show_target)
        self.targets.setCurrentRow(self._first_row(offer.chosen or first))

    @property
    def target(self) -> TargetInfo:
        """The selected target."""
        return self._offer.targets[self.targets.currentRow()]

    def _fill_targets(self) -> None:
        self.targets.setAccessibleName("Targets")
        for target in self._offer.targets:
            self.targets.addItem(f"{target.name}  ({target.type_name or target.kind.value})")

    def _first_row(self, wanted: str) -> int:
        names = [target.name for target in self._offer.targets]
        return names.index(wanted) if wanted in names else 0

    def _lay_out(self) -> None:
        font = self._what.font()
        font.setBold(True)
        self._what.setFont(font)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        right = QWidget()
        column = QVBoxLayout(right)
        for widget in (self._what, self._summary, self._scroll):
            column.addWidget(widget)
        column.setStretchFactor(self._scroll, 1)
        splitter = QSplitter()
        splitter.addWidget(self.targets)
        splitter.addWidget(right)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([190, 670])
        whole = QVBoxLayout(self)
        whole.addWidget(splitter, 1)
        row = QHBoxLayout()
        row.addWidget(self._buttons)
        whole.addLayout(row)

    def _show_target(self) -> None:
        target = self.target
        parameters = ", ".join(map(str, target.parameters))
        self._what.setText(f"{target.name}({parameters})")
        self._what.setWordWrap(True)
        self._summary.setText(target.summary)
        self._summary.setVisible(bool(target.summary))
        self.form = InputForm(target.parameters)
        self.form.set_text(self._remembered.get(target.name, ""))
        self.form.changed.connect(self._show_possible)
        self._scroll.setWidget(self.form)
        self._show_possible()

    def _show_possible(self) -> None:
        self._remembered[self.target.name] = self.form.text()
        self._run.setEnabled(not self.form.error)

    def accept(self) -> None:
        """Tells what was chosen."""
        if not self.form.error:
            self.chosen.emit(TargetChoice(self.target.name, self.form.text()))
            super().accept()
