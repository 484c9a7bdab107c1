"""Going back and forth, memory limits, writes, nested graphs, edits and the run in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from aotgui.engine.half import Half
from aotgui.model.graph import GraphKind
from aotgui.model.settings import EntryPoint
from aotgui.model.stepping import Edit, Granularity, Replacement, ReplacementKind
from aotgui.protocol.messages import (
    Evaluate,
    ReadHistogram,
    ReadPlane,
    ReadStats,
    ReadValue,
    ReplaceValue,
    RestoreValue,
    SaveValue,
    SetReference,
    SetWatches,
    StepAction,
    StopReason,
    ValueFormat,
)

FORWARD, BACKWARD, INFERENCE = GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE
ZEROS = Replacement(kind=ReplacementKind.ZEROS)

NET = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 8), nn.ReLU())
        self.second = nn.Linear(8, 2)

    def forward(self, x):
        x = self.first(x)
        x = x * 3 + 1
        return self.second(x)


model = Net()
example_inputs = (torch.randn(3, 4),)
"""


def at_end(drive: Any, halves: dict[GraphKind, Half], start: GraphKind = FORWARD, **options: Any) -> Any:
    driver = drive(halves, start, options)
    driver.stop()
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED
    return driver


def test_back_and_forth_executes_nothing_twice(drive, mlp):
    driver = at_end(drive, mlp)
    known = {kind: list(stats) for kind, stats in driver.executed.items()}
    place = driver(StepAction.STEP_BACK)
    assert (place.graph, place.node, place.reason) == (BACKWARD, len(mlp[BACKWARD].nodes) - 1, StopReason.STEP)
    place = driver(StepAction.GO_TO, "relu", FORWARD)
    assert (place.graph, place.node, place.reason) == (FORWARD, driver.index(FORWARD, "relu"), StopReason.REACHED)
    assert place.frontier == {kind: len(half.nodes) for kind, half in mlp.items()}
    assert driver(StepAction.STEP).executed == {}
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED
    assert driver.executed == known


