"""A compiler that is wrong at exactly one operator is found there, within a number of compilations."""

from __future__ import annotations

import math
import subprocess
import sys
from pathlib import Path

import pytest

from aotgui.engine.culprit_hunt import CulpritHunt
from aotgui.engine.exports import Exports
from aotgui.model.capture import Severity
from aotgui.model.comparison import CulpritKind
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import CulpritFound, CulpritProgress, Exported, FindCulprit, WriteRepro

from .conftest import SCRIPT, Workshop

WRITES = """
import torch

def fn(x, state):
    state.mul_(0.5).add_(x)
    return x.sin()

example_inputs = torch.full((4,), 1.5), torch.ones(4)

def forgets(module, inputs):
    for node in list(module.graph.nodes):
        if node.target is torch.ops.aten.copy_.default:
            node.replace_all_uses_with(node.args[1])
            module.graph.erase_node(node)
    module.recompile()
    return module.forward
"""
FORWARD, BACKWARD = GraphKind.FORWARD, GraphKind.BACKWARD
WRONG, COMPILE, RUN = CulpritKind.WRONG, CulpritKind.COMPILE, CulpritKind.RUN


def hunt(workshop: Workshop, compiler: str, **wanted: object) -> tuple[CulpritHunt, CulpritFound]:
    workshop.events.clear()
    hunt = CulpritHunt(workshop.pipeline, workshop.events.append)
    hunt.find(FindCulprit(request=7, compiler=compiler, **wanted))
    [found] = workshop.all(CulpritFound)
    return hunt, found


@pytest.mark.parametrize(
    ("compiler", "graph", "node", "kind"),
    [
        ("rounds_forward", FORWARD, "addmm_1", WRONG),
        ("drops_bias", FORWARD, "addmm_2", WRONG),
        ("fails_when_run", FORWARD, "tanh", RUN),
        ("rounds_backward", BACKWARD, "mm_3", WRONG),
        ("swaps_arguments", BACKWARD, "threshold_backward_1", WRONG),
        ("refuses", BACKWARD, "tanh_backward", COMPILE),
    ],
)
def test_finds_the_operator(workshop, compiler, graph, node, kind):
    _, found = hunt(workshop, compiler, graph=graph)
    culprit = found.culprit
    assert culprit is not None, found
    assert (culprit.graph, culprit.node, culprit.kind, culprit.alone) == (graph, node, kind, True)
    assert culprit.compilations <= 2 * math.log2(culprit.nodes) + 5
    assert found.compilations == culprit.compilations
    assert culprit.message == found.detail
    assert culprit.file == workshop.pipeline.kept.source
    assert culprit.line in (14, 15)


def test_says_what_was_given_and_what_came_out(workshop):
    _, found = hunt(workshop, "rounds_forward")
    culprit = found.culprit
    assert culprit.op == "aten.addmm.default"
    assert [value.name for value in culprit.inputs] == ["primals_4", "add", "t_1"]
    assert culprit.expected.tensor.shape == culprit.actual.tensor.shape == (4, 16)
    assert culprit.max_error > 1e-4 > 100 * culprit.eager_error
    worst = culprit.worst[0]
    assert abs(worst.expected - worst.actual) == pytest.approx(culprit.max_error, rel=1e-3)
    assert culprit.message.startswith("rounds_forward computes aten.addmm.default (node addmm_1) wrong: largest error")


def test_progress_narrows_down(workshop):
    hunt(workshop, "drops_bias", graph=FORWARD)
    told = workshop.all(CulpritProgress)
    assert [progress.compilations for progress in told] == sorted(progress.compilations for progress in told)
    last = told[-1]
    assert last.first == last.last
    assert (told[0].first, told[0].last) == (0, told[0].nodes - 1)


def test_a_fault_of_two_operators_together_is_named_as_such(workshop):
    _, found = hunt(workshop, "fuses_wrong")
    assert (found.culprit.node, found.culprit.alone) == ("relu_1", False)
    assert found.culprit.message.endswith("It only does so together with the operators before it.")


@pytest.mark.parametrize("compiler", ["simple_ts_compile", "memory_efficient_fusion", "debug_nop"])
def test_a_right_compiler_has_no_culprit(workshop, compiler):
    _, found = hunt(workshop, compiler)
    assert found.culprit is None
    assert found.problem is None
    assert found.detail.startswith("Nothing is wrong in the forward graph and backward graph")


