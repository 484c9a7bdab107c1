"""What the debugger measured of each node, and into which steps a colour mode puts it.

The steps are fixed and logarithmic, so that a colour means the same in every graph and after every step. Their fills
go from light to dark (in the dark theme the other way), which every kind of colour vision tells apart.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from aotgui.gui.canvas.scene import Scene


class Measure(Enum):
    """A number that the debugger knows of an executed node.

    Attributes:
        MS: milliseconds that it took.
        ERROR: relative error against the reference run.
        DIFFERENCE: relative difference to the run without replaced values.
    """

    MS = "ms"
    ERROR = "error"
    DIFFERENCE = "difference"


_EDGES: Final = {
    Measure.MS: (0.0, 0.01, 0.03, 0.1, 0.3, 1.0, 10.0),
    Measure.ERROR: (0.0, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2),
    Measure.DIFFERENCE: (0.0, 1e-12, 1e-6, 1e-4, 1e-2, 1e-1, 1.0),
}
"""Lower ends of the classes from 1 on; class 0 are the nodes of which nothing is known."""
LABELS: Final = {
    Measure.MS: ("not executed", "< 0.01 ms", "< 0.03 ms", "< 0.1 ms", "< 0.3 ms", "< 1 ms", "< 10 ms", "10 ms +"),
    Measure.ERROR: ("no reference", "< 1e-7", "< 1e-6", "< 1e-5", "< 1e-4", "< 0.1 %", "< 1 %", "1 % +"),
    Measure.DIFFERENCE: ("not compared", "unchanged", "< 1e-6", "< 1e-4", "< 1 %", "< 10 %", "< 100 %", "100 % +"),
}
"""Words of the classes."""


def classes(measure: Measure, values: NDArray[np.float64]) -> NDArray[np.uint8]:
    """The class of each value: uint8, shaped as ``values``, of which NaN stands for unknown and Inf is the highest."""
    found = np.digitize(np.nan_to_num(values, nan=-1.0, posinf=np.finfo(np.float64).max), _EDGES[measure])
    return found.astype(np.uint8)


def item_values(scene: Scene, measure: Measure, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of the items: of a group the sum of the times, or the largest error, of what is in it.

    Args:
        scene: whose items.
        measure: what the values are.
        values: float64 (nodes,), NaN where unknown.

    Returns:
        float64 (items,), NaN where nothing in the item is known.
    """
    nodes = scene.layout.item_nodes
    found = np.full(len(nodes), np.nan)
    found[nodes >= 0] = values[nodes[nodes >= 0]]
    combine = np.sum if measure is Measure.MS else np.max
    for item in np.flatnonzero(nodes < 0):
        inside = values[scene.layout.groups[scene.layout.item_groups[item]].nodes]
        known = inside[~np.isnan(inside)]
        if known.size:
            found[item] = combine(known)
    return found
