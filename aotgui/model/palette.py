"""Colours and signs of graphs, the same on the canvas and in exported pictures.

Fill says the side, border and badge say the fate; nothing is said by colour alone. The hues are those of Okabe and
Ito (https://jfly.uni-koeln.de/color/), which colour-blind people can tell apart; fills are tints of them on which
the text keeps a contrast of at least 7:1. Borders that carry a badge keep at least 3:1 against fill and background.
"""

from __future__ import annotations

from typing import Final

import msgspec

from aotgui.model.graph import Fate, Side

ORANGE: Final = "#E69F00"
SKY_BLUE: Final = "#56B4E9"
GREEN: Final = "#009E73"
YELLOW: Final = "#F0E442"
BLUE: Final = "#0072B2"
VERMILION: Final = "#D55E00"
PURPLE: Final = "#CC79A7"


class FateStyle(msgspec.Struct, frozen=True):
    """How a node's border and badge show its fate.

    Attributes:
        border: colour of the border and of the badge.
        width: of the border, in scene units.
        dashed: whether the border is dashed.
        badge: one letter in the node's corner; empty for the fates that say nothing beyond the side.
        badge_text: colour of the letter.
    """

    border: str
    width: float
    dashed: bool
    badge: str
    badge_text: str


class Palette(msgspec.Struct, frozen=True, kw_only=True):
    """All colours of one theme, as ``#RRGGBB``.

    Attributes:
        background: behind the graph.
        text: names of nodes.
        muted: second lines, group titles.
        edge: ordinary edges.
        saved_edge: edges from forward to backward.
        frame: borders of expanded groups.
        group: fill of a collapsed group.
        sides: fill by ``Side``.
        fates: border and badge by ``Fate``.
        selection: around selected nodes.
        hover: around the node under the pointer.
        next_node: around the node that the debugger would run next.
        error: around a node to blame.
        breakpoint: the dot where one stops.
    """

    background: str
    text: str
    muted: str
    edge: str
    saved_edge: str
    frame: str
    group: str
    sides: tuple[str, str]
    fates: tuple[FateStyle, ...]
    selection: str
    hover: str
    next_node: str
    error: str
    breakpoint: str

    def fill(self, side: Side) -> str:
        """Fill of a node."""
        return self.sides[side]

    def fate(self, fate: Fate) -> FateStyle:
        """Border and badge of a node."""
        return self.fates[fate]


LIGHT: Final = Palette(
    background="#FBFBFC",
    text="#1C2330",
    muted="#566072",
    edge="#A3ACB9",
    saved_edge="#E69F00",
    frame="#CDD4DE",
    group="#F3F5F8",
    sides=("#DCEBF8", "#FBE4DE"),
    fates=(
        FateStyle("#B36200", 2.5, False, "S", "#FFFFFF"),
        FateStyle("#007A5A", 2.5, False, "R", "#FFFFFF"),
        FateStyle("#9AA7B8", 1.0, False, "", "#FFFFFF"),
        FateStyle("#9AA7B8", 1.0, False, "", "#FFFFFF"),
        FateStyle("#A8437D", 2.5, False, "M", "#FFFFFF"),
        FateStyle("#6B7280", 1.5, True, "\u00d7", "#FFFFFF"),
    ),
    selection="#0059B3",
    hover="#3D8FC9",
    next_node="#00794F",
    error="#B3261E",
    breakpoint="#D62246",
)

DARK: Final = Palette(
    background="#16191F",
    text="#E6EAF1",
    muted="#A3ADBD",
    edge="#5F6B7C",
    saved_edge="#D9940A",
    frame="#353E4B",
    group="#1B2027",
    sides=("#21405C", "#56332D"),
    fates=(
        FateStyle("#F0AC2E", 2.5, False, "S", "#11151B"),
        FateStyle("#2FC79A", 2.5, False, "R", "#11151B"),
        FateStyle("#5D6A7D", 1.0, False, "", "#11151B"),
        FateStyle("#5D6A7D", 1.0, False, "", "#11151B"),
        FateStyle("#E394C4", 2.5, False, "M", "#11151B"),
        FateStyle("#8B95A5", 1.5, True, "\u00d7", "#11151B"),
    ),
    selection="#6CB6FF",
    hover="#9AD3F5",
    next_node="#3DDC97",
    error="#FF8A80",
    breakpoint="#FF5D73",
)


def palette(dark: bool) -> Palette:
    """The colours of a theme."""
    return DARK if dark else LIGHT
