"""What the legend of a graph explains, and which nodes an entry stands for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.colouring import Colouring, ColourMode
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.sprites import BADGES
from aotgui.gui.canvas.theme import CanvasTheme
from aotgui.model.graph import Fate, Graph, GraphKind, Role, Side


class Axis(Enum):
    """What an entry filters by; entries of one axis add up, the axes narrow each other down."""

    CLASS = "class"
    FATE = "fate"
    ROLE = "role"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that the legend explains.

    Attributes:
        axis: fill, fate or role.
        value: class of the colouring, ``Fate`` or ``Role``.
        label: words.
        count: nodes, those inside of groups included.
        fill: swatch colour; for a fate the colour of its border and badge.
        note: what the words leave open, as a sentence without its end.
    """

    axis: Axis
    value: int
    label: str
    count: int
    fill: str
    note: str = ""

    @property
    def is_plain(self) -> bool:
        """Whether boxes carry no sign of it: the first to go where room is short."""
        return self.axis is Axis.FATE and Fate(self.value) not in BADGES


FOREIGN_SIDES: Final = {
    GraphKind.FORWARD: (Side.BACKWARD, "from backward", "Traced in backward, but it runs here"),
    GraphKind.BACKWARD: (Side.FORWARD, "from forward", "Traced in forward: saved there for here, or run here"),
}
"""In a graph of one side: the other side, and how its nodes come here."""


def entries_of(scene: Scene, colouring: Colouring, mode: ColourMode, theme: CanvasTheme) -> list[Entry]:
    """What there is to explain about a scene in a colouring; nothing that does not occur."""
    graph = scene.graph
    if mode is not ColourMode.PARTITION:
        return _classes(colouring)
    if graph.kind is GraphKind.INFERENCE:
        return _roles(graph, theme)
    fates = graph.fate_counts()
    sides = [_side(graph.kind, entry) for entry in _classes(colouring)]
    return sides + [Entry(Axis.FATE, f, f.label, fates[f], theme.fates[f]) for f in Fate if fates[f]]


def _classes(colouring: Colouring) -> list[Entry]:
    shown = zip(colouring.labels, colouring.counts(), colouring.fills, strict=True)
    return [Entry(Axis.CLASS, value, *one) for value, one in enumerate(shown) if one[1]]


def _side(kind: GraphKind, entry: Entry) -> Entry:
    """A side, said otherwise where it is not the graph's own."""
    side, label, note = FOREIGN_SIDES.get(kind, (None, "", ""))
    return Entry(entry.axis, entry.value, label, entry.count, entry.fill, note) if entry.value == side else entry


def _roles(graph: Graph, theme: CanvasTheme) -> list[Entry]:
    """Without a backward there are neither sides nor fates to tell apart."""
    counts = np.bincount(np.asarray(graph.roles, np.int64), minlength=len(Role)).tolist()
    return [
        Entry(Axis.ROLE, role, role.label + "s" * (counts[role] > 1), counts[role], theme.forward_fill)
        for role in Role
        if counts[role]
    ]


def faded(scene: Scene, classes: NDArray[np.uint8], chosen: set[Entry]) -> NDArray[np.bool_] | None:
    """Bool (nodes,): True for nodes that the chosen entries leave out; None where nothing is chosen.

    ``classes`` are those of the nodes.
    """
    if not chosen:
        return None
    keep = np.ones(len(scene.graph), np.bool_)
    for axis, column in _columns(scene, classes).items():
        values = [entry.value for entry in chosen if entry.axis is axis]
        if values:
            keep &= np.isin(np.asarray(column, np.int64), values)
    return ~keep


def hidden(scene: Scene, classes: NDArray[np.uint8], hiding: list[Entry]) -> NDArray[np.bool_] | None:
    """Bool (nodes,): True for nodes that any of the hiding entries stands for; None where nothing hides.

    ``classes`` are those of the nodes.
    """
    if not hiding:
        return None
    columns = _columns(scene, classes)
    masks = [np.asarray(columns[entry.axis], np.int64) == entry.value for entry in hiding]
    return np.asarray(np.logical_or.reduce(masks), np.bool_)


def _columns(scene: Scene, classes: NDArray[np.uint8]) -> dict[Axis, NDArray[np.uint8] | list[int]]:
    """For each axis the value of each node."""
    return {Axis.CLASS: classes, Axis.FATE: scene.graph.fates, Axis.ROLE: scene.graph.roles}
