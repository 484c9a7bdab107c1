"""Each case gives what its header asks for."""

from __future__ import annotations

import math

import pytest
import torch

from aotgui.engine.cursor import Cursor
from aotgui.model.capture import Severity
from aotgui.model.graph import Fate, GraphKind, Op, OutputKind, Role, Side
from aotgui.model.settings import EntryPoint, Route

from .measured import assert_counts_as_measured

pytestmark = pytest.mark.filterwarnings("ignore")


def test_01_tied_weights(case):
    run = case(1)
    assert run.status == "match"
    (weight,) = [entry for entry in run.region.inputs if entry.label == "emb.weight"]
    assert weight.aliases == ("head.weight",)
    assert len(run.joint.users(run.joint.index_of[weight.placeholder])) == 2


def test_02_inputs_without_gradient(case):
    run = case(2, forward_compiler="ts_compile")
    assert run.status == "match"
    assert [item.name for item in run.ended.check.gradients] == ["weight", "bias"]
    gradients = [out for out in run.joint.outputs if out.kind is OutputKind.GRADIENT]
    assert {out.label for out in gradients} == {"gradient of weight", "gradient of bias"}


def test_03_buffer_updates(case):
    run = case(3)
    assert run.status == "match"
    (finding,) = run.findings("written-input")
    assert all(name in finding.message for name in ("running_mean", "running_var", "num_batches_tracked"))
    updates = [out for out in run.forward.outputs if out.kind is OutputKind.MUTATION]
    assert len(updates) == 3


def test_04_second_call_with_another_batch(case):
    (finding,) = case(4).findings("stale-trace")
    assert "shape of args[0] is (6, 3, 8, 8), traced with (5, 3, 8, 8)" in finding.message
    assert "the call matches eager" in finding.message
    assert finding.severity is Severity.WARNING


@pytest.mark.parametrize("compiler", ["ts_compile", "debug_nop"])
def test_05_python_number(case, compiler):
    run = case(5, forward_compiler=compiler)
    assert run.status == "match"
    (finding,) = run.findings("specialised-number")
    assert "Python number 3" in finding.message


def test_06_index_add(case):
    run = case(6, forward_compiler="ts_compile")
    assert run.status == "match"
    assert len(run.nodes(run.region.graphs[GraphKind.INFERENCE], "index_add")) == 1


def test_07_data_dependent_shape(case):
    run = case(7)
    assert run.capture.route == Route.DYNAMIC
    assert run.joint.node_count == 17
    hint = run.ended.problems[0]
    assert hint.line == run.line_of("torch.nonzero(keep)")
    assert "shape of the result depends on the data" in hint.message
    assert run.status == "match"


def test_08_data_dependent_control_flow(case):
    run = case(8)
    hint = run.ended.problems[0]
    assert hint.line == run.line_of("if s.item() > 0")
    assert "torch.cond" in hint.message
    assert run.status == "match"


def test_10_transforms_keep_lines(case):
    run = case(10)
    assert run.status == "match"
    operators = [i for i in range(len(run.joint)) if run.joint.ops[i] == Op.CALL_FUNCTION]
    with_line = [i for i in operators if (frame := run.joint.source(i)) and frame.file == str(run.path)]
    assert len(with_line) > 0.9 * len(operators)


def test_11_alias_of_input(case):
    run = case(11)
    assert run.status == "match"
    assert any("out shares memory with args[0]" in finding.message for finding in run.findings("shared-memory"))


def test_12_double_backward(case):
    run = case(12)
    assert run.status == "match"
    (finding,) = run.findings("once-differentiable")
    assert finding.line == run.line_of("create_graph=True")
    assert "inside the target" in finding.advice


def test_14_parameter_update_under_no_grad(case):
    run = case(14)
    assert run.status == "match"
    (finding,) = run.findings("written-input")
    assert "writes back to args[0] (under no_grad)" in finding.message


def test_15_in_place_on_a_leaf(case):
    run = case(15)
    assert run.status == "not_run"
    assert "fails in eager" in run.messages
    assert run.ended.problems[0].line == run.line_of("x *= y")


def test_17_partitioners(case):
    least, default = case(17), case(17, partitioner="default")
    assert [value.label for value in least.region.saved] == ["args[3]", "args[4]", "args[5]"]
    assert least.region.saved_bytes == 96
    assert least.region.saved_bytes_of("activation") == 0
    assert len([value for value in default.region.saved if value.role == "activation"]) == 2
    assert least.region.names_with(Fate.RECOMPUTED)


def test_18_many_users(case):
    assert len(case(18, partitioner="default").region.saved) == 56
    run = case(18)
    assert [value.label for value in run.region.saved] == ["args[0]"]
    assert {"trace", "partition"} <= {str(time.stage) for time in run.ended.stages}


def test_19_aliased_inputs(case):
    run = case(19)
    assert run.status == "not_run"
    assert "args[0] and args[1] share memory (offset 6)" in run.messages
    assert "view of an input" in run.ended.problems[0].message


