"""The classic ways to NaN: each is led back to the node that made it, and to the line of the script."""

from __future__ import annotations

from typing import Any

import pytest

from aotgui.model.cause import Cause
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import FindCause, StepAction, StopReason

FORWARD, BACKWARD, INFERENCE = GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE

SCRIPT = """import torch


def fn({parameters}):
    {body}


example_inputs = ({inputs},)
"""


class Case:
    """A script whose gradients or outputs are bad, run to its end."""

    def __init__(self, drive: Any, halves: Any, start: GraphKind) -> None:
        self.halves = halves
        self.driver = drive(halves, start)
        self.driver.stop()
        assert self.driver(StepAction.CONTINUE).reason is StopReason.FINISHED

    def cause(self, graph: GraphKind | None = None) -> Cause:
        """Of the last bad value, of a graph or of all."""
        bad = [
            (kind, s.node)
            for kind, stats in self.driver.executed.items()
            for s in stats
            if not s.is_finite and graph in (None, kind)
        ]
        kind, node = bad[-1]
        return self.driver.ask(FindCause, graph=kind, node=node).cause


@pytest.fixture
def case(drive, capture_script):
    def make(parameters: str, inputs: str, *body: str) -> Case:
        halves = capture_script(SCRIPT.format(parameters=parameters, inputs=inputs, body="\n    ".join(body)))
        return Case(drive, halves, FORWARD if FORWARD in halves else INFERENCE)

    return make


def assert_origin(cause: Cause, graph: GraphKind, operator: str, line: int) -> None:
    origin = cause.steps[cause.origin]
    assert (origin.graph, origin.line) == (graph, line), cause.text
    assert origin.target.startswith(f"aten.{operator}"), cause.text
    assert "script.py" in origin.file


def test_gradient_of_log_of_zero(case):
    made = case("x", "torch.tensor([0.0, 1.0], requires_grad=True)", "y = x.log()", "return (y * 0).sum()")
    cause = made.cause(FORWARD)
    assert_origin(cause, FORWARD, "log", 5)
    assert cause.text == "log (aten.log.default) in script.py:5: log makes 1 Inf of finite inputs."
    cause = made.cause(BACKWARD)
    assert_origin(cause, BACKWARD, "div", 5)
    assert cause.steps[cause.origin].partner.name == "log"
    assert [given.stats.zeros for given in cause.steps[cause.origin].partner.inputs] == [1]


def test_gradient_of_square_root_of_zero(case):
    cause = case(
        "x",
        "torch.tensor([0.0, 4.0], requires_grad=True)",
        "y = x.sqrt()",
        "return torch.where(x > 0, y, torch.zeros_like(x)).sum()",
    ).cause()
    assert_origin(cause, BACKWARD, "div", 5)
    partner = cause.steps[cause.origin].partner
    assert (partner.name, partner.line, partner.stats.minimum) == ("sqrt", 5, 0.0)
    assert [given.stats.zeros for given in partner.inputs] == [1]
    assert "derivative of sqrt (aten.sqrt.default) in script.py:5" in cause.text


def test_softmax_of_nothing_but_minus_infinity(case):
    cause = case(
        "x",
        "torch.randn(2, 3, requires_grad=True)",
        "mask = torch.ones(2, 3, dtype=torch.bool)",
        "scores = x.masked_fill(mask, float('-inf'))",
        "return scores.softmax(-1).sum()",
    ).cause()
    assert_origin(cause, FORWARD, "_softmax", 7)
    assert "makes NaN of the Inf" in cause.text
    assert "puts in the infinity" in cause.steps[-2].text + cause.steps[-1].text


def test_zero_times_infinity_through_a_mask(case):
    cause = case(
        "x, mask",
        "torch.tensor([1.0, float('inf')], requires_grad=True), torch.tensor([1.0, 0.0])",
        "y = x + 1",
        "return (y * mask).sum()",
    ).cause()
    assert_origin(cause, FORWARD, "mul", 6)


def test_float16_overflow_in_attention_scores(case):
    cause = case(
        "q, k",
        "torch.full((2, 8), 200.0, dtype=torch.float16, requires_grad=True), torch.full((3, 8), 200.0).half()",
        "scores = q @ k.T",
        "scores = scores - scores.amax(-1, keepdim=True)",
        "return scores.softmax(-1).sum()",
    ).cause()
    assert_origin(cause, FORWARD, "mm", 5)
    assert {given.stats.maximum for given in cause.steps[cause.origin].inputs} == {200.0}


def test_division_by_the_norm_of_zero(case):
    cause = case("x", "torch.zeros(3, requires_grad=True)", "norm = x.norm()", "return (x / norm).sum()").cause(FORWARD)
    assert_origin(cause, FORWARD, "div", 6)
    assert cause.steps[-1] == cause.steps[cause.origin]
    assert cause.steps[-1].partner is None


def test_a_bad_argument_is_named(case):
    cause = case("x", "torch.tensor([float('nan')], requires_grad=True)", "return (x * 2).sum()").cause()
    assert cause.steps[-1].name.startswith("primals_")
    assert cause.text.endswith("was given with 1 NaN.")


def test_the_chain_crosses_from_the_backward_into_the_forward(case):
    made = case(
        "x, w",
        "torch.tensor([[-1.0, 2.0]]), torch.ones(2, 2, requires_grad=True)",
        "y = x.log()",
        "return (y @ w).sum()",
    )
    cause = made.cause()
    assert_origin(cause, FORWARD, "log", 5)
    assert {step.graph for step in cause.steps} == {FORWARD, BACKWARD}


def test_what_is_finite_or_not_executed_has_no_cause(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    assert "not been executed" in driver.ask(FindCause, graph=FORWARD, node=0).cause.text
    driver(StepAction.STEP)
    cause = driver.ask(FindCause, graph=FORWARD, node=0).cause
    assert (cause.steps, cause.text) == ([], f"{mlp[FORWARD].nodes[0].name} has neither NaN nor Inf.")
