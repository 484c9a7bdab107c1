"""To which module each node belongs, also those that torch attributes to none or to the wrong one."""

from __future__ import annotations

from pathlib import Path

from aotgui.layout.rows import Stacking, credible_bands
from aotgui.layout.sheet import LEFT, RIGHT
from aotgui.model.graph import Fate, Graph, GraphKind, Op, Side

DOT = "\u2024"
"""Stands for a dot in the path of a source line."""

RECOMPUTED = "recomputed/"
"""In a backward graph the path of a module whose nodes are recomputed starts with this."""


def modules_of(graph: Graph, stacking: Stacking) -> tuple[list[str], set[int]]:
    """Module path of each node, and the nodes whose path is a guess.

    A node that took its ``seq_nr`` from another operator (see ``rows``) has that one's module too: it counts as one
    without. So do the inputs of a backward graph, which belong where they are used. What a backward graph
    recomputes is apart from the gradients of the same module.
    """
    backward = graph.kind is GraphKind.BACKWARD
    credible = credible_bands(_gradients(graph))
    homes = line_paths(graph) if has_no_modules(graph) else [graph.module(node) for node in range(len(graph))]
    modules = [
        home if band == seq_nr and not (backward and op == Op.PLACEHOLDER) else ""
        for home, band, seq_nr, op in zip(homes, credible, graph.seq_nrs, graph.ops, strict=True)
    ]
    if backward and RIGHT in stacking.sides:
        modules = [
            RECOMPUTED + module if module and side == LEFT else module
            for module, side in zip(modules, stacking.sides, strict=True)
        ]
    guesses = _guesses(graph, stacking, modules)
    for node, guess in guesses.items():
        if may_join(graph, stacking, node, guess):
            modules[node] = guess
    return modules, set(guesses)


def has_no_modules(graph: Graph) -> bool:
    """Whether nothing in a graph is attributed to a module: a function was captured, not a model."""
    return not graph.module_types and all(module < 0 or not graph.strings[module] for module in graph.modules)


def line_paths(graph: Graph) -> list[str]:
    """For each node the user's source lines that lead to it, outermost first, as a module path; empty without any.

    A dot stands between two lines, so that those in a file's name have to look like dots without being any.
    """
    frames = [f"{Path(frame.file).name.replace('.', DOT)}:{frame.line}" for frame in graph.frame_table]
    paths = [
        ".".join([frames[frame] for frame in stack if graph.frame_table[frame].is_user]) for stack in graph.stack_table
    ]
    return [paths[stack] if stack >= 0 else "" for stack in graph.stacks]


def may_join(graph: Graph, stacking: Stacking, node: int, module: str) -> bool:
    """Whether a node can be part of a module: in a backward graph each stays in one column."""
    if graph.kind is not GraphKind.BACKWARD or RIGHT not in stacking.sides:
        return True
    return module.startswith(RECOMPUTED) == (stacking.sides[node] == LEFT)


def _gradients(graph: Graph) -> Stacking:
    """The gradients alone, so stacked that sequence numbers should grow downwards.

    What a backward graph is given or computes again has the sequence number of a forward operator, which says nothing
    about the gradients that it is used for.
    """
    backward = [
        side == Side.BACKWARD
        if graph.kind is GraphKind.JOINT
        else graph.kind is GraphKind.BACKWARD and op != Op.PLACEHOLDER and fate not in (Fate.RECOMPUTED, Fate.MOVED)
        for side, fate, op in zip(graph.sides, graph.fates, graph.ops, strict=True)
    ]
    edges = zip(graph.edge_sources, graph.edge_targets, strict=True)
    inner = [(source, target) for source, target in edges if backward[source] and backward[target]]
    return Stacking(graph.sides, graph.seq_nrs, [target for _, target in inner], [source for source, _ in inner])


def _guesses(graph: Graph, stacking: Stacking, modules: list[str]) -> dict[int, str]:
    """For each node without a module the innermost one that encloses all its neighbours, or empty."""
    joined: dict[int, list[int]] = {node: [] for node, module in enumerate(modules) if not module}
    for one, other in zip(stacking.uppers, stacking.lowers, strict=True):
        for node, neighbour in ((one, other), (other, one)):
            if not modules[node]:
                joined[node].append(neighbour)
    guesses = dict.fromkeys(joined, "")
    for node in [*joined, *reversed(joined)]:
        near = [modules[other] or guesses[other] for other in joined[node]]
        if graph.ops[node] in (Op.PLACEHOLDER, Op.GET_ATTR):
            near = [module for module in near if module]
        guesses[node] = _common(near) if near else ""
    return guesses


def _common(paths: list[str]) -> str:
    """The longest path that encloses all."""
    parts = [path.split(".") for path in dict.fromkeys(paths)]
    same = []
    for steps in zip(*parts, strict=False):
        if len(set(steps)) > 1:
            break
        same.append(steps[0])
    return ".".join(same)
