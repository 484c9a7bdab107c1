"""Writes decisions as a checkpoint-policy function, and captures the target with it before saying so."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from torch.utils.checkpoint import checkpoint

from aotgui.engine.artifacts import mode_of, temporary_beside
from aotgui.engine.errors import UserError, fault
from aotgui.engine.targets import Target
from aotgui.model.capture import Capture, Severity
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.policy_text import UnwritableDecisionError, decided_calls, policy_text
from aotgui.model.settings import EntryPoint, Route, Settings
from aotgui.model.text import count_text
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded

_STAGE: Final = "export"
_OUTCOMES: Final = {
    Decision.SAVE: (Fate.SAVED, Fate.FORWARD_ONLY),
    Decision.RECOMPUTE: (Fate.RECOMPUTED, Fate.MOVED, Fate.FORWARD_ONLY),
}
"""Fates that agree with a decision; what the backward does not need agrees with both."""


def export_policy(
    joint: Graph, decisions: Mapping[str, Decision], target: Target, settings: Settings, path: str
) -> str:
    """Writes the policy once it is proven.

    Args:
        joint: the joint graph as traced.
        decisions: name of a node to what is wanted.
        target: what was captured.
        settings: of the run, for the partitioner and the memory budget.
        path: where to.

    Returns:
        A sentence about what was verified.

    Raises:
        UserError: a decision cannot be written, does not come true, or the file cannot be written.
    """
    if not decisions:
        raise fault(_STAGE, "There is nothing to export: decide for at least one node first.")
    try:
        text = policy_text(joint, decisions)
    except UnwritableDecisionError as error:
        raise fault(_STAGE, str(error)) from None
    captured = _captured_with(text, target, settings)
    _require_kept(joint, decisions, captured)
    _write(path, text)
    return f"Captured through torch.compile with this policy: {count_text(len(decisions), 'decision')} came true."


def _captured_with(text: str, target: Target, settings: Settings) -> Capture:
    """What torch.compile captures of the target when the policy applies to the whole of it."""
    from aotgui.engine.pipeline import Pipeline  # it imports what imports this

    events: list[Event] = []
    wrapped = Target(target.source, target.name, _checkpointed(text, target), target.args, target.kwargs, {})
    inner = msgspec.structs.replace(
        settings, entry_point=EntryPoint.TORCH_COMPILE, route=Route.COMPILE, forward_compiler="nop",
        backward_compiler="", inference_compiler="", decisions={},
    )  # fmt: skip
    Pipeline(events.append, wrapped).run(Run(run=0, source=target.source, target=target.name, settings=inner))
    captures = [event.capture for event in events if isinstance(event, CaptureReady)]
    if captures:
        return captures[-1]
    ended = next(event for event in events if isinstance(event, RunEnded))
    problem = next((entry for entry in ended.problems if entry.severity is Severity.ERROR), None)
    reason = problem.message if problem else "nothing was captured."
    raise fault(_STAGE, f"The target cannot be captured with this policy: {reason}")


def _checkpointed(text: str, target: Target) -> Callable[..., Any]:
    names: dict[str, Any] = {"__name__": "aotgui_policy"}
    exec(compile(text, "<policy>", "exec"), names)  # our own text, as the user will run it
    context_fn, call = names["context_fn"], target.call

    def checkpointed(*args: Any, **kwargs: Any) -> Any:  # whatever the target takes and returns
        return checkpoint(call, *args, use_reentrant=False, context_fn=context_fn, **kwargs)

    return checkpointed


def _require_kept(joint: Graph, decisions: Mapping[str, Decision], captured: Capture) -> None:
    """Each decision came true for the same call of the same operator.

    Raises:
        UserError: one did not.
    """
    if len(captured.regions) != 1:
        count = count_text(len(captured.regions), "region")
        raise fault(
            _STAGE, f"With this policy torch.compile captures {count}, so calls cannot be counted over the whole."
        )
    graph = captured.regions[0].graphs.get(GraphKind.JOINT)
    if graph is None:
        raise fault(_STAGE, "With this policy torch.compile captures no backward.")
    for target, calls in decided_calls(joint, decisions).items():
        nodes = [node for node in range(len(graph)) if graph.target(node) == target and not graph.sides[node]]
        for call, (node, decision) in calls.items():
            if call >= len(nodes) or not _holds(graph, nodes[call], decision):
                raise _broken(joint, node, decision)


def _holds(graph: Graph, node: int, decision: Decision) -> bool:
    members = [node, *(user for user in graph.users(node) if graph.target(user) == "getitem")]
    return any(Fate(graph.fates[member]) in _OUTCOMES[decision] for member in members)


def _broken(joint: Graph, node: int, decision: Decision) -> UserError:
    wanted = "saved" if decision is Decision.SAVE else "recomputed"
    return fault(
        _STAGE,
        f"Captured with this policy, {joint.title(node)} is not {wanted}: the policy was not written.",
        node=joint.names[node],
        graph=GraphKind.JOINT,
    )


def _write(path: str, text: str) -> None:
    target = Path(path).expanduser().resolve()
    try:
        with temporary_beside(target) as temporary:
            temporary.write_text(text, encoding="utf-8")
            temporary.chmod(mode_of(target))
            temporary.replace(target)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise fault(_STAGE, f"Cannot write {path}: {reason}.") from error
