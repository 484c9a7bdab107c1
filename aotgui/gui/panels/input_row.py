"""The controls for one parameter of a target, and the text of ``model.inputs`` that they stand for."""

from __future__ import annotations

from enum import Enum
from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from aotgui.model.inputs import DTYPES, Fill, ListSpec, Literal, TensorSpec, Value
from aotgui.model.targets import Parameter

AUTO_DTYPE: Final = "default"
_PLAIN_TYPES: Final = ("int", "float", "bool", "str")


class RowKind(Enum):
    """What a parameter gets.

    Attributes:
        RANDN: a normal random tensor.
        RAND: a uniform random tensor.
        RANDINT: a tensor of random integers.
        ONES: a tensor of ones.
        ZEROS: a tensor of zeros.
        FULL: a tensor of one number.
        VALUE: anything that the language of inputs can say.
        DEFAULT: nothing, so that the parameter's default holds.
    """

    RANDN = "randn"
    RAND = "rand"
    RANDINT = "randint"
    ONES = "ones"
    ZEROS = "zeros"
    FULL = "full"
    VALUE = "value"
    DEFAULT = "leave out"

    @property
    def is_tensor(self) -> bool:
        """Whether it has a shape and a dtype."""
        return self not in (RowKind.VALUE, RowKind.DEFAULT)


class InputRow(QObject):
    """Kind, numbers, shape, dtype and gradient of one parameter.

    Signals:
        changed: the text is another one.

    Attributes:
        parameter: what it is for.
        kind: what the parameter gets.
        number: range of ``randint``, number of ``full``, or a value.
        shape: ``4x16``.
        dtype: of the tensor.
        gradient: whether the tensor requires a gradient.
    """

    changed = Signal()

    def __init__(self, parameter: Parameter, parent: QWidget) -> None:
        super().__init__(parent)
        self.parameter = parameter
        self.kind = QComboBox(parent)
        self.number = QLineEdit(parent)
        self.shape = QLineEdit(parent)
        self.dtype = QComboBox(parent)
        self.gradient = QCheckBox(parent)
        self._set_up()
        self.set_value(None)

    def widgets(self) -> list[QWidget]:
        """The controls from left to right."""
        return [self.kind, self.number, self.shape, self.dtype, self.gradient]

    def text(self) -> str:
        """The value in the language of inputs; empty where the parameter is left out."""
        match self.row_kind:
            case RowKind.DEFAULT:
                return ""
            case RowKind.VALUE:
                return self.number.text().strip()
        number = self.number.text().strip() if self._needs_number else ""
        dtype = "" if self.dtype.currentText() == AUTO_DTYPE else self.dtype.currentText()
        gradient = "requires_grad" if self.gradient.isChecked() else ""
        words = (self.row_kind.value, number, self.shape.text().strip(), dtype, gradient)
        return " ".join(filter(None, words))

    def set_value(self, value: Value | None) -> None:
        """Shows a value; None for what a person most likely wants to fill in."""
        match value:
            case TensorSpec():
                self._show_tensor(value)
            case Literal() | ListSpec():
                self._choose(RowKind.VALUE)
                self.number.setText(str(value))
            case None:
                self._choose(self._first_kind())
                self.number.setText(self.parameter.default)
        self._show_controls()

    @property
    def row_kind(self) -> RowKind:
        """What the parameter gets."""
        return RowKind(self.kind.currentText())

    @property
    def _needs_number(self) -> bool:
        return self.row_kind in (RowKind.RANDINT, RowKind.FULL, RowKind.VALUE)

    def _first_kind(self) -> RowKind:
        if not self.parameter.required:
            return RowKind.DEFAULT
        return RowKind.VALUE if self.parameter.annotation in _PLAIN_TYPES else RowKind.RANDN

    def _show_tensor(self, spec: TensorSpec) -> None:
        self._choose(RowKind(spec.fill.value))
        if spec.fill is Fill.RANDINT:
            self.number.setText(f"{spec.low}..{spec.high}")
        elif spec.fill is Fill.FULL:
            self.number.setText(repr(spec.value))
        self.shape.setText("x".join(map(str, spec.shape)))
        self.dtype.setCurrentText(spec.dtype or AUTO_DTYPE)
        self.gradient.setChecked(spec.requires_grad)

    def _choose(self, kind: RowKind) -> None:
        self.kind.setCurrentText(kind.value)

    def _set_up(self) -> None:
        name = self.parameter.name
        optional = [] if self.parameter.required else [RowKind.DEFAULT]
        self.kind.addItems(
            [kind.value for kind in RowKind if kind is not RowKind.DEFAULT] + [k.value for k in optional]
        )
        self.dtype.addItems([AUTO_DTYPE, *DTYPES])
        self.shape.setPlaceholderText("e.g. 4x16")
        self.gradient.setToolTip("The tensor requires a gradient.")
        labels = (
            (self.kind, "kind"), (self.number, "number"), (self.shape, "shape"),
            (self.dtype, "dtype"), (self.gradient, "requires gradient"),
        )  # fmt: skip
        for widget, what in labels:
            widget.setAccessibleName(f"{name}: {what}")
        self.kind.currentIndexChanged.connect(self._on_kind_changed)
        for field in (self.number, self.shape):
            field.textEdited.connect(self.changed)
        self.dtype.currentIndexChanged.connect(self.changed)
        self.gradient.toggled.connect(self.changed)

    def _on_kind_changed(self) -> None:
        self._show_controls()
        self.changed.emit()

    def _show_controls(self) -> None:
        hints = {
            RowKind.RANDINT: "e.g. 0..1000",
            RowKind.FULL: "e.g. 1.5",
            RowKind.VALUE: "e.g. 3, True, 'mean', [randn 2, randn 3]",
        }
        self.number.setPlaceholderText(hints.get(self.row_kind, ""))
        self.number.setVisible(self._needs_number)
        for widget in (self.shape, self.dtype, self.gradient):
            widget.setVisible(self.row_kind.is_tensor)
