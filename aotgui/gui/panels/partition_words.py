"""How partitions are compared in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from aotgui.gui.session.partitions import PartitionEntry
from aotgui.gui.session.spotlight import Spot
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.model.text import MINUS, NONE_TEXT, count_text, number_text, seconds_text, signed_bytes_text

SAME: Final = "±0"
NO_DIFFERENCE: Final = "no difference in bytes, time or peaks"
_FLOP_UNITS: Final = ((1e12, "TFLOP"), (1e9, "GFLOP"), (1e6, "MFLOP"), (1e3, "kFLOP"))


def flops_text(flops: int) -> str:
    """``1.2 GFLOP``."""
    for factor, unit in _FLOP_UNITS:
        if flops >= factor:
            return f"{number_text(flops / factor, 3)} {unit}"
    return f"{flops} FLOP"


def signed_seconds_text(seconds: float) -> str:
    """``+1.2 ms`` or the same with a minus sign; ``±0``."""
    return f"{_sign(seconds)}{seconds_text(abs(seconds))}" if seconds else SAME


def recomputation_text(result: PartitionResult) -> str:
    """How long what runs again takes; its operations where nothing was measured."""
    if not result.recomputed:
        return NONE_TEXT
    if result.recomputed_seconds is None:
        return flops_text(result.recomputed_flops)
    return seconds_text(result.recomputed_seconds)


def _sign(number: float) -> str:
    return "+" if number > 0 else MINUS


def difference_text(base: PartitionResult, other: PartitionResult) -> str:
    """What another partition changes, in one line."""
    if _figures(base) == _figures(other):
        return NO_DIFFERENCE
    saved = other.saved_bytes - base.saved_bytes
    count = len(other.recomputed) - len(base.recomputed)
    time = _time_difference(base, other)
    recomputed = f"{_sign(count)}{count_text(abs(count), 'recomputed node')}" if count else ""
    parts = (
        f"{signed_bytes_text(saved)} saved",
        recomputed or "as many recomputed nodes",
        f"{time} to recompute" if time else "",
        f"forward peak {signed_bytes_text(other.forward_peak_bytes - base.forward_peak_bytes)}",
        f"backward peak {signed_bytes_text(other.backward_peak_bytes - base.backward_peak_bytes)}",
    )
    return ", ".join(part for part in parts if part)


def _figures(result: PartitionResult) -> tuple[object, ...]:
    peaks = (result.forward_peak_bytes, result.backward_peak_bytes)
    return result.saved_bytes, len(result.recomputed), result.recomputed_seconds, result.recomputed_flops, *peaks


def _time_difference(base: PartitionResult, other: PartitionResult) -> str:
    if base.recomputed_seconds is not None and other.recomputed_seconds is not None:
        return signed_seconds_text(other.recomputed_seconds - base.recomputed_seconds)
    flops = other.recomputed_flops - base.recomputed_flops
    return f"{_sign(flops)}{flops_text(abs(flops))}" if flops else ""


def differences(joint: Graph, fates: Sequence[int]) -> list[int]:
    """The nodes of the joint graph whose fate another partition changes."""
    if len(fates) != len(joint):
        return []
    return [node for node, (now, then) in enumerate(zip(joint.fates, fates, strict=True)) if now != then]


def difference_spot(joint: Graph, choice: PartitionChoice, fates: Sequence[int]) -> Spot:
    """What another partition changes, to be marked in every graph."""
    nodes = differences(joint, fates)
    changes = Counter((Fate(joint.fates[node]).label, Fate(fates[node]).label) for node in nodes)
    listed = ", ".join(f"{count:,} {now} → {then}" for (now, then), count in changes.most_common(4))
    title = f"{count_text(len(nodes), 'node')} that {choice} treats otherwise: {listed}"
    return Spot(title=title, graph=GraphKind.JOINT, nodes=tuple(nodes))


def entry_spot(joint: Graph | None, entry: PartitionEntry | None) -> Spot | None:
    """What can be marked of a partition: what it changes, or the nodes that it cannot do justice to; else None."""
    if joint is None or entry is None:
        return None
    if entry.result is not None:
        return difference_spot(joint, entry.choice, entry.result.fates)
    path = entry.problem.path if entry.problem is not None else ()
    nodes = tuple(joint.index_of[name] for name in path if name in joint.index_of)
    sentence = entry.problem.message if entry.problem is not None else ""
    return Spot(title=sentence, graph=GraphKind.JOINT, nodes=nodes, is_path=True) if nodes else None