def test_21_dropout_recomputed(case):
    run = case(21, memory_budget=0.0)
    assert run.status == "mismatch"
    (finding,) = run.findings("random-op-in-both-graphs")
    assert finding.severity is Severity.ERROR
    assert finding.node == "native_dropout"
    assert finding.line
    assert case(21, partitioner="default").status == "match"


def test_22_checkpoint_is_ignored_by_direct_capture(case):
    run = case(22)
    (finding,) = run.findings("feature-not-in-graph")
    assert finding.line == run.line_of("checkpoint(b, x")
    assert "14 values, 8.4 KiB" in finding.message
    compiled = case(22, entry_point=EntryPoint.TORCH_COMPILE)
    assert not compiled.findings("feature-not-in-graph")
    assert len(compiled.region.saved) == 12
    assert any(compiled.joint.policy(i) for i in range(len(compiled.joint)))
    assert run.status == compiled.status == "match"


def test_24_hook_and_retain_grad(case):
    run = case(24)
    assert run.status == "match"
    assert any("3.14" in dict(run.joint.node(i).arguments).get("other", "") for i in run.nodes(run.joint, "mul"))
    (finding,) = run.findings("feature-not-in-graph")
    assert finding.line == run.line_of("y.retain_grad()")


def test_25_saved_tensor_hooks(case):
    run = case(25)
    assert run.status == "mismatch"
    (finding,) = run.findings("feature-not-in-graph")
    assert finding.severity is Severity.ERROR
    assert finding.line == run.line_of("saved_tensors_hooks(pack, unpack)")


def test_28_captured_parameters(case):
    run = case(28)
    assert run.status == "match"
    assert {"net.weight", "net.bias"} <= {item.name for item in run.ended.check.gradients}
    (finding,) = run.findings("captured-parameters")
    assert "2 parameters that it does not take as arguments: net.bias, net.weight" in finding.message


def test_30_dataclass_output(case):
    run = case(30)
    assert run.status == "match"
    assert [item.name for item in run.ended.check.outputs] == ["out.logits", "out.hidden", "out.loss"]


def test_32_mixed_outputs(case):
    run = case(32)
    assert run.status == "match"
    names = [item.name for item in run.ended.check.outputs]
    assert names == ["out['logits']", "out['pred']", "out['n']", "out['cache']", "out['mode']"]
    tangents = [i for i in range(len(run.joint)) if run.joint.roles[i] == Role.TANGENT]
    assert [run.joint.label(i) for i in tangents] == ["gradient of out['logits']"]


@pytest.mark.parametrize("compiler", ["nop", "ts_compile"])
def test_33_saved_then_written(case, compiler):
    run = case(33, forward_compiler=compiler)
    assert run.status == "match"
    assert "args[0]" not in {value.label for value in run.region.saved}
    assert any("writes back to args[0]" in finding.message for finding in run.findings("written-input"))


def test_34_write_in_backward(case):
    run = case(34)
    assert run.status == "match"
    adds = [i for i in run.nodes(run.joint, "add") if run.joint.sides[i] == Side.BACKWARD]
    assert [run.joint.source(i).line for i in adds] == [run.line_of("ctx.counter.add_(1)")]


def test_36_tensor_subclass(case):
    run = case(36)
    assert run.status == "match"
    labels = {run.joint.label(i) for i in range(len(run.joint)) if run.joint.ops[i] == Op.PLACEHOLDER}
    assert {"args[0].a", "args[0].b"} <= labels


def test_37_cond(case):
    run = case(37)
    assert (run.status, run.capture.route) == ("match", Route.DIRECT)
    assert len(run.nodes(run.joint, "cond")) == 2
    assert run.joint.subgraphs
    refused = case(37, forward_compiler="ts_compile")
    assert "cond is not supported in TorchScript" in refused.messages


def test_39_operator_without_backward(case):
    run = case(39)
    problem = run.ended.problems[0]
    assert "demo39" in problem.message
    assert "register_autograd" in problem.message
    assert problem.line == run.line_of("scale(x, 2.0).sin()")
    assert run.nodes(run.region.graphs[GraphKind.INFERENCE], "demo39")


def test_41_nested_tensor(case):
    run = case(41)
    assert run.capture.route == Route.COMPILE
    assert run.status == "match"
    assert "nested tensor" in run.messages


def test_43_every_stride_is_as_traced(case):
    """The convolution gives the strides that it was traced with on this torch, so that a checked run passes."""
    run = case(43, forward_compiler="debug_nop")
    assert run.ended.problems == []
    assert run.status == "match"
    assert [made.compiler for made in run.ended.compilations[0]] == ["debug_nop", "debug_nop"]
    assert not run.findings("not-as-traced")


def test_45_none_is_not_zero(case):
    run = case(45)
    assert run.status == "match"
    (unused,) = [item for item in run.ended.check.gradients if item.name == "args[1]"]
    assert unused.max_error is None
    assert "None" in unused.note


def test_47_training_flag(case):
    run = case(47)
    (finding,) = run.findings("stale-trace")
    assert "training flag" in finding.message
    assert "the call matches eager" in finding.message


