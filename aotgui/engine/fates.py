"""What became of each node of a joint graph, from where its copies are."""

from __future__ import annotations

import msgspec

from aotgui.model.graph import Fate, Graph, Op, Side


def with_fates(joint: Graph, forward: Graph, backward: Graph) -> tuple[Graph, Graph, Graph]:
    """The three graphs with the fate of each node, from where the copies of each joint node are.

    A node of a half that has no origin (made by the partitioner) belongs to that half alone.
    """
    forward = _with_lost_origins(forward, joint)
    backward = _with_lost_origins(backward, joint)
    in_forward = set(forward.origins)
    passed: set[int] = set()
    in_backward: set[int] = set()
    for origin, op in zip(backward.origins, backward.ops, strict=True):
        (passed if op == Op.PLACEHOLDER else in_backward).add(origin)
    fates = [
        _fate(Side(side), index in in_forward, index in passed, index in in_backward)
        for index, side in enumerate(joint.sides)
    ]
    return (
        msgspec.structs.replace(joint, fates=[int(fate) for fate in fates]),
        _with_fates_of(forward, fates, joint, Fate.FORWARD_ONLY, Side.FORWARD),
        _with_fates_of(backward, fates, joint, Fate.BACKWARD_ONLY, Side.BACKWARD),
    )


def _fate(side: Side, in_forward: bool, passed: bool, in_backward: bool) -> Fate:
    if passed and (in_forward or side is Side.FORWARD):
        return Fate.SAVED
    if in_forward:
        return Fate.RECOMPUTED if in_backward else Fate.FORWARD_ONLY
    if in_backward or passed:
        return Fate.BACKWARD_ONLY if side is Side.BACKWARD else Fate.MOVED
    return Fate.ELIMINATED


def _with_lost_origins(half: Graph, joint: Graph) -> Graph:
    origins = [
        origin if 0 <= origin < len(joint) else joint.index_of.get(name, -1)
        for origin, name in zip(half.origins, half.names, strict=True)
    ]
    return msgspec.structs.replace(half, origins=origins)


def _with_fates_of(half: Graph, fates: list[Fate], joint: Graph, default: Fate, side: Side) -> Graph:
    return msgspec.structs.replace(
        half,
        fates=[int(fates[origin]) if origin >= 0 else int(default) for origin in half.origins],
        sides=[joint.sides[origin] if origin >= 0 else int(side) for origin in half.origins],
    )
