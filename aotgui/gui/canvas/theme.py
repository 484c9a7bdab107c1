"""Colours of the canvas in light, dark and high contrast.

Hues derive from the palette of Okabe and Ito, which people with any of the common colour vision deficiencies can
tell apart; no meaning rests on colour alone (badges, pills and dashes say the same). Text keeps a contrast of
4.5:1 or more against what it stands on, which a test computes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from PySide6.QtGui import QColor, QPalette

from aotgui.model import palette
from aotgui.model.graph import Fate, Side

MIN_CONTRAST: Final = 4.5


@dataclass(frozen=True, slots=True, kw_only=True)
class CanvasTheme:
    """Every colour that the canvas uses, as ``#rrggbb``.

    Attributes:
        name: ``light``, ``dark`` or ``high contrast``.
        background: behind everything.
        text: titles.
        muted_text: second lines, captions.
        node_text_dark: title on a light fill.
        node_text_light: title on a dark fill.
        forward_fill: boxes of the forward side.
        backward_fill: boxes of the backward side.
        plain_fill: boxes that a colour mode says nothing about.
        node_border: thin border of a box without a special fate.
        fates: border and badge of each fate, in the order of ``Fate``.
        badge_text: the letter in a badge.
        edge: plain edges.
        edge_lane: long edges in a side lane.
        edge_saved: values that cross from forward to backward.
        group_fill: inside of an expanded group.
        group_border: its border.
        accent: selection.
        inputs: edges and boxes that a selected node reads.
        users: edges and boxes that read it.
        step: where the debugger stands.
        done: executed nodes.
        breakpoint: the dot of a breakpoint.
        nonfinite: NaN or Inf.
        card_fill: hover card, legend, minimap.
        card_border: their border.
        categories: fills for colour modes with unordered values.
        ramp: fills for colour modes with ordered values, low to high.
    """

    name: str
    background: str
    text: str
    muted_text: str
    node_text_dark: str
    node_text_light: str
    forward_fill: str
    backward_fill: str
    plain_fill: str
    node_border: str
    fates: tuple[str, ...]
    badge_text: str
    edge: str
    edge_lane: str
    edge_saved: str
    group_fill: str
    group_border: str
    accent: str
    inputs: str
    users: str
    step: str
    done: str
    breakpoint: str
    nonfinite: str
    card_fill: str
    card_border: str
    categories: tuple[str, ...]
    ramp: tuple[str, ...]

    def fate(self, fate: Fate) -> str:
        """Border and badge colour of a fate."""
        return self.fates[fate]

    def node_text(self, fill: str) -> str:
        """The text colour that reads best on a fill."""
        return max((self.node_text_dark, self.node_text_light), key=lambda text: contrast(text, fill))


def _shared(colours: palette.Palette) -> dict[str, Any]:
    """What the canvas has in common with exported pictures."""
    plain = colours.fate(Fate.FORWARD_ONLY)
    return {
        "background": colours.background,
        "text": colours.text,
        "muted_text": colours.muted,
        "forward_fill": colours.fill(Side.FORWARD),
        "backward_fill": colours.fill(Side.BACKWARD),
        "node_border": plain.border,
        "fates": tuple(style.border for style in colours.fates),
        "badge_text": plain.badge_text,
        "edge": colours.edge,
        "edge_saved": colours.saved_edge,
        "group_fill": colours.group,
        "group_border": colours.frame,
        "accent": colours.selection,
        "step": colours.next_node,
        "breakpoint": colours.breakpoint,
    }


LIGHT: Final = CanvasTheme(
    **_shared(palette.LIGHT),
    name="light",
    node_text_dark="#17202e",
    node_text_light="#ffffff",
    plain_fill="#eef0f3",
    edge_lane="#cfd5dd",
    inputs=palette.BLUE,
    users="#c2500a",
    done=palette.GREEN,
    nonfinite="#b4002f",
    card_fill="#ffffff",
    card_border="#c3cad5",
    categories=(
        "#cfe6f7", "#fde2b3", "#c9ecdf", "#f6d3e4", "#fbd3c1", "#dcd8f5", "#f6f0b0", "#d6dde6", "#bfe3e6", "#e6d5c3",
    ),
    ramp=("#f2f4f7", "#dbe9f6", "#bdd9f0", "#98c6e8", "#72addb", "#1766a5", "#0a518c", "#043a69"),
)  # fmt: skip

DARK: Final = CanvasTheme(
    **_shared(palette.DARK),
    name="dark",
    node_text_dark="#11151b",
    node_text_light="#f1f4f9",
    plain_fill="#2b313b",
    edge_lane="#39424f",
    inputs=palette.SKY_BLUE,
    users="#ff9d66",
    done=palette.DARK.fate(Fate.RECOMPUTED).border,
    nonfinite="#ff6b81",
    card_fill="#20262f",
    card_border="#3c4654",
    categories=(
        "#21405c", "#5c4415", "#1c4d3f", "#5a2f49", "#5f3424", "#3d3763", "#55511c", "#394350", "#1d4b50", "#4f4030",
    ),
    ramp=("#262c35", "#22374b", "#1f4463", "#1d517a", "#1b5d90", "#6aa9d8", "#92c6ee", "#c2e0f8"),
)  # fmt: skip


HIGH_CONTRAST: Final = replace(
    DARK,
    name="high contrast",
    background="#000000",
    text="#ffffff",
    muted_text="#e4e4e4",
    node_text_dark="#000000",
    node_text_light="#ffffff",
    forward_fill="#00304f",
    backward_fill="#4d1a0d",
    plain_fill="#1c1c1c",
    node_border="#ffffff",
    fates=("#ffc24d", "#4dffc3", "#c8c8c8", "#c8c8c8", "#ffb3e0", "#d0d0d0"),
    badge_text="#000000",
    edge="#d8d8d8",
    edge_lane="#a8a8a8",
    edge_saved="#ffb000",
    group_fill="#000000",
    group_border="#b8b8b8",
    accent="#ffff00",
    inputs="#66ccff",
    users="#ffb38a",
    card_fill="#000000",
    card_border="#ffffff",
)
"""Black and white with few colours, all of them strong."""


def theme_for(of: QPalette) -> CanvasTheme:
    """Light, dark or high contrast, after the window colour of a palette: black stands for high contrast."""
    window = of.color(QPalette.ColorRole.Window)
    if window.lightness() == 0:
        return HIGH_CONTRAST
    return DARK if window.lightnessF() < 0.5 else LIGHT


def luminance(colour: str) -> float:
    """Relative luminance of a colour, 0 to 1 (WCAG 2.2)."""
    channels = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in _rgb(colour)]
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _rgb(colour: str) -> tuple[float, float, float]:
    value = QColor(colour)
    return value.redF(), value.greenF(), value.blueF()
