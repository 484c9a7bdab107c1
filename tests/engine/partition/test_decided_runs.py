"""Runs with decisions for single nodes."""

from __future__ import annotations

import pytest

from aotgui.engine.errors import UserError
from aotgui.engine.policy_export import export_policy
from aotgui.engine.repartition import repartitioned
from aotgui.engine.routes import COMPILE, DIRECT, DYNAMIC, NONE_SAVED, WITHOUT_ONEDNN, ways_after
from aotgui.model.capture import CheckStatus, Problem, Severity, Stage
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, GraphKind
from aotgui.model.ledger import ledger_of
from aotgui.model.memory import memory_of
from aotgui.model.partition import PartitionChoice
from aotgui.model.policy_audit import audit_of
from aotgui.model.resources import resource_path
from aotgui.model.settings import Route, Settings
from aotgui.model.why import why_of
from aotgui.protocol.messages import Run, RunStatus

BLOCK_DECISIONS = {
    "_softmax": Decision.RECOMPUTE,
    "gelu": Decision.SAVE,
    "native_layer_norm": Decision.RECOMPUTE,
}


@pytest.fixture(scope="module")
def captured_type(example):
    """Runs a source with settings that the shared examples are not asked for: those are kept by their settings."""
    return type(example("mlp"))


@pytest.fixture(scope="module")
def decided(captured_type):
    """The transformer block with decisions."""
    return captured_type(resource_path("examples", "transformer_block.py"), decisions=BLOCK_DECISIONS)


def fate_of(run, name):
    return Fate(run.joint.fates[run.joint.index_of[name]])


def warnings_of(run):
    return [problem.message for problem in run.ended.problems if problem.severity is Severity.WARNING]


def why(run, name):
    return why_of(run.region, run.joint.index_of[name], run.capture.settings)


def test_fates_change_as_decided_and_the_check_matches(example, decided):
    plain = example("transformer_block")
    assert fate_of(plain, "_softmax") is Fate.SAVED
    assert fate_of(decided, "_softmax") is Fate.RECOMPUTED
    assert fate_of(plain, "getitem_1") is Fate.SAVED
    assert fate_of(decided, "getitem_1") is Fate.MOVED  # a part of what is computed again, read by the backward only
    assert decided.ended.status is RunStatus.DONE
    assert decided.ended.check.status is CheckStatus.MATCH
    assert decided.region.saved_bytes < plain.region.saved_bytes


def test_the_capture_records_the_decisions(decided):
    assert decided.capture.settings.decisions == BLOCK_DECISIONS
    assert decided.ended.settings.decisions == BLOCK_DECISIONS
    assert decided.region.decided["getitem_1"] is Decision.RECOMPUTE  # a part of what was decided for
    assert decided.region.decided["gelu"] is Decision.SAVE


def test_a_decision_that_torch_does_not_honour_is_a_warning_at_its_node(decided):
    """The backward of gelu reads its input, so there is no use in saving its result."""
    (problem,) = [entry for entry in decided.ended.problems if entry.severity is Severity.WARNING]
    assert problem.message.startswith("The decision to save gelu has no effect. The backward does not need it")
    assert (problem.node, problem.graph) == ("gelu", GraphKind.JOINT)
    assert problem.file.endswith("transformer_block.py")
    assert problem.line > 0


def test_ledger_and_memory_are_those_of_the_run(example, decided):
    plain = example("transformer_block")
    before, after = ledger_of(plain.region), ledger_of(decided.region)
    assert before is not None
    assert after is not None
    names = [value.name for value in decided.region.saved]
    assert "_softmax" not in names
    assert "_softmax" in [value.name for value in plain.region.saved]
    memory, former = memory_of(decided.region), memory_of(plain.region)
    assert memory.peak_bytes(GraphKind.FORWARD) < former.peak_bytes(GraphKind.FORWARD)


def test_why_and_audit_say_that_it_was_decided(decided):
    softmax = why(decided, "_softmax")
    assert "because this run was told to recompute it" in " ".join(reason.text for reason in softmax.reasons)
    assert "Run without this decision." in softmax.change
    entries = {decided.joint.names[entry.node]: entry for entry in audit_of(decided.region)}
    assert entries["_softmax"].honoured
    assert entries["_softmax"].used == "MUST_RECOMPUTE"
    assert entries["_softmax"].sentence.startswith("This run was told to recompute it: it is computed again")


@pytest.mark.parametrize("partitioner", ["min_cut", "default"])
def test_each_partitioner_of_torch_goes_by_decisions(example, captured_type, partitioner):
    run = captured_type(example("mlp").capture.source, partitioner=partitioner, decisions={"tanh": Decision.RECOMPUTE})
    assert fate_of(run, "tanh") is Fate.RECOMPUTED
    assert run.ended.check.status is CheckStatus.MATCH
    assert warnings_of(run) == []
    assert "told to recompute it" in " ".join(reason.text for reason in why(run, "tanh").reasons)


def test_unknown_nodes_and_regions_are_warnings(example, captured_type):
    decisions = {"tahn": Decision.SAVE, "2:tanh": Decision.SAVE, "primals_1": Decision.RECOMPUTE}
    run = captured_type(example("mlp").capture.source, decisions=decisions)
    assert run.ended.check.status is CheckStatus.MATCH
    assert warnings_of(run) == [
        "The decision to save tahn has no effect. The joint graph has no such node. Did you mean tanh?",
        "The decision to recompute primals_1 has no effect. It is an input or a constant, which exists anyway.",
        "The decision to save tanh has no effect: there is no region 2, the run captured 1 region.",
    ]


