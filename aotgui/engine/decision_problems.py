"""What became of the decisions for single nodes that a run was given, where they did not come true.

A decision is a wish: a node that is gone, or one that torch treats in its own way, never ends a run. It is said.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from aotgui.engine.decisions import ignored
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Problem, Severity, Stage
from aotgui.model.decision import Decision, decisions_in, decisions_text, key_parts
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import count_text


def decision_problems(regions: Sequence[RegionTrace], decisions: Mapping[str, Decision]) -> list[Problem]:
    """One warning for each decision that did not come true, or for all of a region where none could.

    Args:
        regions: of the run, in their order.
        decisions: as in its settings.
    """
    return list(_problems(regions, decisions)) if decisions else []


def _problems(regions: Sequence[RegionTrace], decisions: Mapping[str, Decision]) -> Iterator[Problem]:
    for number in sorted({key_parts(key)[0] for key in decisions}):
        chosen = decisions_in(decisions, number)
        if number < len(regions):
            yield from _in_region(regions[number], chosen)
        else:
            count = count_text(len(regions), "region")
            yield _warning(f"{_no_effect(chosen)}: there is no region {number}, the run captured {count}.")


def _in_region(region: RegionTrace, chosen: Mapping[str, Decision]) -> Iterator[Problem]:
    joint, parts = region.graphs.get(GraphKind.JOINT), region.partition
    if joint is None or parts is None:
        why = f"{region.name} has no backward, so nothing in it is saved or recomputed."
        yield _warning(f"{_no_effect(chosen)}: {why}")
    elif parts.refusal is not None:
        message = f"The graph cannot be partitioned as decided ({decisions_text(chosen)}), so it was partitioned "
        message += f"without {'decisions' if len(chosen) > 1 else 'the decision'}. {parts.refusal.message}"
        yield msgspec.structs.replace(parts.refusal, severity=Severity.WARNING, message=message)
    else:
        for name, sentence in ignored(joint, chosen).items():
            yield _of_node(joint, name, chosen[name], sentence)


def _of_node(joint: Graph, name: str, decision: Decision, sentence: str) -> Problem:
    node = joint.index_of.get(name)
    if node is None:
        close = difflib.get_close_matches(name, joint.names, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return _warning(f"{_no_effect({name: decision})}. {sentence}{hint}")
    frame = joint.source(node)
    return msgspec.structs.replace(
        _warning(f"{_no_effect({name: decision})}. {sentence}"),
        node=name,
        graph=GraphKind.JOINT,
        file=frame.file if frame else "",
        line=frame.line if frame else 0,
    )


def _no_effect(chosen: Mapping[str, Decision]) -> str:
    """``The decision to save mm has no effect``."""
    words = decisions_text(chosen).replace("; ", " and to ")
    return f"The decision to {words} has no effect" if len(chosen) == 1 else f"The decisions to {words} have no effect"


def _warning(message: str) -> Problem:
    return Problem(severity=Severity.WARNING, stage=Stage.PARTITION, message=message)
