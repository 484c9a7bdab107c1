"""Sources, and what needs nothing but them, move into the group that holds all that uses them.

Their users may have found their own group only while a nesting was sorted out (see ``nesting``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from aotgui.layout.levels import Chain

_Near = dict[int, list[int]]


def with_sources(
    paths: Sequence[int],
    around: Sequence[Chain],
    edges: Iterable[tuple[int, int]],
    guessed: set[int],
    may_join: Callable[[int, int], bool],
) -> list[int]:
    """For each node the innermost group around it, with the sources moved inwards.

    No group stands above another one because of that: what is above a node that moves stands outside of all groups
    that it moves into.

    Args:
        paths: for each node the innermost group around it, or -1.
        around: for each group those around it and itself, and at the end those around nothing: none.
        edges: pairs of nodes, the upper one first.
        guessed: nodes that may move.
        may_join: whether a node can be part of a group.
    """
    settled = list(paths)
    uppers, lowers = _neighbours(edges, guessed)
    for node in reversed(_sources(uppers, lowers, guessed)):
        home, former = _common([around[settled[lower]] for lower in lowers.get(node, ())]), around[settled[node]]
        is_inner = home[: len(former)] == former != home and may_join(node, home[-1])
        above = (around[settled[upper]] for upper in uppers.get(node, ()))
        if is_inner and all(home[: len(chain)] == chain for chain in above):
            settled[node] = home[-1]
    return settled


def _neighbours(edges: Iterable[tuple[int, int]], nodes: set[int]) -> tuple[_Near, _Near]:
    """For each of some nodes those that stand above it, and those below it."""
    uppers: _Near = {}
    lowers: _Near = {}
    for upper, lower in edges:
        if lower in nodes:
            uppers.setdefault(lower, []).append(upper)
        if upper in nodes:
            lowers.setdefault(upper, []).append(lower)
    return uppers, lowers


def _sources(uppers: _Near, lowers: _Near, guessed: set[int]) -> list[int]:
    """Those of some nodes that stand below none of another kind, uppers before lowers."""
    waiting = {node: len(above) for node, above in uppers.items()}
    free = [node for node in sorted(guessed) if node not in waiting]
    for node in free:
        for lower in lowers.get(node, ()):
            if lower in guessed:
                waiting[lower] -= 1
                if not waiting[lower]:
                    free.append(lower)
    return free


def _common(chains: list[Chain]) -> Chain:
    """The groups that enclose all of some nodes, outermost first, given those around each."""
    same: list[int] = []
    for paths in zip(*chains, strict=False):
        if len(set(paths)) > 1:
            break
        same.append(paths[0])
    return tuple(same)
