"""Every shipped example captures, matches eager with every compiler, and its graphs hold together."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aotgui.model.capture import CheckStatus, Stage
from aotgui.model.graph import Fate, GraphKind, Op, Side
from aotgui.model.resources import resource_path
from aotgui.protocol.messages import RunStatus

from .invariants import check_invariants

EXAMPLES = sorted(path.stem for path in resource_path("examples").glob("*.py"))
HALVES = (GraphKind.FORWARD, GraphKind.BACKWARD)


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("partitioner", ["default", "min_cut"])
def test_captures_and_matches_eager(runner, examples, name, partitioner):
    outcome = runner.run(examples(name), partitioner=partitioner)
    assert outcome.ended.status is RunStatus.DONE
    assert outcome.ended.check.status is CheckStatus.MATCH
    assert outcome.ended.problems == []
    assert outcome.ended.check.gradients or name == "inference"
    check_invariants(outcome.region.graphs[GraphKind.JOINT], *(outcome.region.graphs[kind] for kind in HALVES))


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("compiler", ["debug_nop", "simple_ts_compile", "ts_compile"])
def test_compilers_match_eager(runner, examples, name, compiler):
    outcome = runner.run(examples(name), forward_compiler=compiler)
    assert outcome.ended.status is RunStatus.DONE, outcome.ended.problems
    assert outcome.ended.check.status is CheckStatus.MATCH
    assert [made.compiler for made in outcome.ended.compilations[0]] == [compiler, compiler]


@pytest.mark.skipif(shutil.which("g++") is None, reason="Inductor needs a C++ compiler")
def test_inductor_matches_eager(runner, examples):
    outcome = runner.run(examples("mlp"), forward_compiler="inductor")
    assert outcome.ended.check.status is CheckStatus.MATCH
    assert "cpp_fused" in outcome.ended.compilations[0][0].artifact


def test_recomputed_node_of_the_guides_function(runner, examples):
    """cos(cos(x)) saves x and computes the inner cos again."""
    outcome = runner.run(examples("cos_cos"), partitioner="min_cut")
    region = outcome.region
    assert [value.label for value in region.saved] == ["args[0]"]
    assert region.names_with(Fate.RECOMPUTED) == ["cos"]
    default = runner.run(examples("cos_cos"), partitioner="default").region
    assert {value.name for value in default.saved} >= {"primals_1", "cos"}
    assert default.names_with(Fate.RECOMPUTED) == []


def test_stages_come_in_order(runner, examples):
    outcome = runner.run(examples("mlp"))
    assert outcome.stages == [str(stage) for stage in Stage]


def test_backward_nodes_know_line_and_module(runner, examples):
    path: Path = examples("transformer_block")
    graph = runner.run(path).graph(GraphKind.JOINT)
    operators = [i for i in range(len(graph)) if graph.ops[i] == Op.CALL_FUNCTION and graph.seq_nrs[i] >= 0]
    backward = [i for i in operators if graph.sides[i] == Side.BACKWARD]
    assert backward
    lines = path.read_text().splitlines()
    for index in operators:
        source = graph.source(index)
        assert source is not None
        assert source.file == str(path)
        assert lines[source.line - 1].strip()
    in_blocks = [graph.module(i) for i in backward if graph.module(i).startswith("blocks.0")]
    assert in_blocks
    assert graph.module_types["blocks.0"]


def test_placeholders_have_human_names(runner, examples):
    graph = runner.run(examples("mlp")).graph(GraphKind.JOINT)
    labels = {graph.names[i]: graph.label(i) for i in range(len(graph)) if graph.ops[i] == Op.PLACEHOLDER}
    assert all(labels.values())
    assert "args[0]" in labels.values()
    assert any(label.endswith(".weight") for label in labels.values())
    assert labels["tangents_1"] == "gradient of out"
    gradients = [output.label for output in graph.outputs if output.label.startswith("gradient of ")]
    assert any(label.endswith(".weight") for label in gradients)
