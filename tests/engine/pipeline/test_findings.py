"""Findings on small scripts: each is found where it holds and not where it does not."""

from __future__ import annotations

import pytest

from aotgui.model.capture import Finding, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.settings import EntryPoint


def found(runner, script: str, identifier: str, **settings: object) -> list[Finding]:
    return [item for item in runner.script(script, **settings).ended.findings if item.id == identifier]


WRONG_STRIDES = """
import torch

@torch.library.custom_op("aotgui_test::double", mutates_args=())
def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2

@double.register_fake
def _(x):
    return torch.empty_like(x).t().contiguous().t()

double.register_autograd(lambda ctx, grad: grad * 2)

def fn(x):
    y = double(x)
    return y + 1

example_inputs = torch.randn(3, 4, requires_grad=True)
"""


def test_a_value_that_is_not_as_traced(runner):
    (finding,) = found(runner, WRONG_STRIDES, "not-as-traced")
    assert finding.graph is GraphKind.FORWARD
    assert "double" in finding.node
    assert finding.line == 15
    assert "expected" in finding.message
    assert not found(runner, WRONG_STRIDES.replace(".t().contiguous().t()", ""), "not-as-traced")


NONFINITE = """
import torch
def fn(x):
    return torch.sqrt(x).sum(), x.exp()
example_inputs = torch.tensor([0.0, 1.0], requires_grad=True)
"""


def test_a_result_that_is_not_finite_in_eager_either(runner):
    (finding,) = found(runner, NONFINITE, "nonfinite-result")
    assert finding.message == "NaN or Inf in eager already: the gradient of args[0]."
    assert finding.severity is Severity.WARNING
    assert not found(runner, NONFINITE.replace("[0.0,", "[0.5,"), "nonfinite-result")


SEEDED = """
import torch
def fn(x):
    torch.manual_seed(3)
    return (x * torch.rand(3)).sum()
example_inputs = torch.randn(3, requires_grad=True)
"""


def test_a_seed_inside_the_target(runner):
    (finding,) = found(runner, SEEDED, "feature-not-in-graph")
    assert finding.line == 4
    assert "manual_seed" in finding.message


DROPOUT = """
import torch
def fn(x):
    return torch.nn.functional.scaled_dot_product_attention(x, x, x, dropout_p=0.0)
example_inputs = torch.randn(1, 2, 4, 8, requires_grad=True)
"""


def test_dropout_of_probability_zero_is_not_random(runner):
    for partitioner in ("default", "min_cut"):
        findings = runner.script(DROPOUT, partitioner=partitioner).ended.findings
        assert not [item for item in findings if item.id.startswith("random-op")]


ONCE = """
import torch
class Counts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.ready, self.calls = False, 0
    def forward(self, x):
        self.ready = True
        {line}
        return x * 2
model = Counts()
example_inputs = torch.randn(3, requires_grad=True)
"""


def test_only_what_changes_in_every_call_is_a_side_effect(runner):
    assert not found(runner, ONCE.format(line="pass"), "side-effect-only-while-tracing")
    (finding,) = found(runner, ONCE.format(line="self.calls += 1"), "side-effect-only-while-tracing")
    assert "model.calls" in finding.message
    assert "ready" not in finding.message
    assert finding.line == 9


@pytest.mark.parametrize(("shared", "count"), [("base[1:]", 1), ("base", 0), ("base.clone()", 0)])
def test_inputs_that_share_memory(runner, shared, count):
    script = f"""
import torch
base = torch.randn(4)
def fn(x, y):
    return x.sum() + y.sum()
example_inputs = (base, {shared})
"""
    assert len(found(runner, script, "shared-memory")) == count


def test_findings_come_worst_first(runner):
    script = """
import torch
def fn(x, k):
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: 2 * t):
        return x * x * k
example_inputs = (torch.ones([], requires_grad=True), 3)
"""
    severities = [item.severity for item in runner.script(script).ended.findings]
    order = [Severity.ERROR, Severity.WARNING, Severity.INFO]
    assert severities == sorted(severities, key=order.index)
    assert severities[0] is Severity.ERROR


LATER = """
import torch
def fn(x, w):
    return (x @ w).relu().sum(0)
example_inputs = (torch.randn(4, 3, requires_grad=True), torch.randn(3, 5, requires_grad=True))
more_inputs = [(torch.randn(7, 3, requires_grad=True), torch.randn(3, 5, requires_grad=True))]
"""


def test_a_later_call_with_another_shape(runner):
    (finding,) = found(runner, LATER, "stale-trace")
    assert "shape of args[0] is (7, 3), traced with (4, 3)" in finding.message
    assert len(runner.pipeline.regions) == 2


def test_symbolic_sizes_and_guards_take_another_shape(runner):
    assert not found(runner, LATER, "stale-trace", dynamic=True)
    assert len(runner.pipeline.regions) == 1
    assert not found(runner, LATER, "stale-trace", entry_point=EntryPoint.TORCH_COMPILE)


def test_symbolic_sizes_do_not_take_another_flag(runner):
    script = LATER.replace("7, 3, requires_grad=True", "7, 3")
    (finding,) = found(runner, script, "stale-trace", dynamic=True)
    assert "requires_grad of args[0] is False" in finding.message
    assert "shape" not in finding.message
