"""Style sheet and shared symbols of the SVG: what repeats thousands of times is said once."""

from __future__ import annotations

import re
from typing import Final
from xml.sax.saxutils import escape

from aotgui.export.describe import MARK_WORDS
from aotgui.model.palette import FateStyle, Palette

FONT: Final = "'DejaVu Sans', Verdana, 'Segoe UI', sans-serif"
BADGE_RADIUS: Final = 7.0
_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """Text for an element, without the characters that XML cannot hold at all."""
    return escape(_NOT_XML.sub("", text))


def style_sheet(colors: Palette) -> str:
    """The rules: ``s0`` and ``s1`` are the sides, ``f0`` to ``f5`` the fates, ``e0`` to ``e3`` the kinds of edges."""
    rules = [
        f"text {{ font-family: {FONT}; font-size: 12px; text-anchor: middle; fill: {colors.text}; stroke: none }}",
        f"text.m {{ font-size: 10px; fill: {colors.muted} }}",
        "text.l { text-anchor: start }",
        "text.h { text-anchor: start; font-size: 16px; font-weight: 600 }",
        f".bg {{ fill: {colors.background} }}",
        f".frame {{ fill: {colors.group}; stroke: {colors.frame} }}",
        f".group {{ stroke: {colors.muted} }}",
        f".swatch {{ fill: {colors.group} }}",
        f".edges path {{ fill: none; stroke: {colors.edge}; stroke-width: 1; marker-end: url(#to) }}",
        f".edges .e1 {{ stroke: {colors.saved_edge}; stroke-width: 1.5; marker-end: url(#saved) }}",
        ".edges .e2 { stroke-opacity: 0.6 }",
        ".edges .e3 { stroke-dasharray: 4 3 }",
        *(f".s{side} {{ fill: {fill} }}" for side, fill in enumerate(colors.sides)),
        *(f".f{fate} {{ {_border(style)} }}" for fate, style in enumerate(colors.fates)),
    ]
    return "<style>\n" + "\n".join(rules) + "\n</style>"


def _border(style: FateStyle) -> str:
    dashes = "; stroke-dasharray: 5 3" if style.dashed else ""
    return f"stroke: {style.border}; stroke-width: {2 if style.badge else 1}{dashes}"


def definitions(colors: Palette) -> str:
    """Arrow heads, badges (``b0`` to ``b5``) and tabs of returned values (``out``, ``grad``, ``upd``)."""
    parts = [_arrow("to", colors.edge), _arrow("saved", colors.saved_edge)]
    parts += [_badge(fate, style, colors) for fate, style in enumerate(colors.fates) if style.badge]
    parts += [_tab(word, colors) for word in MARK_WORDS.values()]
    return "<defs>\n" + "\n".join(parts) + "\n</defs>"


def _arrow(name: str, color: str) -> str:
    head = f'<path d="M0,0L8,4L0,8Z" style="fill: {color}; stroke: none; marker-end: none"/>'
    size = 'viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse"'
    return f'<marker id="{name}" {size} orient="auto">{head}</marker>'


def _badge(fate: int, style: FateStyle, colors: Palette) -> str:
    circle = f"fill: {style.border}; stroke: {colors.background}; stroke-width: 1; stroke-dasharray: none"
    letter = f"fill: {style.badge_text}; font-size: 10px; font-weight: 700"
    return (
        f'<g id="b{fate}"><circle r="{BADGE_RADIUS:g}" style="{circle}"/>'
        f'<text y="3.6" style="{letter}">{escape(style.badge)}</text></g>'
    )


def _tab(word: str, colors: Palette) -> str:
    width = 26 if len(word) < 4 else 32
    pill = f"fill: {colors.muted}; stroke: {colors.background}; stroke-width: 1; stroke-dasharray: none"
    letters = f"fill: {colors.background}; font-size: 9px; font-weight: 700"
    return (
        f'<g id="{word}"><rect x="{-width / 2:g}" y="-4" width="{width}" height="11" rx="5.5" style="{pill}"/>'
        f'<text y="4.6" style="{letters}">{word}</text></g>'
    )
