"""Decisions on single nodes, carried out through the tags that checkpoint policies write on nodes."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Final

from torch import fx
from torch.utils.checkpoint import CheckpointPolicy

from aotgui.engine.graphs import ORIGIN_META
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, Op

_POLICIES: Final = {Decision.SAVE: CheckpointPolicy.MUST_SAVE, Decision.RECOMPUTE: CheckpointPolicy.MUST_RECOMPUTE}
_RUNS_IN_BACKWARD: Final = (Fate.RECOMPUTED, Fate.MOVED, Fate.BACKWARD_ONLY)


def tag(module: fx.GraphModule, columns: Graph, decisions: Mapping[str, Decision]) -> dict[str, Decision]:
    """Writes decisions into the meta of a joint module's nodes.

    A decision for an operator that returns a tuple holds for its parts too, and one for a part for the operator: torch
    can only compute or keep them together.

    Args:
        module: a copy that may be changed; its nodes know their origins.
        columns: the joint graph as traced, whose names the decisions use.
        decisions: name of a node to what is wanted.

    Returns:
        What was written, by name of the node.
    """
    tagged: dict[str, Decision] = {}
    nodes = {node.meta.get(ORIGIN_META): node for node in module.graph.nodes if node.op == "call_function"}
    for name, decision in decisions.items():
        node = nodes.get(columns.index_of.get(name))
        for member in group_of(node) if node is not None else ():
            member.meta["recompute"] = _POLICIES[decision]
            tagged[columns.names[member.meta[ORIGIN_META]]] = decision
    return tagged


def group_of(node: fx.Node) -> Iterator[fx.Node]:
    """The operator that computes a node, and the parts of its result."""
    while node.target is operator.getitem and isinstance(node.args[0], fx.Node):
        node = node.args[0]
    waiting = [node]
    for member in waiting:
        yield member
        waiting += [user for user in member.users if user.target is operator.getitem]


def ignored(joint: Graph, decisions: Mapping[str, Decision]) -> dict[str, str]:
    """Decisions that did not come true, each with a sentence why.

    Args:
        joint: with the fates that the decisions led to.
        decisions: what was wanted.
    """
    found = {name: _ignored(joint, name, decision) for name, decision in decisions.items()}
    return {name: sentence for name, sentence in found.items() if sentence}


def _ignored(joint: Graph, name: str, decision: Decision) -> str:
    node = joint.index_of.get(name)
    if node is None:
        return "The joint graph has no such node."
    if joint.ops[node] != Op.CALL_FUNCTION:
        return "It is an input or a constant, which exists anyway."
    fates = [Fate(joint.fates[member]) for member in _members(joint, node)]
    if decision is Decision.SAVE:
        return "" if Fate.SAVED in fates else _not_saved(fates)
    return "" if any(fate in _RUNS_IN_BACKWARD for fate in fates) else _not_recomputed(fates)


def _not_saved(fates: list[Fate]) -> str:
    if Fate.BACKWARD_ONLY in fates:
        return "It depends on an incoming gradient, so only the backward can compute it."
    if any(fate in _RUNS_IN_BACKWARD for fate in fates):
        return "The partitioner recomputes it all the same: torch never forbids that for views."
    return "The backward does not need it, or needs only what is computed from it, so it is not saved."


def _not_recomputed(fates: list[Fate]) -> str:
    if Fate.SAVED in fates:
        return "It is saved all the same: another tag, or the partitioner's own rule, came first."
    return "The backward does not need it, so it is not computed again."


def _members(joint: Graph, node: int) -> list[int]:
    """A node, its operator and the parts of its result, as indexes."""
    while joint.target(node) == "getitem" and joint.inputs(node):
        node = joint.inputs(node)[0]
    members = [node]
    for member in members:
        members += [user for user in joint.users(member) if joint.target(user) == "getitem"]
    return members