def test_the_compiler_of_a_run_that_it_failed(new_workshop):
    workshop = new_workshop()
    ended = workshop.run(SCRIPT, forward_compiler="nop", backward_compiler="refuses")
    assert [problem.message for problem in ended.problems] == [
        "refuses raised NotImplementedError: tanh_backward is not supported"
    ]
    assert [compilation.problem is None for compilation in ended.compilations[0]] == [True, False]
    _, found = hunt(workshop, "")
    assert (found.culprit.compiler, found.culprit.node) == ("refuses", "tanh_backward")


def test_a_write_that_is_forgotten_is_found(new_workshop, tmp_path):
    workshop = new_workshop()
    workshop.run(WRITES, keep_inference_input_mutations=True)
    hunter, found = hunt(workshop, "forgets")
    culprit = found.culprit
    assert (culprit.op, culprit.kind) == ("aten.copy_.default", WRONG)
    assert culprit.output == "arg1_1 after the call"
    assert (culprit.worst[0].expected, culprit.worst[0].actual) == (2.0, 1.0)
    exports = Exports(workshop.pipeline, hunter, workshop.events.append)
    exports.answer(WriteRepro(request=1, path=str(tmp_path / "repro.py"), seconds=20.0))
    assert workshop.last(Exported).problem is None


def test_nothing_captured_is_said(new_workshop):
    _, found = hunt(new_workshop(), "nop")
    assert found.problem.message == "There is no graph to search yet: capture a target first."


def test_unknown_compiler_is_said(workshop):
    _, found = hunt(workshop, "nonsense")
    assert found.problem.severity is Severity.ERROR
    assert "There is no compiler 'nonsense'" in found.problem.message


@pytest.mark.parametrize(
    ("compiler", "operators", "said"),
    [
        ("fuses_wrong", "2 operators", "FAILS wrong: value 0: largest difference"),
        ("refuses", "1 operator", "FAILS compile: NotImplementedError: tanh_backward is not supported"),
    ],
)
def test_repro_fails_in_the_same_way_under_plain_python(workshop, tmp_path, compiler, operators, said):
    hunter, _ = hunt(workshop, compiler)
    path = tmp_path / "repro.py"
    exports = Exports(workshop.pipeline, hunter, workshop.events.append)
    exports.answer(WriteRepro(request=1, path=str(path), seconds=20.0))
    exported = workshop.last(Exported)
    assert exported.problem is None
    assert exported.detail == f"repro.py: {operators}; run by plain Python, the script fails in the same way."
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout.startswith(said)
    assert [entry.name for entry in tmp_path.iterdir()] == ["repro.py"]
    assert "import aotgui" not in path.read_text()


CONDITION = """import torch


def fn(x):
    y = x.exp()
    return torch.cond(y.sum() > 0, lambda t: t.sin() * 2, lambda t: t.cos(), (y,)).tanh()


example_inputs = torch.randn(4, requires_grad=True)
"""


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # Dynamo looks whether the operands have one
def test_repro_of_an_operator_over_graphs(new_workshop, tmp_path):
    workshop = new_workshop()
    workshop.run(CONDITION)
    hunter, found = hunt(workshop, "ts_compile")
    assert found.culprit.op == "cond"
    path = tmp_path / "repro.py"
    Exports(workshop.pipeline, hunter, workshop.events.append).answer(
        WriteRepro(request=1, path=str(path), seconds=20.0)
    )
    assert workshop.last(Exported).problem is None
    text = path.read_text()
    assert "torch.ops.higher_order.cond" in text
    assert "def build_graph_true_graph_0(constants):" in text
    assert "import aotgui" not in text


def test_repro_that_cannot_be_written_says_why(workshop, tmp_path):
    hunter, _ = hunt(workshop, "refuses")
    exports = Exports(workshop.pipeline, hunter, workshop.events.append)
    exports.answer(WriteRepro(request=1, path=str(tmp_path / "no" / "repro.py"), seconds=1.0))
    assert "no such file or directory" in workshop.last(Exported).problem.message


def test_repro_without_a_culprit(workshop, tmp_path):
    exports = Exports(workshop.pipeline, CulpritHunt(workshop.pipeline, lambda event: None), workshop.events.append)
    exports.answer(WriteRepro(request=1, path=str(tmp_path / "repro.py")))
    assert workshop.last(Exported).problem.message == "There is no culprit to write a script for: look for one first."
    assert not list(Path(tmp_path).iterdir())
