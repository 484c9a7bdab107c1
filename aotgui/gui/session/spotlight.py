"""Nodes of one graph that a person asked to see: a path, or where two partitions differ."""

from __future__ import annotations

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.model.graph import GraphKind


class Spot(msgspec.Struct, frozen=True, kw_only=True):
    """What stands in the light.

    Attributes:
        title: what these nodes are, in one sentence.
        graph: the graph that holds them.
        nodes: indexes; of a path in its order.
        is_path: whether each leads to the next, so that the way between them is drawn.
        fades_others: whether everything else is faded.
    """

    title: str
    graph: GraphKind
    nodes: tuple[int, ...]
    is_path: bool = False
    fades_others: bool = True


class Spotlight(QObject):
    """What stands in the light, in every view of the session.

    Signals:
        changed: ``spot`` changed.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._spot: Spot | None = None

    @property
    def spot(self) -> Spot | None:
        """What stands in the light, or None."""
        return self._spot

    def show(self, spot: Spot) -> None:
        """Puts something else into the light; nothing at all where it has no nodes."""
        self._set(spot if spot.nodes else None)

    def clear(self) -> None:
        """Nothing stands in the light any more."""
        self._set(None)

    def _set(self, spot: Spot | None) -> None:
        if spot != self._spot:
            self._spot = spot
            self.changed.emit()
