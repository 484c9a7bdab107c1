"""Compilers as they are chosen in writing."""

from __future__ import annotations

import pytest

from aotgui.model.compiler_choice import ChoiceError, CompilerChoice, parse_choice, split_choices


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        ("ts_compile", CompilerChoice("ts_compile")),
        (
            " inductor( max_autotune = true , cpp.simdlen=256 ) ",
            CompilerChoice("inductor", {"max_autotune": "true", "cpp.simdlen": "256"}),
        ),
        ("draw(file=/a b/c.svg)", CompilerChoice("draw", {"file": "/a b/c.svg"})),
        ("empty()", CompilerChoice("empty")),
        ("with=empty(value=)", CompilerChoice("with=empty", {"value": ""})),
    ],
)
def test_parse(text, choice):
    assert parse_choice(text) == choice


@pytest.mark.parametrize("text", ["", "  ", "a b", "name(", "name(option)", "name(1 2=3)", "(x=1)"])
def test_what_is_no_choice(text):
    with pytest.raises(ChoiceError, match=r"names no compiler|is no option"):
        parse_choice(text)


def test_commas_inside_brackets_part_nothing():
    assert split_choices("nop, inductor(a=1, b=2) ,ts_compile,") == ["nop", "inductor(a=1, b=2)", "ts_compile"]
    assert split_choices("") == []
