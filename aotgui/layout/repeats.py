"""Modules that repeat: blocks of one kind in a row, shown as one until somebody looks inside.

A run of blocks (``layers.0`` to ``layers.31``) becomes a path of its own between the blocks and the module around them,
so that everything else handles it like a module.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from aotgui.layout.modules import RECOMPUTED
from aotgui.model.graph import Graph, Op

if TYPE_CHECKING:
    from aotgui.layout.nesting import Nesting

LEAST_BLOCKS: Final = 3
"""Fewer are shown one by one."""

RUN_MARK: Final = "\u2026"
"""Between the path of a run's first block and the number of its last one; no module path holds it."""

Signature: TypeAlias = frozenset[tuple[tuple[int, int], int]]
"""How often each operator has each fate: equal for equal blocks."""


def runs_of(nesting: Nesting, types: Mapping[str, str]) -> list[list[int]]:
    """Numbers of the paths of each run of blocks, in their order; ``types`` are classes by module path."""
    inner: dict[int, set[str]] = {}
    siblings: dict[tuple[int, str], list[int]] = {}
    for number, (path, parent) in enumerate(zip(nesting.paths, nesting.parents, strict=True)):
        stem, _, step = path.rpartition(".")
        inner.setdefault(parent, set()).add(step)
        if step.isdecimal() and stem:
            siblings.setdefault((parent, stem), []).append(number)

    def kind(number: int) -> str | frozenset[str]:
        return kind_of(nesting.paths[number], types) or frozenset(inner.get(number, ()))

    runs = []
    for numbers in siblings.values():
        numbers.sort(key=lambda number: int(nesting.paths[number].rpartition(".")[2]))
        runs += [run for _, same in groupby(numbers, key=kind) if len(run := list(same)) >= LEAST_BLOCKS]
    return runs


def kind_of(path: str, types: Mapping[str, str]) -> str:
    """Class of a module, or empty where it is not known."""
    return types.get(path.removeprefix(RECOMPUTED), "")


def with_runs(nesting: Nesting, runs: Sequence[Sequence[int]]) -> Nesting:
    """The same nesting with each run as a path around its blocks."""
    paths, parents = list(nesting.paths), list(nesting.parents)
    blocks = dict.fromkeys(range(len(paths)), 0)
    for run in runs:
        first, last = nesting.paths[run[0]], nesting.paths[run[-1]].rpartition(".")[2]
        blocks[len(paths)] = len(run)
        for number in run:
            parents[number] = len(paths)
        paths.append(f"{first}{RUN_MARK}{last}")
        parents.append(nesting.parents[run[0]])
    return _outer_first(replace(nesting, paths=paths, parents=parents, blocks=list(blocks.values())))


def _outer_first(nesting: Nesting) -> Nesting:
    """Numbers paths anew, so that outer ones come before inner ones."""
    depths = [len(chain) for chain in _chains(nesting.parents)]
    order = sorted(range(len(depths)), key=depths.__getitem__)
    places = np.empty(len(order) + 1, np.int64)
    places[order] = np.arange(len(order))
    places[-1] = -1
    return replace(
        nesting,
        paths=[nesting.paths[number] for number in order],
        parents=[int(places[nesting.parents[number]]) for number in order],
        node_paths=places[nesting.node_paths],
        blocks=[nesting.blocks[number] for number in order],
    )


def _chains(parents: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """As ``levels.chains``, for parents in any order."""
    for number in range(len(parents)):
        chain = [number]
        while parents[chain[-1]] >= 0:
            chain.append(parents[chain[-1]])
        yield tuple(chain)


def signature(graph: Graph, nodes: Sequence[int]) -> Signature:
    """What a block is made of. Inputs do not count: each has a target of its own."""
    operators = (node for node in nodes if graph.ops[node] not in (Op.PLACEHOLDER, Op.GET_ATTR))
    return frozenset(Counter((graph.targets[node], graph.fates[node]) for node in operators).items())


def odd_ones(graph: Graph, blocks: Sequence[Sequence[int]]) -> list[bool]:
    """For each block of a run whether it is made of other nodes than most; blocks are lists of nodes."""
    signatures = [signature(graph, nodes) for nodes in blocks]
    usual, count = Counter(signatures).most_common(1)[0]
    return [one != usual and count > 1 for one in signatures]
