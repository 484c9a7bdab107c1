"""A half's copies and recorded calls."""

from __future__ import annotations

import pytest
import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode

from aotgui.engine.half import Half, copy_module
from aotgui.model.graph import GraphKind

FORWARD, INFERENCE = GraphKind.FORWARD, GraphKind.INFERENCE


@pytest.fixture
def constant(make_halves) -> Half:
    return make_halves(lambda x: x * torch.tensor([1.0, 2.0]), torch.randn(2, requires_grad=True))[FORWARD]


def test_copy_is_the_same_graph(constant):
    copied = constant.module_copy()
    assert copied.code == constant.module.code
    assert [node.name for node in copied.graph.nodes] == [node.name for node in constant.module.graph.nodes]
    for node, original in zip(copied.graph.nodes, constant.module.graph.nodes, strict=True):
        assert node is not original
        assert node.meta == original.meta
    torch.testing.assert_close(copied(*constant.fresh_args()), constant.module(*constant.fresh_args()))


def test_copy_works_under_a_fake_mode_where_deepcopy_fails(constant):
    """The fault that ``copy_module`` works around."""
    import copy

    with FakeTensorMode():
        with pytest.raises(RuntimeError, match='storage of a tensor on device "meta"'):
            copy.deepcopy(constant.module)
        assert copy_module(constant.module).code == constant.module.code


def test_change_of_the_copy_leaves_the_original(make_halves):
    def function(x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    half = make_halves(function, torch.ones(3))[INFERENCE]
    before = half.module.print_readable(print_output=False)
    copied = half.module_copy()
    for module in (copied, *copied.children()):
        for node in module.graph.nodes:
            if node.op == "call_function":
                node.target = torch.ops.aten.neg
        module.recompile()
    assert half.module.print_readable(print_output=False) == before


def test_nodes_match_the_columns(make_halves):
    for half in make_halves(nn.Linear(2, 2), torch.randn(1, 2)).values():
        assert [node.name for node in half.nodes] == half.graph.names


def test_arguments_that_are_written_to_are_copied(make_halves):
    def function(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        x.view(-1).add_(y)
        return x * y

    half = make_halves(function, torch.zeros(3), torch.ones(3), keep_inference_input_mutations=True)[INFERENCE]
    assert half.mutated == {0}
    x, y = half.recorded
    fresh = half.fresh_args()
    assert fresh[0] is not x
    assert fresh[1] is y
    half.module(*fresh)
    assert (x.tolist(), fresh[0].tolist()) == ([0.0] * 3, [1.0] * 3)


def test_arguments_are_remembered_as_they_were_before_new_values_are_copied_into_them(make_halves):
    def function(x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        count.add_(1).mul_(2)
        return (x * count).sum()

    halves = make_halves(function, torch.ones(3, requires_grad=True), torch.ones(3))
    forward, backward = halves[FORWARD], halves[GraphKind.BACKWARD]
    assert (forward.mutated, forward.updated, backward.updated) == (frozenset(), {1}, frozenset())
    assert forward.recorded[1].tolist() == [1.0] * 3
    saved = [arg.tolist() for arg in backward.recorded]
    assert [4.0] * 3 in saved  # what the forward of that very call computes


def test_functional_graph_copies_nothing(make_halves):
    half = make_halves(nn.BatchNorm1d(2), torch.randn(3, 2))[FORWARD]
    assert half.mutated == frozenset()
    assert all(a is b for a, b in zip(half.fresh_args(), half.recorded, strict=True))


def test_without_a_recorded_call(constant):
    constant.recorded = None
    with pytest.raises(ValueError, match="the forward graph has not been run yet"):
        constant.fresh_args()
