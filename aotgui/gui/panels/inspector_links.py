"""Links of the inspector: to a node, to a line of source, or to more of the same list."""

from __future__ import annotations

from dataclasses import dataclass

from aotgui.model.graph import Frame, Graph, GraphKind
from aotgui.model.text import place_text


@dataclass(frozen=True)
class Link:
    """A text that leads somewhere.

    Attributes:
        text: what it says.
        target: what it leads to.
        tip: tooltip.
    """

    text: str
    target: NodeTarget | LineTarget | MoreTarget
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
