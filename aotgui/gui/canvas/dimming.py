"""What is faded or hidden in a view, for several reasons at once: legend, search, isolation, spotlight."""

from __future__ import annotations

from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.graph_view import GraphView


class Reason(Enum):
    """Why nodes are faded or, for some reasons, hidden."""

    LEGEND = "legend"
    LEGEND_HIDES = "legend hides"
    SEARCH = "search"
    ISOLATION = "isolation"
    SPOTLIGHT = "spotlight"


HIDING: Final = (Reason.LEGEND_HIDES, Reason.ISOLATION)
"""For these reasons nodes are not drawn at all."""


class Dimming:
    """Faded is what any of the reasons fades, hidden what any hides."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._masks: dict[Reason, NDArray[np.bool_]] = {}

    def set(self, reason: Reason, faded: NDArray[np.bool_] | None) -> None:
        """Bool (nodes,), True for faded or hidden, or None for nothing."""
        if faded is None:
            self._masks.pop(reason, None)
        else:
            self._masks[reason] = faded
        self.apply()

    def mask(self, reason: Reason) -> NDArray[np.bool_] | None:
        """What is faded or hidden for a reason."""
        return self._masks.get(reason)

    def clear(self) -> None:
        """Another graph: nothing of the former masks holds."""
        self._masks.clear()

    def apply(self) -> None:
        """Fades and hides again, in a view that forgot."""
        self._view.conceal(self.hidden)
        self._view.dim(_any([mask for reason, mask in self._masks.items() if reason not in HIDING]))

    @property
    def hidden(self) -> NDArray[np.bool_] | None:
        """Bool (nodes,): True for nodes that are hidden; None where none is."""
        return _any([mask for reason, mask in self._masks.items() if reason in HIDING])


def _any(masks: list[NDArray[np.bool_]]) -> NDArray[np.bool_] | None:
    return np.logical_or.reduce(masks) if masks else None
