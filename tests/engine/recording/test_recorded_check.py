"""Regions that a program compiled itself are compared with eager, by making their first call again."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import torch
from functorch.compile import aot_function, aot_module, nop
from torch._functorch.partitioners import default_partition
from torch.utils.checkpoint import checkpoint

from aotgui.engine.call_recorder import CallRecorder
from aotgui.engine.interception import intercepting
from aotgui.engine.observer import RegionObserver
from aotgui.engine.recorded_check import Verdict, joined, judge_regions
from aotgui.model.capture import Check, CheckStatus, Comparison
from aotgui.model.graph import GraphKind

pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # Dynamo looks at it

calls = 0


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def judged(program) -> Verdict:
    observer = RegionObserver()
    with intercepting(observer, default_partition):
        program()
    assert observer.problems == []
    before = torch.get_rng_state()
    verdict = judge_regions(observer.regions, globals())
    assert torch.equal(torch.get_rng_state(), before)
    return verdict


def statuses(check: Check) -> dict[str, str]:
    return {entry.name: str(entry.status) for entry in (*check.outputs, *check.gradients)}


def ids(verdict: Verdict) -> set[str]:
    return {finding.id for finding in verdict.findings}


def cosine_for_sine(module, inputs):
    """A backend with a fault, which changes the graph that it was given."""
    for node in module.graph.find_nodes(op="call_method", target="sin"):
        node.target = "cos"
    module.recompile()
    return module.forward


def drawing_first(module, inputs):
    """A backend that draws its random numbers in another way than eager."""

    def run(*args):
        torch.rand(3)
        return module(*args)

    return run


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)
        self.layer = torch.nn.Linear(3, 2)
        self.layer.bias.requires_grad_(False)

    def forward(self, x):
        return torch.nn.functional.dropout(self.layer(self.norm(x)))


@pytest.mark.parametrize(
    "way", [functools.partial(torch.compile, backend="aot_eager"), lambda net: aot_module(net, nop)]
)
def test_the_first_step_of_a_training_is_compared(way):
    """Outputs, updated buffers and gradients, by name, with the numbers of that step."""
    net = Net()

    def program():
        compiled = way(net)
        for _ in range(2):
            compiled(torch.randn(4, 3)).sum().backward()
            with torch.no_grad():
                net.layer.weight.sub_(net.layer.weight.grad)

    verdict = judged(program)
    found = statuses(verdict.check)
    assert verdict.check.status is CheckStatus.MATCH
    assert {"norm.weight", "layer.weight", "norm.running_mean after the call"} <= set(found)
    assert verdict.check.note == "its first call was made again; judged against a float64 run"
    assert {"frozen-parameters", "written-input"} <= ids(verdict)
    assert net.norm.num_batches_tracked == 2


def test_a_wrong_backend_is_found_in_its_region():
    def program():
        x = torch.randn(3, requires_grad=True)
        torch.compile(lambda x: x.cos(), backend="aot_eager")(x).sum().backward()
        torch.compile(lambda x: x.sin() * 2, backend=cosine_for_sine)(x).sum().backward()

    verdict = judged(program)
    assert statuses(verdict.check) == {
        "region 0: out[0]": "match",
        "region 0: x": "match",
        "region 1: out[0]": "mismatch",
        "region 1: x": "mismatch",
    }
    wrong = [finding for finding in verdict.findings if finding.id == "differs-from-eager"]
    assert [finding.region for finding in wrong] == [1, 1]
    assert wrong[1].message.startswith("The gradient of x differs from eager by")


def test_autocast_inference_mode_and_shared_inputs_are_those_of_the_call():
    x = torch.randn(6)
    seen = []

    def program():
        with torch.autocast("cpu", dtype=torch.bfloat16):
            seen.append(torch.compile(lambda x, w: x @ w, backend="aot_eager")(torch.eye(3), torch.ones(3, 3)).dtype)
        with torch.inference_mode():
            torch.compile(lambda x: x + 1, backend="aot_eager")(torch.randn(3))
        torch.compile(lambda a, b: a.add_(1) + b, backend="aot_eager")(x[:4], x[2:])

    verdict = judged(program)
    assert seen == [torch.bfloat16]
    assert verdict.check.status is CheckStatus.MATCH
    assert statuses(verdict.check)["region 2: b after the call"] == "match"
    assert "region 2: compared with eager directly: inputs share memory" in verdict.check.note
    assert "a and b share memory (offset 2)" in " ".join(finding.message for finding in verdict.findings)


def test_a_function_is_run_again_as_python_code():
    def fn(a, b):
        global calls
        calls += 1
        a.mul_(2)
        return checkpoint(lambda a: (a * b["w"]).sin(), a, use_reentrant=False), a.view(-1)

    def program():
        inputs = torch.randn(3, requires_grad=True).clone(), {"w": torch.randn(3, requires_grad=True)}
        aot_function(fn, nop)(*inputs)[0].sum().backward()

    verdict = judged(program)
    assert verdict.check.status is CheckStatus.MATCH, statuses(verdict.check)
    assert {"a", "b['w']", "out[0]", "out[1]", "a after the call"} == set(statuses(verdict.check))
    assert {"feature-not-in-graph", "side-effect-only-while-tracing", "shared-memory"} <= ids(verdict)
    (effect,) = [finding for finding in verdict.findings if finding.id == "side-effect-only-while-tracing"]
    assert "calls" in effect.message


def test_a_dropout_behind_a_checkpoint_has_the_same_mask_in_eager():
    """Dynamo's graph, run operator by operator, would draw another one in its backward."""
    layer = torch.nn.Linear(4, 4)

    def fn(x):
        return checkpoint(lambda x: torch.nn.functional.dropout(layer(x).sin()), x, use_reentrant=False)

    verdict = judged(lambda: torch.compile(fn, backend="aot_eager")(torch.randn(8, 4)).sum().backward())
    assert verdict.check.status is CheckStatus.MATCH, statuses(verdict.check)


