"""Level of detail: what is drawn at which size."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

DENSITY_BELOW_PX: Final = 2.5
"""Boxes lower than this, in device pixels, add up to a share of colour."""
BARS_BELOW_PX: Final = 9.0
"""Boxes lower than this are plain rectangles."""
TITLE_FROM_ZOOM: Final = 0.25
SIGNS_FROM_ZOOM: Final = 0.5
"""Signs that open and close groups; below, titles take their room."""
SUBTITLE_FROM_ZOOM: Final = 0.68
ARROWS_FROM_ZOOM: Final = 0.45
CAPTIONS_FROM_ZOOM: Final = 0.68
EDGE_LABELS_FROM_ZOOM: Final = 1.2
CURVES_FROM_ZOOM: Final = 0.25
EXACT_FROM_ZOOM: Final = 0.6
"""From here on lines are drawn slower and in their exact place."""
SMOOTH_FROM_ZOOM: Final = 0.06
"""Below, lines are neither antialiased nor drawn twice on the same pixels."""
TITLE_UNITS: Final = (12, 14, 17, 21, 28)
"""Sizes of titles in scene units, larger ones for smaller zooms: few, so that a title is shaped few times."""
SIDE_ROOM_UNITS: Final = 14.0
"""At both sides of a label together."""
GROUP_ROOM_UNITS: Final = 18.0
"""For the sign that opens a group."""
SMALLEST_TEXT_PX: Final = 7.0
TIGHT_FROM_UNITS: Final = 17
"""Titles of this size occur below ``SIGNS_FROM_ZOOM`` only."""


class Detail(IntEnum):
    """How much is drawn of a box."""

    DENSITY = 0
    BARS = 1
    FULL = 2


def detail_of(box_height: float, scale: float) -> Detail:
    """The detail of boxes of a height in scene units at ``scale`` device pixels for one unit."""
    pixels = box_height * scale
    return Detail.DENSITY if pixels < DENSITY_BELOW_PX else Detail.BARS if pixels < BARS_BELOW_PX else Detail.FULL


def title_units(zoom: float) -> int:
    """Size of titles in scene units at a zoom: larger on the scene where they would be too small on the screen."""
    return next((units for units in TITLE_UNITS if units * zoom >= SMALLEST_TEXT_PX), TITLE_UNITS[-1])
