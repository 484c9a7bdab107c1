"""From a graph to an arrangement: groups, sizes of boxes, layout. Pure, and without Qt: a process of its own does it.

See ``layout_process`` for who calls it where.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.detail import GROUP_ROOM_UNITS, SIDE_ROOM_UNITS
from aotgui.gui.canvas.group_facts import GroupLedger
from aotgui.gui.canvas.module_bands import Band, bands_by_level
from aotgui.gui.canvas.scene import node_subtitle
from aotgui.layout.engine import lay_out
from aotgui.layout.expansion import Expanded, opening
from aotgui.layout.groups import make_groups
from aotgui.layout.nesting import Nesting, nest
from aotgui.layout.options import Cancelled, LayoutOptions, check
from aotgui.layout.result import Group, Layout
from aotgui.model.graph import Graph

BOX_HEIGHT_UNITS: Final = 40.0
"""Room for two lines."""
ASCII: Final = 128
"""Characters that are measured; all others count as an m."""


@dataclass(frozen=True, slots=True)
class Request:
    """A layout that a view wants.

    Attributes:
        graph: what is laid out.
        expanded: paths of the groups to open, or None for a flat graph.
        is_opening: a first look: which groups to open is not decided yet.
        known: a former arrangement of the same graph, whose groups and widths still hold; or None.
    """

    graph: Graph
    expanded: Expanded = None
    is_opening: bool = False
    known: Arrangement | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A graph with its layout.

    Attributes:
        graph: what is laid out.
        layout: where its items are.
        nesting: its groups.
        expanded: which of them are open, or None where it is flat.
        widths: of the nodes' boxes.
        groups: all groups, also those that a flat layout does not show.
        bands: how far the modules reach from top to bottom, level by level.
    """

    graph: Graph
    layout: Layout
    nesting: Nesting
    expanded: Expanded
    widths: list[float]
    groups: tuple[Group, ...] = ()
    bands: list[list[Band]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MeasuredOptions(LayoutOptions):
    """Layout options whose boxes fit what the canvas writes into them.

    Attributes:
        title_advances: float64 (128,): width of each ASCII character of a title; index 0 for all others.
        subtitle_advances: likewise for second lines.
        known_widths: of the nodes' boxes, where they were measured before.
    """

    node_height: float = BOX_HEIGHT_UNITS
    min_width: float = 64.0
    max_width: float = 250.0
    title_advances: NDArray[np.float64] = field(default_factory=lambda: np.full(ASCII, 8.0))
    subtitle_advances: NDArray[np.float64] = field(default_factory=lambda: np.full(ASCII, 6.5))
    known_widths: list[float] | None = None

    def node_widths(self, graph: Graph) -> list[float]:
        """Width of each node's box: what the longer of its two lines takes."""
        if self.known_widths is not None:
            return self.known_widths
        nodes = range(len(graph))
        titles = text_widths([graph.title(node) for node in nodes], self.title_advances)
        subtitles = text_widths([node_subtitle(graph, node) for node in nodes], self.subtitle_advances)
        return self._box_widths(titles, subtitles)

    def group_widths(self, graph: Graph, groups: Sequence[Group]) -> list[float]:
        """Width of each group's box: also the sign that opens it has room."""
        ledger = GroupLedger(graph)
        titles = text_widths([group.title for group in groups], self.title_advances)
        subtitles = text_widths([ledger.facts(group).line() for group in groups], self.subtitle_advances)
        return self._box_widths(titles + GROUP_ROOM_UNITS, subtitles + GROUP_ROOM_UNITS)

    def _box_widths(self, titles: NDArray[np.float64], subtitles: NDArray[np.float64]) -> list[float]:
        widths = np.ceil(np.maximum(titles, subtitles) + SIDE_ROOM_UNITS + 8.0)
        return np.clip(widths, self.min_width, self.max_width).tolist()  # type: ignore[no-any-return] # numpy says Any


def text_widths(texts: list[str], advances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Width of each text, all at once: measuring fifty thousand one by one would take a third of a second."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    owners = np.repeat(np.arange(len(texts)), lengths)
    return np.asarray(np.bincount(owners, advances[np.where(codes < ASCII, codes, 0)], len(texts)), np.float64)


def arrange(request: Request, options: MeasuredOptions, cancelled: Cancelled) -> Arrangement:
    """Lays out what is wanted. Worker thread.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    graph, known = request.graph, request.known
    nesting = known.nesting if known is not None else nest(graph, cancelled)
    expanded = opening(graph, nesting) if request.is_opening else request.expanded
    widths = known.widths if known is not None else options.node_widths(graph)
    measured = replace(options, expanded=expanded, known_widths=widths)
    layout = lay_out(graph, measured, cancelled, nesting, known.groups if known is not None else ())
    groups = known.groups if known is not None else layout.groups or make_groups(graph, nesting)
    check(cancelled)
    return Arrangement(graph, layout, nesting, expanded, widths, groups, bands_by_level(layout, groups))


Arrange = Callable[[Request, MeasuredOptions, Cancelled], Arrangement]