def test_what_draws_other_random_numbers_is_not_compared():
    def program():
        torch.compile(lambda x: torch.nn.functional.dropout(x), backend=drawing_first)(torch.ones(64))
        torch.compile(lambda x: x + 1, backend=drawing_first)(torch.ones(3))

    check = judged(program).check
    assert check.status is CheckStatus.NOT_RUN
    assert statuses(check) == {"region 0": "not_run", "region 1: out[0]": "match"}
    assert check.note.startswith("region 0 was not compared with eager: compiled, it draws its random numbers")


def test_a_region_without_a_call_says_so(monkeypatch):
    monkeypatch.setattr("aotgui.engine.interception.CallRecorder", lambda: CallRecorder(max_bytes=8 << 10))
    large = torch.ones(1 << 12)
    check = judged(lambda: torch.compile(lambda x: x + 1, backend="aot_eager")(large)).check
    assert check == Check(note="region 0 was not compared with eager: " + check.note.partition("eager: ")[2])
    assert "copies of its arguments would take more" in check.note


def test_what_both_halves_and_the_region_get_is_copied_once():
    observer = RegionObserver()
    with intercepting(observer, default_partition):
        net = torch.nn.Linear(3, 2)
        torch.compile(net, backend="aot_eager")(torch.randn(4, 3)).sum().backward()
    (region,) = observer.regions
    recorded = region.halves[GraphKind.FORWARD].recorded
    assert region.call is not None
    assert {value.data_ptr() for value in region.call.args} == {value.data_ptr() for value in recorded}
    assert net.weight.data_ptr() not in {value.data_ptr() for value in recorded}


def _check(status: CheckStatus, note: str = "", **more: Any) -> Check:
    return Check(status=status, note=note, **more)


@pytest.mark.parametrize(
    ("statuses", "whole"),
    [
        ([CheckStatus.MATCH, CheckStatus.MATCH], CheckStatus.MATCH),
        ([CheckStatus.MATCH, CheckStatus.NOT_RUN], CheckStatus.NOT_RUN),
        ([CheckStatus.NOT_RUN, CheckStatus.MISMATCH], CheckStatus.MISMATCH),
        ([], CheckStatus.NOT_RUN),
    ],
)
def test_the_whole_matches_only_where_all_was_compared(statuses, whole):
    assert joined([(f"region {place}", _check(status)) for place, status in enumerate(statuses)]).status is whole


def test_a_long_recording_names_the_first_reasons():
    row = Comparison(name="out[0]", status=CheckStatus.MATCH, max_error=1.0)
    checks = [(f"region {place}", _check(CheckStatus.NOT_RUN, "it was not called")) for place in range(5)]
    whole = joined([*checks, ("region 5", _check(CheckStatus.MATCH, "judged so", outputs=[row], max_error=1.0))])
    assert whole.note.split("; ")[2:] == [
        "region 2 was not compared with eager: it was not called",
        "nor were 2 more regions",
        "its first call was made again",
        "judged so",
    ]
    assert whole.max_error == 1.0
