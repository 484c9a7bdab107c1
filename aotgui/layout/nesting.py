"""Which modules are groups: units of the flow that can be drawn in rows of their own.

A module is none if work outside of it stands between two of its nodes (an activation that is called twice) or if it
holds a single node a side: its nodes then belong to the module around it. Nodes whose module is only guessed move into
the module that they would break. Modules around others are groups even where they compute nothing themselves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.levels import Chain, Unit, chains, cycles, level_edges
from aotgui.layout.modules import RECOMPUTED, has_no_modules, may_join, modules_of
from aotgui.layout.options import Cancelled, LayoutOptions, check
from aotgui.layout.repeats import RUN_MARK, runs_of, with_runs
from aotgui.layout.rows import Stacking
from aotgui.layout.sheet import LEFT, RIGHT, flat_sheet, grouped_sides
from aotgui.layout.sources import with_sources
from aotgui.model.graph import Graph

_LEAST = 2
_TRIES = 4
"""To make runs of repeated blocks; after that they stay apart."""
_MANY = 48
"""Of so many modules that stand in each other's way only the largest stays: to look at each would take time squared."""
_SIZES = LayoutOptions()


@dataclass(frozen=True, slots=True, eq=False)
class Nesting:
    """Which modules are groups.

    Attributes:
        paths: module paths, outer ones before inner ones.
        parents: for each path the enclosing one, or -1.
        node_paths: int64 (nodes,): innermost path of each node, or -1.
        sides: int64 (nodes,): column of each node.
        blocks: for each path how many repeated blocks it stands for, 0 for a module.
        by_line: there are no modules, and the paths are those of source lines.
    """

    paths: list[str]
    parents: list[int]
    node_paths: NDArray[np.int64]
    sides: NDArray[np.int64]
    blocks: list[int] = field(default_factory=list)
    by_line: bool = False


