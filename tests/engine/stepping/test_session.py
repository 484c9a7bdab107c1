"""Stepping sessions on real halves: where they stop, what they execute, and that the values are those of the run."""

from __future__ import annotations

import threading
from typing import Any

import pytest
import torch
from torch import fx, nn

from aotgui.engine.errors import UserError
from aotgui.engine.half import Half
from aotgui.engine.stepping import StepSession
from aotgui.model.capture import Severity
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import (
    EngineProblem,
    ReadValue,
    SetBreakpoints,
    StartStepping,
    StepAction,
    Stepped,
    StopReason,
    ValueRead,
)

FORWARD, BACKWARD, INFERENCE = GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE


def dropout(x: torch.Tensor) -> torch.Tensor:
    return nn.functional.dropout(x, 0.5).sin().log()


def place(event: Stepped) -> tuple[GraphKind, int, StopReason]:
    return event.graph, event.node, event.reason


def index_of(half: Half, name: str) -> int:
    return half.graph.index_of[name]


def returned_values(session: StepSession, half: Half) -> list[Any]:
    """What the session computed for each value that the graph returns, None where it returns none."""
    names = {node.name: i for i, node in enumerate(half.nodes)}
    cursor = session._run.timeline.cursors[half.kind]
    outputs = half.module.graph.output_node().args[0]
    return [cursor.value(names[node.name]) if isinstance(node, fx.Node) else node for node in outputs]


def recorded_outputs(half: Half) -> list[Any]:
    half.random_state.restore()
    with torch.no_grad():
        return list(half.module(*half.fresh_args()))


def test_begins_before_the_first_node(drive, mlp):
    first = drive(mlp, FORWARD).stop()
    assert place(first) == (FORWARD, 0, StopReason.ENTRY)
    assert (first.session, first.executed, first.restarted) == (5, {}, False)


