"""Expressions see what they are meant to see, and fail with a reason."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from aotgui.engine.expressions import ExpressionError, evaluate, filled_in

VALUES = {"mm_1": torch.arange(3.0), "sum": 7, "max": 8}


def lookup(name: str) -> Any:
    if name in VALUES:
        return VALUES[name]
    raise NameError(name)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("mm_1.sum().item()", 3.0),
        (" math.inf > torch.tensor(1).item() ", True),
        ("[float(mm_1[i]) for i in range(2)]", [0.0, 1.0]),
        ("(lambda x: x + value)(1)", 3),
        ("sum", 7),
        ("all(v >= 0 for v in mm_1)", True),
    ],
)
def test_names(expression, expected):
    """Names of nodes hide builtins, also within comprehensions; fixed names hide those of nodes."""
    assert evaluate(expression, {"value": 2}, lookup) == expected
    assert evaluate("mm_1", {"mm_1": 1}, lookup) == 1


@pytest.mark.parametrize(
    ("expression", "said"), [("nothing", "NameError"), ("1 +", "SyntaxError"), ("1 / 0", "Zero"), ("x = 1", "Syntax")]
)
def test_failures(expression, said):
    with pytest.raises(ExpressionError, match=said):
        evaluate(expression, {}, lookup)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("plain", "plain"),
        ("{mm_1.max():.1f} of {value}", "2.0 of 2"),
        ('"{value}"', '"2"'),
        ('"""{value}"""', "'''2'''"),
        ("{{value}}", "{value}"),
        ("{mm_1[:2].tolist()}", "[0.0, 1.0]"),
        ("ends with a space {value} ", "ends with a space 2 "),
    ],
)
def test_messages(template, text):
    assert filled_in(template, {"value": 2}, lookup) == text
