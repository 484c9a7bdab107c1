"""Example inputs as text: ``randn 1x3x224x224 float32; mask=ones 1x32 bool``.

    inputs   = argument {";" argument}
    argument = [NAME "="] value
    value    = tensor | literal | "[" [value {"," value}] "]" | "(" [value {"," value}] ")"
    tensor   = maker {SHAPE | DTYPE | "requires_grad"}
    maker    = "randn" | "rand" | "zeros" | "ones" | "full" NUMBER | "randint" LOW..HIGH
    literal  = a Python number, string, True, False or None

``SHAPE`` is ``1x3x224x224``, without one the tensor has no dimensions. ``randint 0..1000`` draws from 0 to 999, as
torch does. Words after the maker may come in any order. The same text is what the window's form reads and writes,
and what it remembers for a file.
"""

from __future__ import annotations

import ast
import re
from typing import Final

import msgspec

from aotgui.model.dtypes import dtype_name
from aotgui.model.input_spec import (
    DTYPES,
    Argument,
    Fill,
    InputSpec,
    InputSpecError,
    ListSpec,
    Literal,
    TensorSpec,
    Value,
)

__all__ = [
    "DTYPES",
    "Argument",
    "Fill",
    "InputSpec",
    "InputSpecError",
    "ListSpec",
    "Literal",
    "TensorSpec",
    "Value",
    "parse_inputs",
]

_INTEGERS: Final = ("int64", "int32", "int16", "int8", "uint8", "bool")
MAX_DIMENSIONS: Final = 64
"""What torch allows a tensor."""
MAX_TEXT: Final = 20_000
"""Characters; longer text is no input specification."""
_MAX_NESTING: Final = 20


def parse_inputs(text: str) -> InputSpec:
    """Read an input specification; blank text has no arguments.

    Raises:
        InputSpecError: the text is none.
    """
    if len(text) > MAX_TEXT:
        raise InputSpecError(f"the text is longer than {MAX_TEXT} characters", "", 0)
    return _Parser(text).inputs()


_TOKEN: Final = re.compile(
    r"""\s*(?:
        (?P<punctuation>[;,=()\[\]])
      | (?P<string>'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")
      | (?P<word>[^\s;,=()\[\]'"]+)
    )""",
    re.VERBOSE,
)
_SHAPE: Final = re.compile(r"\d+(?:x\d+)*")
_RANGE: Final = re.compile(r"([+-]?\d+)\.\.([+-]?\d+)")


class _Token(msgspec.Struct, frozen=True):
    """A piece of the text; ``text`` is empty at its end."""

    text: str
    position: int


