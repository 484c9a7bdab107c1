"""Which checkpoint policies were honoured, and which were overridden and by what."""

from __future__ import annotations

from typing import Final

import msgspec

from aotgui.model.capture import Region
from aotgui.model.cut_network import CutNetwork
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, Op

_POLICIES: Final = {Decision.SAVE: "MUST_SAVE", Decision.RECOMPUTE: "MUST_RECOMPUTE"}
_SAVING: Final = ("MUST_SAVE", "PREFER_SAVE")
_KEPT: Final = (Fate.SAVED, Fate.FORWARD_ONLY)
_RUNS_IN_BACKWARD: Final = (Fate.RECOMPUTED, Fate.MOVED)


class PolicyEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One node that a policy marks.

    Attributes:
        node: index in the joint graph.
        policy: what the script's policy says (``MUST_SAVE``); empty where only torch or a decision marked it.
        used: what the partitioner went by.
        honoured: whether what became of the node agrees with the decision for it, else with ``policy``, or with
            ``used`` where torch set it.
        sentence: what became of it, and what overrode the policy if something did.
    """

    node: int
    policy: str
    used: str
    honoured: bool
    sentence: str


def audit_of(region: Region) -> list[PolicyEntry]:
    """One entry for each operator with a checkpoint policy, in graph order; empty without policies."""
    graph = region.main_graph
    if graph is None or not region.is_training:
        return []
    used = {graph.index_of[name]: policy for name, policy in region.policies_used.items() if name in graph.index_of}
    decided = {graph.index_of[name] for name in region.decided if name in graph.index_of}
    marked = (node for node in range(len(graph)) if graph.policy(node) or node in used or node in decided)
    return [
        _entry(graph, region.cut, node, used.get(node, graph.policy(node)), region.decided.get(graph.names[node]))
        for node in marked
        if graph.ops[node] == Op.CALL_FUNCTION
    ]


def _entry(graph: Graph, cut: CutNetwork | None, node: int, used: str, decision: Decision | None) -> PolicyEntry:
    policy, fate = graph.policy(node), Fate(graph.fates[node])
    given = _POLICIES[decision] if decision else policy
    wanted = given or used
    sentence = _became(fate)
    honoured = fate is Fate.ELIMINATED or _agrees(wanted, fate)
    if given and used and used != given:
        sentence = f"torch turned {given} into {used} ({_turned(graph, node)}); {sentence}"
    if not honoured and used == given:
        sentence = f"{sentence}, {_overridden(graph, cut, node, wanted)}"
    if decision:
        sentence = f"this run was told to {decision} it{_despite(policy, given)}: {sentence}"
    return PolicyEntry(node=node, policy=policy, used=used, honoured=honoured, sentence=_capital(sentence))


def _despite(policy: str, given: str) -> str:
    return f" although the script's policy says {policy}" if policy and policy != given else ""


def _agrees(policy: str, fate: Fate) -> bool:
    """A value that the backward does not need agrees with every policy."""
    if fate is Fate.FORWARD_ONLY or fate is Fate.BACKWARD_ONLY:
        return True
    return fate in (_KEPT if policy in _SAVING else _RUNS_IN_BACKWARD)


def _became(fate: Fate) -> str:
    return {
        Fate.SAVED: "it is saved for the backward",
        Fate.RECOMPUTED: "it is computed again in the backward",
        Fate.FORWARD_ONLY: "the backward does not need the value itself",
        Fate.BACKWARD_ONLY: "it belongs to the backward",
        Fate.MOVED: "it runs only in the backward",
        Fate.ELIMINATED: "it was removed before the graph was partitioned",
    }[fate]


def _turned(graph: Graph, node: int) -> str:
    """Why torch changes a tag: ``cleanup_recompute_tags`` and the ``force_save_*`` passes of its partitioners."""
    target = graph.target(node)
    if target.startswith("_c10d_functional."):
        return "results of collectives are saved"
    if any(graph.policy(user) in ("MUST_RECOMPUTE", "PREFER_RECOMPUTE") for user in graph.users(node)):
        return "another checkpointed region begins after it, and what lies between two regions is saved"
    return "it ends a checkpointed region that has a backward hook, or writes to an input that the backward writes too"


def _overridden(graph: Graph, cut: CutNetwork | None, node: int, policy: str) -> str:
    fate = Fate(graph.fates[node])
    if policy in _SAVING:
        if policy == "PREFER_SAVE":
            return "because PREFER_SAVE leaves the choice to the partitioner, which found a cheaper cut"
        position = cut.position_of.get(node) if cut else None
        if cut is not None and position is not None and not cut.ban(position):
            return "because torch never forbids to recompute views and parts of tuples"
        return "because the partitioner that ran does not go by this policy"
    if fate is Fate.SAVED and any(graph.outputs_of(node)):
        return "because the backward returns or needs the value itself"
    return (
        "because the partitioner that ran does not go by this policy, or the backward reads it where it is saved anyway"
    )


def _capital(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}."
