from __future__ import annotations

import pytest

from aotgui.model.graph import Graph, GraphKind, Op, Role, TensorInfo
from aotgui.model.wording import node_subtitle, short_operator, short_type


def one_node(name: str, target: str, role: Role, values: list[int]) -> Graph:
    return Graph(
        kind=GraphKind.FORWARD, strings=[target], names=[name], ops=[Op.CALL_FUNCTION], targets=[0], roles=[role],
        sides=[0], fates=[2], seq_nrs=[-1], origins=[-1], labels=[-1], modules=[-1], stacks=[-1], values=[values],
        arguments=[[]], edge_sources=[], edge_targets=[], tensor_table=[TensorInfo((4, "s0"), "bfloat16", (), "cpu")],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "target", "role", "values", "text"),
    [
        ("mm_12", "aten.mm.default", Role.OPERATOR, [0], "bf16[4, s0]"),
        ("_softmax_1", "aten._softmax.default", Role.OPERATOR, [0], "bf16[4, s0]"),
        ("relu", "aten.clamp_min.default", Role.OPERATOR, [0], "clamp_min bf16[4, s0]"),
        ("primals_1", "primals_1", Role.PARAMETER, [0], "parameter bf16[4, s0]"),
        ("native_layer_norm", "aten.native_layer_norm.default", Role.OPERATOR, [0, 0, 0], "3 values"),
        ("getitem", "<built-in function getitem>", Role.OPERATOR, [], "getitem"),
    ],
)
def test_second_line(name: str, target: str, role: Role, values: list[int], text: str) -> None:
    assert node_subtitle(one_node(name, target, role, values), 0) == text


def test_what_is_no_tensor_and_what_is_no_aten_operator() -> None:
    assert short_type(TensorInfo((), "SymInt")) == "SymInt"
    assert short_operator("my_lib.twice") == "twice"
