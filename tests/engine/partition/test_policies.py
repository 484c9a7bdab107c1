"""Checkpoint policies: written from decisions, and audited where a script has its own."""

from __future__ import annotations

import runpy

import pytest
from torch.utils.checkpoint import CheckpointPolicy

from aotgui.engine.errors import UserError
from aotgui.engine.policy_export import export_policy
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate
from aotgui.model.policy_audit import audit_of
from aotgui.model.policy_text import policy_text
from aotgui.model.settings import EntryPoint, Route

pytestmark = pytest.mark.filterwarnings("ignore")  # torch warns of policies under torch.compile

CHECKPOINTED = """\
import torch
from torch.utils.checkpoint import CheckpointPolicy, checkpoint, create_selective_checkpoint_contexts

def policy(ctx, op, *args, **kwargs):
    if op == torch.ops.aten.mm.default:
        return CheckpointPolicy.MUST_SAVE
    return CheckpointPolicy.{other}

def context_fn():
    return create_selective_checkpoint_contexts(policy)

def block(x, w):
    return torch.cos(torch.cos(x)) @ w

def again(x):
    return torch.cos(x)

def fn(x, w):
    first = checkpoint(again, x, use_reentrant=False, context_fn=context_fn)
    return checkpoint(block, first, w, use_reentrant=False, context_fn=context_fn).exp().sum()

example_inputs = (torch.randn(4, 4, requires_grad=True), torch.randn(4, 4, requires_grad=True))
"""


@pytest.fixture
def checkpointed(script):
    settings = {"entry_point": EntryPoint.TORCH_COMPILE, "route": Route.COMPILE}
    return lambda other: script(CHECKPOINTED.format(other=other), **settings)


def test_policy_carries_out_the_decisions(example, tmp_path):
    run = example("transformer_block")
    decisions = {"getitem_1": Decision.RECOMPUTE, "_softmax": Decision.RECOMPUTE}
    path = tmp_path / "policy.py"
    target = run.pipeline.kept.harness.target
    detail = export_policy(run.joint, decisions, target, run.pipeline.settings, str(path))
    assert "2 decisions came true" in detail
    names = runpy.run_path(str(path))
    assert names["DECISIONS"] == {
        "aten._softmax.default": {0: "MUST_RECOMPUTE"},
        "aten.native_layer_norm.default": {0: "MUST_RECOMPUTE"},
    }
    assert "# _softmax, transformer_block.py:" in path.read_text()


def test_policy_counts_calls_in_forward_and_recomputation_apart(example, tmp_path):
    joint = example("transformer_block").joint
    path = tmp_path / "policy.py"
    path.write_text(policy_text(joint, {"addmm_1": Decision.SAVE}))
    policy = runpy.run_path(str(path))["Policy"]()

    class Context:
        is_recompute = False

    context = Context()
    assert [policy(context, "aten.addmm.default") for _ in range(2)] == [
        CheckpointPolicy.PREFER_SAVE,
        CheckpointPolicy.MUST_SAVE,
    ]
    context.is_recompute = True
    assert policy(context, "aten.addmm.default") is CheckpointPolicy.PREFER_SAVE


def test_what_does_not_come_true_is_not_written(example, tmp_path):
    run = example("transformer_block")
    view = next(name for name in run.region.names_with(Fate.RECOMPUTED) if name.startswith("view"))
    path = tmp_path / "policy.py"
    with pytest.raises(UserError, match="the policy was not written"):
        export_policy(
            run.joint, {view: Decision.SAVE}, run.pipeline.kept.harness.target, run.pipeline.settings, str(path)
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "sentence"),
    [("primals_1", "is no operator"), ("tanh_backward", "traced in the backward"), ("nowhere", "no node nowhere")],
)
def test_decisions_that_no_policy_can_make(example, name, sentence):
    run = example("mlp")
    with pytest.raises(UserError, match=sentence):
        export_policy(run.joint, {name: Decision.SAVE}, run.pipeline.kept.harness.target, run.pipeline.settings, "x")


def test_policies_are_honoured_but_between_two_regions(checkpointed):
    """Torch saves what lies between two checkpointed regions, whatever the policy says of it."""
    run = checkpointed("MUST_RECOMPUTE")
    entries = {run.joint.names[entry.node]: entry for entry in audit_of(run.region)}
    assert entries["mm"].policy == "MUST_SAVE"
    assert entries["cos_1"].honoured
    assert entries["cos_1"].sentence == "It is computed again in the backward."
    between = entries["cos"]
    assert (between.policy, between.used, between.honoured) == ("MUST_RECOMPUTE", "MUST_SAVE", False)
    assert "another checkpointed region begins after it" in between.sentence


def test_preferences_leave_the_choice_to_the_partitioner(checkpointed):
    run = checkpointed("PREFER_SAVE")
    overridden = [entry for entry in audit_of(run.region) if not entry.honoured]
    assert overridden
    assert all("leaves the choice to the partitioner" in entry.sentence for entry in overridden)


def test_no_policies_no_entries(example):
    assert audit_of(example("mlp").region) == []