def test_steps_node_by_node_into_the_backward(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    count = len(mlp[FORWARD].nodes)
    for node in range(1, count):
        event = driver(StepAction.STEP)
        assert place(event) == (FORWARD, node, StopReason.STEP)
        assert [stats.node for stats in event.executed[FORWARD]] == [node - 1]
    assert place(driver(StepAction.STEP)) == (BACKWARD, 0, StopReason.STEP)
    for _ in mlp[BACKWARD].nodes:
        event = driver(StepAction.STEP)
    assert place(event) == (BACKWARD, len(mlp[BACKWARD].nodes), StopReason.FINISHED)
    assert place(driver(StepAction.STEP)) == place(event)


def test_continue_executes_every_node_once(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    end = driver(StepAction.CONTINUE)
    assert place(end) == (BACKWARD, len(mlp[BACKWARD].nodes), StopReason.FINISHED)
    for kind, half in mlp.items():
        assert [stats.node for stats in driver.executed[kind]] == list(range(len(half.nodes)))


def test_values_are_those_of_the_run(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    driver(StepAction.CONTINUE)
    for half in mlp.values():
        torch.testing.assert_close(returned_values(driver.session, half), recorded_outputs(half))


def test_backward_gets_what_the_stepped_forward_computed(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    driver(StepAction.CONTINUE)
    forward, backward = (driver.session._run.timeline.cursors[kind] for kind in (FORWARD, BACKWARD))
    returned = forward.returned()
    shared = [node.name for node in mlp[BACKWARD].nodes if node.op == "placeholder" and node.name in returned]
    assert "relu" in shared
    assert "primals_1" not in shared or returned["primals_1"] is mlp[FORWARD].recorded[0]
    for name in shared:
        assert backward.value(index_of(mlp[BACKWARD], name)) is returned[name]


def test_starts_in_the_backward_on_recorded_arguments(drive, mlp):
    driver = drive(mlp, BACKWARD)
    assert place(driver.stop()) == (BACKWARD, 0, StopReason.ENTRY)
    driver(StepAction.CONTINUE)
    assert FORWARD not in driver.executed
    torch.testing.assert_close(returned_values(driver.session, mlp[BACKWARD]), recorded_outputs(mlp[BACKWARD]))


def test_symbolic_sizes_pass_into_the_backward(drive, make_halves):
    def function(x: torch.Tensor, k: int) -> Any:
        return (x.sin() * k).sum(0) * x.shape[0], x.reshape(-1)

    halves = make_halves(function, torch.randn(4, 3, requires_grad=True), 3, dynamic=True)
    driver = drive(halves, FORWARD)
    driver.stop()
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED
    assert any(stats.tensor.dtype == "int" for stats in driver.executed[BACKWARD])
    torch.testing.assert_close(returned_values(driver.session, halves[BACKWARD]), recorded_outputs(halves[BACKWARD]))


def test_random_numbers_are_those_of_the_run(drive, make_halves):
    halves = make_halves(dropout, torch.rand(16, 16, requires_grad=True), seed=3)
    expected = recorded_outputs(halves[FORWARD])
    torch.manual_seed(99)
    driver = drive(halves, FORWARD)
    driver.stop()
    for _ in range(2):
        driver(StepAction.CONTINUE)
        torch.testing.assert_close(returned_values(driver.session, halves[FORWARD]), expected, equal_nan=True)
        assert driver(StepAction.RESTART).reason is StopReason.ENTRY


def test_restart_after_writes_to_an_input_is_identical(drive, make_halves):
    def function(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * 2

    halves = make_halves(function, torch.zeros(3), keep_inference_input_mutations=True)
    half = halves[INFERENCE]
    assert half.mutated == {0}
    driver = drive(halves, INFERENCE)
    driver.stop()
    for _ in range(3):
        driver(StepAction.CONTINUE)
        assert returned_values(driver.session, half)[-1].tolist() == [2.0, 2.0, 2.0]
        event = driver(StepAction.RESTART)
        assert place(event) == (INFERENCE, 0, StopReason.ENTRY)
        assert event.restarted
    assert half.recorded[0].tolist() == [0.0, 0.0, 0.0]


def test_breakpoint_stops_before_its_node(drive, mlp):
    driver = drive(mlp, FORWARD, forward=["relu"], backward=["threshold_backward"])
    driver.stop()
    stop = driver(StepAction.CONTINUE)
    assert place(stop) == (FORWARD, index_of(mlp[FORWARD], "relu"), StopReason.BREAKPOINT)
    assert driver.executed[FORWARD][-1].node == stop.node - 1
    backward = place(driver(StepAction.CONTINUE))
    assert backward == (BACKWARD, index_of(mlp[BACKWARD], "threshold_backward"), StopReason.BREAKPOINT)
    driver.session.handle(SetBreakpoints(session=5, breakpoints={}))
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED


def test_run_to_stops_before_the_node(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    target = index_of(mlp[BACKWARD], "threshold_backward")
    assert place(driver(StepAction.RUN_TO, "threshold_backward", BACKWARD)) == (BACKWARD, target, StopReason.REACHED)
    again = driver(StepAction.RUN_TO, "threshold_backward", BACKWARD)
    assert place(again) == (BACKWARD, target, StopReason.REACHED)
    assert again.executed == {}


def test_run_to_what_has_run_begins_again(drive, mlp):
    driver = drive(mlp, BACKWARD)
    driver.stop()
    driver(StepAction.CONTINUE)
    stop = driver(StepAction.RUN_TO, "relu", FORWARD)
    assert place(stop) == (FORWARD, index_of(mlp[FORWARD], "relu"), StopReason.REACHED)
    assert stop.restarted
    assert set(driver.executed) == {FORWARD}


def test_runs_to_the_first_nonfinite_value(drive, make_halves):
    halves = make_halves(lambda x: (x.log() * 2).sum(), torch.tensor([1.0, -1.0], requires_grad=True))
    driver = drive(halves, FORWARD)
    driver.stop()
    stop = driver(StepAction.RUN_TO_NONFINITE)
    log = index_of(halves[FORWARD], "log")
    assert place(stop) == (FORWARD, log + 1, StopReason.NONFINITE)
    assert (driver.executed[FORWARD][-1].node, driver.executed[FORWARD][-1].nans) == (log, 1)


def test_nothing_nonfinite_runs_to_the_end(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    assert driver(StepAction.RUN_TO_NONFINITE).reason is StopReason.FINISHED


def test_mismatch_says_what_was_expected_and_goes_on(drive, mlp):
    half = mlp[FORWARD]
    half.recorded[-1] = half.recorded[-1].repeat(2, 1)[::2].T.contiguous().T
    driver = drive({FORWARD: half}, FORWARD)
    driver.stop()
    stop = driver(StepAction.CONTINUE)
    assert stop.reason is StopReason.MISMATCH
    assert stop.problem.node == half.nodes[stop.node - 1].name == "primals_5"
    assert stop.problem.message == (
        "primals_5: expected float32[3, 4] with strides (4, 1), got float32[3, 4] with strides (1, 3)"
    )
    assert stop.problem.severity is Severity.ERROR
    assert stop.executed[FORWARD][-1].tensor.strides == (1, 3)
    assert driver(StepAction.STEP).node == stop.node + 1


def test_mismatch_names_the_inputs(drive, mlp):
    half = mlp[FORWARD]
    relu = half.nodes[index_of(half, "relu")]
    relu.meta["val"] = relu.meta["val"].double()
    driver = drive({FORWARD: half}, FORWARD)
    driver.stop()
    problem = driver(StepAction.CONTINUE).problem
    assert problem.message == "relu: expected float64[3, 8], got float32[3, 8] (from addmm float32[3, 8])"


def test_error_stops_at_the_node(drive, mlp):
    half = mlp[FORWARD]
    half.recorded[2] = None
    driver = drive({FORWARD: half}, FORWARD)
    driver.stop()
    stop = driver(StepAction.CONTINUE)
    assert place(stop) == (FORWARD, stop.node, StopReason.ERROR)
    assert stop.problem.node == half.nodes[stop.node].name
    assert stop.problem.graph is FORWARD
    assert f"{stop.problem.node} (aten." in stop.problem.message
    assert "Traceback" in stop.problem.details
    assert driver(StepAction.STEP).reason is StopReason.ERROR


def gated(gate: threading.Event, entered: threading.Event) -> Any:
    """An identity that waits at a gate, to be put into a graph."""

    def wait(value: Any) -> Any:
        entered.set()
        gate.wait()
        return value

    return wait


def put_gate(half: Half, name: str, gate: threading.Event, entered: threading.Event) -> None:
    node = half.nodes[index_of(half, name)]
    node.target, node.args = gated(gate, entered), node.args[:1]
    del node.meta["val"]


def test_pause_stops_between_two_nodes(drive, mlp):
    gate, entered = threading.Event(), threading.Event()
    put_gate(mlp[FORWARD], "relu", gate, entered)
    driver = drive({FORWARD: mlp[FORWARD]}, FORWARD)
    driver.stop()
    driver.send(StepAction.CONTINUE)
    assert entered.wait(60)
    driver.send(StepAction.PAUSE)
    gate.set()
    relu = index_of(mlp[FORWARD], "relu")
    assert place(driver.stop()) == (FORWARD, relu + 1, StopReason.PAUSED)
    driver.send(StepAction.PAUSE)
    assert driver(StepAction.STEP).node == relu + 2


def test_restart_while_running(drive, mlp):
    gate, entered = threading.Event(), threading.Event()
    put_gate(mlp[FORWARD], "relu", gate, entered)
    driver = drive({FORWARD: mlp[FORWARD]}, FORWARD)
    driver.stop()
    driver.send(StepAction.CONTINUE)
    assert entered.wait(60)
    driver.send(StepAction.RESTART)
    gate.set()
    event = driver.stop()
    assert (place(event), event.restarted) == ((FORWARD, 0, StopReason.ENTRY), True)


def test_breakpoints_and_values_while_running(drive, mlp):
    gate, entered = threading.Event(), threading.Event()
    put_gate(mlp[FORWARD], "relu", gate, entered)
    driver = drive({FORWARD: mlp[FORWARD]}, FORWARD)
    driver.stop()
    driver.send(StepAction.CONTINUE)
    assert entered.wait(60)
    driver.session.handle(ReadValue(request=8, session=5, graph=FORWARD, node=0))
    driver.session.handle(SetBreakpoints(session=5, breakpoints={FORWARD: ["addmm_1"]}))
    gate.set()
    values = []
    while not values:
        event = driver.events.get(timeout=60)
        values += [event.value] if isinstance(event, ValueRead) else []
    assert values[0].rows == mlp[FORWARD].recorded[0].tolist()
    assert driver.stop().reason is StopReason.BREAKPOINT


def test_end_inside_an_endless_node(drive, mlp):
    def spin(value: Any) -> Any:
        entered.set()
        while True:
            pass

    entered = threading.Event()
    node = mlp[FORWARD].nodes[index_of(mlp[FORWARD], "relu")]
    node.target, node.args = spin, node.args[:1]
    driver = drive({FORWARD: mlp[FORWARD]}, FORWARD)
    driver.stop()
    driver.send(StepAction.CONTINUE)
    assert entered.wait(60)
    driver.session.end()
    assert not driver.session.is_alive


def test_reports_progress_while_running(drive, mlp, monkeypatch):
    monkeypatch.setattr("aotgui.engine.stepping.REPORT_SECONDS", 0.0)
    driver = drive(mlp, FORWARD)
    driver.stop()
    driver(StepAction.CONTINUE)
    nodes = sum(len(half.nodes) for half in mlp.values())
    assert driver.reasons.count(StopReason.RUNNING) == nodes - 1  # after the last it says that it is through
    assert sum(len(stats) for stats in driver.executed.values()) == nodes


def test_reads_values(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    assert driver.read(FORWARD, 0).text == "not executed yet"
    driver(StepAction.RUN_TO, "relu", FORWARD)
    assert driver.read(FORWARD, 0).rows == mlp[FORWARD].recorded[0].tolist()
    assert driver.read(BACKWARD, 0).text == "not executed yet"
    assert driver.read(FORWARD, -1).text == "not executed yet"


def test_gradients_are_not_recorded(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    driver(StepAction.CONTINUE)
    assert all(value.grad_fn is None for value in returned_values(driver.session, mlp[FORWARD]))


def test_a_graph_that_was_not_run(mlp):
    mlp[FORWARD].recorded = None
    with pytest.raises(UserError, match="The forward graph has not been run"):
        StepSession(StartStepping(session=1, region=0, graph=FORWARD), mlp, lambda event: None)


def test_backward_that_was_not_run_is_not_entered(drive, mlp):
    mlp[BACKWARD].recorded = None
    driver = drive(mlp, FORWARD)
    driver.stop()
    assert place(driver(StepAction.CONTINUE)) == (FORWARD, len(mlp[FORWARD].nodes), StopReason.FINISHED)


def test_arguments_that_disagree_are_reported(drive, make_halves):
    halves = make_halves(lambda x, y: x + y, torch.randn(4, requires_grad=True), torch.randn(4), dynamic=True)
    half = halves[FORWARD]
    half.recorded[-1] = torch.randn(5)
    driver = drive({FORWARD: half}, FORWARD)
    event = driver.events.get(timeout=60)
    assert isinstance(event, EngineProblem)
    assert "4 != 5" in event.problem.message
