"""What changes while a person works and is drawn on the boxes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

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
    """

    executed: set[int] = field(default_factory=set)
    breakpoints: set[int] = field(default_factory=set)
    nonfinite: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    dimmed: NDArray[np.bool_] | None = None
