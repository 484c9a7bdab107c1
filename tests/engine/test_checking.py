"""How a compiled result is judged."""

from __future__ import annotations

import pytest
import torch

from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.checking import compare, compare_value, double_reference
from aotgui.engine.targets import Target
from aotgui.model.capture import Check, CheckStatus

WIDE = torch.linspace(-3, 3, 1000, dtype=torch.float64)


def judge(eager: object, compiled: object, reference: object = None) -> Check:
    wide = CallResult(outputs={"out": reference}) if reference is not None else None
    return compare(CallResult(outputs={"out": eager}), CallResult(outputs={"out": compiled}), wide, "")


def test_float32_noise_is_no_difference():
    eager = WIDE.float()
    check = judge(eager, eager + torch.randn(1000) * 1e-7, WIDE)
    assert check.status is CheckStatus.MATCH
    assert check.max_error > 0


@pytest.mark.parametrize("reference", [WIDE, None])
def test_rounding_to_bfloat16_is_a_difference(reference):
    check = judge(WIDE.float(), WIDE.bfloat16().float(), reference)
    assert check.status is CheckStatus.MISMATCH


def test_noise_of_a_gradient_that_is_zero_is_judged_by_eagers_own_error():
    """The key bias of attention has no gradient; float32 gives noise in eager as well."""
    zero = torch.zeros(8, dtype=torch.float64)
    gradients = {"weight": WIDE.float(), "bias": torch.full((8,), 3e-8)}
    compiled = {"weight": WIDE.float(), "bias": torch.full((8,), -9e-8)}
    wide = CallResult(gradients={"weight": WIDE, "bias": zero})
    check = compare(CallResult(gradients=gradients), CallResult(gradients=compiled), wide, "")
    assert check.status is CheckStatus.MATCH


@pytest.mark.parametrize(
    ("eager", "compiled", "note"),
    [
        (None, torch.zeros(3), "None in eager, zeros here"),
        (None, torch.ones(3), "None in eager, a value here"),
        (torch.zeros(3), None, "a value in eager, None here"),
        (torch.zeros(3), torch.zeros(1, 3), "shape (3,) in eager, (1, 3) here"),
        (torch.zeros(3), torch.zeros(3).double(), "float32 in eager, float64 here"),
        (torch.tensor([1.0, float("nan")]), torch.tensor([float("nan"), 1.0]), "NaN or Inf in other places"),
        (3, 4, "3 in eager, 4 here"),
    ],
)
def test_other_kinds_of_values_are_told_in_words(eager, compiled, note):
    (item,) = judge(eager, compiled).outputs
    assert item.status is CheckStatus.MISMATCH
    assert note in item.note


def test_equal_nans_infs_and_missing_values_match():
    special = torch.tensor([float("nan"), float("inf"), -float("inf"), 1.0])
    assert judge(special, special.clone()).status is CheckStatus.MATCH
    assert judge(None, None).outputs[0].note == "None (unused), as in eager"
    opposite = torch.tensor([float("nan"), -float("inf"), float("inf"), 1.0])
    assert judge(special, opposite).status is CheckStatus.MISMATCH


def test_what_overflows_in_eager_and_not_in_float64_is_compared_with_eager():
    eager, wide = torch.tensor([float("inf"), 1.0]), torch.tensor([1e39, 1.0], dtype=torch.float64)
    same = judge(eager, eager.clone(), wide).outputs[0]
    assert (same.status, same.note) == (CheckStatus.MATCH, "NaN or Inf in eager where float64 has none")
    for other in (torch.tensor([3.0, 1.0]), torch.tensor([float("inf"), 1.5])):
        assert judge(eager, other, wide).status is CheckStatus.MISMATCH
    elsewhere = judge(eager, torch.tensor([float("nan"), 1.0]), wide).outputs[0]
    assert elsewhere.note == "NaN or Inf in other places than eager"


def test_of_shapes_without_values_nothing_is_judged():
    check = judge(torch.ones(3, device="meta"), torch.ones(3, device="meta"))
    assert check.status is CheckStatus.NOT_RUN
    assert "no values" in check.note


def test_a_value_that_is_missing_or_new_is_a_difference():
    check = compare(CallResult(outputs={"a": 1}), CallResult(outputs={"b": 1}), None, "")
    assert [(item.name, bool(item.note)) for item in check.outputs] == [("a", True), ("b", True)]
    assert check.status is CheckStatus.MISMATCH


def test_the_reference_is_float64_and_leaves_the_module_alone():
    module = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
    harness = Harness(Target("test", "model", module, (torch.randn(5, 4),), {}, {}))
    reference, note = double_reference(harness, 0)
    assert reference.outputs["out"].dtype is torch.float64
    assert reference.gradients["0.weight"].dtype is torch.float64
    assert module[0].weight.dtype is torch.float32
    assert module[1].num_batches_tracked.item() == 0
    assert note == "judged against a float64 run"


def test_a_target_that_insists_on_float32_has_no_reference():
    target = Target("test", "fn", lambda x: x @ torch.ones(3, 3), (torch.randn(3, requires_grad=True),), {}, {})
    reference, note = double_reference(Harness(target), 0)
    assert reference is None
    assert "no float64 run" in note


def test_one_value_of_few_digits_is_judged_closely():
    wide = torch.linspace(-1, 1, 64, dtype=torch.float64)
    expected = wide.to(torch.bfloat16)
    assert compare_value("x", expected, expected, wide).status is CheckStatus.MATCH
    assert compare_value("x", expected, (wide + 0.1).to(torch.bfloat16), wide).status is CheckStatus.MISMATCH


def test_noise_of_a_value_that_is_zero_by_cancellation():
    expected, wide = torch.full((4,), 1e-8), torch.zeros(4, dtype=torch.float64)
    assert compare_value("x", expected, expected * -40, wide, scale=1.0).status is CheckStatus.MATCH
    assert compare_value("x", expected, expected * -40, wide, scale=0.0).status is CheckStatus.MISMATCH
    assert compare_value("x", expected, expected + 1e-3, wide, scale=1.0).status is CheckStatus.MISMATCH
    assert compare_value("x", expected, expected * -4, wide + 2e-9, scale=1.0).status is CheckStatus.MATCH


def test_a_reference_that_computed_something_else_does_not_count():
    expected = torch.ones(4)
    assert compare_value("x", expected, expected * 1.5, torch.full((4,), 2.0).double()).status is CheckStatus.MISMATCH
