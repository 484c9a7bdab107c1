"""Breakpoints as typed, there and back."""

from __future__ import annotations

import pytest

from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.breakpoint_text import BreakpointTextError, breakpoint_text, parse_breakpoint


@pytest.mark.parametrize(
    ("text", "kind", "fields"),
    [
        ("aten.mm", BreakpointKind.OPERATOR, {"where": "aten.mm"}),
        ("node:mm_1", BreakpointKind.NODE, {"where": "mm_1"}),
        ("module:layers.0", BreakpointKind.MODULE, {"where": "layers.0"}),
        ("line:42", BreakpointKind.LINE, {"line": 42}),
        ("line:C:/models/net.py:7", BreakpointKind.LINE, {"where": "C:/models/net.py", "line": 7}),
        ("nonfinite", BreakpointKind.NONFINITE, {}),
        ("overflow:float16", BreakpointKind.OVERFLOW_FLOAT16, {}),
        ("overflow:bfloat16", BreakpointKind.OVERFLOW_BFLOAT16, {}),
        ("mismatch", BreakpointKind.MISMATCH, {}),
        ("error>0.01", BreakpointKind.ERROR_ABOVE, {"limit": 0.01}),
    ],
)
@pytest.mark.parametrize("condition", ["", "value.abs().max() > 1e4", "1 if value.any() else 0"])
def test_there_and_back(text, kind, fields, condition):
    whole = f"{text} if {condition}" if condition else text
    point = parse_breakpoint(whole, "x")
    assert point == Breakpoint(id="x", kind=kind, condition=condition, **fields)
    assert breakpoint_text(point) == whole


@pytest.mark.parametrize(
    "text", ["", "node:", "line:x", "line:a.py", "shape:3", "aten mm", "error>much", "overflow:int8"]
)
def test_what_is_none_says_how_to_write_one(text):
    with pytest.raises(BreakpointTextError, match=r"breakpoint.*write"):
        parse_breakpoint(text, "x")
