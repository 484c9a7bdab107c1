"""How a compiler is chosen in writing: ``ts_compile``, or with options ``inductor(max_autotune=true)``."""

from __future__ import annotations

import re
from typing import Final

import msgspec

_CHOICE: Final = re.compile(r"\s*(?P<name>[^\s(),]+)\s*(?:\((?P<options>.*)\))?\s*", re.DOTALL)
_OPTION: Final = re.compile(r"\s*(?P<name>[\w.]+)\s*=\s*(?P<value>[^,]*?)\s*")


class ChoiceError(ValueError):
    """A text names no compiler; the text of the error is one sentence."""


class CompilerChoice(msgspec.Struct, frozen=True):
    """A compiler with options.

    Attributes:
        name: of the compiler.
        options: as written.
    """

    name: str
    options: dict[str, str] = {}


def parse_choice(text: str) -> CompilerChoice:
    """Reads ``name`` or ``name(option=value, option=value)``.

    Raises:
        ChoiceError: it is neither.
    """
    found = _CHOICE.fullmatch(text)
    if found is None:
        raise ChoiceError(f"{text.strip() or 'An empty text'} names no compiler; write name or name(option=value).")
    return CompilerChoice(found["name"], dict(map(_option, _parts(found["options"] or ""))))


def split_choices(text: str) -> list[str]:
    """``a, b(x=1, y=2)`` as ``a`` and ``b(x=1, y=2)``: commas inside brackets part nothing."""
    return [part.strip() for part in re.split(r",(?![^()]*\))", text) if part.strip()]


def _parts(options: str) -> list[str]:
    return [part for part in options.split(",") if part.strip()]


def _option(text: str) -> tuple[str, str]:
    found = _OPTION.fullmatch(text)
    if found is None:
        raise ChoiceError(f"{text.strip()!r} is no option of a compiler; write option=value.")
    return found["name"], found["value"]
