"""An order of a column's slots to begin with: the spine, and on each side of it the branches that belong there.

Without the spine a column falls into branches. Those that exchange values with the other column go between the spine
and the gutter, the others (gradients of weights, residuals) to the far side, so that no edge to the gutter crosses
them. The larger a branch, the further it stands from the spine. Each branch is put in order likewise, around its own
longest path. Sweeps and switches of neighbours alone do not find this: on the way to the other side of the spine a
branch crosses more. Which side is better is a guess; ``ordering`` tries the other one for the largest branches.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from aotgui.layout.column import Column

_SLOTS_FOR_AN_EXIT = 16
"""A branch with fewer edges to the other column for its size lets them cross the spine."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Slots that hang together once the path that they hang on is taken away.

    Attributes:
        size: how many slots there are.
        is_near: whether its edges speak for the side of the gutter.
        path: one longest path inside, from top to bottom.
        inner: numbers of the branches that hang on that path.
    """

    size: int
    is_near: bool
    path: list[int]
    inner: list[int] = field(default_factory=list)


def branches_of(column: Column) -> list[Branch]:
    """The whole column with its spine, and all branches, outer ones before inner ones."""
    everything = set(range(len(column.levels)))
    found = [Branch(len(everything), True, column.spine)]
    pending = [everything]
    for number, slots in enumerate(pending):
        for branch in _parts(column, slots.difference(found[number].path)):
            exits = sum([column.exits[slot] for slot in branch])
            is_near = exits * _SLOTS_FOR_AN_EXIT >= len(branch)
            found[number].inner.append(len(found))
            found.append(Branch(len(branch), is_near, _longest_path(column, branch)))
            pending.append(branch)
    return found


def branch_order(branches: list[Branch], moved: Collection[int] = ()) -> list[int]:
    """All slots from left to right; a row holds its own in this order.

    Args:
        branches: of a column.
        moved: numbers of those that stand on the other side of their path than their edges speak for.
    """
    order: list[int] = []
    pending: list[int | list[int]] = [0]
    while pending:
        part = pending.pop()
        if isinstance(part, list):
            order += part
            continue
        sides: tuple[list[int], list[int]] = ([], [])
        for number in branches[part].inner:
            sides[branches[number].is_near != (number in moved)].append(number)
        far = sorted(sides[False], key=lambda number: -branches[number].size)
        near = sorted(sides[True], key=lambda number: branches[number].size)
        pending += reversed([*far, branches[part].path, *near])
    return order


def _parts(column: Column, slots: set[int]) -> list[set[int]]:
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
