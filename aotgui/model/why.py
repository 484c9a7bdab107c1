"""Why a node is saved, recomputed or neither, in words, from the network of the run that decided it.

What is said is a property of the cut and can be checked:

- a node that must not be recomputed is saved if something on the sink side reads it: the *path* to the backward;
- a node that could be recomputed is saved because the *frontier* behind it (the next values that could be kept in its
  place) costs at least as much: otherwise the cut through the frontier would have been smaller;
- a node that is recomputed lies behind a frontier of values that are saved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Final

import msgspec

from aotgui.model.capture import Region
from aotgui.model.cut_network import CutNetwork, CutSide
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, Graph, Op, Side
from aotgui.model.settings import Settings
from aotgui.model.text import bytes_text, count_text
from aotgui.model.why_words import ban_words, need_words, obstacle_words

_NAMED: Final = 4
"""How many nodes a sentence names before it counts the rest."""


class Reason(msgspec.Struct, frozen=True):
    """One sentence.

    Attributes:
        text: the sentence.
        nodes: indexes of the joint graph's nodes that it is about, for links.
    """

    text: str
    nodes: tuple[int, ...] = ()


class Why(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a node, and why.

    Attributes:
        node: index in the joint graph.
        headline: what became of it, one sentence.
        reasons: why, one sentence each.
        path: from the node to the node of the backward that needs it, through nodes that the backward computes;
            empty where the backward does not need it.
        frontier: what stands behind the node in the cut: for a recomputed node what it is recomputed from, for a
            saved one what would have to be kept in its place.
        change: what it would take to change it; empty where nothing would.
        torch_words: torch's own reasons, as they stand on the network's edges.
        is_known: whether torch gave a network for this run.
    """

    node: int
    headline: str
    reasons: list[Reason] = []
    path: tuple[int, ...] = ()
    frontier: tuple[int, ...] = ()
    change: str = ""
    torch_words: list[str] = []
    is_known: bool = True


def why_of(region: Region, node: int, settings: Settings) -> Why:
    """Why a node of the joint graph has its fate.

    Args:
        region: with a joint graph.
        node: index in the joint graph.
        settings: of the run, for the partitioner's rule where there is no network.

    Raises:
        ValueError: the region has no joint graph.
        IndexError: there is no such node.
    """
    graph = region.main_graph
    if graph is None or not region.is_training:
        raise ValueError("only a region with a backward is partitioned")
    if not 0 <= node < len(graph):
        raise IndexError(f"the joint graph has no node {node}")
    if region.cut is None:
        return _by_rule(region, graph, node, settings)
    position = region.cut.position_of.get(node)
    if position is None:
        return _outside(graph, node)
    return _Explanation(graph, region.cut, node, position, region.decided).why()


def headline_of(graph: Graph, node: int) -> str:
    """What became of a node, one sentence."""
    fate, size = Fate(graph.fates[node]), graph.size_bytes(node)
    sized = f" ({bytes_text(size)})" if size else ""
    if fate is Fate.SAVED and graph.ops[node] == Op.PLACEHOLDER:
        return f"{graph.title(node)}{sized} is kept for the backward."
    return f"{graph.title(node)}{sized} {_BECAME[fate]}."


_BECAME: Final = {
    Fate.SAVED: "is computed in the forward and saved for the backward",
    Fate.RECOMPUTED: "is computed in the forward and again in the backward",
    Fate.FORWARD_ONLY: "is only needed in the forward",
    Fate.BACKWARD_ONLY: "belongs to the backward",
    Fate.MOVED: "was traced in the forward and runs only in the backward",
    Fate.ELIMINATED: "was removed before the graph was partitioned",
}


_BESIDE_THE_CUT: Final = (
    "The cut does not go through it: torch passes it on besides, as it does with the sizes of saved values and of "
    "incoming gradients."
)


def _outside(graph: Graph, node: int) -> Why:
    text = "Nothing reads it, or torch found an equal node and uses that one."
    if Fate(graph.fates[node]) is not Fate.ELIMINATED:
        text = "It is not in torch's min-cut network, so torch gives no reason for it."
    return Why(node=node, headline=headline_of(graph, node), reasons=[Reason(text)])


def _by_rule(region: Region, graph: Graph, node: int, settings: Settings) -> Why:
    """Without a network: the rule of the partitioner, where it has one that is known."""
    fate, readers = Fate(graph.fates[node]), _backward_readers(graph, node)
    text = _rule(settings)
    known = bool(text)
    reasons = [Reason(text or "Torch gave no min-cut network for this partition, so the reason is not known.")]
    if readers and fate in (Fate.SAVED, Fate.RECOMPUTED, Fate.MOVED):
        reasons.append(Reason(f"The backward reads it in {_named(graph, readers)}.", readers))
    elif not readers and Side(graph.sides[node]) is Side.FORWARD:
        reasons.append(Reason("No node of the backward reads it."))
    decision = region.decided.get(graph.names[node])
    if decision is not None:
        reasons.append(Reason(f"This run was told to {decision} it."))
    elif policy := graph.policy(node):
        reasons.append(Reason(f"A checkpoint policy marks it {policy}."))
    change = ""
    if known and fate is Fate.SAVED and settings.partitioner == "default":
        change = "The min_cut partitioner may recompute it, and a checkpoint policy with MUST_RECOMPUTE does."
    path = (node, readers[0]) if readers and fate is Fate.SAVED else ()
    return Why(node=node, headline=headline_of(graph, node), reasons=reasons, path=path, change=change, is_known=known)


