"""A region as a tree of modules with what each costs: nodes, saved bytes, recomputed nodes.

Repeated blocks (``layers.0`` to ``layers.31``) become one entry that has them as children; a block that differs from
most of its kind is marked. A path without a module of its own (``L.args.0``) is part of the title of what it leads to.
Only what torch attributes to a module is counted for it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, TypeAlias

import msgspec

from aotgui.model.capture import Region
from aotgui.model.graph import Fate, Graph, Op, Side

LEAST_REPEATS: Final = 3
"""So many blocks of one class in a row are shown as one entry."""
NO_MODULE: Final = "(no module)"


class OutlineEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A module, or a run of modules that repeat.

    Attributes:
        path: of the module; of a run that of its first module; empty for what runs outside every module.
        title: the path below the entry around it; ``layers.0 … 31`` for a run.
        type_name: class of the module, or empty.
        count: how many modules a run has; 1 for a module.
        nodes: nodes of the region's main graph inside, ascending.
        forward: how many of them are forward.
        backward: how many are backward.
        recomputed: how many run again in backward.
        saved_bytes: of the distinct storages of activations that are computed inside and passed to backward.
        differs: whether a block of a run is made of other nodes than most.
        children: what is inside, in the order of the graph.
    """

    path: str
    title: str
    type_name: str = ""
    count: int = 1
    nodes: tuple[int, ...] = ()
    forward: int = 0
    backward: int = 0
    recomputed: int = 0
    saved_bytes: int = 0
    differs: bool = False
    children: tuple[OutlineEntry, ...] = ()

    @property
    def is_run(self) -> bool:
        """Whether this stands for several modules."""
        return self.count > 1

    def encloses(self, path: str) -> bool:
        """Whether a module path is this one or inside it."""
        if self.is_run:
            return any(child.encloses(path) for child in self.children)
        return path == self.path or (bool(self.path) and path.startswith(f"{self.path}."))


Signature: TypeAlias = tuple[object, ...]
"""What a block is made of: equal for equal blocks."""


def outline_of(region: Region) -> tuple[OutlineEntry, ...]:
    """The outermost modules of a region, and last what belongs to none."""
    graph = region.main_graph
    if graph is None:
        return ()
    root = _tree(graph)
    builder = _Builder(graph, region.activation_bytes(graph.kind))
    entries = builder.entries(root)
    return (*entries, builder.entry(_Branch("", root.own), NO_MODULE)) if root.own else entries


@dataclass(slots=True)
class _Branch:
    """A module while the tree grows: nodes of its own, and inner modules by their last step."""

    path: str
    own: list[int] = field(default_factory=list)
    inner: dict[str, _Branch] = field(default_factory=dict)


def _tree(graph: Graph) -> _Branch:
    root = _Branch("")
    branches: dict[int, _Branch] = {-1: root}
    for node, module in enumerate(graph.modules):
        if module not in branches:
            branches[module] = _branch(root, graph.strings[module])
        branches[module].own.append(node)
    return root


def _branch(root: _Branch, path: str) -> _Branch:
    branch, steps = root, path.split(".") if path else []
    for depth, step in enumerate(steps):
        branch = branch.inner.setdefault(step, _Branch(".".join(steps[: depth + 1])))
    return branch


class _Builder:
    """Turns branches into entries, inner ones first."""

    def __init__(self, graph: Graph, saved_bytes: dict[int, int]) -> None:
        self._graph = graph
        self._saved_bytes = saved_bytes

    def entries(self, branch: _Branch) -> tuple[OutlineEntry, ...]:
        """The modules right inside a branch; those that repeat in a row as one."""
        found: list[OutlineEntry] = []
        modules = (self.entry(inner, step) for step, inner in branch.inner.items())
        for _, repeated in groupby(modules, key=_repeat_key):
            run = list(repeated)
            found += [self._run(run)] if len(run) >= LEAST_REPEATS and run[0].title.isdecimal() else run
        return tuple(found)

    def _run(self, blocks: list[OutlineEntry]) -> OutlineEntry:
        signatures = [self._signature(block) for block in blocks]
        usual = Counter(signatures).most_common(1)[0][0]
        return OutlineEntry(
            path=blocks[0].path,
            title=f"{blocks[0].title} … {blocks[-1].title}",
            type_name=blocks[0].type_name,
            count=len(blocks),
            nodes=tuple(sorted(node for block in blocks for node in block.nodes)),
            forward=sum(block.forward for block in blocks),
            backward=sum(block.backward for block in blocks),
            recomputed=sum(block.recomputed for block in blocks),
            saved_bytes=sum(block.saved_bytes for block in blocks),
            children=tuple(
                msgspec.structs.replace(block, differs=signature != usual)
                for block, signature in zip(blocks, signatures, strict=True)
            ),
        )

    def entry(self, branch: _Branch, title: str) -> OutlineEntry:
        """A module with what is inside."""
        children = self.entries(branch)
        own = branch.own
        if not own and len(children) == 1 and branch.path not in self._graph.module_types:
            return msgspec.structs.replace(children[0], title=f"{title}.{children[0].title}")
        graph = self._graph
        backward = sum(graph.sides[node] == Side.BACKWARD for node in own)
        return OutlineEntry(
            path=branch.path,
            title=title,
            type_name=graph.module_types.get(branch.path, "") if branch.path else "",
            nodes=tuple(sorted((*own, *(node for child in children for node in child.nodes)))),
            forward=len(own) - backward + sum(child.forward for child in children),
            backward=backward + sum(child.backward for child in children),
            recomputed=sum(graph.fates[node] == Fate.RECOMPUTED for node in own)
            + sum(child.recomputed for child in children),
            saved_bytes=sum(self._saved_bytes.get(node, 0) for node in own)
            + sum(child.saved_bytes for child in children),
            children=children,
        )

    def _signature(self, entry: OutlineEntry) -> Signature:
        graph = self._graph
        made_of = Counter(
            (graph.targets[node], graph.fates[node]) for node in entry.nodes if graph.ops[node] not in _GIVEN
        )
        return tuple(sorted(made_of.items()))


_GIVEN: Final = (Op.PLACEHOLDER, Op.GET_ATTR)
"""Each has a target of its own, so that no two blocks would be equal."""


def _repeat_key(entry: OutlineEntry) -> tuple[bool, str]:
    """The same for neighbours that may be shown as one; a module whose class is unknown is like no other."""
    return entry.title.isdecimal(), entry.type_name or entry.path