def test_other_compilers_say_it_again_without_a_new_trace(example, captured_type):
    source = example("mlp").capture.source
    run = captured_type(source, decisions={"tahn": Decision.SAVE})
    trace, said = run.pipeline.trace, warnings_of(run)
    settings = Settings(decisions={"tahn": Decision.SAVE}, forward_compiler="debug_nop")
    run.events.clear()
    run.pipeline.run(Run(run=2, source=source, settings=settings))
    assert run.pipeline.trace is trace
    assert warnings_of(run) == said
    run.events.clear()
    run.pipeline.run(Run(run=3, source=source, settings=Settings()))
    assert run.pipeline.trace is not trace
    assert warnings_of(run) == []


PICKY = """
import torch
from functorch.compile import min_cut_rematerialization_partition

def picky(joint, inputs, **options):
    if any("recompute" in node.meta for node in joint.graph.nodes):
        raise ValueError("no tags, please")
    return min_cut_rematerialization_partition(joint, inputs, **options)

def fn(x):
    return x.sin().cos().sum()

example_inputs = (torch.randn(4, requires_grad=True),)
"""


def test_a_partitioner_that_cannot_take_decisions_runs_without_them(script):
    run = script(PICKY, partitioner="picky", decisions={"sin": Decision.SAVE})
    assert run.ended.status is RunStatus.DONE
    assert run.ended.check.status is CheckStatus.MATCH
    (message,) = warnings_of(run)
    assert message.startswith("The graph cannot be partitioned as decided (save sin), so it was partitioned without")
    assert "no tags, please" in message
    assert run.region.decided == {}


def test_a_region_without_backward_has_nothing_to_decide(script):
    run = script("import torch\ndef fn(x):\n    return x.sin()\nexample_inputs = (torch.randn(4),)\n",
                 decisions={"sin": Decision.SAVE})  # fmt: skip
    (message,) = warnings_of(run)
    assert message == (
        "The decision to save sin has no effect: region 0 has no backward, so nothing in it is saved or recomputed."
    )


TWO_REGIONS = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.tanh(x * 2)
        torch._dynamo.graph_break()
        return torch.tanh(y * 3).sum()

model = Model()
example_inputs = (torch.randn(4, requires_grad=True),)
"""


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # Dynamo looks at it itself
def test_a_decision_holds_in_the_region_that_it_names(script):
    decisions = {"1:tanh": Decision.RECOMPUTE, "1:detach_1": Decision.RECOMPUTE}  # the backward reads the detached one
    run = script(TWO_REGIONS, route=Route.COMPILE, decisions=decisions)
    first, second = run.capture.regions[:2]
    fates = [Fate(region.main_graph.fates[region.main_graph.index_of["tanh"]]) for region in (first, second)]
    assert fates[1] is Fate.RECOMPUTED
    assert fates[0] is not Fate.RECOMPUTED
    assert run.ended.check.status is CheckStatus.MATCH


def test_random_numbers_are_drawn_alike_when_they_are_recomputed(script):
    run = script(
        "import torch\n"
        "model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(), torch.nn.Linear(8, 8))\n"
        "example_inputs = (torch.randn(4, 8),)\n",
        decisions={"native_dropout": Decision.RECOMPUTE},
    )
    assert run.ended.status is RunStatus.DONE
    assert run.ended.check.status is CheckStatus.MATCH


def test_an_exported_policy_is_proven_without_the_decisions_of_the_run(example, captured_type, tmp_path):
    run = captured_type(example("mlp").capture.source, decisions={"tanh": Decision.RECOMPUTE})
    target, path = run.pipeline.kept.harness.target, tmp_path / "policy.py"
    text = export_policy(run.joint, {"tanh": Decision.RECOMPUTE}, target, run.pipeline.settings, str(path))
    assert "1 decision came true" in text
    assert path.exists()


NORM = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 8))
example_inputs = (torch.randn(64, 8),)
"""
WHOLE_TUPLE = {"native_layer_norm": Decision.SAVE, "addmm": Decision.SAVE}


def test_a_whole_tuple_that_torch_would_save_is_refused(script):
    """Torch saves whole operators where a low budget leaves nothing but what is marked; its runtime then fails."""
    run = script(NORM, memory_budget=0.1, decisions=WHOLE_TUPLE)
    assert run.ended.check.status is CheckStatus.MATCH
    (message,) = warnings_of(run)
    assert "Torch would save the whole tuple native_layer_norm" in message
    choice = PartitionChoice(memory_budget=0.1, decisions=WHOLE_TUPLE)
    with pytest.raises(UserError, match="whole tuple native_layer_norm"):
        repartitioned(run.trace.partition.joint, choice, {})


def test_the_way_without_onednn_is_tried_once():
    failure = Problem(severity=Severity.ERROR, stage=Stage.TRACE, message=f"expected all {NONE_SAVED} to be Tensors")
    left = [DYNAMIC, COMPILE]
    assert ways_after(failure, DIRECT, left, Settings()) == [WITHOUT_ONEDNN, *left]
    assert ways_after(failure, WITHOUT_ONEDNN, left, Settings()) == left
