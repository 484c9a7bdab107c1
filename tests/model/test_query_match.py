"""What queries find, by example and against a slow reading of each node."""

import random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Output, OutputKind, Role, TensorInfo
from aotgui.model.query_match import Finder, find_nodes, wildcard
from aotgui.model.query_terms import All, AnyOf, Key, Not, OneOf, Pattern, Shape, Size, Source, Word

STRINGS = ["primals_1", "aten.mm.default", "aten.addmm.default", "prims.convert_element_type.default",
           "layers.0.Weight", "layers.3", "layers.3.attn.q", "layers.31.mlp", "MUST_SAVE"]  # fmt: skip
TENSORS = [
    TensorInfo((4, 16), "float32", (16, 1), "cpu", 256),
    TensorInfo(("s0", 16), "bfloat16", (16, 1), "cpu", 2_000_000),
    TensorInfo((), "int64", (), "cpu", 8),
    TensorInfo((4, 3, 16), "float32", (48, 16, 1), "cpu", 768),
]
FRAMES = [
    Frame("/home/ada/model.py", 12, "forward"),
    Frame("/home/ada/lib/block.py", 40, "forward"),
    Frame("/home/ada/other_model.py", 12, "forward"),
]
# name, op, target, role, side, fate, label, module, stack, values, policy
ROWS = [
    ("primals_1", Op.PLACEHOLDER, 0, Role.PARAMETER, 0, Fate.SAVED, 4, -1, -1, [0], -1),
    ("mm", Op.CALL_FUNCTION, 1, Role.OPERATOR, 0, Fate.SAVED, -1, 5, 0, [1], 8),
    ("addmm", Op.CALL_FUNCTION, 2, Role.OPERATOR, 0, Fate.RECOMPUTED, -1, 6, 0, [0], -1),
    ("split", Op.CALL_FUNCTION, 2, Role.OPERATOR, 0, Fate.MOVED, -1, 7, 1, [2, 3], -1),
    ("mm_1", Op.CALL_FUNCTION, 1, Role.OPERATOR, 1, Fate.BACKWARD_ONLY, -1, 5, 2, [3], -1),
    ("convert", Op.CALL_FUNCTION, 3, Role.OPERATOR, 1, Fate.ELIMINATED, -1, -1, -1, [], -1),
]


def graph_of(rows):
    names, ops, targets, roles, sides, fates, labels, modules, stacks, values, policies = map(
        list, zip(*rows, strict=True)
    )
    return Graph(
        kind=GraphKind.JOINT, strings=STRINGS, names=names, ops=ops, targets=targets, roles=roles, sides=sides,
        fates=fates, seq_nrs=[-1] * len(rows), origins=list(range(len(rows))), labels=labels, modules=modules,
        stacks=stacks, values=values, arguments=[[] for _ in rows], edge_sources=[], edge_targets=[],
        outputs=[Output(len(rows) - 1, OutputKind.GRADIENT, "gradient"), Output(-1, OutputKind.OUTPUT, "")],
        stack_table=[[0], [0, 1], [2]], frame_table=FRAMES, tensor_table=TENSORS,
        module_types={"layers.3": "Block", "layers.3.attn": "Attention", "layers.3.attn.q": "Linear"},
        policies=policies,
    )  # fmt: skip


GRAPH = graph_of(ROWS)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("", "primals_1 mm addmm split mm_1 convert"),
        ("mm", "mm addmm split mm_1"),
        ("weight", "primals_1"),
        ("PRIMALS", "primals_1"),
        ("convert_element", "convert"),
        ("op:mm", "mm mm_1"),
        ("op:aten.mm", "mm mm_1"),
        ("op:aten::mm", "mm mm_1"),
        ("op:mm.default", "mm mm_1"),
        ("op:*mm", "mm addmm split mm_1"),
        ("op:placeholder", "primals_1"),
        ("fate:saved", "primals_1 mm"),
        ("not fate:saved side:forward", "addmm split"),
        ("role:parameter", "primals_1"),
        ("role:gradient", "convert"),
        ("role:output", ""),
        ("module:layers.3", "mm addmm mm_1"),
        ("module:layers.*.q", "addmm"),
        ("module:layers.3*", "mm addmm split mm_1"),
        ("module:attention", "addmm"),
        ("module:Block", "mm addmm mm_1"),
        ("dtype:bf16", "mm"),
        ("dtype:int*", "split"),
        ("shape:4x16", "primals_1 addmm"),
        ("shape:4x**", "primals_1 addmm split mm_1"),
        ("shape:*x16", "primals_1 mm addmm"),
        ("shape:s0x*", "mm"),
        ("shape:scalar", "split"),
        ("bytes>1MB", "mm"),
        ("bytes>1MiB or bytes=256", "primals_1 mm addmm"),
        ("bytes=0", "split convert"),
        ("source:model.py", "mm addmm split"),
        ("source:model.py:12", "mm addmm split"),
        ("source:model.py:13", ""),
        ("source:*model.py:12", "mm addmm split mm_1"),
        ("source:lib/block.py:30-50", "split"),
        ("name:mm", "mm addmm mm_1"),
        ("name:mm*", "mm mm_1"),
        ("policy:must_save", "mm"),
        ("fate:saved bytes>1MB module:layers.3 dtype:bf16", "mm"),
    ],
)
def test_what_is_found(text, names):
    assert [GRAPH.names[index] for index in find_nodes(GRAPH, text)] == names.split()


