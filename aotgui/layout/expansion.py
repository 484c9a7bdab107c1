"""Which groups to open or close next; ``None`` stands for a flat graph without groups."""

from __future__ import annotations

from typing import Final

from aotgui.layout.groups import default_expansion
from aotgui.layout.levels import chains
from aotgui.layout.nesting import Nesting
from aotgui.model.graph import Graph

Expanded = frozenset[str] | None
"""Paths of expanded groups; one inside a collapsed group counts for nothing. None for no groups at all."""

FLAT_NODES: Final = 250
"""A graph of at most so many nodes opens with every module open."""


def opening(graph: Graph, nesting: Nesting) -> Expanded:
    """How a graph opens: flat without modules, all open where it is small, else to a readable depth.

    Source lines, which stand in for modules where there are none, are no help in a small graph.
    """
    if not nesting.paths or (nesting.by_line and len(graph) <= FLAT_NODES):
        return None
    return everything(nesting) if len(graph) <= FLAT_NODES else default_expansion(graph, nesting=nesting)


def everything(nesting: Nesting) -> frozenset[str]:
    """All groups open."""
    return frozenset(nesting.paths)


def toggled(expanded: Expanded, path: str) -> frozenset[str]:
    """One group opened or closed; what is open inside it stays so."""
    return (expanded or frozenset()) ^ {path}


def deeper(nesting: Nesting, expanded: Expanded) -> frozenset[str]:
    """Every collapsed group that is seen opened."""
    if expanded is None:
        return everything(nesting)
    seen = _seen(nesting, expanded)
    return expanded | {nesting.paths[path] for path, is_seen in enumerate(seen) if is_seen}


def shallower(nesting: Nesting, expanded: Expanded) -> frozenset[str]:
    """The innermost level of open groups closed."""
    expanded = everything(nesting) if expanded is None else expanded
    seen = _seen(nesting, expanded)
    depths = [len(chain) for chain in chains(nesting.parents)]
    is_open = [is_seen and nesting.paths[path] in expanded for path, is_seen in enumerate(seen)]
    deepest = max((depths[path] for path, opened in enumerate(is_open) if opened), default=0)
    # What is open inside of collapsed groups would come back with them.
    return frozenset(nesting.paths[path] for path, opened in enumerate(is_open) if opened and depths[path] < deepest)


def within(nesting: Nesting, expanded: Expanded, path: str) -> frozenset[str]:
    """A group opened with everything in it."""
    number = nesting.paths.index(path)
    inner = {nesting.paths[other] for other, chain in enumerate(chains(nesting.parents)) if number in chain}
    return (expanded or frozenset()) | inner


def showing(nesting: Nesting, expanded: Expanded, nodes: list[int]) -> Expanded:
    """What hides some nodes opened."""
    if expanded is None:
        return None
    around = chains(nesting.parents)
    paths = {int(nesting.node_paths[node]) for node in nodes}
    return expanded | {nesting.paths[outer] for path in paths if path >= 0 for outer in around[path]}


def _seen(nesting: Nesting, expanded: frozenset[str]) -> list[bool]:
    """For each path whether everything around it is open."""
    seen: list[bool] = []
    for parent in nesting.parents:
        seen.append(parent < 0 or (seen[parent] and nesting.paths[parent] in expanded))
    return seen
