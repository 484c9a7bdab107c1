"""Level of detail: what is drawn at which size."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

DENSITY_BELOW_PX: Final = 2.5
"""Boxes lower than this, in device pixels, add up to a share of colour."""
BARS_BELOW_PX: Final = 9.0
"""Boxes lower than this are plain rectangles."""
TITLE_FROM_ZOOM: Final = 0.45
SUBTITLE_FROM_ZOOM: Final = 0.68
ARROWS_FROM_ZOOM: Final = 0.45
CAPTIONS_FROM_ZOOM: Final = 0.68
EDGE_LABELS_FROM_ZOOM: Final = 1.2
CURVES_FROM_ZOOM: Final = 0.25
EXACT_FROM_ZOOM: Final = 0.6
"""From here on lines are drawn slower and in their exact place."""
SMOOTH_FROM_ZOOM: Final = 0.06
"""Below, lines are neither antialiased nor drawn twice on the same pixels."""


class Detail(IntEnum):
    """How much is drawn of a box."""

    DENSITY = 0
    BARS = 1
    FULL = 2


def detail_of(box_height: float, scale: float) -> Detail:
    """The detail of boxes of a height in scene units at ``scale`` device pixels for one unit."""
    pixels = box_height * scale
    return Detail.DENSITY if pixels < DENSITY_BELOW_PX else Detail.BARS if pixels < BARS_BELOW_PX else Detail.FULL
