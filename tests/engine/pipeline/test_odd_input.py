"""Settings that name what the script defines, kinds of tensors that are rare, and what further calls change."""

from __future__ import annotations

import pytest

from aotgui.model.capture import CheckStatus
from aotgui.model.graph import GraphKind

OWN = """
import torch

def fn(x):
    return torch.nn.functional.silu(x)

def broken(joint, inputs, **options):
    raise ValueError("cannot split this")

table = {torch.ops.aten.silu.default: lambda x: x * torch.sigmoid(x)}
words = {"silu": 1}
example_inputs = torch.randn(3, requires_grad=True)
"""


def test_a_partitioner_of_the_script_that_fails_is_blamed_once(runner):
    outcome = runner.script(OWN, partitioner="broken")
    (problem,) = outcome.ended.problems
    assert problem.message == "The partitioner broken fails: ValueError: cannot split this"
    assert problem.line == 8
    assert GraphKind.JOINT in outcome.last_capture.regions[0].graphs


def test_a_table_of_the_script_decomposes(runner):
    outcome = runner.script(OWN, decompositions="table")
    assert outcome.ended.check.status is CheckStatus.MATCH
    forward = outcome.graph(GraphKind.FORWARD)
    assert {"aten.sigmoid.default", "aten.mul.Tensor"} <= {forward.target(index) for index in range(len(forward))}


def test_a_table_that_maps_no_operators_is_refused(runner):
    (problem,) = runner.script(OWN, decompositions="words").ended.problems
    assert problem.message.startswith("The decomposition table words maps 'silu' to 1; it has to map operators")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors:UserWarning")
def test_a_jagged_tensor_is_captured(runner):
    outcome = runner.script(
        """
        import torch
        def fn(x):
            return torch.nn.functional.relu(x) * 2
        parts = [torch.randn(2, 3), torch.randn(4, 3)]
        example_inputs = (torch.nested.nested_tensor(parts, layout=torch.jagged, requires_grad=True),)
        """
    )
    assert outcome.ended.check.status is CheckStatus.MATCH, outcome.ended.problems
    assert [entry.name for entry in outcome.ended.check.gradients] == ["args[0]"]


def test_a_subclass_that_cannot_take_part_is_explained(runner):
    outcome = runner.script(
        """
        import torch
        class Named(torch.Tensor):
            @classmethod
            def __torch_function__(cls, func, types, args=(), kwargs=None):
                return super().__torch_function__(func, types, args, kwargs or {})
        def fn(x):
            return x * 2
        example_inputs = torch.randn(3).as_subclass(Named)
        """
    )
    (problem,) = outcome.ended.problems
    assert "not those with __torch_function__ alone: pass plain tensors" in problem.message
    assert problem.line == 8


def test_a_constant_that_the_script_changes_is_stale_and_does_not_stay_changed(runner):
    path = runner.write(
        """
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = 2.0
                self.calls = 0
            def forward(self, x):
                self.calls += 1
                return x * self.scale * factor
        factor = 3
        model = Net()
        example_inputs = torch.randn(3)
        more_inputs = [torch.randn(3), torch.randn(3), torch.randn(3)]
        def before_call(i):
            global factor
            model.scale = {1: 2.0, 2: 5.0, 3: 2.0}[i]
            factor = {1: 3, 2: 3, 3: 4}[i]
        """
    )
    for _ in range(2):
        found = [finding for finding in runner.run(path, seed=1).ended.findings if finding.id == "stale-trace"]
        assert [finding.message.partition(". ")[0] for finding in found] == [
            "Call 3 does not fit the trace: model.scale is 5.0, traced with 2.0",
            "Call 4 does not fit the trace: factor is 4, traced with 3",
        ]
        assert all("captured again, and the call matches eager" in finding.message for finding in found)


def test_a_backward_that_fails_is_blamed_on_the_line_of_its_forward(runner):
    outcome = runner.script(
        """
        import torch
        def fn(x):
            y = x * 2
            z = y.unique()
            return z.sum()
        example_inputs = torch.randn(3, requires_grad=True)
        """
    )
    problem = outcome.ended.problems[0]
    assert "has no derivative: call it on a detached tensor" in problem.message
    assert problem.line == 5


def test_a_tensor_that_is_passed_twice_is_one_in_the_reference_too(runner):
    outcome = runner.script(
        """
        import torch
        def fn(x, y):
            return x.sin(), y.exp()
        x = torch.ones(3, requires_grad=True)
        example_inputs = (x, x)
        """
    )
    check = outcome.ended.check
    assert check.status is CheckStatus.MATCH
    assert check.note == "judged against a float64 run"
    assert check.eager_error is not None
    assert check.eager_error < 1e-5
