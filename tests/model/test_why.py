"""Reasons, views and ledgers from a network made by hand."""

from __future__ import annotations

import math

import msgspec
import pytest

from aotgui.model.capture import Region, SavedValue
from aotgui.model.cut_network import CutNetwork
from aotgui.model.cut_view import cut_view
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Output, OutputKind, Role, Side, TensorInfo
from aotgui.model.ledger import ledger_of
from aotgui.model.memory import MemoryKind, memory_of
from aotgui.model.settings import Settings
from aotgui.model.why import why_of
from aotgui.model.why_words import ban_words, need_words, obstacle_words

F, B = Side.FORWARD, Side.BACKWARD
TENSOR = TensorInfo((16,), "float32", (1,), "cpu", 64)


def graph_of(kind: GraphKind, rows, outputs=(), storages=()) -> Graph:
    """Rows of name, target, role, side, fate, inputs."""
    strings = [target for _, target, *_ in rows]
    edges = [(source, target) for target, (*_, inputs) in enumerate(rows) for source in inputs]
    return Graph(
        kind=kind,
        strings=strings,
        names=[name for name, *_ in rows],
        ops=[Op.CALL_FUNCTION if "." in target or target == "getitem" else Op.PLACEHOLDER for _, target, *_ in rows],
        targets=list(range(len(rows))),
        roles=[role for _, _, role, *_ in rows],
        sides=[side for _, _, _, side, *_ in rows],
        fates=[fate for _, _, _, _, fate, _ in rows],
        seq_nrs=[-1] * len(rows),
        origins=list(range(len(rows))),
        labels=[-1] * len(rows),
        modules=[-1] * len(rows),
        stacks=[-1] * len(rows),
        values=[[0]] * len(rows),
        arguments=[[]] * len(rows),
        edge_sources=[source for source, _ in edges],
        edge_targets=[target for _, target in edges],
        outputs=list(outputs),
        tensor_table=[TENSOR],
        storages=[list(entry) for entry in storages],
    )


OPERATOR, INPUT, TANGENT = Role.OPERATOR, Role.INPUT, Role.TANGENT
JOINT = (
    ("x", "x", INPUT, F, Fate.FORWARD_ONLY, ()),
    ("mm", "aten.mm.default", OPERATOR, F, Fate.FORWARD_ONLY, (0,)),
    ("norm", "aten.native_layer_norm.default", OPERATOR, F, Fate.FORWARD_ONLY, (1,)),
    ("part", "getitem", OPERATOR, F, Fate.SAVED, (2,)),
    ("cos", "aten.cos.default", OPERATOR, F, Fate.RECOMPUTED, (3,)),
    ("neg", "aten.neg.default", OPERATOR, F, Fate.SAVED, (1,)),
    ("dead", "aten.exp.default", OPERATOR, F, Fate.ELIMINATED, (0,)),
    ("tangent", "tangent", TANGENT, B, Fate.BACKWARD_ONLY, ()),
    ("mul", "aten.mul.Tensor", OPERATOR, B, Fate.BACKWARD_ONLY, (7, 4)),
    ("add", "aten.add.Tensor", OPERATOR, B, Fate.BACKWARD_ONLY, (8, 5)),
)
BAN, TUPLE, NEED = (
    "cannot recompute: not in recomputable allowlist",
    "cannot save: non-tensor output",
    ("must be computed in backward: required for gradient"),
)
CUT = CutNetwork(
    #      x  mm norm part cos neg tangent mul add
    nodes=[0, 1, 2, 3, 4, 5, 7, 8, 9],
    capacities=[64, 70, math.inf, 66, 140, 60, math.inf, math.inf, math.inf],
    bans=[0, 0, 0, -1, -1, -1, -1, -1, -1],
    unsaveable=[-1, -1, 1, -1, -1, -1, -1, -1, -1],
    needs=[-1, -1, -1, -1, -1, -1, 2, 2, 2],
    needs_value=[False] * 9,
    sides=[0, 0, 0, 1, 2, 1, 2, 2, 2],
    edge_sources=[0, 1, 2, 3, 1, 4, 5],
    edge_targets=[1, 2, 3, 4, 5, 7, 8],
    strings=[BAN, TUPLE, NEED],
    cut_value=126,
)


