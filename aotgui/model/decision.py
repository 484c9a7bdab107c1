"""What a person decides for single nodes, and how decisions of several regions stand in one table.

The settings of a run hold one table for all of its regions, so a decision is named after its node and, where that
is not in the first region, the region's number: ``mm``, ``1:mm``.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

DECISIONS_TITLE: Final = "Decisions"
"""The words beside the decisions of a run."""


class Decision(StrEnum):
    """What a person wants for one node; carried out through the tags that checkpoint policies use.

    Attributes:
        SAVE: as ``CheckpointPolicy.MUST_SAVE``.
        RECOMPUTE: as ``CheckpointPolicy.MUST_RECOMPUTE``.
    """

    SAVE = "save"
    RECOMPUTE = "recompute"


def region_number(name: str) -> int:
    """Which region a name means: 1 for ``region 1``, and for the same region of a later call, ``call 2, region 1``."""
    number = name.rpartition(" ")[2]
    return int(number) if number.isdecimal() else 0


def decision_key(region: int, node: str) -> str:
    """What a decision is called in the table of all regions."""
    return f"{region}:{node}" if region else node


def key_parts(key: str) -> tuple[int, str]:
    """Region and node of what ``decision_key`` made, and of ``0:mm``."""
    region, colon, node = key.partition(":")
    return (int(region), node) if colon and region.isdecimal() else (0, key)


def decisions_in(decisions: Mapping[str, Decision], region: int) -> dict[str, Decision]:
    """The decisions for one region, by name of the node."""
    parts = ((key_parts(key), decision) for key, decision in decisions.items())
    return {node: decision for (number, node), decision in parts if number == region}


def with_decisions_in(
    decisions: Mapping[str, Decision], region: int, chosen: Mapping[str, Decision]
) -> dict[str, Decision]:
    """The table with other decisions for one region."""
    kept = {key: decision for key, decision in decisions.items() if key_parts(key)[0] != region}
    return {**kept, **{decision_key(region, node): decision for node, decision in chosen.items()}}


def decisions_text(decisions: Mapping[str, Decision]) -> str:
    """``save addmm, tanh; recompute mm``; empty without decisions."""
    named = ((word, [key for key, decision in decisions.items() if decision is word]) for word in Decision)
    return "; ".join(f"{word} {', '.join(keys)}" for word, keys in named if keys)
