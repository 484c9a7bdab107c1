"""Which node of one graph is which node of another: the same computation, traced twice.

Names cannot tell, because torch numbers them anew in each trace. As tools that compare syntax trees do (Falleri et
al., "Fine-grained and accurate source code differencing", 2014), identical parts are matched first, by hashes over all
that a node depends on and all that depends on it. From there matches spread to neighbours, and what is left is
matched by what a node is and where it comes from: operator, module, the text of the user's line.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

from aotgui.model.graph import Graph, Op

_NODE: Final = re.compile(r"%\w+")
_COMPARED_LIMIT: Final = 4096
"""Pairs of equal-looking nodes that are told apart by their neighbours; more than that are taken in order."""

Sources = Mapping[str, str]
"""File name to its text."""


class NodeKeys:
    """What the nodes of one graph can be recognised by; each method gives one entry a node.

    Attributes:
        graph: the graph.
    """

    def __init__(self, graph: Graph, sources: Sources) -> None:
        self.graph = graph
        self._lines = {file: text.splitlines() for file, text in sources.items()}

    @cached_property
    def kinds(self) -> Sequence[Hashable]:
        """What each node is; nodes of different kinds are matched only where they are known to be the same."""
        return [self._kind(node) for node in range(len(self.graph))]

    @cached_property
    def modules(self) -> Sequence[Hashable]:
        """Path of the module that ran each node."""
        return [self.graph.module(node) for node in range(len(self.graph))]

    @cached_property
    def places(self) -> Sequence[Hashable]:
        """Module and text of the user's line, which stays the same when lines above it are added."""
        return [(module, self._line(node)) for node, module in enumerate(self.modules)]

    def arguments(self, node: int) -> tuple[str, ...]:
        """Names and texts of the arguments with every node's name replaced: which node is compared elsewhere."""
        return tuple(_NODE.sub("%", self.graph.strings[text]) for text in self.graph.arguments[node])

    @cached_property
    def all_arguments(self) -> list[tuple[str, ...]]:
        """``arguments`` of every node."""
        return [self.arguments(node) for node in range(len(self.graph))]

    @cached_property
    def ancestry(self) -> list[int]:
        """Equal for nodes that compute the same from the same inputs."""
        keys: list[int] = []
        for node, kind in enumerate(self.kinds):
            keys.append(hash((kind, self.arguments(node), tuple(keys[source] for source in self.graph.inputs(node)))))
        return keys

    @cached_property
    def legacy(self) -> list[int]:
        """Equal for nodes of which the same is made."""
        graph, keys = self.graph, [0] * len(self.graph)
        for node in reversed(range(len(graph))):
            returned = tuple(output.label for output in graph.outputs_of(node))
            users = tuple(sorted(keys[user] for user in graph.users(node)))
            keys[node] = hash((self.kinds[node], self.arguments(node), returned, users))
        return keys

    def _kind(self, node: int) -> Hashable:
        """What a node is, whatever its name, shape or place."""
        graph = self.graph
        if graph.ops[node] in (Op.PLACEHOLDER, Op.GET_ATTR):
            return graph.ops[node], graph.roles[node], graph.title(node)
        return graph.ops[node], graph.target(node)

    def _line(self, node: int) -> str:
        frame = self.graph.source(node)
        lines = self._lines.get(frame.file, ()) if frame else ()
        return lines[frame.line - 1].strip() if frame and 0 < frame.line <= len(lines) else ""


