"""Example inputs as data: what ``aotgui.model.inputs`` reads from text. ``str`` of each gives text that reads back."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

import msgspec

from aotgui.model.unreadable_text import UnreadableTextError

DTYPES: Final = (
    "float32", "float64", "float16", "bfloat16", "complex64", "complex128",
    "int64", "int32", "int16", "int8", "uint8", "bool",
)  # fmt: skip


class Fill(StrEnum):
    """How a tensor is filled."""

    RANDN = "randn"
    RAND = "rand"
    ZEROS = "zeros"
    ONES = "ones"
    FULL = "full"
    RANDINT = "randint"


class TensorSpec(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A tensor to make.

    Attributes:
        fill: how it is filled.
        shape: its sizes; empty for a tensor without dimensions.
        dtype: without the ``torch.`` prefix; empty for ``int64`` after ``randint`` and torch's default otherwise.
        requires_grad: whether it requires a gradient.
        low: lowest value of ``randint``.
        high: of ``randint``, itself excluded.
        value: of ``full``.
    """

    fill: Fill
    shape: tuple[int, ...] = ()
    dtype: str = ""
    requires_grad: bool = False
    low: int = 0
    high: int = 0
    value: float | int | bool = 0.0

    def __str__(self) -> str:
        """The text that reads back as this."""
        words: list[str] = [self.fill]
        if self.fill is Fill.FULL:
            words.append(repr(self.value))
        if self.fill is Fill.RANDINT:
            words.append(f"{self.low}..{self.high}")
        if self.shape:
            words.append("x".join(map(str, self.shape)))
        if self.dtype:
            words.append(self.dtype)
        if self.requires_grad:
            words.append("requires_grad")
        return " ".join(words)


class ListSpec(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Several values in a list or tuple.

    Attributes:
        items: the values.
        is_tuple: a tuple rather than a list.
    """

    items: tuple[Value, ...]
    is_tuple: bool = False

    def __str__(self) -> str:
        """The text that reads back as this."""
        inner = ", ".join(map(str, self.items))
        if self.is_tuple:
            return f"({inner},)" if len(self.items) == 1 else f"({inner})"
        return f"[{inner}]"


class Literal(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A Python value.

    Attributes:
        value: a number, a string, a bool or None.
    """

    value: bool | int | float | str | None

    def __str__(self) -> str:
        """The text that reads back as this."""
        return repr(self.value)


Value: TypeAlias = TensorSpec | ListSpec | Literal


class Argument(msgspec.Struct, frozen=True, kw_only=True):
    """One argument of the target.

    Attributes:
        value: what is passed.
        name: of a keyword argument; empty for a positional one.
    """

    value: Value
    name: str = ""

    def __str__(self) -> str:
        """The text that reads back as this."""
        return f"{self.name}={self.value}" if self.name else str(self.value)


class InputSpec(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of one call.

    Attributes:
        arguments: in their order, positional ones first.
    """

    arguments: tuple[Argument, ...] = ()

    def __str__(self) -> str:
        """The text that reads back as this."""
        return "; ".join(map(str, self.arguments))


class InputSpecError(UnreadableTextError):
    """A text is no input specification."""

    what = "inputs"
