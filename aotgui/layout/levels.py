"""Nesting, one level at a time.

At each level of nested modules there are units: the modules directly inside, and the items that are in none of
them. An edge belongs to the level at which its ends are in different units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

OUTSIDE = -1
"""The level that encloses everything."""

Chain = tuple[int, ...]
"""The modules around something, outermost first."""

Unit = int
"""An item's index, or ``-1 - module`` for a module."""

UnitEdges = dict[int, list[tuple[Unit, Unit]]]


def chains(parents: Sequence[int]) -> list[Chain]:
    """For each module the modules around it and itself, outermost first; parents come before children."""
    found: list[Chain] = []
    for module, parent in enumerate(parents):
        found.append((*(found[parent] if parent >= 0 else ()), module))
    return found


def level_edges(item_chains: Sequence[Chain], edges: Iterable[tuple[int, int]]) -> UnitEdges:
    """For each level the edges between its units.

    Args:
        item_chains: for each item the modules around it, outermost first.
        edges: pairs of items.
    """
    levels: UnitEdges = {}
    for one, other in edges:
        first, second = item_chains[one], item_chains[other]
        depth, least = 0, min(len(first), len(second))
        while depth < least and first[depth] == second[depth]:
            depth += 1
        level = first[depth - 1] if depth else OUTSIDE
        pair = (_unit(first, depth, one), _unit(second, depth, other))
        levels.setdefault(level, []).append(pair)
    return levels


def _unit(chain: Chain, depth: int, item: int) -> Unit:
    return -1 - chain[depth] if depth < len(chain) else item


def cycles(edges: Iterable[tuple[Unit, Unit]]) -> list[list[Unit]]:
    """Sets of units that reach each other (strongly connected components of more than one unit), after Kosaraju.

    Most levels have none, which taking units without uppers away one by one tells sooner.
    """
    forwards = _not_peeled(dict.fromkeys(edges))
    backwards: dict[Unit, list[Unit]] = {}
    for one, others in forwards.items():
        for other in others:
            backwards.setdefault(other, []).append(one)
    seen: set[Unit] = set()
    finished = [unit for start in forwards for unit in depth_first(start, lambda unit: forwards.get(unit, ()), seen)]
    seen.clear()
    components = [depth_first(start, lambda unit: backwards.get(unit, ()), seen) for start in reversed(finished)]
    return [sorted(component) for component in components if len(component) > 1]


def _not_peeled(edges: Iterable[tuple[Unit, Unit]]) -> dict[Unit, list[Unit]]:
    """What follows each unit that is on a cycle, or behind one and has something behind it."""
    onward: dict[Unit, list[Unit]] = {}
    waiting: dict[Unit, int] = {}
    for one, other in edges:
        onward.setdefault(one, []).append(other)
        waiting[other] = waiting.get(other, 0) + 1
    ready = [unit for unit in onward if unit not in waiting]
    for unit in ready:
        for other in onward.pop(unit, ()):
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    return onward


def depth_first(start: Unit, onward: Callable[[Unit], Iterable[Unit]], seen: set[Unit]) -> list[Unit]:
    """Units reached from ``start`` that were not seen before, in the order in which they are left.

    Args:
        start: where to begin.
        onward: what follows a unit, in the order in which to go there.
        seen: units that are not entered; those reached join them.
    """
    if start in seen:
        return []
    seen.add(start)
    left: list[Unit] = []
    stack = [(start, iter(onward(start)))]
    while stack:
        unit, others = stack[-1]
        for other in others:
            if other not in seen:
                seen.add(other)
                stack.append((other, iter(onward(other))))
                break
        else:
            left.append(unit)
            stack.pop()
    return left
