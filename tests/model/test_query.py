"""Reading queries: what is accepted, what it means, and where a bad one goes wrong."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.model.query import MAX_NESTING, QueryError, parse_query
from aotgui.model.query_terms import KEYS, All, AnyOf, Key, Not, OneOf, Pattern, Shape, Size, Source, Word


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("", All()),
        ("  ", All()),
        ("Relu", Word("relu")),
        ('"a b"', Word("a b")),
        ('"and"', Word("and")),
        ("layers.0.weight", Word("layers.0.weight")),
        ("op:mm", Pattern(Key.OP, "mm")),
        ("OP:MM", Pattern(Key.OP, "mm")),
        ("name=mm_1", Pattern(Key.NAME, "mm_1")),
        ("fate:saved", OneOf(Key.FATE, ("saved",))),
        ("fate:forward-only", OneOf(Key.FATE, ("forward only",))),
        ("role:symbolic_size", OneOf(Key.ROLE, ("symbolic size",))),
        ("role:gradient", OneOf(Key.ROLE, ("gradient",))),
        ("fate:f", OneOf(Key.FATE, ("forward only",))),
        ("dtype:bf16", Pattern(Key.DTYPE, "bfloat16")),
        ("dtype:torch.float32", Pattern(Key.DTYPE, "float32")),
        ("shape:4x16", Shape(("4", "16"))),
        ("shape:[4,s0,*]", Shape(("4", "s0", "*"))),
        ("shape:**x**x4", Shape(("**", "4"))),
        ("shape:scalar", Shape(())),
        ("bytes>1MB", Size(">", 1_000_000)),
        ("bytes >= 1.5KiB", Size(">=", 1536)),
        ("bytes:512", Size("=", 512)),
        ("bytes!=2g", Size("!=", 2e9)),
        ("source:model.py", Source("model.py")),
        ("source:model.py:12", Source("model.py", 12, 12)),
        ("source:lib/model.py:12-20", Source("lib/model.py", 12, 20)),
        ('source:"my model.py:3"', Source("my model.py", 3, 3)),
        ("a b", All((Word("a"), Word("b")))),
        ("a AND b", All((Word("a"), Word("b")))),
        ("a or b and c", AnyOf((Word("a"), All((Word("b"), Word("c")))))),
        ("(a or b) c", All((AnyOf((Word("a"), Word("b"))), Word("c")))),
        ("not a b", All((Not(Word("a")), Word("b")))),
        ("not (a b)", Not(All((Word("a"), Word("b"))))),
    ],
)
def test_what_a_text_means(text, query):
    assert parse_query(text) == query


@pytest.mark.parametrize(
    ("text", "position", "words"),
    [
        ("colour:red", 0, "'colour' is no key"),
        ("mm fate:lost", 8, "there is no fate 'lost'"),
        ("side:left", 5, "there is no side 'left'; there are forward, backward"),
        ("bytes>many", 6, "is no size"),
        ("bytes>5i", 6, "is no size"),
        ("shape:4x?", 6, "is no shape"),
        ("source::12", 7, "is no place"),
        ("source:a.py:9-3", 7, "run backwards"),
        ("op>mm", 0, "only bytes can be compared"),
        ("fate:", 5, "a value is missing after fate:"),
        ('mm "relu', 3, "a quotation has no end"),
        ('name:"relu', 5, "a quotation has no end"),
        ("(a or b", 0, "this '(' has no ')'"),
        ("a) b", 1, "this ')' has no '('"),
        ("a or", 4, "missing at the end"),
        ("and b", 0, "missing before 'and'"),
        ("not", 3, "missing at the end"),
        ("()", 1, "missing before ')'"),
        ("not " * (MAX_NESTING + 1) + "a", 4 * MAX_NESTING, "nested deeper"),
    ],
)
def test_a_bad_query_says_what_is_wrong_and_where(text, position, words):
    with pytest.raises(QueryError, match="cannot be read at character") as raised:
        parse_query(text)
    assert words.lower() in raised.value.message.lower()
    assert raised.value.position == position
    assert raised.value.details.splitlines()[-1] == " " * position + "^"


def test_every_key_is_explained_by_an_example_that_works():
    assert [entry.key for entry in KEYS] == list(Key)
    for entry in KEYS:
        assert parse_query(entry.example) != All()


PIECES = st.sampled_from(
    ["(", ")", '"', "and", "or", "not", "op:", "fate:", "bytes>", "shape:", "source:", "4x", "*", "1MB", "mm", ":", "-"]
)  # fmt: skip


@given(st.one_of(st.text(max_size=40), st.lists(PIECES, max_size=12).map("".join), st.lists(PIECES).map(" ".join)))
def test_any_text_is_read_or_refused_with_a_place_in_it(text):
    error = refusal(text)
    if error is not None:
        assert 0 <= error.position <= len(text)
        assert error.message.endswith(".")


def refusal(text):
    try:
        parse_query(text)
    except QueryError as error:
        return error
    return None
