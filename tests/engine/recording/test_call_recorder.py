"""Halves that a program ran can be stepped through with the values that they were called with."""

from __future__ import annotations

from queue import SimpleQueue

import pytest
import torch
from functorch.compile import aot_function, make_boxed_compiler, nop
from torch._functorch.partitioners import default_partition

from aotgui.engine.call_recorder import CallRecorder
from aotgui.engine.interception import intercepting
from aotgui.engine.observer import RegionObserver
from aotgui.engine.stepping import StepSession
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StartStepping, Step, StepAction, StopReason


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def watched_regions(program):
    observer = RegionObserver()
    with intercepting(observer, default_partition):
        program()
    return observer.regions


@pytest.mark.parametrize("backend", ["aot_eager", "aotgui"])
def test_halves_give_again_what_they_gave_although_the_parameters_changed(backend):
    module = torch.nn.Linear(3, 2)
    x = torch.randn(4, 3)
    seen = []

    def program():
        compiled = torch.compile(module, backend=backend)
        for _ in range(2):
            output = compiled(x)
            output.square().sum().backward()
            seen.append((output.detach().clone(), module.weight.grad.clone()))
            with torch.no_grad():
                module.weight.sub_(module.weight.grad)
                module.weight.grad = None

    (region,) = watched_regions(program)
    forward, backward = region.halves[GraphKind.FORWARD], region.halves[GraphKind.BACKWARD]
    output, gradient = seen[0]
    assert torch.equal(forward.module(*forward.fresh_args())[0], output)
    gradients = backward.module(*backward.fresh_args())
    assert any(isinstance(value, torch.Tensor) and torch.equal(value, gradient) for value in gradients)
    assert forward.random_state is not None


def test_the_forward_belongs_to_the_step_of_the_backward():
    def program():
        compiled = aot_function(lambda x: x.sin(), nop)
        compiled(torch.full((2,), 1.0, requires_grad=True))
        compiled(torch.full((2,), 2.0, requires_grad=True)).sum().backward()
        compiled(torch.full((2,), 3.0, requires_grad=True)).sum().backward()

    (region,) = watched_regions(program)
    assert region.halves[GraphKind.FORWARD].recorded[0].tolist() == [2.0, 2.0]


def test_compilers_that_are_not_boxed_work_as_before():
    @make_boxed_compiler
    def boxed(module, inputs):
        return module.forward

    x = torch.randn(3, requires_grad=True)
    results = []
    (region,) = watched_regions(lambda: results.append(aot_function(lambda x: x.sin().cos(), boxed)(x)))
    assert torch.equal(results[0], x.sin().cos())
    assert region.halves[GraphKind.FORWARD].recorded is not None


def test_inference_is_recorded():
    (region,) = watched_regions(lambda: aot_function(lambda x: x.sin(), nop)(torch.ones(3)))
    assert region.halves[GraphKind.INFERENCE].recorded[0].tolist() == [1.0] * 3


def test_what_is_too_large_is_not_copied(monkeypatch):
    monkeypatch.setattr("aotgui.engine.interception.CallRecorder", lambda: CallRecorder(max_bytes=100))

    def program():
        aot_function(lambda x: x.sin(), nop)(torch.ones(10, requires_grad=True))
        aot_function(lambda x: x.sin(), nop)(torch.ones(20, requires_grad=True))

    small, large = watched_regions(program)
    assert small.halves[GraphKind.FORWARD].recorded is not None
    assert large.halves[GraphKind.FORWARD].recorded is None


def test_a_recorded_region_can_be_stepped_through():
    def program():
        aot_function(lambda x: x.sin().cos(), nop)(torch.ones(3, requires_grad=True)).sum().backward()

    (region,) = watched_regions(program)
    events = SimpleQueue()
    session = StepSession(StartStepping(session=1, region=0, graph=GraphKind.FORWARD), region.halves, events.put)
    try:
        session.handle(Step(session=1, action=StepAction.CONTINUE))
        reasons = []
        while StopReason.FINISHED not in reasons and StopReason.ERROR not in reasons:
            reasons.append(events.get(timeout=60).reason)
    finally:
        session.end()
    assert reasons[-1] is StopReason.FINISHED
