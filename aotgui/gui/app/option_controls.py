"""One control for each option of ``aotgui.model.settings.OPTIONS``, the kind after the type of its field."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QDoubleSpinBox, QLineEdit, QSpinBox, QWidget

from aotgui.gui.session.session import Session
from aotgui.model.presets import PRESETS, preset_of
from aotgui.model.script_names import script_names
from aotgui.model.settings import OPTIONS, Option, Settings
from aotgui.protocol.messages import CompilerInfo

SAME_AS_FORWARD: Final = "same as forward"
MAX_SEED: Final = 2**31 - 1
_COMPILERS: Final = {"forward_compiler", "backward_compiler", "inference_compiler"}
_OWN: Final = {*_COMPILERS, "partitioner", "decompositions"}
"""What the script may define itself."""
_OWN_TIP: Final = "Defined in the script."

SettingValue = str | bool | int | float


class OptionControl(QObject):
    """A control and the field of the session's settings that it shows and changes.

    Attributes:
        option: what it controls.
        widget: the control.

    Signals:
        chosen: the person chose another value.
    """

    chosen = Signal(object)

    def __init__(self, option: Option, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.option = option
        self._session = session
        self._listed: list[Choice] = []
        self.widget = self._build()
        self.widget.setToolTip(option.description)
        self.widget.setStatusTip(option.description)
        self.widget.setAccessibleName(option.title)
        self.widget.setObjectName(option.field)
        session.settings_changed.connect(self._on_settings_changed)
        if option.field in _COMPILERS:
            session.compilers_changed.connect(self._on_choices_changed)
        if option.field in _OWN:
            session.capture_changed.connect(self._on_choices_changed)
        self.chosen.connect(self._on_chosen)
        self._on_settings_changed()

    def _build(self) -> QWidget:
        default = getattr(Settings(), self.option.field)
        if self.option.choices:
            return self._build_combo()
        if isinstance(default, bool):
            return self._build_check()
        if isinstance(default, int):
            return self._build_number()
        return self._build_share() if isinstance(default, float) else self._build_text()

    def _build_combo(self) -> QComboBox:
        combo = _Combo()
        combo.setModel(QStandardItemModel(combo))
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._listed = self._choices()
        fill_combo(combo, self._listed)
        combo.activated.connect(lambda index: self.chosen.emit(combo.itemData(index)))
        return combo

    def _build_check(self) -> QCheckBox:
        check = QCheckBox(self.option.title)
        check.clicked.connect(lambda checked: self.chosen.emit(checked))
        return check

    def _build_number(self) -> QSpinBox:
        spin = QSpinBox()
        spin.setMaximum(MAX_SEED)
        spin.setKeyboardTracking(False)
        spin.valueChanged.connect(lambda value: self.chosen.emit(value))
        return spin

    def _build_share(self) -> QDoubleSpinBox:
        spin = QDoubleSpinBox()
        spin.setMaximum(1.0)
        spin.setSingleStep(0.05)
        spin.setKeyboardTracking(False)
        spin.valueChanged.connect(lambda value: self.chosen.emit(value))
        return spin

    def _build_text(self) -> QLineEdit:
        field = QLineEdit()
        field.editingFinished.connect(lambda: self.chosen.emit(field.text().strip()))
        return field

    def _choices(self) -> list[Choice]:
        if self.option.field in _COMPILERS:
            choices = compiler_choices(self.option, self._session.compilers)
            if self.option.field == "forward_compiler":
                choices += [Choice(preset.name, f"{preset.name} …", preset.description) for preset in PRESETS]
        else:
            choices = [Choice(str(value), str(value)) for value in self.option.choices]
        return choices + [Choice(name, name, _OWN_TIP) for name in self._own_names()]

    def _own_names(self) -> list[str]:
        capture = self._session.capture
        if self.option.field not in _OWN or capture is None:
            return []
        return script_names(self.option.field, capture.sources.get(capture.source, ""))

    def _on_chosen(self, value: SettingValue) -> None:
        preset = preset_of(str(value)) if self.option.field == "forward_compiler" else None
        if preset is not None:
            self._session.set_settings(preset.applied(self._session.settings))
            self._on_settings_changed()
            return
        self._session.set_settings(with_value(self._session.settings, self.option.field, value))

    def _on_settings_changed(self) -> None:
        show_value(self.widget, getattr(self._session.settings, self.option.field))

    def _on_choices_changed(self) -> None:
        assert isinstance(self.widget, QComboBox)
        choices = self._choices()
        if choices != self._listed:
            self._listed = choices
            fill_combo(self.widget, choices)
            self._on_settings_changed()


class _Combo(QComboBox):
    """A list that the wheel does not change: a run would start because the pointer stood over it."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leaves the wheel to whatever is below."""
        event.ignore()


class Choice(msgspec.Struct, frozen=True):
    """One entry of a list.

    Attributes:
        value: what is set.
        text: what is shown.
        tip: one sentence.
        unavailable: why it cannot be chosen, or empty.
    """

    value: str
    text: str
    tip: str = ""
    unavailable: str = ""


def compiler_choices(option: Option, compilers: Sequence[CompilerInfo]) -> list[Choice]:
    """The known compilers; before the engine said which it knows, their names only."""
    choices = [Choice(info.name, info.name, info.description, info.unavailable) for info in compilers] or [
        Choice(name, name) for name in option.choices
    ]
    follows = getattr(Settings(), option.field) == ""
    return [Choice("", SAME_AS_FORWARD, "The compiler chosen for the forward."), *choices] if follows else choices


def fill_combo(combo: QComboBox, choices: Sequence[Choice]) -> None:
    """Puts choices into a list; what is unavailable is listed, disabled, and says why."""
    model = combo.model()
    assert isinstance(model, QStandardItemModel)
    model.clear()
    for choice in choices:
        item = QStandardItem(choice.text)
        item.setData(choice.value, Qt.ItemDataRole.UserRole)
        item.setToolTip(choice.unavailable or choice.tip)
        item.setEnabled(not choice.unavailable)
        model.appendRow(item)


def show_value(widget: QWidget, value: SettingValue) -> None:
    """Shows a value in a control without saying that the person chose it."""
    blocked = widget.blockSignals(True)
    match widget:
        case QComboBox():
            _show_choice(widget, str(value))
        case QCheckBox():
            widget.setChecked(bool(value))
        case QSpinBox() | QDoubleSpinBox():
            widget.setValue(value)  # type: ignore[arg-type] # the field's type decided on the widget
        case QLineEdit():
            widget.setText(str(value))
    widget.blockSignals(blocked)


def _show_choice(combo: QComboBox, value: str) -> None:
    index = combo.findData(value)
    if index < 0:
        # A function of the user's file, named on the command line.
        combo.addItem(value, value)
        index = combo.count() - 1
    combo.setCurrentIndex(index)


def with_value(settings: Settings, field: str, value: SettingValue) -> Settings:
    """Settings with another value in one field; a text becomes the enum that the field has."""
    kind = type(getattr(settings, field))
    return msgspec.structs.replace(settings, **{field: kind(value)})


def option(field: str) -> Option:
    """The option of a field."""
    return next(option for option in OPTIONS if option.field == field)
