"""Breakpoints as a person types them: ``aten.mm if value.abs().max() > 1e4``."""

from __future__ import annotations

import re
from typing import Final

from aotgui.model.breakpoint import Breakpoint, BreakpointKind

SYNTAX: Final = (
    "OPERATOR | node:NAME | module:PATH | line:[FILE:]LINE | nonfinite | overflow:float16 | overflow:bfloat16 | "
    "mismatch | error>LIMIT, each with ' if CONDITION' after it"
)
_CONDITION: Final = re.compile(r"\s+if\s+")
_ERROR: Final = re.compile(r"error\s*>\s*(?P<limit>\S+)")
_WORDS: Final = {
    "nonfinite": BreakpointKind.NONFINITE,
    "overflow:float16": BreakpointKind.OVERFLOW_FLOAT16,
    "overflow:bfloat16": BreakpointKind.OVERFLOW_BFLOAT16,
    "mismatch": BreakpointKind.MISMATCH,
}
_PLACES: Final = {
    "node": BreakpointKind.NODE,
    "operator": BreakpointKind.OPERATOR,
    "module": BreakpointKind.MODULE,
}


class BreakpointTextError(ValueError):
    """A text is no breakpoint; the message is one sentence."""


def parse_breakpoint(text: str, name: str) -> Breakpoint:
    """Reads a breakpoint.

    Args:
        text: as ``SYNTAX`` says.
        name: the breakpoint's id.

    Raises:
        BreakpointTextError: it is none.
    """
    place, *rest = _CONDITION.split(text.strip(), maxsplit=1)
    condition = rest[0].strip() if rest else ""
    if place in _WORDS:
        return Breakpoint(id=name, kind=_WORDS[place], condition=condition)
    if found := _ERROR.fullmatch(place):
        limit = _number(found["limit"], text)
        return Breakpoint(id=name, kind=BreakpointKind.ERROR_ABOVE, limit=limit, condition=condition)
    kind, colon, where = place.partition(":")
    if kind == "line":
        file, _, line = where.rpartition(":")
        if not line.isdecimal():
            raise BreakpointTextError(f"The breakpoint '{text}' names no line: write line:42 or line:model.py:42.")
        return Breakpoint(id=name, kind=BreakpointKind.LINE, where=file, line=int(line), condition=condition)
    if kind in _PLACES and where:
        return Breakpoint(id=name, kind=_PLACES[kind], where=where, condition=condition)
    if colon or not place or " " in place:
        raise BreakpointTextError(f"'{text}' is no breakpoint: write {SYNTAX}.")
    return Breakpoint(id=name, kind=BreakpointKind.OPERATOR, where=place, condition=condition)


def breakpoint_text(point: Breakpoint) -> str:
    """The breakpoint as a person would type it."""
    suffix = f" if {point.condition}" if point.condition else ""
    match point.kind:
        case BreakpointKind.ERROR_ABOVE:
            return f"error>{point.limit:g}{suffix}"
        case BreakpointKind.LINE:
            file = f"{point.where}:" if point.where else ""
            return f"line:{file}{point.line}{suffix}"
        case BreakpointKind.OPERATOR:
            return f"{point.where}{suffix}"
        case kind if kind.is_place:
            return f"{kind}:{point.where}{suffix}"
        case kind:
            return f"{next(word for word, other in _WORDS.items() if other is kind)}{suffix}"


def _number(number: str, text: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise BreakpointTextError(f"The breakpoint '{text}' names no limit: write error>1e-3.") from None