def test_a_graph_without_policies_or_nodes_has_nothing_to_find():
    bare = msgspec.structs.replace(GRAPH, policies=[])
    assert find_nodes(bare, "policy:save") == []
    empty = graph_of(ROWS[:1])
    for column in ("names", "ops", "targets", "roles", "sides", "fates", "labels", "modules", "stacks", "values"):
        empty = msgspec.structs.replace(empty, **{column: []})
    assert find_nodes(empty, "mm or not mm") == []


TEXTS = st.text("am*._1s", min_size=1, max_size=6)


@given(TEXTS, TEXTS)
def test_a_star_stands_for_any_characters(pattern, text):
    def fits(pattern, text):
        if not pattern:
            return not text
        if pattern[0] == "*":
            return any(fits(pattern[1:], text[skipped:]) for skipped in range(len(text) + 1))
        return text[:1] == pattern[0] and fits(pattern[1:], text[1:])

    assert bool(wildcard(pattern)(text)) == fits(pattern, text)


LEAVES = st.one_of(
    st.sampled_from(["mm", "1", "weight", "aten", "m*m"]).map(Word),
    st.builds(Pattern, st.just(Key.NAME), st.sampled_from(["mm", "mm*", "*_1", "split"])),
    st.builds(Pattern, st.just(Key.DTYPE), st.sampled_from(["float32", "int*"])),
    st.builds(OneOf, st.just(Key.FATE), st.lists(st.sampled_from([fate.label for fate in Fate])).map(tuple)),
    st.builds(OneOf, st.just(Key.SIDE), st.just(("backward",))),
    st.builds(Size, st.sampled_from([">", "<", ">=", "<=", "=", "!="]), st.sampled_from([0, 8, 256, 1e6])),
    st.builds(Shape, st.lists(st.sampled_from(["*", "**", "4", "16", "s0"]), max_size=4).map(tuple)),
    st.builds(Source, st.sampled_from(["model.py", "*.py"]), st.just(10), st.sampled_from([12, 40])),
)
QUERIES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, max_size=3).map(tuple).map(All),
        st.lists(inner, min_size=1, max_size=3).map(tuple).map(AnyOf),
    ),
    max_leaves=8,
)


def slow(graph, index, query):
    """Whether one node is found, read from its ``Node``."""
    node = graph.node(index)
    match query:
        case Not(query=inner):
            return not slow(graph, index, inner)
        case All(parts=parts):
            return all(slow(graph, index, part) for part in parts)
        case AnyOf(parts=parts):
            return any(slow(graph, index, part) for part in parts)
        case Word(text=text):
            return any(wildcard(f"*{text}*")(word.lower()) for word in (node.name, node.label, node.target))
        case Pattern(key=Key.NAME, text=text):
            return bool(wildcard(text)(node.name)) if "*" in text else text in node.name
        case Pattern(key=Key.DTYPE, text=text):
            return any(wildcard(text)(value.dtype) for value in node.values)
        case OneOf(key=Key.FATE, labels=labels):
            return node.fate.label in labels
        case OneOf(labels=labels):
            return node.side.label in labels
        case Size(operator=operator, size_bytes=wanted):
            python = {"=": "=="}.get(operator, operator)
            return eval(f"{node.size_bytes} {python} {wanted}")
        case Shape(sizes=sizes):
            return any(shape_fits(list(map(str, value.shape)), list(sizes)) for value in node.values)
        case Source(file=file, first=first, last=last):
            return any(first <= f.line <= last and wildcard(f"*/{file}")(f.file) for f in node.stack)
    raise AssertionError(query)


def shape_fits(sizes, pattern):
    """By the shortest way to say it: try every number of sizes for each ``**``."""
    if "**" not in pattern:
        return len(sizes) == len(pattern) and all(p in ("*", s) for s, p in zip(sizes, pattern, strict=True))
    place = pattern.index("**")
    return any(
        shape_fits(sizes, pattern[:place] + ["*"] * count + pattern[place + 1 :]) for count in range(len(sizes) + 1)
    )


@given(QUERIES, st.randoms(use_true_random=False))
def test_the_fast_way_finds_what_the_slow_way_finds(query, choose: random.Random):
    graph = graph_of([choose.choice(ROWS) for _ in range(choose.randint(1, 20))])
    expected = [index for index in range(len(graph)) if slow(graph, index, query)]
    assert Finder(graph).find(query) == expected