def test_49_side_effects(case):
    run = case(49)
    (finding,) = run.findings("side-effect-only-while-tracing")
    assert f"lines {run.line_of('self.calls += 1')}, {run.line_of('log.append')}" in finding.message
    assert "model.calls" in finding.message


def test_51_factories(case):
    assert case(51, forward_compiler="ts_compile").status == "match"


def test_52_lstm(case):
    run = case(52)
    assert run.status == "match"
    assert "LSTM 'rnn'" in run.messages
    assert len(run.ended.check.gradients) == 5


def test_55_overwritten_before_backward(case):
    run = case(55)
    problem = run.ended.problems[0]
    assert problem.line == run.line_of("y += 1") if "y += 1" in run.path.read_text() else problem.line
    assert "needed by the backward" in problem.message
    assert "Eager fails in the same way" in problem.message


def test_57_in_place_in_checkpoint(case):
    run = case(57)
    assert run.status == "match"
    halves = run.pipeline.trace.regions[0].halves
    cursor = Cursor(halves[GraphKind.BACKWARD], halves[GraphKind.BACKWARD].fresh_args())
    while not cursor.at_end:
        cursor.execute()
    (gradient,) = [value for value in cursor.returned().values() if isinstance(value, torch.Tensor)]
    assert gradient.tolist() == [6.0]


def test_58_unused_random_operator(case):
    run = case(58, partitioner="default")
    assert run.status == "match"
    assert run.findings("random-op-unused-in-backward")
    assert not run.findings("random-op-in-both-graphs")
    assert not case(58).findings("random-op-unused-in-backward")


@pytest.mark.models
def test_61_gpt2(case):
    run = case(61)
    assert run.status == "match"
    assert [region.graphs[GraphKind.JOINT].node_count for region in run.capture.regions] == [346, 18]
    assert "masking_utils.py" in run.messages
    assert_counts_as_measured(run)


def test_63_huge_graph(case):
    run = case(63)
    assert run.status == "match"
    assert len(run.region.saved) == 2098
    assert_counts_as_measured(run)


def test_64_nan_in_backward(case):
    run = case(64)
    assert run.status == "match"
    half = run.pipeline.trace.regions[0].halves[GraphKind.BACKWARD]
    cursor = Cursor(half, half.fresh_args())
    while not cursor.at_end:
        value = cursor.execute()
        if isinstance(value, torch.Tensor) and value.is_floating_point() and bool(value.isnan().any()):
            break
    index = cursor.position - 1
    assert half.graph.target(index).startswith("aten.div")
    assert half.graph.source(index).line == run.line_of("torch.sqrt(x)")
    assert math.isnan(cursor.value(index)[1].item())


def test_66_scripted_submodule(case):
    run = case(66)
    assert run.status == "match"
    assert "captured no graph" in case(66, route=Route.COMPILE).messages


def test_69_backward_hook(case):
    run = case(69)
    assert run.status == "match"


@pytest.mark.models
def test_71_cache_output(case):
    run = case(71)
    assert run.status == "match"
    names = [item.name for item in run.ended.check.outputs]
    assert "out.logits" in names
    assert any("layers[0].keys" in name for name in names)


def test_73_outputs_share_memory(case):
    run = case(73)
    assert run.status == "match"
    assert not run.findings("output-kind-differs")
    assert any("shares memory" in finding.message for finding in run.findings("shared-memory"))


def test_75_frozen_parameters(case):
    run = case(75)
    assert run.status == "match"
    (finding,) = run.findings("frozen-parameters")
    assert "4 parameters are frozen" in finding.message
    assert len(run.ended.check.gradients) == 4


@pytest.mark.parametrize("compiler", ["nop", "ts_compile"])
def test_77_tensor_constant(case, compiler):
    run = case(77, forward_compiler=compiler)
    assert run.status == "match"
    (finding,) = run.findings("tensor-constant")
    assert "0.5" in finding.message


def test_80_reentrant_checkpoint(case):
    run = case(80)
    assert run.status == "match"
    assert "use_reentrant=False" in run.messages


def test_81_dynamic_shapes(case):
    run = case(81, dynamic=True)
    assert run.status == "match"
    symbols = [i for i in range(len(run.joint)) if run.joint.roles[i] == Role.SYMBOLIC_SIZE]
    assert symbols
    assert set(run.region.symbols.values()) == {3, 4, 5}
    # Symbolic sizes become ints of TorchScript, which takes what it refuses where they stay SymInts.
    compiled = case(81, dynamic=True, forward_compiler="ts_compile")
    assert compiled.ended.problems == []
    assert compiled.status == "match"
    assert all(made.exportable for region in compiled.ended.compilations for made in region)


def test_84_selective_policy(case):
    run = case(84)
    assert run.status == "match"
    assert (len(run.region.saved), run.region.saved_bytes) == (5, 2176)
    policies = {run.forward.target(i): run.forward.policy(i) for i in range(len(run.forward)) if run.forward.policy(i)}
    assert policies["aten.addmm.default"] == "MUST_SAVE"
    assert policies["aten.sin.default"] == "PREFER_RECOMPUTE"
