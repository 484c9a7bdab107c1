"""Decisions as a checkpoint-policy function, text to paste into a script.

``torch.utils.checkpoint.create_selective_checkpoint_contexts`` asks its policy function for each operator that runs,
and tells it no more than the operator. So a decision is written as "the n-th call of this operator", counted over the
whole target in the order of the joint graph, which is the order in which the operators ran when it was traced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from aotgui.model.decision import Decision
from aotgui.model.graph import Graph, Op, Side
from aotgui.model.text import place_text

_POLICIES: Final = {Decision.SAVE: "MUST_SAVE", Decision.RECOMPUTE: "MUST_RECOMPUTE"}
_HEAD: Final = '''\
"""A checkpoint policy with decisions made in aotgui.

    from torch.utils.checkpoint import checkpoint

    output = checkpoint(model, *inputs, use_reentrant=False, context_fn=context_fn)

Use it inside what torch.compile compiles. Calls of an operator are counted from 0 over the whole call that is
checkpointed; what is not listed is left to the partitioner.
"""

from collections import Counter

from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts

DECISIONS = {
'''
_TAIL: Final = '''\
}


class Policy:
    """Counts the calls of each operator and looks the decision up."""

    def __init__(self):
        self.calls = Counter()

    def __call__(self, ctx, op, *args, **kwargs):
        name, call = str(op), self.calls[ctx.is_recompute, str(op)]
        self.calls[ctx.is_recompute, name] += 1
        return getattr(CheckpointPolicy, DECISIONS.get(name, {}).get(call, "PREFER_SAVE"))


def context_fn():
    return create_selective_checkpoint_contexts(Policy())
'''


class UnwritableDecisionError(ValueError):
    """A decision cannot be written as a policy; the text is one sentence."""


def policy_text(joint: Graph, decisions: Mapping[str, Decision]) -> str:
    """A Python module with ``context_fn``.

    Args:
        joint: the joint graph as traced.
        decisions: name of a node to what is wanted; one for a part of a tuple is one for its operator.

    Raises:
        UnwritableDecisionError: a node is no operator of the forward, or one that policies are never asked for.
    """
    lines = []
    for target, calls in sorted(decided_calls(joint, decisions).items()):
        lines.append(f'    "{target}": {{')
        for call, (node, decision) in sorted(calls.items()):
            frame = joint.source(node)
            place = f", {place_text(frame.file, frame.line)}" if frame else ""
            lines.append(f'        {call}: "{_POLICIES[decision]}",  # {joint.names[node]}{place}')
        lines.append("    },")
    return _HEAD + "".join(f"{line}\n" for line in lines) + _TAIL


def decided_calls(joint: Graph, decisions: Mapping[str, Decision]) -> dict[str, dict[int, tuple[int, Decision]]]:
    """For each operator which of its calls is decided: call to index of the node and decision; raises like above."""
    wanted = {_operator(joint, name): decision for name, decision in decisions.items()}
    found: dict[str, dict[int, tuple[int, Decision]]] = {}
    counts: dict[str, int] = {}
    for node in range(len(joint)):
        if joint.ops[node] != Op.CALL_FUNCTION or Side(joint.sides[node]) is Side.BACKWARD:
            continue
        target = joint.target(node)
        if node in wanted:
            found.setdefault(target, {})[counts.get(target, 0)] = (node, wanted[node])
        counts[target] = counts.get(target, 0) + 1
    return found


def _operator(joint: Graph, name: str) -> int:
    """The operator that computes a node: itself, or the one of whose result it is a part."""
    node = joint.index_of.get(name, -1)
    if node < 0:
        raise UnwritableDecisionError(f"The joint graph has no node {name}.")
    while joint.target(node) == "getitem" and joint.inputs(node):
        node = joint.inputs(node)[0]
    target = joint.target(node)
    if Side(joint.sides[node]) is Side.BACKWARD:
        raise UnwritableDecisionError(f"{joint.title(node)} was traced in the backward, where no policy is asked.")
    if joint.ops[node] != Op.CALL_FUNCTION or "." not in target:
        raise UnwritableDecisionError(f"{joint.title(node)} is no operator, so no policy decides on it.")
    if target == "aten.detach.default":
        raise UnwritableDecisionError(f"{joint.title(node)} is a detach, for which torch never asks a policy.")
    return node
