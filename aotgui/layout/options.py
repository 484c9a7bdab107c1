"""What a layout can be asked for, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from aotgui.layout.result import Group
from aotgui.model.graph import Graph

Cancelled = Callable[[], bool]


class LayoutCancelled(Exception):  # noqa: N818 - the name that callers know; it is an outcome, not an error
    """The caller no longer wants the layout."""


@dataclass(frozen=True, slots=True)
class LayoutOptions:
    """Sizes and gaps in scene units, one unit a pixel at 100% zoom.

    Attributes:
        node_height: height of every box.
        character_width: estimated width of one character of a label.
        padding: blank on both sides of a label together.
        min_width: narrowest box.
        max_width: widest box; the canvas elides longer labels.
        column_gap: between two boxes of one row.
        row_gap: between two rows.
        gutter: between the forward and the backward column of a joint graph.
        short_span: an edge that spans at most so many rows of its column is routed row by row.
        stub_span: an edge that spans more rows than this is cut into two stubs.
        gutter_span: likewise an edge between the columns: no lane leads it around what it would cross.
        frame_title: height of the title strip of an expanded group.
        frame_padding: between the frame of an expanded group and what is inside.
        expanded: paths of the groups that are expanded, all others are collapsed; None for no groups at all.
    """

    node_height: float = 26.0
    character_width: float = 7.0
    padding: float = 20.0
    min_width: float = 56.0
    max_width: float = 190.0
    column_gap: float = 18.0
    row_gap: float = 26.0
    gutter: float = 150.0
    short_span: int = 12
    stub_span: int = 80
    gutter_span: int = 24
    frame_title: float = 22.0
    frame_padding: float = 14.0
    expanded: frozenset[str] | None = None

    @property
    def pitch(self) -> float:
        """Distance from one row to the next."""
        return self.node_height + self.row_gap

    def width_of(self, title: str) -> float:
        """Width of the box that carries ``title``."""
        return min(max(len(title) * self.character_width + self.padding, self.min_width), self.max_width)

    def node_widths(self, graph: Graph) -> list[float]:
        """Width of each node's box."""
        return [self.width_of(graph.title(index)) for index in range(len(graph))]

    def group_widths(self, graph: Graph, groups: Sequence[Group]) -> list[float]:
        """Width of the box of each collapsed group."""
        return [self.width_of(group.title) for group in groups]


def check(cancelled: Cancelled | None) -> None:
    """Stop here if the caller lost interest.

    Raises:
        LayoutCancelled: it did.
    """
    if cancelled is not None and cancelled():
        raise LayoutCancelled
