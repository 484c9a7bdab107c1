"""What a group holds: counts, bytes and fates, for its box, its card and its summary bar."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.repeats import RUN_MARK
from aotgui.layout.result import Group
from aotgui.model.graph import Fate, Graph, Role
from aotgui.model.text import bytes_text, count_text

_PARAMETERS = (Role.PARAMETER, Role.BUFFER)


@dataclass(frozen=True, slots=True)
class GroupFacts:
    """Sums over the nodes of a group.

    Attributes:
        nodes: how many there are.
        fates: how many have each fate, in the order of ``Fate``.
        saved: activations that are passed from forward to backward.
        saved_bytes: what they add to what is saved; see ``GroupLedger``.
    """

    nodes: int
    fates: tuple[int, ...]
    saved: int
    saved_bytes: int

    def line(self) -> str:
        """``236 nodes · saves 12, 1.2 MiB``; without bytes where all of them are counted elsewhere."""
        nodes = count_text(self.nodes, "node")
        size = f", {bytes_text(self.saved_bytes)}" if self.saved_bytes else ""
        return f"{nodes} · saves {self.saved}{size}" if self.saved else nodes

    def sentences(self) -> list[str]:
        """Everything, for a card."""
        counts = ", ".join(f"{count:,} {fate.label}" for fate, count in zip(Fate, self.fates, strict=True) if count)
        lines = [f"{count_text(self.nodes, 'node')}: {counts}"]
        if self.saved:
            size = bytes_text(self.saved_bytes) if self.saved_bytes else "of storages that are counted elsewhere"
            lines.append(f"saves {count_text(self.saved, 'activation')} for backward, {size}")
        return lines


class GroupLedger:
    """Facts of any group of one graph."""

    def __init__(self, graph: Graph, saved_bytes: Mapping[int, int] | None = None) -> None:
        """Looks at a graph.

        Args:
            graph: whose groups.
            saved_bytes: what each saved activation adds to what is saved, so that a storage that several share counts
                once; None where that is not known, and each node counts by itself.
        """
        self._fates = np.asarray(graph.fates, np.int64)
        if saved_bytes is None:
            self._sizes = node_bytes(graph)
        else:
            self._sizes = np.zeros(len(graph), np.int64)
            self._sizes[list(saved_bytes)] = list(saved_bytes.values())
        is_saved = self._fates == Fate.SAVED
        self._activations = is_saved & ~np.isin(np.asarray(graph.roles, np.int64), _PARAMETERS)

    def facts(self, group: Group) -> GroupFacts:
        """What a group holds."""
        nodes = group.nodes
        fates = np.bincount(self._fates[nodes], minlength=len(Fate))
        saved = self._activations[nodes]
        return GroupFacts(len(nodes), tuple(fates.tolist()), int(saved.sum()), int(self._sizes[nodes][saved].sum()))


def node_bytes(graph: Graph) -> NDArray[np.int64]:
    """Bytes of each node's value: int64 (nodes,); 0 for tuples and for what is no tensor."""
    sizes = np.array([info.size_bytes for info in graph.tensor_table] or [0], np.int64)
    single = np.array([value[0] if len(value) == 1 else -1 for value in graph.values], np.int64)
    return np.where(single >= 0, sizes[single], 0)


def run_extent(group: Group) -> str:
    """Of a run of blocks its first and last path: ``layers.0 to layers.31``; of a module its path."""
    if not group.blocks:
        return group.path
    first, _, last = group.path.partition(RUN_MARK)
    return f"{first} to {first.rpartition('.')[0]}.{last}"


def difference(graph: Graph, block: Group, others: list[Group]) -> str:
    """How a block of a run differs from the usual ones, in words; empty where it does not."""
    made_of = [_made_of(graph, group) for group in (block, *others)]
    usual = Counter(frozenset(counts.items()) for counts in made_of).most_common(1)[0][0]
    mine, theirs = made_of[0], Counter(dict(usual))
    changes = [(fate, _of_fate(mine, fate) - _of_fate(theirs, fate)) for fate in Fate]
    words = [f"{abs(change)} {'more' if change > 0 else 'fewer'} {fate.label}" for fate, change in changes if change]
    if words:
        return f"differs from the other blocks: {', '.join(words)}"
    return "differs from the other blocks in its operators" if mine != theirs else ""


def _made_of(graph: Graph, group: Group) -> Counter[tuple[str, int]]:
    operators = (node for node in group.nodes.tolist() if graph.roles[node] == Role.OPERATOR)
    return Counter((graph.target(node), graph.fates[node]) for node in operators)


def _of_fate(counts: Counter[tuple[str, int]], fate: Fate) -> int:
    return sum(count for (_, other), count in counts.items() if other == fate)