def test_back_across_the_border_and_to_the_entry(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    driver(StepAction.RUN_TO, mlp[BACKWARD].nodes[0].name, BACKWARD)
    last = len(mlp[FORWARD].nodes) - 1
    assert (driver(StepAction.STEP_BACK).graph, driver.timeline.node) == (FORWARD, last)
    assert driver(StepAction.REVERSE_CONTINUE).reason is StopReason.ENTRY
    assert driver(StepAction.STEP_BACK).reason is StopReason.ENTRY
    assert driver.timeline.position == (FORWARD, 0)


def test_go_to_an_unknown_node_says_so(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    stop = driver(StepAction.GO_TO, "nothing", FORWARD)
    assert (stop.node, stop.note) == (0, "No graph that runs here has a node nothing.")


def test_steps_over_lines_and_modules(drive, capture_script):
    halves = capture_script(NET)
    graph = halves[FORWARD].graph
    driver = drive(halves, FORWARD)
    driver.stop()
    lines, modules = [], []
    while driver(StepAction.STEP, granularity=Granularity.LINE).graph is FORWARD:
        lines.append(graph.source(driver.timeline.node).line)
    assert lines[:3] == [12, 13, 14]
    while driver(StepAction.STEP_BACK, granularity=Granularity.LINE).graph is not FORWARD:
        pass
    driver(StepAction.RESTART)
    while driver(StepAction.STEP, granularity=Granularity.MODULE).graph is FORWARD:
        modules.append(graph.module(driver.timeline.node))
    assert modules[:4] == ["first.0", "first.1", "", "second"]


def test_steps_into_and_out_of_modules(drive, capture_script):
    halves = capture_script(NET)
    graph = halves[FORWARD].graph
    driver = drive(halves, FORWARD)
    driver.stop()
    entered = [graph.module(driver(StepAction.STEP_INTO).node) for _ in range(2)]
    assert entered == ["first.0", "first.1"]
    driver(StepAction.GO_TO, graph.names[graph.modules.index(graph.strings.index("first.0"))], FORWARD)
    assert graph.module(driver(StepAction.STEP_OUT, granularity=Granularity.MODULE).node) == ""
    assert driver.timeline.node > graph.index_of["relu"]


def test_values_that_were_let_go_come_back_bit_for_bit(drive, make_halves):
    def function(x: torch.Tensor) -> torch.Tensor:
        for _ in range(6):
            x = nn.functional.dropout(x, 0.3).cos() + torch.rand_like(x)
        return x

    halves = make_halves(function, torch.randn(64))
    kept, dropping = at_end(drive, halves, INFERENCE), at_end(drive, halves, INFERENCE, memory_limit_bytes=1000)
    cursor, other = kept.timeline.cursor, dropping.timeline.cursor
    assert (cursor.dropped, other.dropped > 10) == (0, True)
    for node in range(cursor.position):
        for one, two in zip(*(torch.utils._pytree.tree_leaves(c.value(node)) for c in (cursor, other)), strict=True):
            assert torch.equal(one, two)
    stop = dropping(StepAction.STEP_BACK)
    assert stop.kept_bytes > 0


def test_a_value_before_and_after_a_write(drive, make_halves):
    def function(x: torch.Tensor) -> torch.Tensor:
        x.add_(1)
        return x * 2

    halves = make_halves(function, torch.zeros(3), keep_inference_input_mutations=True)
    driver = at_end(drive, halves, INFERENCE)
    (write,) = driver.mutated
    assert (write.target, write.before.mean, write.after.mean) == (0, 0.0, 1.0)
    rows = [driver.ask(ReadValue, graph=INFERENCE, node=0, at=at).value.rows for at in (write.node, write.node + 1, -1)]
    assert rows == [[[0.0] * 3], [[1.0] * 3], [[1.0] * 3]]
    driver(StepAction.GO_TO, halves[INFERENCE].nodes[write.node].name, INFERENCE)
    assert driver.read(INFERENCE, 0).rows == [[0.0] * 3]


@pytest.fixture
def nested(make_halves):
    from torch._higher_order_ops import cond

    def function(x: torch.Tensor) -> torch.Tensor:
        y = cond(x.sum() > 0, lambda t: (t.sin() + 1,), lambda t: (t.cos() - 1,), (x,))[0]
        return y * 2

    return make_halves(function, torch.ones(3))


def test_steps_through_a_nested_graph(drive, nested):
    half = nested[INFERENCE]
    driver = drive(nested, INFERENCE)
    driver.stop()
    conditional = next(node for node in half.nodes if "cond" in str(node.target))
    driver(StepAction.RUN_TO, conditional.name, INFERENCE)
    stop = driver(StepAction.STEP_INTO)
    (frame,) = stop.frames
    assert (frame.node, half.graph.names[stop.node]) == (0, conditional.name)
    body = half.graph.subgraphs[frame.subgraph]
    seen = []
    while (stop := driver(StepAction.STEP)).frames:
        seen += [body.names[stats.node] for stats in stop.frames[0].executed]
        read = driver.ask(ReadValue, graph=INFERENCE, node=stop.frames[0].node, inside=1).value
        assert read.text == "not executed yet"
        read = driver.ask(ReadValue, graph=INFERENCE, node=stop.frames[0].node - 1, inside=1).value
        expected = torch.ones(3) if body.names[read.node] == body.names[0] else torch.ones(3).sin()
        assert read.rows == [pytest.approx(expected.tolist())]
    assert seen[:2] == body.names[:2]
    read = driver.ask(ReadPlane, graph=INFERENCE, node=0, inside=1).plane
    assert read.text == "the session is not inside of this graph any more"
    assert half.graph.names[stop.node - 1] == conditional.name
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED
    torch.testing.assert_close(driver.timeline.cursor.value(len(half.nodes) - 1), (torch.ones(3).sin() + 1) * 2)


REGIONS = """import torch


@torch.compiler.nested_compile_region
def block(x):
    return torch.nn.functional.dropout(x.sin(), 0.5) + torch.rand_like(x)


def fn(x):
    return block(block(x)).exp()


example_inputs = torch.randn(8)
"""


@pytest.mark.filterwarnings("ignore:.*invoke_subgraph.*")
def test_random_numbers_within_nested_graphs(drive, capture_script):
    halves = capture_script(REGIONS, entry_point=EntryPoint.TORCH_COMPILE)
    straight, driver = at_end(drive, halves, INFERENCE), drive(halves, INFERENCE)
    stop, entered = driver.stop(), 0
    while stop.reason is not StopReason.FINISHED:
        stop = driver(StepAction.STEP_INTO)
        entered += bool(stop.frames) and stop.frames[0].node == 0
    assert entered == 2
    last = len(halves[INFERENCE].nodes) - 1
    values = [each.timeline.cursor.value(last) for each in (straight, driver)]
    assert torch.equal(*values)


def test_stepping_into_nothing_goes_over_one_node(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    assert driver(StepAction.STEP_INTO).node == 1


def test_out_of_and_back_from_a_nested_graph(drive, nested):
    driver = drive(nested, INFERENCE)
    driver.stop()
    conditional = next(node.name for node in nested[INFERENCE].nodes if "cond" in str(node.target))
    driver(StepAction.RUN_TO, conditional, INFERENCE)
    before = driver(StepAction.STEP_INTO).node
    assert (driver(StepAction.STEP_BACK).frames, driver.timeline.node) == ([], before)
    driver(StepAction.STEP_INTO)
    assert (driver(StepAction.STEP_OUT).frames, driver.timeline.node) == ([], before + 1)
    driver(StepAction.GO_TO, conditional, INFERENCE)
    driver(StepAction.STEP_INTO)
    assert driver(StepAction.CONTINUE).reason is StopReason.FINISHED


def test_a_replaced_value_changes_what_follows(drive, mlp):
    driver = at_end(drive, mlp)
    relu = driver.index(FORWARD, "relu")
    stop = driver.tell(ReplaceValue, graph=FORWARD, node=relu, replacement=ZEROS)
    assert (stop.reason, stop.graph, stop.node) == (StopReason.EDITED, FORWARD, relu + 1)
    assert stop.voided == {FORWARD: relu, BACKWARD: 0}
    assert [(stats.node, stats.maximum) for stats in stop.executed[FORWARD]] == [(relu, 0.0)]
    assert driver(StepAction.CONTINUE).edits == [Edit(graph=FORWARD, node="relu", replacement=ZEROS)]
    bias = mlp[FORWARD].recorded[3]
    output = driver.index(FORWARD, "addmm_1")
    assert torch.equal(driver.timeline.cursors[FORWARD].value(output), bias.expand(3, 2))
    assert driver.differences[FORWARD][relu].relative == 1.0
    assert set(driver.differences[FORWARD]) == set(range(relu, len(mlp[FORWARD].nodes)))
    changed = {mlp[BACKWARD].graph.names[node] for node, e in driver.differences[BACKWARD].items() if e.relative}
    assert "relu" in changed
    assert "tangents_1" not in changed
    assert driver.tell(RestoreValue).edits == []
    driver(StepAction.CONTINUE)
    fresh = at_end(drive, mlp)
    assert [s.mean for s in driver.executed[BACKWARD]] == [s.mean for s in fresh.executed[BACKWARD]]


@pytest.mark.parametrize(
    ("replacement", "expected"),
    [
        (Replacement(kind=ReplacementKind.ONES), torch.ones(4)),
        (Replacement(kind=ReplacementKind.CLAMP, low=-0.5, high=None), torch.tensor([-0.5, 0.0, 1.0, 2.0])),
        (Replacement(kind=ReplacementKind.EXPRESSION, expression="value.abs() + mul"), torch.tensor([-1.0, 0, 3, 6])),
        (Replacement(kind=ReplacementKind.EXPRESSION, expression="7"), torch.full((4,), 7.0)),
        (
            Replacement(kind=ReplacementKind.NOISE, seed=4),
            torch.randn(4, generator=torch.Generator().manual_seed(4)),
        ),
    ],
    ids=lambda value: value.kind if isinstance(value, Replacement) else "",
)
def test_replacements(drive, make_halves, replacement, expected):
    halves = make_halves(lambda x: (x * 2 / 2).neg(), torch.tensor([-1.0, 0.0, 1.0, 2.0]))
    driver = at_end(drive, halves, INFERENCE)
    driver.tell(ReplaceValue, graph=INFERENCE, node=driver.index(INFERENCE, "div"), replacement=replacement)
    driver(StepAction.CONTINUE)
    assert torch.equal(driver.timeline.cursor.value(len(halves[INFERENCE].nodes) - 1), -expected)


@pytest.mark.parametrize(
    ("expression", "said"),
    [("value.nothing", "AttributeError"), ("torch.ones(7, 7)", "does not fit"), ("later_node", "NameError")],
)
def test_a_replacement_that_fails_changes_nothing(drive, mlp, expression, said):
    driver = at_end(drive, mlp)
    replacement = Replacement(kind=ReplacementKind.EXPRESSION, expression=expression)
    stop = driver.tell(ReplaceValue, graph=FORWARD, node=driver.index(FORWARD, "relu"), replacement=replacement)
    assert said in stop.note
    assert (stop.edits, stop.voided, stop.graph) == ([], {}, BACKWARD)


def test_a_value_that_is_not_there_cannot_be_replaced(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    assert "not been executed" in driver.tell(ReplaceValue, graph=FORWARD, node=0, replacement=ZEROS).note
    assert driver.tell(RestoreValue).note == "No value is replaced here."


def test_reference_in_float64(drive, make_halves):
    def function(x: torch.Tensor) -> torch.Tensor:
        y = nn.functional.dropout(x, 0.5).to(torch.bfloat16)
        return (y * 3).float().softmax(-1) * torch.rand_like(x)

    halves = make_halves(function, torch.randn(8, 8, requires_grad=True))
    driver = drive(halves, FORWARD)
    driver.stop()
    driver(StepAction.CONTINUE)
    assert driver.errors == {}
    stop = driver.tell(SetReference, enabled=True)
    assert stop.reason is StopReason.STEP
    errors = driver.errors[FORWARD]
    assert set(errors) == set(range(len(halves[FORWARD].nodes)))
    named = {halves[FORWARD].graph.target(node): error for node, error in errors.items()}
    assert named["aten.native_dropout.default"].relative < 1e-6
    assert 1e-4 < named["aten._softmax.default"].relative < 1e-1
    assert "random numbers" in named["aten.rand_like.default"].text
    assert all(error.relative < 0.1 for error in driver.errors[BACKWARD].values())
    driver.tell(SetReference, enabled=False)
    assert driver(StepAction.RESTART).errors == {}


def test_reference_follows_edits(drive, mlp):
    driver = at_end(drive, mlp, reference=True)
    relu = driver.index(FORWARD, "relu")
    noise = Replacement(kind=ReplacementKind.NOISE, seed=1)
    driver.tell(ReplaceValue, graph=FORWARD, node=relu, replacement=noise)
    driver(StepAction.CONTINUE)
    assert set(driver.errors[BACKWARD]) == set(range(len(mlp[BACKWARD].nodes)))
    assert all(error.relative < 1e-5 for errors in driver.errors.values() for error in errors.values())


def test_reference_says_where_float64_is_not_possible(drive, make_halves):
    halves = make_halves(lambda x: x.view(torch.int32) + 1, torch.ones(3))
    driver = at_end(drive, halves, INFERENCE, reference=True)
    texts = [error.text for error in driver.errors[INFERENCE].values()]
    assert any("float64 is not possible here" in text for text in texts)
    assert all(error.relative == 0.0 for error in driver.errors[INFERENCE].values())


def test_watches_at_each_stop(drive, mlp):
    driver = drive(mlp, FORWARD, {"watches": ["relu.abs().max()", "value", "1 +"]})
    first = driver.stop()
    assert [(watch.failed, "NameError" in watch.text) for watch in first.watches[:2]] == [(True, True), (True, True)]
    stop = driver(StepAction.CONTINUE)
    relu = driver.timeline.cursors[FORWARD].value(driver.index(FORWARD, "relu"))
    assert float(stop.watches[0].text) == pytest.approx(relu.max().item(), rel=1e-5)
    assert stop.watches[1].tensor is not None
    assert "SyntaxError" in stop.watches[2].text
    driver(StepAction.GO_TO, "relu", FORWARD)
    assert driver.ask(Evaluate, expression="relu").value.failed
    driver.session.handle(SetWatches(session=5, expressions=["t.shape"]))
    assert "8" in driver.events.get(timeout=60).watches[0].text


def test_statistics_on_demand(drive, mlp):
    driver = at_end(drive, mlp, statistics=False)
    assert all(stats.mean is None for stats in driver.executed[FORWARD])
    full = at_end(drive, mlp)
    answer = driver.ask(ReadStats, graph=FORWARD, nodes=[0, 3, 99])
    assert [(s.node, s.mean) for s in answer.stats] == [(n, full.executed[FORWARD][n].mean) for n in (0, 3)]


def test_pictures_and_files(drive, mlp, tmp_path):
    driver = at_end(drive, mlp)
    relu = driver.index(FORWARD, "relu")
    value = driver.timeline.cursors[FORWARD].value(relu)
    plane = driver.ask(ReadPlane, graph=FORWARD, node=relu).plane
    assert np.array_equal(np.frombuffer(plane.data, "<f4").reshape(plane.rows, plane.columns), value.numpy())
    assert sum(driver.ask(ReadHistogram, graph=FORWARD, node=relu, bins=7).histogram.counts) == value.numel()
    for form, load in ((ValueFormat.NPY, np.load), (ValueFormat.PT, torch.load)):
        path = tmp_path / f"value.{form}"
        saved = driver.ask(SaveValue, graph=FORWARD, node=relu, path=str(path), format=form)
        assert (saved.problem, saved.path) == (None, str(path))
        assert torch.equal(torch.as_tensor(load(path)), value)
    failed = driver.ask(SaveValue, graph=FORWARD, node=relu, path=str(tmp_path / "no" / "folder.npy"))
    assert "no such file or directory" in failed.problem.message
    assert [path.suffix for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_questions_after_the_end_are_answered(drive, mlp):
    driver = drive(mlp, FORWARD)
    driver.stop()
    driver.end()
    assert driver.read(FORWARD, 0).text == "the stepping session has ended"
    assert "has ended" in driver.ask(Evaluate, expression="1").value.text


def test_a_loop_cannot_be_entered_and_says_so(drive, make_halves):
    from torch._higher_order_ops import while_loop

    def function(x: torch.Tensor) -> torch.Tensor:
        return while_loop(lambda t: t.sum() < 10, lambda t: (t + 1,), (x,))[0] * 2

    halves = make_halves(function, torch.ones(3), dynamic=True)
    driver = drive(halves, INFERENCE)
    driver.stop()
    loop = next(node.name for node in halves[INFERENCE].nodes if str(node.target) == "while_loop")
    before = driver(StepAction.RUN_TO, loop, INFERENCE).node
    stop = driver(StepAction.STEP_INTO)
    assert "cannot be stepped into" in stop.note
    assert (stop.node, stop.frames) == (before + 1, [])