class _Matching:
    """Pairs found so far."""

    def __init__(self, old: NodeKeys, new: NodeKeys, known: Mapping[int, int]) -> None:
        self.old, self.new = old, new
        self.new_of = dict(known)
        self.old_of = {b: a for a, b in known.items()}

    def by(self, names: Sequence[str]) -> None:
        """Matches what is left and has equal keys of these names, then the neighbours of what that matched."""
        old_groups, new_groups = _groups(self.old, names, self.new_of), _groups(self.new, names, self.old_of)
        for name, old_nodes in old_groups.items():
            if new_nodes := new_groups.get(name):
                self._pair_up(old_nodes, new_nodes)
        self._spread(list(self.new_of.items()))

    def _pair_up(self, old_nodes: list[int], new_nodes: list[int]) -> None:
        if len(old_nodes) != len(new_nodes) and len(old_nodes) * len(new_nodes) <= _COMPARED_LIMIT:
            candidates = itertools.product(old_nodes, new_nodes)
            for old, new in sorted(candidates, key=lambda pair: -self._shared(*pair)):
                self._pair(old, new)
            return
        for old, new in zip(old_nodes, new_nodes, strict=False):
            self._pair(old, new)

    def _shared(self, old: int, new: int) -> int:
        """How many neighbours of two nodes are matched with each other."""
        inputs, users = set(self.new.graph.inputs(new)), set(self.new.graph.users(new))
        return sum(self.new_of.get(node) in inputs for node in self.old.graph.inputs(old)) + sum(
            self.new_of.get(node) in users for node in self.old.graph.users(old)
        )

    def _pair(self, old: int, new: int) -> bool:
        if old in self.new_of or new in self.old_of or self.old.kinds[old] != self.new.kinds[new]:
            return False
        self.new_of[old], self.old_of[new] = new, old
        return True

    def _spread(self, pairs: list[tuple[int, int]]) -> None:
        """From matched nodes to what they read, in order, and to users that can be told apart by what they are."""
        while pairs:
            old, new = pairs.pop()
            pairs.extend(pair for pair in [*self._inputs(old, new), *self._users(old, new)] if self._pair(*pair))

    def _inputs(self, old: int, new: int) -> Iterator[tuple[int, int]]:
        pairs = zip(self.old.graph.inputs(old), self.new.graph.inputs(new), strict=False)
        return (pair for pair in pairs if self.old.modules[pair[0]] == self.new.modules[pair[1]])

    def _users(self, old: int, new: int) -> Iterable[tuple[int, int]]:
        ours = self._lone(self.old, self.old.graph.users(old), self.new_of)
        theirs = self._lone(self.new, self.new.graph.users(new), self.old_of)
        return [(node, theirs[kind]) for kind, node in ours.items() if kind in theirs]

    @staticmethod
    def _lone(keys: NodeKeys, users: list[int], matched: Mapping[int, int]) -> dict[Hashable, int]:
        groups: dict[Hashable, list[int]] = {}
        for user in users:
            if user not in matched:
                groups.setdefault((keys.kinds[user], keys.modules[user]), []).append(user)
        return {kind: nodes[0] for kind, nodes in groups.items() if len(nodes) == 1}


def match_nodes(old: NodeKeys, new: NodeKeys, known: Mapping[int, int] | None = None) -> dict[int, int]:
    """Node of the old graph to node of the new one, for all that are in both.

    A node is matched once, and only with one of the same operator (or, for an input, of the same human name).

    Args:
        old: of the graph before.
        new: of the graph after.
        known: pairs that are known to be the same, whatever they are; others are found from there.
    """
    matching = _Matching(old, new, known or {})
    for names in _KEYS:
        matching.by(names)
    return dict(sorted(matching.new_of.items()))


def _groups(keys: NodeKeys, names: Sequence[str], matched: Mapping[int, int]) -> dict[Hashable, list[int]]:
    groups: dict[Hashable, list[int]] = {}
    for node, key in enumerate(zip(*(getattr(keys, name) for name in names), strict=True)):
        if node not in matched:
            groups.setdefault(key, []).append(node)
    return groups


_KEYS: Final = (
    ("ancestry", "legacy", "places"),
    ("ancestry", "places"),
    ("legacy", "places"),
    ("ancestry", "legacy"),
    ("kinds", "places", "all_arguments"),
    ("kinds", "places"),
    ("kinds", "modules"),
    ("ancestry",),
    ("legacy",),
)
"""Keys of ``NodeKeys``, from what cannot be chance to what is merely likely: a renamed module or line comes last."""