@pytest.fixture
def region() -> Region:
    forward = graph_of(
        GraphKind.FORWARD,
        JOINT[:6],
        [Output(4, OutputKind.OUTPUT, "out[0]"), Output(3, OutputKind.SAVED, ""), Output(5, OutputKind.SAVED, "")],
        [(0,), (1,), (2,), (2,), (3,), (4,)],
    )
    backward = graph_of(
        GraphKind.BACKWARD,
        (
            ("part", "part", Role.SAVED_VALUE, F, Fate.SAVED, ()),
            ("neg", "neg", Role.SAVED_VALUE, F, Fate.SAVED, ()),
            ("tangent", "tangent", TANGENT, B, Fate.BACKWARD_ONLY, ()),
            ("cos", "aten.cos.default", OPERATOR, F, Fate.RECOMPUTED, (0,)),
            ("mul", "aten.mul.Tensor", OPERATOR, B, Fate.BACKWARD_ONLY, (2, 3)),
            ("add", "aten.add.Tensor", OPERATOR, B, Fate.BACKWARD_ONLY, (4, 1)),
        ),
        [Output(5, OutputKind.GRADIENT, "gradient of x")],
        [(2,), (4,), (5,), (6,), (7,), (8,)],
    )
    saved = [
        SavedValue(name=name, tensor=TENSOR, size_bytes=64, storage_bytes=64, role="activation")
        for name in ("part", "neg")
    ]
    graphs = {
        GraphKind.JOINT: graph_of(GraphKind.JOINT, JOINT),
        GraphKind.FORWARD: forward,
        GraphKind.BACKWARD: backward,
    }
    return Region(name="region 0", graphs=graphs, saved=saved, cut=CUT, storage_bytes=[64] * 9)


def told(region: Region, name: str):
    graph = region.graphs[GraphKind.JOINT]
    why = why_of(region, graph.index_of[name], Settings())
    return why, [reason.text for reason in why.reasons], lambda nodes: [graph.names[node] for node in nodes]


def test_part_of_an_operator_that_must_not_be_recomputed(region):
    why, reasons, names = told(region, "part")
    assert reasons[0].startswith("It comes from norm (aten.native_layer_norm.default), which must not be recomputed")
    assert names(why.path) == ["part", "cos", "mul"]
    assert why.torch_words == [BAN]
    assert "ban_recompute_not_in_allowlist" in why.change


def test_saved_because_it_is_cheaper_than_what_is_behind_it(region):
    why, reasons, names = told(region, "neg")
    assert reasons[0] == (
        "It could be recomputed from mm, but keeping mm in its place would weigh 70 B instead of 60 B."
    )
    assert names(why.frontier) == ["mm"]
    assert names(why.path) == ["neg", "add"]


def test_recomputed_from_what_is_saved(region):
    why, reasons, names = told(region, "cos")
    assert why.headline == "cos (64 B) is computed in the forward and again in the backward."
    assert "It is computed again from part." in reasons
    assert names(why.frontier) == ["part"]
    assert "Force it to be saved" in why.change


def test_only_needed_in_the_forward(region):
    _, reasons, _ = told(region, "mm")
    assert reasons == ["All that the backward needs of it goes through part and neg, saved in its place."]


def test_backward_and_removed_nodes(region):
    (reason,) = told(region, "mul")[1]
    assert "it depends on an incoming gradient, so only the backward can compute it" in reason
    assert "Nothing reads it" in told(region, "dead")[1][0]


def test_rules_without_a_network(region):
    plain = msgspec.structs.replace(region, cut=None)
    node = plain.graphs[GraphKind.JOINT].index_of["neg"]
    default = why_of(plain, node, Settings(partitioner="default"))
    assert default.is_known
    assert "saves every value of the forward" in default.reasons[0].text
    assert default.reasons[1].text == "The backward reads it in add."
    own = why_of(plain, node, Settings(partitioner="mine"))
    assert not own.is_known
    assert "not known" in own.reasons[0].text
    with pytest.raises(IndexError):
        why_of(plain, 99, Settings())