class _Parser:
    """Reads one specification from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._tokenized(text.replace("\n", " "))
        self._next = 0
        self._depth = 0

    def _tokenized(self, text: str) -> list[_Token]:
        tokens, position, end = [], 0, len(text.rstrip())
        while position < end:
            match = _TOKEN.match(text, position)
            if match is None:
                start = position + len(text[position:]) - len(text[position:].lstrip())
                raise InputSpecError("a string has no end", text, start)
            kind = match.lastgroup or ""
            tokens.append(_Token(match[kind], match.start(kind)))
            position = match.end()
        return [*tokens, _Token("", end)]

    @property
    def _token(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._token
        self._next += token.text != ""
        return token

    def _fail(self, message: str, token: _Token) -> InputSpecError:
        return InputSpecError(message, self._text, token.position)

    def inputs(self) -> InputSpec:
        arguments: list[Argument] = []
        while self._token.text:
            arguments.append(self._argument(arguments))
            if self._token.text and self._take().text != ";":
                found = self._tokens[self._next - 1]
                raise self._fail(f"{found.text!r} does not belong here; a ';' separates arguments", found)
        return InputSpec(arguments=tuple(arguments))

    def _argument(self, before: list[Argument]) -> Argument:
        first = self._token
        if self._tokens[min(self._next + 1, len(self._tokens) - 1)].text != "=":
            if any(argument.name for argument in before):
                raise self._fail("a positional argument follows a keyword argument", first)
            return Argument(value=self._value())
        self._next += 2
        if not first.text.isidentifier():
            raise self._fail(f"{first.text!r} is no name of an argument", first)
        if any(argument.name == first.text for argument in before):
            raise self._fail(f"the argument {first.text!r} is given twice", first)
        return Argument(name=first.text, value=self._value())

    def _value(self) -> Value:
        token = self._take()
        if token.text in ("[", "("):
            return self._list(token)
        if token.text in tuple(Fill):
            return self._tensor(Fill(token.text), token)
        return self._literal(token)

    def _list(self, opening: _Token) -> ListSpec:
        self._depth += 1
        if self._depth > _MAX_NESTING:
            raise self._fail(f"lists are nested deeper than {_MAX_NESTING}", opening)
        closing = "]" if opening.text == "[" else ")"
        items: list[Value] = []
        while self._token.text != closing:
            items.append(self._value())
            if self._token.text == ",":
                self._next += 1
            elif self._token.text != closing:
                raise self._fail(f"a ',' or '{closing}' is missing", self._token)
        self._next += 1
        self._depth -= 1
        return ListSpec(items=tuple(items), is_tuple=closing == ")")

    def _literal(self, token: _Token) -> Literal:
        value = _python_value(token.text)
        if isinstance(value, bool | int | float | str | None):
            return Literal(value=value)
        found = f"{token.text!r} is no value" if token.text else "a value is missing"
        raise self._fail(f"{found}; write one of {', '.join(Fill)}, a number, a string, True, False or None", token)

    def _tensor(self, fill: Fill, maker: _Token) -> TensorSpec:
        low, high = self._range() if fill is Fill.RANDINT else (0, 0)
        value = self._number() if fill is Fill.FULL else 0.0
        shape: tuple[int, ...] | None = None
        dtype, requires_grad = "", False
        while self._token.text and self._token.text not in tuple(";,=()[]"):
            word = self._take()
            name = dtype_name(word.text)
            if shape is None and _SHAPE.fullmatch(word.text):
                shape = self._shape(word)
            elif not dtype and name in DTYPES:
                dtype = name
            elif not requires_grad and word.text == "requires_grad":
                requires_grad = True
            else:
                raise self._fail(
                    f"{word.text!r} is neither a shape such as 1x3x224x224, nor a dtype such as float32, "
                    "nor requires_grad, or comes twice",
                    word,
                )
        kind = dtype or ("int64" if fill is Fill.RANDINT else "")
        self._require_possible(fill, kind, requires_grad, maker)
        return TensorSpec(
            fill=fill, shape=shape or (), dtype=dtype, requires_grad=requires_grad, low=low, high=high, value=value
        )

    def _require_possible(self, fill: Fill, dtype: str, requires_grad: bool, maker: _Token) -> None:
        if requires_grad and dtype in _INTEGERS:
            raise self._fail(f"a tensor of {dtype} cannot require a gradient", maker)
        if fill in (Fill.RAND, Fill.RANDN) and dtype in _INTEGERS:
            raise self._fail(f"{fill} makes no {dtype}; use randint 0..10", maker)

    def _shape(self, word: _Token) -> tuple[int, ...]:
        sizes = word.text.split("x")
        if len(sizes) > MAX_DIMENSIONS or any(len(size) > 18 for size in sizes):
            raise self._fail("no tensor can have this shape", word)
        return tuple(map(int, sizes))

    def _range(self) -> tuple[int, int]:
        token = self._take()
        match = _RANGE.fullmatch(token.text)
        if match is None or any(len(part) > 18 for part in match.groups()):
            raise self._fail("randint needs a range such as 0..1000", token)
        low, high = int(match[1]), int(match[2])
        if low >= high:
            raise self._fail(f"the range {token.text} is empty", token)
        return low, high

    def _number(self) -> float | int | bool:
        token = self._take()
        value = _python_value(token.text)
        if not isinstance(value, bool | int | float):
            raise self._fail("full needs a number, as in full 3.5 2x2", token)
        return value


def _python_value(text: str) -> object:
    """The value of a Python literal, or an object that is no value of ours."""
    if text in ("inf", "-inf", "nan"):
        return float(text)
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return ()
