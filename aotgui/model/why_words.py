"""Torch's short reasons for a cut in sentences, each with what it would take to change it.

The keys are what torch 2.13 writes on the edges of its min-cut network (``torch/_functorch/partitioners.py``,
``solve_min_cut``), behind ``cannot recompute:``, ``cannot save:`` and the like. A reason that is not known here is
shown as torch has it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from aotgui.model.decision import Decision


class Words(NamedTuple):
    """A reason for people.

    Attributes:
        text: goes on after "because"; a clause without full stop.
        change: what it would take, as sentences; may be empty.
    """

    text: str
    change: str = ""


FAR_APART: Final = "used far apart"
LONG_CHAIN: Final = "long fusible chain"

_POLICY: Final = "Force it to be recomputed (a checkpoint policy with MUST_RECOMPUTE for it)"
_CONFIG: Final = "torch._functorch.config."

_BANS: Final = {
    "marked MUST_SAVE": Words(
        "a checkpoint policy marks it MUST_SAVE", "Change the policy for it to PREFER_RECOMPUTE or MUST_RECOMPUTE."
    ),
    "not in recomputable allowlist": Words(
        "its operator is not in torch's list of operators that are cheap to recompute",
        f"{_POLICY}, lower the memory budget below 1, or set {_CONFIG}ban_recompute_not_in_allowlist to False.",
    ),
    "random op": Words(
        "it draws random numbers, and a second draw would give others",
        f"{_POLICY}; torch then keeps the random state so that the same numbers are drawn again.",
    ),
    "compute intensive op": Words(
        "it is compute intensive (a matrix product, a convolution, attention)",
        f"{_POLICY}, or lower the memory budget below 1.",
    ),
    "non-builtin op": Words("its operator is not one of torch's own, so its cost is not known", f"{_POLICY}."),
    "materialized in backward": Words(
        "the backward reads it with an operator that it cannot be fused into, so it would be in memory there anyway",
        f"{_POLICY}, lower the memory budget below 1, or set {_CONFIG}ban_recompute_materialized_backward to False.",
    ),
    "too far from backward": Words(
        "too many operators lie between it and the backward",
        f"{_POLICY}, or raise {_CONFIG}max_dist_from_bw.",
    ),
    "reduction op": Words(
        "it is a reduction: its result is less than a quarter of what it reads, so saving it is cheap",
        f"{_POLICY}, or set {_CONFIG}ban_recompute_reductions to False.",
    ),
    "primal input": Words("it is an input of the graph: it exists anyway and is only kept"),
    "forward RNG seed": Words("it is the state of the random generator in the forward"),
    FAR_APART: Words(
        "a value that it reads is used both near and far away in the forward, and fusing both uses is unlikely",
        f"{_POLICY}, lower the memory budget below 1, or set {_CONFIG}ban_recompute_used_far_apart to False.",
    ),
    LONG_CHAIN: Words(
        "it ends a chain of more than 100 operators that could all be fused, which torch breaks",
        f"{_POLICY}, lower the memory budget below 1, or set {_CONFIG}ban_recompute_long_fusible_chains to False.",
    ),
    "": Words(
        "one of torch's rules forbids it, and torch does not say which (used far apart, or in a long fusible chain)",
        f"{_POLICY}, or lower the memory budget below 1.",
    ),
}

_OBSTACLES: Final = {
    "view op (recompute_views=True)": Words(
        "it is a view, which costs nothing to make again",
        f"Set {_CONFIG}recompute_views to False.",
    ),
    "SymFloat (non-SymInt symbolic value)": Words("it is a symbolic float, which torch never saves"),
    "non-tensor output": Words("it is no tensor but a tuple, of which only the parts can be saved"),
}

_NEEDS: Final = {
    "input required for gradient": Words("the backward returns it as a gradient"),
    "required for gradient": Words("it depends on an incoming gradient, so only the backward can compute it"),
    "marked by checkpoint policy": Words(
        "a checkpoint policy marks it to be recomputed",
        "Change the policy for it to MUST_SAVE or PREFER_SAVE.",
    ),
}


_DECIDED: Final = {
    Decision.SAVE: Words("this run was told to save it", "Run without this decision."),
    Decision.RECOMPUTE: Words("this run was told to recompute it", "Run without this decision."),
}
"""In place of the policy that torch was given where a decision stands behind it."""


def ban_words(reason: str, decision: Decision | None = None) -> Words:
    """Why a node must not be recomputed; the decision for it is what stands behind the policy that torch was given."""
    if decision is Decision.SAVE and reason.endswith(": marked MUST_SAVE"):
        return _DECIDED[decision]
    return _words(_BANS, reason)


def obstacle_words(reason: str) -> Words:
    """Why a node cannot be saved."""
    return _words(_OBSTACLES, reason)


def need_words(reason: str, decision: Decision | None = None) -> Words:
    """Why the backward needs a node; the decision for it as for ``ban_words``."""
    if decision is Decision.RECOMPUTE and reason.endswith(": marked by checkpoint policy"):
        return _DECIDED[decision]
    return _words(_NEEDS, reason)


def _words(table: dict[str, Words], reason: str) -> Words:
    short = reason.partition(": ")[2]
    return table.get(short) or Words(f"torch says: {reason}")
