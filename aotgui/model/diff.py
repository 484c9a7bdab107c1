"""What differs between two captures: another partitioner, compiler, version of torch, or an edited script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from aotgui.model.capture import Capture, Region, SavedValue
from aotgui.model.decision import DECISIONS_TITLE, decisions_text
from aotgui.model.graph import Fate, Graph, GraphKind, Op, TensorInfo
from aotgui.model.matching import NodeKeys, Sources, match_nodes
from aotgui.model.settings import OPTIONS


class NodeChange(msgspec.Struct, frozen=True):
    """A node that both graphs have and that is not the same in both.

    Attributes:
        old: index in the old graph.
        new: index in the new graph.
        what: what differs, one text each: ``dim: 1 -> 2``, ``float32[4] -> float16[4]``, ``reads other nodes``.
    """

    old: int
    new: int
    what: tuple[str, ...]


class MovedNode(msgspec.Struct, frozen=True):
    """A node to which the two partitioners did something else.

    Attributes:
        old: index in the old graph.
        new: index in the new graph.
        old_fate: what the old partitioner made of it.
        new_fate: what the new one makes of it.
    """

    old: int
    new: int
    old_fate: Fate
    new_fate: Fate


class GraphDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Two graphs of one kind, node by node.

    Attributes:
        kind: which graph.
        new_of: node of the old graph to node of the new one, for all that are in both.
        removed: nodes that only the old graph has.
        added: nodes that only the new graph has.
        changed: nodes that are in both and differ.
        moved: nodes with another fate; the joint graph's only, since a half has no other.
    """

    kind: GraphKind
    new_of: dict[int, int]
    removed: list[int]
    added: list[int]
    changed: list[NodeChange]
    moved: list[MovedNode]

    @property
    def is_empty(self) -> bool:
        """Whether the graphs are the same."""
        return not (self.removed or self.added or self.changed or self.moved)


class RegionDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Two regions.

    Attributes:
        name: of the new region.
        graphs: those that both have.
        only_old: graphs that only the old one has.
        only_new: graphs that only the new one has.
        saved_gained: values that only the new one saves.
        saved_lost: values that only the old one saves.
        old_saved_bytes: bytes of the distinct storages that the old one saves.
        new_saved_bytes: of the new one.
    """

    name: str
    graphs: dict[GraphKind, GraphDiff]
    only_old: list[GraphKind]
    only_new: list[GraphKind]
    saved_gained: list[SavedValue]
    saved_lost: list[SavedValue]
    old_saved_bytes: int
    new_saved_bytes: int

    @property
    def is_empty(self) -> bool:
        """Whether the regions are the same."""
        other = self.only_old or self.only_new or self.saved_gained or self.saved_lost
        return not other and all(diff.is_empty for diff in self.graphs.values())


class CaptureDiff(msgspec.Struct, frozen=True, kw_only=True):
    """Two captures.

    Attributes:
        settings: title of each fact about the runs that differs, with its old and new value.
        regions: those at the same place in both.
        removed_regions: names of those that only the old capture has.
        added_regions: names of those that only the new capture has.
    """

    settings: list[tuple[str, str, str]]
    regions: list[RegionDiff]
    removed_regions: list[str]
    added_regions: list[str]

    @property
    def is_empty(self) -> bool:
        """Whether the captured graphs and what they save are the same, whatever the settings."""
        return not (self.removed_regions or self.added_regions) and all(region.is_empty for region in self.regions)


def diff_captures(old: Capture, new: Capture) -> CaptureDiff:
    """Compares two captures, region by region in their order."""
    both = min(len(old.regions), len(new.regions))
    return CaptureDiff(
        settings=list(_settings(old, new)),
        regions=[
            _diff_regions(one, other, old.sources, new.sources)
            for one, other in zip(old.regions, new.regions, strict=False)
        ],
        removed_regions=[region.name for region in old.regions[both:]],
        added_regions=[region.name for region in new.regions[both:]],
    )


def _settings(old: Capture, new: Capture) -> Iterator[tuple[str, str, str]]:
    facts = [("torch", old.torch, new.torch), ("source", old.source, new.source), ("target", old.target, new.target)]
    facts += [("route", old.route, new.route)]
    facts += [
        (option.title, str(getattr(old.settings, option.field)), str(getattr(new.settings, option.field)))
        for option in OPTIONS
    ]
    facts += [(DECISIONS_TITLE, decisions_text(old.settings.decisions), decisions_text(new.settings.decisions))]
    facts += [("check", old.check.status.replace("_", " "), new.check.status.replace("_", " "))]
    return (fact for fact in facts if fact[1] != fact[2])


def _diff_regions(old: Region, new: Region, old_sources: Sources, new_sources: Sources) -> RegionDiff:
    graphs: dict[GraphKind, GraphDiff] = {}
    for kind in GraphKind:  # the joint graph comes first
        if kind in old.graphs and kind in new.graphs:
            known = _same_origins(old.graphs[kind], new.graphs[kind], graphs.get(GraphKind.JOINT))
            graphs[kind] = diff_graphs(old.graphs[kind], new.graphs[kind], old_sources, new_sources, known)
    kept = _kept(old, new, graphs.get(GraphKind.FORWARD))
    return RegionDiff(
        name=new.name,
        graphs=graphs,
        only_old=[kind for kind in old.graphs if kind not in new.graphs],
        only_new=[kind for kind in new.graphs if kind not in old.graphs],
        saved_gained=[value for value in new.saved if value.name not in kept.values()],
        saved_lost=[value for value in old.saved if value.name not in kept],
        old_saved_bytes=old.saved_bytes,
        new_saved_bytes=new.saved_bytes,
    )


def _same_origins(old: Graph, new: Graph, joint: GraphDiff | None) -> dict[int, int]:
    """Nodes of two halves that are copies of nodes which the joint graphs share."""
    if joint is None:
        return {}
    by_origin: dict[int, list[int]] = {}
    for node, origin in enumerate(new.origins):
        by_origin.setdefault(origin, []).append(node)
    pairs: dict[int, int] = {}
    for node, origin in enumerate(old.origins):
        if copies := by_origin.get(joint.new_of.get(origin, -2)):
            pairs[node] = copies.pop(0)
    return pairs


def _kept(old: Region, new: Region, forward: GraphDiff | None) -> dict[str, str]:
    """Old to new name of what both save."""
    if forward is None:
        return {}
    olds, news = old.graphs[GraphKind.FORWARD], new.graphs[GraphKind.FORWARD]
    new_names = {olds.names[a]: news.names[b] for a, b in forward.new_of.items()}
    saved = {value.name for value in new.saved}
    pairs = ((value.name, new_names.get(value.name, "")) for value in old.saved)
    return {name: other for name, other in pairs if other in saved}


def diff_graphs(
    old: Graph, new: Graph, old_sources: Sources, new_sources: Sources, known: Mapping[int, int] | None = None
) -> GraphDiff:
    """Compares two graphs of one kind.

    Args:
        old: the one before.
        new: the one after.
        old_sources: text of the files that the old one comes from, by name, as far as known.
        new_sources: of the new one.
        known: nodes that are known to be the same.
    """
    old_keys, new_keys = NodeKeys(old, old_sources), NodeKeys(new, new_sources)
    new_of = match_nodes(old_keys, new_keys, known)
    taken = set(new_of.values())
    changes = ((a, b, tuple(_differences(old_keys, new_keys, a, b, new_of))) for a, b in new_of.items())
    return GraphDiff(
        kind=new.kind,
        new_of=new_of,
        removed=[node for node in range(len(old)) if node not in new_of],
        added=[node for node in range(len(new)) if node not in taken],
        changed=[NodeChange(a, b, what) for a, b, what in changes if what],
        moved=[
            MovedNode(a, b, Fate(old.fates[a]), Fate(new.fates[b]))
            for a, b in new_of.items()
            if new.kind is GraphKind.JOINT and old.fates[a] != new.fates[b]
        ],
    )


def _differences(old: NodeKeys, new: NodeKeys, a: int, b: int, new_of: dict[int, int]) -> Iterator[str]:
    """What differs between two nodes that were matched, in words."""
    if old.kinds[a] != new.kinds[b]:
        yield f"{_what(old.graph, a)} -> {_what(new.graph, b)}"
        return
    yield from _other_values(old.graph.tensors(a), new.graph.tensors(b))
    yield from _other_arguments(old.arguments(a), new.arguments(b))
    yield from _other_inputs(old.graph, new.graph, a, b, new_of)


def _what(graph: Graph, node: int) -> str:
    return "handed in" if graph.ops[node] == Op.PLACEHOLDER else f"computed by {graph.target(node)}"


def _other_values(old: list[TensorInfo], new: list[TensorInfo]) -> Iterator[str]:
    before, after = ", ".join(map(str, old)), ", ".join(map(str, new))
    if before != after:
        yield f"{before or 'nothing'} -> {after or 'nothing'}"
    elif [info.strides for info in old] != [info.strides for info in new]:
        yield f"strides {_strides(old)} -> {_strides(new)}"


def _strides(infos: list[TensorInfo]) -> str:
    return ", ".join(f"({', '.join(map(str, info.strides))})" for info in infos)


def _other_arguments(old: tuple[str, ...], new: tuple[str, ...]) -> Iterator[str]:
    before, after = dict(zip(old[::2], old[1::2], strict=True)), dict(zip(new[::2], new[1::2], strict=True))
    for name in dict.fromkeys([*before, *after]):
        one, other = before.get(name, "not given"), after.get(name, "not given")
        if one != other:
            yield f"{name}: {one} -> {other}"


def _other_inputs(old: Graph, new: Graph, a: int, b: int, new_of: dict[int, int]) -> Iterator[str]:
    theirs = new.inputs(b)
    ours = [new_of.get(node, -1) for node in old.inputs(a)]
    lost = [old.title(node) for node, other in zip(old.inputs(a), ours, strict=True) if other not in theirs]
    gained = [new.title(node) for node in theirs if node not in ours]
    if lost or gained:
        yield f"reads {', '.join(gained) or 'nothing'} instead of {', '.join(lost) or 'nothing'}"
    elif ours != theirs:
        yield "reads the same nodes in another order"
