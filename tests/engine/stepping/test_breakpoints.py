"""Breakpoints of every kind, with conditions, counts and messages."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from aotgui.engine.step_stops import Stops
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StepAction, Stepped, StopReason

FORWARD, BACKWARD, INFERENCE = GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE

SCRIPT = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(8, 2)

    def forward(self, x):
        x = self.first(x).relu()
        y = x * 3
        return self.second(y)


torch.manual_seed(0)
model = Net()
example_inputs = (torch.randn(3, 4),)
"""


@pytest.fixture
def net(capture_script):
    return capture_script(SCRIPT)


def point(kind: BreakpointKind, where: str = "", **fields) -> Breakpoint:
    return Breakpoint(id=fields.pop("id", "b"), kind=kind, where=where, **fields)


def stops_of(driver, *points: Breakpoint) -> list[tuple[GraphKind, str, bool]]:
    """Where continuing stops until the end: graph and name of the node, and whether it stands after it."""
    driver.mark(*points)
    found = []
    while (event := driver(StepAction.CONTINUE)).reason is not StopReason.FINISHED:
        assert event.reason in (StopReason.BREAKPOINT, StopReason.NONFINITE), event
        found.append(place(driver, event))
    return found


def place(driver, event: Stepped) -> tuple[GraphKind, str, bool]:
    hit = event.hits[0]
    name = driver.halves[hit.graph].graph.names[hit.node]
    if hit.after:
        assert driver.timeline.back() == (hit.graph, hit.node)
    else:
        assert (event.graph, event.node) == (hit.graph, hit.node)
    return hit.graph, name, hit.after


@pytest.fixture
def driver(drive, net):
    driver = drive(net, FORWARD)
    driver.stop()
    return driver


def test_operator_with_and_without_overload(driver, net):
    found = stops_of(driver, point(BreakpointKind.OPERATOR, "aten.mm"))
    assert all(not after for *_, after in found)
    mms = [i for i in range(len(net[BACKWARD].graph)) if net[BACKWARD].graph.target(i) == "aten.mm.default"]
    assert [name for kind, name, _ in found if kind is BACKWARD] == [net[BACKWARD].graph.names[i] for i in mms]
    driver(StepAction.RESTART)
    assert stops_of(driver, point(BreakpointKind.OPERATOR, "aten.mm.default")) == found
    driver(StepAction.RESTART)
    assert stops_of(driver, point(BreakpointKind.OPERATOR, "aten.m")) == []


def test_module_stops_where_it_is_entered(driver, net):
    found = [name for kind, name, _ in stops_of(driver, point(BreakpointKind.MODULE, "second")) if kind is FORWARD]
    assert len(found) == 1
    assert net[FORWARD].graph.module(driver.index(FORWARD, found[0])) == "second"


def test_line_stops_once_and_with_a_condition_at_each_node(driver, net):
    line = point(BreakpointKind.LINE, "script.py", line=12, graph=FORWARD)
    entered = stops_of(driver, line)
    assert entered[0] == (FORWARD, "t", False)
    driver(StepAction.RESTART)
    each = stops_of(driver, point(BreakpointKind.LINE, "script.py", line=12, graph=FORWARD, condition="True"))
    assert len(each) > 2 * len(entered) > 0  # a copy that is saved for the backward may stand apart
    assert all(after for *_, after in each)
    driver(StepAction.RESTART)
    assert stops_of(driver, point(BreakpointKind.LINE, "pt.py", line=12)) == []


def test_condition_over_value_args_and_node(driver):
    conditions = ["value.numel() == 24", "args and node.name == 'relu'", "isinstance(args[0], torch.Tensor)"]
    relu = [point(BreakpointKind.NODE, "relu", id=str(i), condition=text) for i, text in enumerate(conditions)]
    driver.mark(*relu)
    stop = driver(StepAction.CONTINUE)
    assert [hit.id for hit in stop.hits] == ["0", "1", "2"]
    assert place(driver, stop) == (FORWARD, "relu", True)
    assert stop.hits[0].text == conditions[0]
    driver(StepAction.RESTART)
    assert stops_of(driver, point(BreakpointKind.NODE, "relu", condition="value.min() < 0")) == []


@pytest.mark.parametrize(
    ("condition", "said"),
    [("value.nothing", "AttributeError"), ("valu > 1", "NameError"), ("value >", "SyntaxError"), ("value > 0", "more")],
)
def test_condition_that_raises_stops_and_says_so(driver, condition, said):
    driver.mark(point(BreakpointKind.NODE, "relu", condition=condition))
    stop = driver(StepAction.CONTINUE)
    (hit,) = stop.hits
    assert (stop.reason, hit.failed, hit.after) == (StopReason.BREAKPOINT, True, True)
    assert said in hit.text


def test_hit_count(driver):
    every = stops_of(driver, point(BreakpointKind.OPERATOR, "aten.t"))
    assert len(every) > 2
    driver(StepAction.RESTART)
    assert stops_of(driver, point(BreakpointKind.OPERATOR, "aten.t", hit_count=3)) == every[2:]
    driver(StepAction.RESTART)
    conditional = point(BreakpointKind.OPERATOR, "aten.t", condition="True", hit_count=3)
    assert [name for _, name, _ in stops_of(driver, conditional)] == [name for _, name, _ in every[2:]]


def test_log_message_in_place_of_a_stop(driver):
    log = point(BreakpointKind.NODE, "relu", log='{node.name} has {tuple(value.shape)[:1]}: "{value.min():.1f}"')
    assert stops_of(driver, log) == []
    assert driver.logs == ['relu has (3,): "0.0"']


def test_log_message_that_raises_is_said(driver):
    assert stops_of(driver, point(BreakpointKind.NODE, "relu", log="{value.nothing}")) == []
    assert "AttributeError" in driver.logs[0]


