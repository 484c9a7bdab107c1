"""An order of a column's slots to begin with: the spine, and on each side of it the branches that belong there.

Without the spine a column falls into branches. Those that exchange values with the other column go between the spine
and the gutter, the others (gradients of weights, residuals) to the far side, so that no edge to the gutter crosses
them. The larger a branch, the further it stands from the spine. Each branch is put in order likewise, around its own
longest path. Sweeps and switches of neighbours alone do not find this: on the way to the other side of the spine a
branch crosses more. Which side is better is a guess; ``ordering`` tries the other one for the largest branches.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from aotgui.layout.column import Column

_SLOTS_FOR_AN_EXIT = 16
"""A branch with fewer edges to the other column for its size lets them cross the spine."""


def branch_order(column: Column, moved: AbstractSet[int] = frozenset()) -> tuple[list[int], list[int]]:
    """All slots from left to right, and the first slot of each branch, that of the largest first.

    Args:
        column: whose slots.
        moved: first slots of the branches that stand on the other side of their path than their edges speak for.
    """
    order: list[int] = []
    found: list[tuple[int, int]] = []
    pending: list[tuple[set[int] | None, list[int]]] = [(set(range(len(column.levels))), column.spine)]
    while pending:
        slots, path = pending.pop()
        if slots is None:
            order += path
            continue
        branches = _branches(column, slots.difference(path))
        found += [(-len(branch), min(branch)) for branch in branches]
        far, near = _sides(column, branches, moved)
        parts = [*((part, _longest_path(column, part)) for part in far), (None, path)]
        parts += [(part, _longest_path(column, part)) for part in near]
        pending += reversed(parts)
    return order, [first for _, first in sorted(found)]


def _sides(column: Column, branches: list[set[int]], moved: AbstractSet[int]) -> tuple[list[set[int]], list[set[int]]]:
    """The branches that belong to the far side and to that of the gutter, each from left to right."""
    far: list[set[int]] = []
    near: list[set[int]] = []
    for branch in branches:
        exits = sum([column.exits[slot] for slot in branch])
        is_near = exits * _SLOTS_FOR_AN_EXIT >= len(branch)
        (near if is_near != (min(branch) in moved) else far).append(branch)
    return sorted(far, key=len, reverse=True), sorted(near, key=len)


def _branches(column: Column, slots: set[int]) -> list[set[int]]:
    """Slots that edges connect; a source that several branches share is part of its first user's only."""
    shared = sorted(slot for slot in slots if not column.uppers[slot] and len(column.lowers[slot]) > 1)
    homes = dict.fromkeys(slots.difference(shared), -1)
    branches: list[set[int]] = []
    for start in sorted(homes):
        if homes[start] < 0:
            branches.append(_connected(column, start, len(branches), homes))
    for slot in shared:
        home = next((homes[lower] for lower in column.lowers[slot] if lower in homes), len(branches))
        if home == len(branches):
            branches.append(set())
        branches[home].add(slot)
    return branches


def _connected(column: Column, start: int, number: int, homes: dict[int, int]) -> set[int]:
    """Slots without a home that are connected with one; they get the given number."""
    homes[start] = number
    branch = [start]
    for slot in branch:
        for other in (*column.uppers[slot], *column.lowers[slot]):
            if homes.get(other, 0) < 0:
                homes[other] = number
                branch.append(other)
    return set(branch)


def _longest_path(column: Column, branch: set[int]) -> list[int]:
    """Slots of one longest path inside a branch, from top to bottom."""
    lengths: dict[int, int] = {}
    onward: dict[int, int] = {}
    for slot in sorted(branch, key=lambda slot: (-column.levels[slot], slot)):
        lowers = [lower for lower in column.lowers[slot] if lower in branch]
        if lowers:
            onward[slot] = max(lowers, key=lambda lower: (lengths[lower], -lower))
        lengths[slot] = 1 + (lengths[onward[slot]] if lowers else 0)
    path = [max(branch, key=lambda slot: (lengths[slot], -slot))]
    while path[-1] in onward:
        path.append(onward[path[-1]])
    return path
