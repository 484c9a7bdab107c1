"""Calling a target again and again with the same inputs, state and random numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from aotgui.engine.calling import Harness
from aotgui.engine.leaves import flatten_output
from aotgui.engine.targets import Target


def harness_of(call: Any, *args: Any, **kwargs: Any) -> Harness:
    return Harness(Target("test", "target", call, args, kwargs, {}))


@dataclass
class Pair:
    first: torch.Tensor
    rest: dict[str, Any]


def test_leaves_of_nested_outputs_have_names():
    tensor = torch.zeros(1)
    output = (Pair(tensor, {"a": [1, None], "mode": "train"}), tensor)
    assert list(flatten_output(output)) == [
        "out[0].first",
        "out[0].rest['a'][0]",
        "out[0].rest['a'][1]",
        "out[0].rest['mode']",
        "out[1]",
    ]
    assert list(flatten_output(tensor)) == ["out"]


def test_an_object_that_holds_itself_ends():
    class Loop:
        def __init__(self) -> None:
            self.value, self.me = torch.zeros(1), self

    assert list(flatten_output(Loop())) == ["out.value"]


def test_inputs_that_share_memory_still_do_in_every_call():
    base = torch.arange(6.0)

    def fn(whole: torch.Tensor, part: torch.Tensor) -> torch.Tensor:
        whole.add_(1)
        return part.clone()

    harness = harness_of(fn, base, base[2:])
    for _ in range(2):
        result = harness.call(fn, 0)
        assert result.outputs["out"].tolist() == [3.0, 4.0, 5.0, 6.0]
        assert set(result.mutated) == {"args[0]", "args[1]"}
    assert base.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert harness.shared_inputs() == ["args[0] and args[1] share memory (offset 2): a write to one changes the other."]


def test_the_same_tensor_twice_is_one_tensor():
    tensor = torch.ones(2, requires_grad=True)
    harness = harness_of(lambda x, y: (x is y) * 1.0 * x, tensor, tensor)
    assert harness.call(harness.target.call, 0).outputs["out"].tolist() == [1.0, 1.0]
    assert harness.shared_inputs() == []


def test_a_leaf_stays_a_leaf_and_others_do_not():
    leaf = torch.ones(2, requires_grad=True)
    harness = harness_of(lambda x, y: (x * y).sum(), leaf, leaf * 2)
    (first, second), _ = harness.fresh_inputs()
    assert first.is_leaf
    assert not second.is_leaf
    assert harness.call(harness.target.call, 0).gradients["args[1]"].tolist() == [1.0, 1.0]


def test_state_gradients_and_random_numbers_are_put_back():
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3), torch.nn.Dropout())
    module[0].weight.grad = torch.full((3, 3), 7.0)
    harness, before = harness_of(module, torch.randn(4, 3)), torch.get_rng_state()
    first, second = harness.call(module, 3), harness.call(module, 3)
    assert torch.equal(first.outputs["out"], second.outputs["out"])
    assert torch.equal(first.gradients["0.weight"], second.gradients["0.weight"])
    assert module[0].weight.grad.unique().tolist() == [7.0]
    assert module[1].num_batches_tracked.item() == 0
    assert torch.equal(before, torch.get_rng_state())


def test_flags_are_put_back():
    module = torch.nn.Dropout()
    harness = harness_of(module, torch.randn(2))
    module.eval()
    harness.restore()
    assert module.training


def test_tangents_are_ones_for_a_scalar_and_the_same_each_time():
    scalar = torch.tensor(2.0, requires_grad=True)
    assert harness_of(lambda x: x * 3, scalar).call(lambda x: x * 3, 0).gradients["args[0]"].item() == 3.0
    vector = harness_of(lambda x: x * 1, torch.ones(5, requires_grad=True))
    first, second = (vector.call(vector.target.call, 0).gradients["args[0]"] for _ in range(2))
    assert torch.equal(first, second)
    assert first.unique().numel() == 5