def _rule(settings: Settings) -> str:
    if settings.partitioner == "default":
        return (
            "The default partitioner saves every value of the forward that a node of the backward reads, and "
            "recomputes only what a checkpoint policy or a decision marks."
        )
    if settings.partitioner == "min_cut" and settings.memory_budget == 0:
        return "A memory budget of 0 saves only inputs: everything else that the backward needs is computed again."
    return ""


def _backward_readers(graph: Graph, node: int) -> tuple[int, ...]:
    return tuple(user for user in graph.users(node) if Side(graph.sides[user]) is Side.BACKWARD)


def _named(graph: Graph, nodes: Iterable[int]) -> str:
    titles = [graph.title(node) for node in nodes]
    rest = len(titles) - _NAMED
    if rest > 1:
        return f"{', '.join(titles[:_NAMED])} and {rest} more"
    return f"{', '.join(titles[:-1])} and {titles[-1]}" if len(titles) > 1 else "".join(titles)


class _Explanation:
    """Reads the reasons for one node off a network."""

    def __init__(
        self, graph: Graph, cut: CutNetwork, node: int, position: int, decided: Mapping[str, Decision]
    ) -> None:
        self._graph = graph
        self._decided = decided
        self._cut = cut
        self._node = node
        self._position = position
        self._changes: list[str] = []
        self._words: list[str] = []

    def why(self) -> Why:
        fate = Fate(self._graph.fates[self._node])
        path: tuple[int, ...] = ()
        frontier: tuple[int, ...] = ()
        if fate is Fate.SAVED:
            reasons, path, frontier = self._saved()
        elif fate in (Fate.RECOMPUTED, Fate.MOVED):
            reasons, path, frontier = self._recomputed()
        elif fate is Fate.BACKWARD_ONLY:
            reasons = self._needed()
        else:
            reasons = self._forward_only()
        return Why(
            node=self._node,
            headline=headline_of(self._graph, self._node),
            reasons=reasons,
            path=path,
            frontier=frontier,
            change=" ".join(dict.fromkeys(change for change in self._changes if change)),
            torch_words=self._words,
        )

    # --- Saved -----------------------------------------------------------------------------------------------------

    def _saved(self) -> tuple[list[Reason], tuple[int, ...], tuple[int, ...]]:
        path = self._path()
        reasons = self._forbidden()
        frontier: tuple[int, ...] = ()
        if not reasons and self._cut.side(self._position) is CutSide.CUT:
            frontier = self._joint(self._reached(self._cut.inputs, self._cut.is_fixed))
            reasons = [self._cheaper(frontier)]
        elif not reasons:
            reasons = [Reason(_BESIDE_THE_CUT)]
        reasons += self._marked()
        if len(path) > 1:
            reasons.append(Reason(f"The backward needs it: {self._chain(path)}.", path))
        reasons += self._capacity()
        return reasons, path, frontier

    def _forbidden(self) -> list[Reason]:
        """That it must not be recomputed, for a reason of its own or of what computes it."""
        cut = self._cut
        if ban := cut.ban(self._position):
            words = ban_words(ban, self._decision(self._node))
            self._note(ban, words.change)
            return [Reason(f"It must not be recomputed, because {words.text}.")]
        blocker = cut.fixed_behind(self._position)
        if blocker < 0:
            return []
        ban, node = cut.ban(blocker), cut.nodes[blocker]
        words = ban_words(ban, self._decision(node))
        self._note(ban, words.change)
        text = f"It comes from {self._graph.title(node)} ({self._graph.target(node)}), which must not be recomputed, "
        return [Reason(f"{text}because {words.text}.", (node,))]

    def _cheaper(self, frontier: tuple[int, ...]) -> Reason:
        """Why it is not recomputed although it could be."""
        cut = self._cut
        extra = [node for node in frontier if cut.side(cut.position_of[node]) is not CutSide.CUT]
        if not frontier:
            return Reason("Torch could compute it again from nothing, and still saves it.")
        self._changes.append("Force it to be recomputed, or lower the memory budget below 1.")
        if not extra:
            text = f"It could be recomputed from {_named(self._graph, frontier)}, which are saved too; torch's network "
            return Reason(text + "gives it no cost, so both ways weigh the same.", frontier)
        instead = sum(cut.capacities[cut.position_of[node]] for node in extra)
        own = cut.capacities[self._position]
        text = f"It could be recomputed from {_named(self._graph, frontier)}, but keeping {_named(self._graph, extra)} "
        return Reason(f"{text}in its place would weigh {_weight(instead)} instead of {_weight(own)}.", frontier)

    def _capacity(self) -> list[Reason]:
        capacity, size = self._cut.capacities[self._position], self._graph.size_bytes(self._node)
        if not math.isfinite(capacity) or not size or capacity == size:
            return []
        return [
            Reason(
                f"In the network saving it weighs {_weight(capacity)} for {bytes_text(size)}: torch makes values weigh "
                "more the farther they are from the backward, and twice where they could be fused away."
            )
        ]

    # --- Recomputed ------------------------------------------------------------------------------------------------

    def _recomputed(self) -> tuple[list[Reason], tuple[int, ...], tuple[int, ...]]:
        cut = self._cut
        kept = self._reached(cut.inputs, lambda position: cut.side(position) is not CutSide.SINK)
        frontier = self._joint(kept)
        path = self._path()
        reasons = self._marked()
        if len(path) > 1:
            reasons.append(Reason(f"The backward needs it: {self._chain(path)}.", path))
        if frontier:
            reasons.append(Reason(f"It is computed again from {_named(self._graph, frontier)}.", frontier))
        if obstacle := cut.obstacle(self._position):
            words = obstacle_words(obstacle)
            self._note(obstacle, words.change)
            reasons.append(Reason(f"It cannot be saved, because {words.text}."))
        elif math.isfinite(cut.capacities[self._position]) and not cut.need(self._position):
            weight = _weight(cut.capacities[self._position])
            reasons.append(Reason(f"Saving it would weigh {weight}, and what it is computed from is there anyway."))
            self._changes.append("Force it to be saved (a checkpoint policy with MUST_SAVE for it).")
        return reasons, path, frontier

    def _marked(self) -> list[Reason]:
        need = self._cut.need(self._position)
        if not need:
            return []
        words = need_words(need, self._decision(self._node))
        self._note(need, words.change)
        return [Reason(f"It has to be available in the backward, because {words.text}.")]

    def _needed(self) -> list[Reason]:
        return self._marked() or [Reason("It was traced in the backward.")]

    # --- Forward only ----------------------------------------------------------------------------------------------

    def _forward_only(self) -> list[Reason]:
        cut = self._cut
        ends = self._reached(cut.users, lambda position: cut.side(position) is not CutSide.SOURCE)
        if not ends:
            return [Reason("Nothing that the backward needs is computed from it.")]
        nodes = self._joint(ends)
        text = f"All that the backward needs of it goes through {_named(self._graph, nodes)}, saved in its place."
        return [Reason(text, nodes)]

    # --- Walks over the network ------------------------------------------------------------------------------------

    def _decision(self, node: int) -> Decision | None:
        return self._decided.get(self._graph.names[node])

    def _note(self, torch_words: str, change: str) -> None:
        self._words.append(torch_words)
        self._changes.append(change)

    def _joint(self, positions: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted(self._cut.nodes[position] for position in positions))

    def _chain(self, path: tuple[int, ...]) -> str:
        titles = [self._graph.title(node) for node in path]
        return " → ".join(titles if len(titles) <= 2 * _NAMED else [*titles[:_NAMED], "…", *titles[-_NAMED:]])

    def _reached(self, neighbours: list[list[int]], ends: Callable[[int], bool]) -> list[int]:
        """The nearest nodes at which ``ends`` holds, along ``neighbours``."""
        seen = {self._position}
        found = []
        queue = list(neighbours[self._position])
        for position in queue:
            if position in seen:
                continue
            seen.add(position)
            if ends(position):
                found.append(position)
            else:
                queue += neighbours[position]
        return found

    def _path(self) -> tuple[int, ...]:
        """The shortest way to what the backward needs, over nodes that the backward computes itself."""
        cut, came_from = self._cut, {self._position: -1}
        queue = [self._position]
        for position in queue:
            if cut.need(position) and (position != self._position or cut.side(position) is not CutSide.CUT):
                return self._back(came_from, position)
            if position != self._position and cut.side(position) is not CutSide.SINK:
                continue
            for user in cut.users[position]:
                if user not in came_from:
                    came_from[user] = position
                    queue.append(user)
        return ()

    def _back(self, came_from: dict[int, int], position: int) -> tuple[int, ...]:
        steps = []
        while position >= 0:
            steps.append(self._cut.nodes[position])
            position = came_from[position]
        return tuple(reversed(steps))


def _weight(capacity: float) -> str:
    return bytes_text(int(capacity)) if math.isfinite(capacity) else "more than anything"


def conflict_words(count: int) -> str:
    """What to say of an unsatisfiable partition with a conflicting path of ``count`` nodes."""
    return (
        "This graph cannot be partitioned: a value that the backward needs can neither be saved nor recomputed. "
        f"The conflict runs through {count_text(count, 'node')} of the joint graph."
    )
