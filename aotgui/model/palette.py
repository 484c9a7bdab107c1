"""Colours and signs of graphs, the same on the canvas and in exported pictures.

Fill says the side, border and badge say the fate; nothing is said by colour alone. The hues are those of Okabe and
Ito (https://jfly.uni-koeln.de/color/), which colour-blind people can tell apart; fills are tints of them on which
the text keeps a contrast of at least 7:1, and borders keep at least 3:1 against fill and background.
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

CATEGORIES: Final = (SKY_BLUE, ORANGE, GREEN, YELLOW, BLUE, VERMILION, PURPLE)
"""For colouring by something that has no order: operator kind, dtype, module."""


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

    def fill(self, side: Side) -> str:
        """Fill of a node."""
        return self.sides[side]

    def fate(self, fate: Fate) -> FateStyle:
        """Border and badge of a node."""
        return self.fates[fate]


LIGHT: Final = Palette(
    background="#FFFFFF",
    text="#1B1F27",
    muted="#565E6C",
    edge="#8A93A3",
    saved_edge="#C98500",
    frame="#B4BCC9",
    group="#EEF1F5",
    sides=("#DCEBFA", "#FBE2D6"),
    fates=(
        FateStyle("#AD7200", 2.5, False, "S", "#FFFFFF"),
        FateStyle("#007F5C", 2.5, False, "R", "#FFFFFF"),
        FateStyle("#5C83A8", 1.0, False, "", "#FFFFFF"),
        FateStyle("#A9745B", 1.0, False, "", "#FFFFFF"),
        FateStyle("#A8457B", 2.5, False, "M", "#FFFFFF"),
        FateStyle("#6C7484", 1.5, True, "E", "#FFFFFF"),
    ),
    selection=BLUE,
    hover="#3D8FC9",
    next_node=VERMILION,
    error="#B3261E",
)

DARK: Final = Palette(
    background="#1B1E24",
    text="#F1F3F7",
    muted="#A9B1BF",
    edge="#6D7685",
    saved_edge=ORANGE,
    frame="#4A5262",
    group="#2A2F38",
    sides=("#1F3B55", "#55301F"),
    fates=(
        FateStyle(ORANGE, 2.5, False, "S", "#1B1E24"),
        FateStyle("#2BC79C", 2.5, False, "R", "#1B1E24"),
        FateStyle("#6F9CC6", 1.0, False, "", "#1B1E24"),
        FateStyle("#C28D72", 1.0, False, "", "#1B1E24"),
        FateStyle("#E39AC3", 2.5, False, "M", "#1B1E24"),
        FateStyle("#9BA4B3", 1.5, True, "E", "#1B1E24"),
    ),
    selection=SKY_BLUE,
    hover="#9AD3F5",
    next_node=YELLOW,
    error="#FF8A80",
)


def palette(dark: bool) -> Palette:
    """The colours of a theme."""
    return DARK if dark else LIGHT