def nest(graph: Graph, cancelled: Cancelled | None = None) -> Nesting:
    """The groups of a graph. Two thirds of the time of a folded layout of a large graph: worth keeping.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    flow = _Flow.of(graph)
    modules, guessed = modules_of(graph, flow.stacking)
    known = {module for node, module in enumerate(modules) if node not in guessed}
    plain = {*graph.module_types, *(path.removeprefix(RECOMPUTED) for path in known)}
    known |= {prefix + path for path in {*plain, *_forks(plain)} for prefix in ("", RECOMPUTED)}
    while True:
        check(cancelled)
        nesting = _tree(modules, known, flow.sides)
        chains_of_nodes = flow.chains(nesting)
        inside = _counts(nesting)
        dropped = {path for path, count in zip(nesting.paths, inside, strict=True) if count < _LEAST}
        faults = flow.faults(chains_of_nodes)
        if not faults and not dropped:
            settled = flow.settled(nesting, guessed)
            done = _with_runs(flow, settled, guessed) or _with_runs(flow, nesting, guessed) or nesting
            return replace(done, by_line=has_no_modules(graph))
        for cycle in faults:
            inner = [-1 - unit for unit in cycle if unit < 0]
            strays = [unit for unit in cycle if unit >= 0]
            home = nesting.paths[inner[0]]
            if len(inner) == 1 and all(node in guessed and flow.may_join(node, home) for node in strays):
                for node in strays:
                    modules[node] = home
            else:
                broken = flow.broken(inner, cycle, chains_of_nodes) if len(inner) <= _MANY else []
                rest = [path for path in inner if path != max(inner, key=inside.__getitem__)]
                dropped |= {nesting.paths[path] for path in broken or rest}
        known -= dropped
        modules = [_innermost(module, known) for module in modules]


def _forks(paths: set[str]) -> set[str]:
    """Paths around several of others, but not around all, that are no mere lists of numbered ones."""
    steps: dict[str, set[str]] = {}
    for path in paths:
        outer, _, step = path.rpartition(".")
        while outer and step not in (seen := steps.setdefault(outer, set())):
            seen.add(step)
            outer, _, step = outer.rpartition(".")
    forks = {path for path, inner in steps.items() if len(inner) > 1 and not all(step.isdecimal() for step in inner)}
    return {path for path in forks if not all(f"{other}.".startswith(f"{path}.") for other in paths)}


def _with_runs(flow: _Flow, nesting: Nesting, guessed: set[int]) -> Nesting | None:
    """Repeated blocks as one path each, where nothing outside of them stands between two of them.

    Nodes whose module is a guess and that do (gradients that are summed up between two blocks) join the blocks: only
    where that makes a run of them, for without it they might stand between the blocks that they joined.

    Returns:
        None where groups stand above each other whatever is done.
    """
    runs = runs_of(nesting, flow.graph.module_types)
    joined = nesting
    for _ in range(_TRIES):
        folded = with_runs(joined, runs)
        faults = flow.faults(flow.chains(folded))
        if not faults:
            return folded
        broken: set[str] = set()
        for cycle in faults:
            inner = [-1 - unit for unit in cycle if unit < 0]
            strays = [unit for unit in cycle if unit >= 0]
            homes = [path for path in inner if folded.blocks[path]]
            if len(inner) == len(homes) == 1 and all(node in guessed for node in strays):
                joined = flow.joined(joined, folded, homes[0], strays)
            else:
                broken |= {folded.paths[path].partition(RUN_MARK)[0] for path in homes}
        if broken:
            runs = [run for run in runs if nesting.paths[run[0]] not in broken]
            joined = nesting
    return None if flow.faults(flow.chains(nesting)) else nesting


@dataclass(frozen=True, slots=True, eq=False)
class _Flow:
    """A graph and what stands above what in it."""

    graph: Graph
    stacking: Stacking
    edges: list[tuple[int, int]]
    sides: NDArray[np.int64]

    @classmethod
    def of(cls, graph: Graph) -> _Flow:
        flat = replace(flat_sheet(graph, _SIZES), sides=grouped_sides(graph))
        stacking = flat.stacking()
        edges = list(zip(stacking.uppers, stacking.lowers, strict=True))
        return cls(graph, stacking, edges, np.asarray(flat.sides, np.int64))

    def may_join(self, node: int, module: str) -> bool:
        """Whether a node can be part of a module."""
        return may_join(self.graph, self.stacking, node, module)

    def chains(self, nesting: Nesting) -> list[Chain]:
        """For each node the paths around it."""
        around = [*chains(nesting.parents), ()]
        return [around[path] for path in nesting.node_paths.tolist()]

    def joined(self, nesting: Nesting, folded: Nesting, run: int, nodes: list[int]) -> Nesting:
        """The nesting with some nodes put into the block of a run that the first of their neighbours in any is in.

        Neighbours that only join a block themselves count where there are no others: of a chain of sums that runs
        through all blocks each sum belongs to its own.
        """
        around = [*chains(folded.parents), ()]
        numbers = {path: number for number, path in enumerate(nesting.paths)}
        node_paths = nesting.node_paths.copy()
        blocks = [path for path, parent in enumerate(folded.parents) if parent == run]
        homes: dict[int, int] = {}
        for node in nodes:
            others = (*self.graph.inputs(node), *self.graph.users(node))
            near = [next((path for path in around[folded.node_paths[other]] if path in blocks), -1) for other in others]
            near += [homes[other] for other in others if other in homes]
            homes[node] = next((path for path in near if path >= 0), blocks[0])
            node_paths[node] = numbers[folded.paths[homes[node]]]
        return replace(nesting, node_paths=node_paths)

    def settled(self, nesting: Nesting, guessed: set[int]) -> Nesting:
        """The nesting with sources in the groups that alone use them.

        Of what is recomputed only uses there count: all of it stands above the gradients.
        """
        sides = self.sides.tolist()
        edges = [(one, other) for one, other in self.edges if (sides[one], sides[other]) != (LEFT, RIGHT)]
        around = [*chains(nesting.parents), ()]
        paths = with_sources(
            nesting.node_paths.tolist(),
            around,
            edges,
            guessed,
            lambda node, path: self.may_join(node, nesting.paths[path]),
        )
        return replace(nesting, node_paths=np.asarray(paths, np.int64))

    def faults(self, node_chains: list[Chain]) -> list[list[Unit]]:
        """Units of a level that stand above each other."""
        levels = level_edges(node_chains, self.edges)
        return [cycle for edges in levels.values() for cycle in cycles(edges)]

    def broken(self, paths: list[int], cycle: list[Unit], node_chains: list[Chain]) -> list[int]:
        """Those paths of a cycle that have something outside of them between two of their nodes."""
        units = set(cycle)
        homes: dict[int, int] = {}
        for node, chain in enumerate(node_chains):
            home = next((path for path in chain if -1 - path in units), -1)
            if home >= 0 or node in units:
                homes[node] = home
        near = [(one, other) for one, other in self.edges if one in homes and other in homes]
        return [path for path in paths if _is_left_and_entered(path, homes, near)]


def _is_left_and_entered(path: int, homes: dict[int, int], edges: list[tuple[int, int]]) -> bool:
    merged = [(-1 if homes[one] == path else one, -1 if homes[other] == path else other) for one, other in edges]
    return any(-1 in cycle for cycle in cycles(merged))


def _innermost(path: str, known: set[str]) -> str:
    """The path itself or the nearest one around it that is known; empty for none."""
    while path and path not in known:
        path = path.rpartition(".")[0]
    return path


def _tree(modules: list[str], known: set[str], sides: NDArray[np.int64]) -> Nesting:
    """Nesting by the known paths that have something inside."""
    wanted: dict[str, None] = {}
    for module in dict.fromkeys(modules):
        path = _innermost(module, known)
        while path and path not in wanted:
            wanted[path] = None
            path = _innermost(path.rpartition(".")[0], known)
    paths = sorted(wanted, key=lambda path: path.count("."))
    numbers = {path: number for number, path in enumerate(paths)}
    parents = [numbers.get(_innermost(path.rpartition(".")[0], known), -1) for path in paths]
    of_modules = {module: numbers.get(_innermost(module, known), -1) for module in set(modules)}
    return Nesting(paths, parents, np.asarray([of_modules[module] for module in modules], np.int64), sides)


def _counts(nesting: Nesting) -> list[int]:
    """Nodes inside each path, on the side that has more of them."""
    counts = np.zeros((len(nesting.paths) + 1, 2), np.int64)
    np.add.at(counts, (nesting.node_paths, nesting.sides), 1)
    for path in range(len(nesting.paths) - 1, -1, -1):
        if nesting.parents[path] >= 0:
            counts[nesting.parents[path]] += counts[path]
    return [int(count) for count in counts[:-1].max(axis=1)]
