"""Links of the inspector: to a node, a line of source, more of the same list, or a picture of the reason."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from aotgui.gui.session.spotlight import Spot
from aotgui.model.graph import Frame, Graph, GraphKind
from aotgui.model.text import place_text

MAX_LINKS: Final = 12
"""More inputs or users than this are shown on demand: a mask may have thousands of users."""


@dataclass(frozen=True)
class Link:
    """A text that leads somewhere.

    Attributes:
        text: what it says.
        target: what it leads to.
        tip: tooltip.
    """

    text: str
    target: NodeTarget | LineTarget | MoreTarget | SpotTarget | NetworkTarget
    tip: str = ""


@dataclass(frozen=True)
class NodeTarget:
    """A node of a graph."""

    graph: GraphKind
    node: int


@dataclass(frozen=True)
class LineTarget:
    """A line of a file."""

    file: str
    line: int


@dataclass(frozen=True)
class MoreTarget:
    """The rest of a list that is collapsed."""

    key: str


@dataclass(frozen=True)
class SpotTarget:
    """Nodes to be marked in every graph."""

    spot: Spot


@dataclass(frozen=True)
class NetworkTarget:
    """The min-cut network around a node of the joint graph."""

    node: int


Part = str | Link
"""A piece of a row."""


def node_link(graph: Graph, index: int, text: str = "") -> Link:
    """To a node, by its human name unless another text is given."""
    return Link(text or graph.title(index), NodeTarget(graph.kind, index), graph.names[index])


def frame_link(frame: Frame) -> Link:
    """To the line of a frame."""
    return Link(place_text(frame.file, frame.line), LineTarget(frame.file, frame.line), frame.file)


def more_link(key: str, text: str) -> Link:
    """To the rest of a list."""
    return Link(text, MoreTarget(key), "Show all")


def separated(parts: Iterable[Part]) -> tuple[Part, ...]:
    """With commas between."""
    found: list[Part] = []
    for part in parts:
        found += [", ", part]
    return tuple(found[1:])


def node_links(graph: Graph, nodes: Sequence[int], key: str, *, opened: bool) -> tuple[Part, ...]:
    """Links to nodes; beyond ``MAX_LINKS`` only one to the rest of them, unless ``opened``."""
    shown = nodes if opened else nodes[:MAX_LINKS]
    parts: list[Part] = [node_link(graph, node) for node in shown]
    if len(shown) < len(nodes):
        parts.append(more_link(key, f"{len(nodes) - len(shown):,} more"))
    return separated(parts)
