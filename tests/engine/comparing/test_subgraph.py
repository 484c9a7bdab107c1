"""Parts of a graph compute what the whole graph computes at the same nodes."""

from __future__ import annotations

import pytest
import torch

from aotgui.engine.compilers import resolve
from aotgui.engine.culprit import values_of
from aotgui.engine.half import RandomState
from aotgui.engine.subgraph import alone, everything, operators_of, prefix_of
from aotgui.engine.trial import Court
from aotgui.engine.wide import run_both
from aotgui.model.graph import GraphKind


@pytest.fixture(scope="module")
def half(workshop):
    return workshop.pipeline.regions[0].halves[GraphKind.FORWARD]


def test_a_part_keeps_names_and_values(half):
    operators = operators_of(half.module)
    court = Court(resolve("nop"), RandomState.now())
    whole = dict(zip([node.name for node in operators], values_of(half, operators, court), strict=True))
    for count in range(1, len(operators) + 1):
        part = prefix_of(half.module, count)
        assert [node.name for node in operators_of(part.module)][:count] == [node.name for node in operators[:count]]
        values = court.values(part, values_of(half, part.inputs, court))
        torch.testing.assert_close(
            dict(zip(part.output_names, values, strict=True)), {n: whole[n] for n in part.output_names}
        )


def test_a_prefix_returns_what_the_rest_needs(half):
    operators = operators_of(half.module)
    norm = next(place for place, node in enumerate(operators) if "layer_norm" in node.name)
    part = prefix_of(half.module, norm + 1)
    assert {"getitem", "getitem_1", "getitem_2"} <= set(part.output_names)  # the items of the tuple, not the tuple
    assert "addmm" not in part.output_names  # only relu read it
    assert "addmm" in everything(half.module, norm + 1).output_names


def test_one_operator_takes_its_inputs_as_arguments(half):
    node = next(node for node in operators_of(half.module) if node.name == "addmm_1")
    part = alone(half.module, node)
    assert [node.name for node in part.inputs] == ["primals_4", "add", "t_1"]
    assert part.output_names == ["addmm_1"]


def test_wide_values_are_what_float64_gives(half):
    narrow, wide = run_both(half.module, half.fresh_args())
    expected = half.module(*[arg.double() for arg in half.fresh_args()])
    for value, other, reference in zip(narrow, wide, expected, strict=True):
        assert other.dtype == reference.dtype
        torch.testing.assert_close(other, reference)
        torch.testing.assert_close(value, reference.to(value.dtype), rtol=1e-4, atol=1e-5)


def test_random_operators_are_not_drawn_twice(make_halves):
    def call(x):
        return torch.nn.functional.dropout(x, 0.5) * 3

    half = make_halves(call, torch.ones(64, requires_grad=True))[GraphKind.FORWARD]
    half.random_state.restore()
    narrow, wide = run_both(half.module, half.fresh_args())
    torch.testing.assert_close(narrow[0].double(), wide[0])


def test_dtype_arguments_are_widened(make_halves):
    def call(x):
        return x.to(torch.bfloat16).float() / 3, (x * 10).to(torch.int64)

    half = make_halves(call, torch.full((4,), 1.001))[GraphKind.INFERENCE]
    narrow, wide = run_both(half.module, half.fresh_args())
    assert [value.dtype for value in wide] == [torch.float64, torch.int64]
    torch.testing.assert_close(wide[0], torch.full((4,), 1.001, dtype=torch.float32).double() / 3)
    torch.testing.assert_close(narrow[1], wide[1])
