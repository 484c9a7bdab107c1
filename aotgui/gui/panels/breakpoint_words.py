"""Breakpoints in words: what one stops at, what is wrong with one, how often it would stop."""

from __future__ import annotations

import string
from pathlib import PurePath
from typing import Final

from aotgui.gui.session.breakpoint_places import nodes_of
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind
from aotgui.model.text import count_text, number_text

KIND_WORDS: Final = {
    BreakpointKind.NODE: "Node",
    BreakpointKind.OPERATOR: "Operator",
    BreakpointKind.MODULE: "Module",
    BreakpointKind.LINE: "Source line",
    BreakpointKind.NONFINITE: "First NaN or Inf",
    BreakpointKind.OVERFLOW_FLOAT16: "float16 overflow",
    BreakpointKind.OVERFLOW_BFLOAT16: "bfloat16 overflow",
    BreakpointKind.MISMATCH: "Mismatch",
    BreakpointKind.ERROR_ABOVE: "Error above",
}
KIND_HINTS: Final = {
    BreakpointKind.NONFINITE: "Stop after the first node that makes NaN or Inf from inputs without.",
    BreakpointKind.OVERFLOW_FLOAT16: "Stop after the first node whose finite value is larger than 65504.",
    BreakpointKind.OVERFLOW_BFLOAT16: "Stop after the first node whose finite value is larger than 3.4e38 in bfloat16.",
    BreakpointKind.MISMATCH: "Stop where dtype, shape or strides are not what tracing said they would be.",
    BreakpointKind.ERROR_ABOVE: "Stop after the first node whose relative error against the float64 reference run "
    "exceeds this, where that of no input does. Needs the reference run.",
}
_NEEDED: Final = {
    BreakpointKind.NODE: "Say which node: its name, for example mm_1.",
    BreakpointKind.OPERATOR: "Say which operator, for example aten.mm.",
    BreakpointKind.MODULE: "Say which module, for example layers.0.",
}


def place_words(point: Breakpoint) -> str:
    """What a breakpoint looks at: ``mm_1``, ``aten.mm``, ``model.py:12``."""
    if point.kind is BreakpointKind.LINE:
        return f"{PurePath(point.where).name}:{point.line}" if point.where else f"line {point.line} of any file"
    if point.kind is BreakpointKind.ERROR_ABOVE:
        return f"{KIND_WORDS[point.kind]} {number_text(point.limit)}"
    return point.where or KIND_WORDS[point.kind]


def sentence(point: Breakpoint) -> str:
    """What it does, in one sentence."""
    when = "after" if point.is_after else "before"
    place = {
        BreakpointKind.NODE: f"{when} {point.where}",
        BreakpointKind.OPERATOR: f"{when} every {point.where}",
        BreakpointKind.MODULE: f"after the nodes of {point.where}" if point.is_after else f"on entering {point.where}",
        BreakpointKind.LINE: f"{when} the nodes of {place_words(point)}" if point.is_after
        else f"on entering {place_words(point)}",
    }.get(point.kind, place_words(point))  # fmt: skip
    where = f" in {point.graph}" if point.graph else ""
    condition = f" where {point.condition}" if point.condition else ""
    hits = f", from hit {point.hit_count} on" if point.hit_count > 1 else ""
    what = "Says something" if point.log else "Stops"
    return f"{what} {place}{where}{condition}{hits}."


def problem_of(point: Breakpoint) -> str:
    """Why a breakpoint cannot be set, in one sentence; empty where it can."""
    if point.kind in _NEEDED and not point.where:
        return _NEEDED[point.kind]
    if point.kind is BreakpointKind.LINE and point.line < 1:
        return "Lines are counted from 1."
    if point.condition and (why := syntax_fault(point.condition)):
        return f"The condition is no Python expression: {why}."
    return _log_fault(point.log)


def remark_on(point: Breakpoint, region: Region | None) -> str:
    """How many nodes a breakpoint on a place is about; a warning where there is none."""
    if region is None or not point.kind.is_place:
        return ""
    counts = {kind: len(nodes_of(point, graph)) for kind, graph in region.graphs.items() if kind is not GraphKind.JOINT}
    found = [f"{count:,} in {kind}" for kind, count in counts.items() if count]
    if not found:
        return f"Nothing in these graphs is {place_words(point)}, so it never stops."
    return f"{count_text(sum(counts.values()), 'node')} to stop at: {', '.join(found)}."


def syntax_fault(expression: str) -> str:
    """Why a text is no Python expression; empty where it is one. Nothing is evaluated."""
    try:
        compile(expression, "condition", "eval")
    except (SyntaxError, ValueError) as error:
        return error.msg if isinstance(error, SyntaxError) else str(error)
    return ""


def _log_fault(log: str) -> str:
    try:
        fields = [field for _, field, _, _ in string.Formatter().parse(log) if field is not None]
    except ValueError as error:
        return f"The log message has a brace without its partner: {error}."
    for field in fields:
        if not field:
            return "The log message has empty braces: write an expression into them, for example {value.abs().max()}."
        if why := syntax_fault(field):
            return f"{{{field}}} in the log message is no Python expression: {why}."
    return ""
