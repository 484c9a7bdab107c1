"""What is faded in a view, for several reasons at once: legend, search, isolation, spotlight."""

from __future__ import annotations

from enum import Enum

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.graph_view import GraphView


class Reason(Enum):
    """Why nodes are faded."""

    LEGEND = "legend"
    SEARCH = "search"
    ISOLATION = "isolation"
    SPOTLIGHT = "spotlight"


class Dimming:
    """Faded is what any of the reasons fades."""

    def __init__(self, view: GraphView) -> None:
        self._view = view
        self._masks: dict[Reason, NDArray[np.bool_]] = {}

    def set(self, reason: Reason, faded: NDArray[np.bool_] | None) -> None:
        """Bool (nodes,), True for faded, or None for nothing."""
        if faded is None:
            self._masks.pop(reason, None)
        else:
            self._masks[reason] = faded
        self.apply()

    def has(self, reason: Reason) -> bool:
        """Whether anything is faded for a reason."""
        return reason in self._masks

    def clear(self) -> None:
        """Another graph: nothing of the former masks holds."""
        self._masks.clear()

    def apply(self) -> None:
        """Fades again, in a view that forgot."""
        masks = list(self._masks.values())
        self._view.dim(np.logical_or.reduce(masks) if masks else None)
