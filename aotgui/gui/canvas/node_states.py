"""What changes while a person works and is drawn on the boxes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.layout.result import Layout

DIM_OPACITY: Final = 0.22


@dataclass(slots=True)
class NodeStates:
    """States of nodes; indexes are items.

    Attributes:
        executed: ran in this stepping session.
        breakpoints: stepping stops before them.
        nonfinite: hold NaN or Inf.
        changed: have another value than without the what-if.
        dimmed: bool (items,), or None where nothing is dimmed.
        hidden: bool (items,), not drawn with all their edges; None where nothing is hidden.
        hidden_frames: numbers of the frames around hidden items only.
    """

    executed: set[int] = field(default_factory=set)
    breakpoints: set[int] = field(default_factory=set)
    nonfinite: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    dimmed: NDArray[np.bool_] | None = None
    hidden: NDArray[np.bool_] | None = None
    hidden_frames: frozenset[int] = frozenset()

    def shown(self, items: NDArray[np.int32]) -> NDArray[np.int32]:
        """Those of some items that are drawn."""
        return items if self.hidden is None else items[~self.hidden[items]]

    def shown_edges(self, edges: NDArray[np.int32] | NDArray[np.intp], layout: Layout) -> NDArray[np.bool_]:
        """For each of some edges whether it is drawn: neither end is hidden."""
        if self.hidden is None:
            return np.ones(len(edges), np.bool_)
        return ~(self.hidden[layout.edge_sources[edges]] | self.hidden[layout.edge_targets[edges]])
