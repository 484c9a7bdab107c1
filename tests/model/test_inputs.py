"""The language of example inputs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.model.inputs import (
    DTYPES,
    MAX_TEXT,
    Argument,
    Fill,
    InputSpec,
    InputSpecError,
    ListSpec,
    Literal,
    TensorSpec,
    parse_inputs,
)

FLOATS = ("", "float32", "float64", "float16", "bfloat16", "complex64")


def only(text: str):
    (argument,) = parse_inputs(text).arguments
    return argument.value


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("randn 1x3x224x224 float32", TensorSpec(fill=Fill.RANDN, shape=(1, 3, 224, 224), dtype="float32")),
        ("randint 0..1000 1x32", TensorSpec(fill=Fill.RANDINT, low=0, high=1000, shape=(1, 32))),
        ("randint -5..5 int32 4", TensorSpec(fill=Fill.RANDINT, low=-5, high=5, shape=(4,), dtype="int32")),
        ("rand requires_grad 8x2", TensorSpec(fill=Fill.RAND, shape=(8, 2), requires_grad=True)),
        ("zeros", TensorSpec(fill=Fill.ZEROS)),
        ("ones 0x4 bool", TensorSpec(fill=Fill.ONES, shape=(0, 4), dtype="bool")),
        ("full 3.5 2x2", TensorSpec(fill=Fill.FULL, value=3.5, shape=(2, 2))),
        ("full -inf 2 torch.float64", TensorSpec(fill=Fill.FULL, value=float("-inf"), shape=(2,), dtype="float64")),
        ("randn 2 bf16", TensorSpec(fill=Fill.RANDN, shape=(2,), dtype="bfloat16")),
        ("3", Literal(value=3)),
        ("-2.5e3", Literal(value=-2500.0)),
        ("True", Literal(value=True)),
        ("None", Literal(value=None)),
        ("'a; b=[c]'", Literal(value="a; b=[c]")),
        ("[1, (ones 2, None)]", None),
    ],
)
def test_values(text, spec):
    value = only(text)
    if spec is None:
        inner = ListSpec(items=(TensorSpec(fill=Fill.ONES, shape=(2,)), Literal(value=None)), is_tuple=True)
        spec = ListSpec(items=(Literal(value=1), inner))
    assert value == spec


def test_positional_and_keyword_arguments():
    spec = parse_inputs("randint 0..9 1x4;\n mask = ones 1x4 bool; training=False")
    assert [argument.name for argument in spec.arguments] == ["", "mask", "training"]
    assert str(spec) == "randint 0..9 1x4; mask=ones 1x4 bool; training=False"


def test_blank_text_has_no_arguments():
    assert parse_inputs(" \n ") == InputSpec()


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("randn 1x3 flaot32", "'flaot32' is neither a shape", 10),
        ("randn 2 3", "comes twice", 8),
        ("randn 1x", "'1x' is neither a shape", 6),
        ("tensor 2x2", "'tensor' is no value", 0),
        ("randint 4", "needs a range", 8),
        ("randint 5..5 2", "is empty", 8),
        ("full 2x2", "full needs a number", 5),
        ("x=1; 2", "positional argument follows", 5),
        ("x=1; x=2", "given twice", 5),
        ("2x=1", "is no name", 0),
        ("x=", "a value is missing", 2),
        ("1, 2", "a ';' separates", 1),
        ("[1 2]", "',' or ']' is missing", 3),
        ("[1", "',' or ']' is missing", 2),
        ("'abc", "a string has no end", 0),
        ("ones 2 int64 requires_grad", "cannot require a gradient", 0),
        ("randint 0..5 2 requires_grad", "cannot require a gradient", 0),
        ("randn 2 bool", "makes no bool", 0),
        ("randn 9999999999999999999", "no tensor can have this shape", 6),
        ("__import__('os')", "'__import__' is no value", 0),
        ("[" * 50, "nested deeper", 20),
    ],
)
def test_errors_say_where(text, message, position):
    with pytest.raises(InputSpecError) as caught:
        parse_inputs(text)
    assert message in str(caught.value)
    assert caught.value.position == position
    assert f"character {position + 1}" in str(caught.value)
    assert caught.value.details.splitlines()[-1] == " " * position + "^"


def test_endless_text_is_refused():
    with pytest.raises(InputSpecError, match="longer than"):
        parse_inputs("1;" * MAX_TEXT)


shapes = st.lists(st.integers(0, 512), max_size=5).map(tuple)
tensors = st.one_of(
    st.builds(
        TensorSpec,
        fill=st.sampled_from([Fill.RANDN, Fill.RAND, Fill.ZEROS, Fill.ONES]),
        shape=shapes,
        dtype=st.sampled_from(FLOATS),
        requires_grad=st.booleans(),
    ),
    st.builds(
        TensorSpec,
        fill=st.just(Fill.FULL),
        shape=shapes,
        dtype=st.sampled_from(DTYPES),
        value=st.one_of(st.integers(-(10**9), 10**9), st.floats(allow_nan=False), st.booleans()),
    ),
    st.builds(TensorSpec, fill=st.just(Fill.RANDINT), shape=shapes, low=st.integers(-99, 0), high=st.integers(1, 99)),
)
literals = st.builds(
    Literal,
    value=st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**30), 10**30),
        st.floats(allow_nan=False),
        st.text(st.characters(exclude_categories=("Cs",)), max_size=20),
    ),
)
values = st.recursive(
    tensors | literals,
    lambda inner: st.builds(ListSpec, items=st.lists(inner, max_size=3).map(tuple), is_tuple=st.booleans()),
    max_leaves=6,
)
names = st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)


@given(st.lists(values, max_size=3), st.dictionaries(names, values, max_size=3))
def test_the_text_of_a_specification_reads_back(positional, named):
    spec = InputSpec(
        arguments=(
            *(Argument(value=value) for value in positional),
            *(Argument(value=value, name=name) for name, value in named.items()),
        )
    )
    assert parse_inputs(str(spec)) == spec


@given(st.text(alphabet="randx0123.;,=()[]'\"fulzeosti_g-\\ \n", max_size=60))
def test_any_text_is_read_or_refused_with_a_place(text):
    place = place_of_error(text)
    if place is None:
        spec = parse_inputs(text)
        assert parse_inputs(str(spec)) == spec or "nan" in text
    else:
        assert 0 <= place <= len(text)


def place_of_error(text: str) -> int | None:
    try:
        parse_inputs(text)
    except InputSpecError as error:
        return error.position
    return None