def test_a_decision_is_named_in_place_of_the_policy_that_carries_it():
    marked, needed = "cannot recompute: marked MUST_SAVE", "must recompute: marked by checkpoint policy"
    assert ban_words(marked, Decision.SAVE).text == "this run was told to save it"
    assert need_words(needed, Decision.RECOMPUTE).text == "this run was told to recompute it"
    assert "policy" in ban_words(marked).text
    assert "policy" in need_words(needed).text
    assert ban_words("cannot recompute: random op", Decision.SAVE) == ban_words("cannot recompute: random op")


@pytest.mark.parametrize("words", [ban_words, obstacle_words, need_words])
def test_a_reason_that_is_new_is_shown_as_it_is(words):
    assert words("cannot recompute: full moon").text == "torch says: cannot recompute: full moon"


def test_view_of_the_network(region):
    graph = region.graphs[GraphKind.JOINT]
    view = cut_view(region, graph.index_of["part"])
    assert view.is_whole
    assert view.graph.names[0] == "source"
    assert view.graph.names[-1] == "sink"
    edges = {
        (view.graph.names[start], view.graph.names[end]): (capacity, reason)
        for start, end, capacity, reason in zip(
            view.graph.edge_sources, view.graph.edge_targets, view.capacities, view.reasons, strict=True
        )
    }
    assert edges["part_in", "part_out"] == (66, "")
    assert edges["source", "norm_in"] == (math.inf, BAN)
    assert edges["norm_in", "norm_out"] == (math.inf, TUPLE)
    assert edges["mul", "sink"] == (math.inf, NEED)
    sides = dict(zip(view.graph.names, view.graph.sides, strict=True))
    assert (sides["part_in"], sides["part_out"]) == (F, B)
    assert all(s < t for s, t in zip(view.graph.edge_sources, view.graph.edge_targets, strict=True))


def test_view_shows_the_nearest_first(region):
    graph = region.graphs[GraphKind.JOINT]
    view = cut_view(region, graph.index_of["part"], limit=3)
    assert not view.is_whole
    assert {graph.names[node] for node in view.joint if node >= 0} == {"norm", "part", "cos"}
    assert cut_view(region, graph.index_of["dead"]) is None


def test_ledger(region):
    part, neg = ledger_of(region)
    assert (part.node, part.placeholder, part.consumers) == (3, 0, (3,))
    assert part.last_forward_use == 4
    assert neg.last_forward_use == 5
    assert part.share == neg.share == 0.5
    assert (part.first_backward_use, neg.last_backward_use) == (3, 5)


def test_memory(region):
    memory = memory_of(region)
    assert memory.steps == 12
    assert memory.place_of(6) == (GraphKind.BACKWARD, 0)
    assert memory.step_of(GraphKind.BACKWARD, 0) == 6
    assert memory.curve(MemoryKind.INPUTS) == [64] * 12
    # norm and its part share a storage, which is saved, and the backward reads it last in cos.
    assert memory.curve(MemoryKind.SAVED) == [0, 0, 64, 64, 64, 128, 128, 128, 128, 128, 64, 64]
    assert memory.curve(MemoryKind.OUTPUTS) == [0, 0, 0, 0, *[64] * 8]
    assert memory.curve(MemoryKind.GRADIENTS) == [*[0] * 6, 64, 64, 64, 64, 64, 64]
    assert memory.total == [sum(values) for values in zip(*(memory.curve(kind) for kind in MemoryKind), strict=True)]
    peak = memory.alive_at(memory.peak(GraphKind.BACKWARD))
    assert sum(life.size_bytes for life in peak) == memory.peak_bytes(GraphKind.BACKWARD)


def test_no_memory_without_storages(region):
    forward = msgspec.structs.replace(region.graphs[GraphKind.FORWARD], storages=[])
    assert memory_of(msgspec.structs.replace(region, graphs={**region.graphs, GraphKind.FORWARD: forward})) is None