def test_disabled_points_do_nothing(driver):
    assert stops_of(driver, point(BreakpointKind.NODE, "relu", enabled=False)) == []


def test_nonfinite_stops_where_it_is_born(drive, make_halves):
    halves = make_halves(lambda x: ((x.log() * 2).exp() + 1).sum(), torch.tensor([1.0, -1.0], requires_grad=True))
    driver = drive(halves, FORWARD, {"points": [point(BreakpointKind.NONFINITE)]})
    driver.stop()
    stop = driver(StepAction.CONTINUE)
    assert (stop.reason, place(driver, stop)) == (StopReason.NONFINITE, (FORWARD, "log", True))
    assert stop.hits[0].text == "1 NaN"
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED


def test_infinity_that_is_meant_or_was_handed_on_is_none_to_stop_at(drive, make_halves):
    def function(x: torch.Tensor) -> torch.Tensor:
        masked = x.masked_fill(x > 0, float("-inf"))
        return (masked.softmax(-1) * x.log()).sum()

    halves = make_halves(function, torch.tensor([1.0, -1.0, 2.0], requires_grad=True))
    for start in (FORWARD, BACKWARD):
        driver = drive(halves, start, {"points": [point(BreakpointKind.NONFINITE)]})
        driver.stop()
        found = stops_of(driver, point(BreakpointKind.NONFINITE))
        assert [name for kind, name, _ in found if kind is FORWARD] == (["log"] if start is FORWARD else [])
        names = {name for kind, name, _ in found if kind is BACKWARD}
        assert not names & {node.name for node in halves[BACKWARD].nodes if node.op == "placeholder"}


def test_nonfinite_without_statistics(drive, make_halves):
    halves = make_halves(lambda x: x.log() * 2, torch.tensor([1.0, -1.0]))
    driver = drive(halves, INFERENCE, {"points": [point(BreakpointKind.NONFINITE)], "statistics": False})
    driver.stop()
    assert place(driver, driver(StepAction.CONTINUE)) == (INFERENCE, "log", True)


@pytest.mark.parametrize(
    ("kind", "scale", "node", "said"),
    [
        (BreakpointKind.OVERFLOW_FLOAT16, 1e5, "mul", "1e+05 is beyond the largest float16, 6.55e+04"),
        (BreakpointKind.OVERFLOW_BFLOAT16, 3.4e38, "mul", "beyond the largest bfloat16"),
    ],
)
def test_values_that_another_type_does_not_hold(drive, make_halves, kind, scale, node, said):
    halves = make_halves(lambda x: (x * scale) - 1, torch.ones(2))
    driver = drive(halves, INFERENCE, {"points": [point(kind)]})
    driver.stop()
    stop = driver(StepAction.CONTINUE)
    assert place(driver, stop) == (INFERENCE, node, True)
    assert said in stop.hits[0].text
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED


def test_overflow_of_float16_itself(drive, make_halves):
    halves = make_halves(lambda x: x * 1000, torch.tensor([100.0], dtype=torch.float16))
    driver = drive(halves, INFERENCE, {"points": [point(BreakpointKind.OVERFLOW_FLOAT16)]})
    driver.stop()
    assert driver(StepAction.CONTINUE).hits[0].text == "1 Inf in float16"


def test_mismatch_can_be_switched_off(drive, mlp):
    relu = mlp[FORWARD].nodes[mlp[FORWARD].graph.index_of["relu"]]
    relu.meta["val"] = relu.meta["val"].double()
    driver = drive(mlp, FORWARD, {"points": [point(BreakpointKind.MISMATCH, enabled=False)]})
    driver.stop()
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED
    driver(StepAction.RESTART)
    driver.mark(point(BreakpointKind.MISMATCH))
    assert driver(StepAction.CONTINUE).reason is StopReason.MISMATCH


def test_error_above_a_limit(drive, make_halves):
    halves = make_halves(lambda x: ((x + 1e8) - 1e8).sin(), torch.tensor([0.3, 0.7]))
    points = [point(BreakpointKind.ERROR_ABOVE, limit=1e-3)]
    driver = drive(halves, INFERENCE, {"points": points, "reference": True})
    driver.stop()
    stop = driver(StepAction.CONTINUE)
    assert place(driver, stop) == (INFERENCE, "sub", True)
    assert "relative error" in stop.hits[0].text


def test_continuing_backwards_stops_at_the_same_places(driver):
    points = [
        point(BreakpointKind.OPERATOR, "aten.t", id="a"),
        point(BreakpointKind.NODE, "relu", id="c", condition="value.numel() == 24"),
        point(BreakpointKind.NODE, "mul", id="d", condition="value.numel() == 0"),
    ]
    forwards = stops_of(driver, *points)
    backwards = []
    while (event := driver(StepAction.REVERSE_CONTINUE)).reason is not StopReason.ENTRY:
        backwards.append(place(driver, event))
    assert backwards == forwards[::-1]
    assert (event.graph, event.node) == (FORWARD, 0)


def test_points_replace_each_other_and_keep_their_counts(mlp):
    graphs = {kind: half.graph for kind, half in mlp.items()}
    counted = point(BreakpointKind.NODE, "relu", hit_count=2)
    first, second = Stops([counted], graphs), Stops([counted], graphs)
    assert not first.counts(counted)
    second.keep_hits(first)
    assert second.counts(counted)
    second.forget_hits()
    assert not second.counts(counted)


def test_modules_of_a_prefix_are_others(make_halves):
    model = nn.Sequential(nn.Linear(2, 2))
    graph = make_halves(model, torch.ones(1, 2))[FORWARD].graph
    assert Stops([point(BreakpointKind.MODULE, "nothing")], {FORWARD: graph}).before(FORWARD, 0) == []
