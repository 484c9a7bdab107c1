"""How far each module reaches from top to bottom, level by level: what the ruler shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from aotgui.layout.result import Group, Layout

FAR_UNITS: Final = 1000.0
"""About fifteen rows: without groups, nodes of a module that are farther from each other are not one block."""


@dataclass(frozen=True, slots=True)
class Band:
    """A module and its reach.

    Attributes:
        group: the module's group; of the two of a joint graph the first.
        top: scene y.
        bottom: scene y.
    """

    group: Group
    top: float
    bottom: float


def bands_by_level(layout: Layout, groups: tuple[Group, ...]) -> list[list[Band]]:
    """For each depth of nesting the modules of that depth, and those less deep that hold no others; top to bottom.

    Args:
        layout: where the nodes are, with or without groups.
        groups: all that there are, outer ones before inner ones.
    """
    reach: dict[str, Band] = {}
    depths: dict[str, int] = {}
    depth_of = [0] * len(groups)
    reaches = _reaches(layout, groups)
    for number, group in enumerate(groups):
        depth_of[number] = depth_of[group.parent] + 1 if group.parent >= 0 else 0
        top, bottom = reaches[number]
        known = reach.get(group.path)
        if known is not None:
            top, bottom, group = min(top, known.top), max(bottom, known.bottom), known.group
        reach[group.path] = Band(group, top, bottom)
        depths.setdefault(group.path, depth_of[number])
    holders = {groups[group.parent].path for group in groups if group.parent >= 0}
    levels = [
        [
            band
            for path, band in reach.items()
            if depths[path] == level or (depths[path] < level and path not in holders)
        ]
        for level in range(max(depths.values(), default=-1) + 1)
    ]
    return [sorted(bands, key=lambda band: (band.top, band.bottom)) for bands in levels]


def _reaches(layout: Layout, groups: tuple[Group, ...]) -> list[tuple[float, float]]:
    """Highest top and lowest bottom of the boxes that show the nodes of each group; none is empty.

    Without groups the nodes of a module may stand far apart (a mask that every block makes for itself can stand where
    the first one needs it): only those count that most others are near to.
    """
    if not groups:
        return []
    owners = np.repeat(np.arange(len(groups)), [len(group.nodes) for group in groups])
    boxes = layout.boxes[layout.node_items[np.concatenate([group.nodes for group in groups])]]
    order = np.lexsort((boxes[:, 1], owners))
    owners, tops, bottoms = owners[order], boxes[order, 1], boxes[order, 1] + boxes[order, 3]
    is_far = np.diff(tops) > (np.inf if layout.groups else FAR_UNITS)
    starts = np.flatnonzero(np.concatenate([[True], (owners[1:] != owners[:-1]) | is_far]))
    reaches = zip(
        np.minimum.reduceat(tops, starts).tolist(), np.maximum.reduceat(bottoms, starts).tolist(), strict=True
    )
    counts = np.diff([*starts.tolist(), len(owners)]).tolist()
    found: dict[int, tuple[int, tuple[float, float]]] = {}
    for owner, count, reach in zip(owners[starts].tolist(), counts, reaches, strict=True):
        if owner not in found or count > found[owner][0]:
            found[owner] = count, reach
    return [found[number][1] for number in range(len(groups))]
