"""Colours, lines and shared symbols of the SVG: what repeats thousands of times is said once."""

from __future__ import annotations

import re
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Ink:
    """Presentation attributes, without a style sheet: renderers that know no CSS draw the picture too.

    The classes beside them (``s0`` and ``s1`` for sides, ``f0`` to ``f5`` for fates, ``e0`` to ``e3`` for the kinds of
    edges) are there for the style sheet of whoever wants the picture to look otherwise: it goes before attributes.

    Attributes:
        background: of the picture.
        root: what all text inherits.
        muted: second lines.
        left: text that begins at its place.
        heading: the title of the picture.
        frame: around an expanded group.
        edges: what all edges inherit.
        edge_kinds: what each kind of edge has besides.
        sides: fill by ``Side``.
        fates: border by ``Fate``.
        group: border of a collapsed group.
        swatch: fill of a swatch that stands for a fate.
    """

    background: str
    root: str
    muted: str
    left: str
    heading: str
    frame: str
    edges: str
    edge_kinds: tuple[str, ...]
    sides: tuple[str, ...]
    fates: tuple[str, ...]
    group: str
    swatch: str

    @classmethod
    def of(cls, colors: Palette) -> Ink:
        """The attributes for a palette."""
        return cls(
            background=f'fill="{colors.background}"',
            root=f'font-family="{FONT}" font-size="12" text-anchor="middle" fill="{colors.text}" stroke="none"',
            muted=f'font-size="10" fill="{colors.muted}"',
            left='text-anchor="start"',
            heading='text-anchor="start" font-size="16" font-weight="600"',
            frame=f'fill="{colors.group}" stroke="{colors.frame}"',
            edges=f'fill="none" stroke="{colors.edge}" marker-end="url(#to)"',
            edge_kinds=(
                "",
                f'stroke="{colors.saved_edge}" stroke-width="1.5" marker-end="url(#saved)"',
                'stroke-opacity="0.6"',
                'stroke-dasharray="4 3"',
            ),
            sides=tuple(f'fill="{fill}"' for fill in colors.sides),
            fates=tuple(_border(style) for style in colors.fates),
            group=f'stroke="{colors.muted}"',
            swatch=f'fill="{colors.group}"',
        )


def _border(style: FateStyle) -> str:
    dashes = ' stroke-dasharray="5 3"' if style.dashed else ""
    return f'stroke="{style.border}" stroke-width="{2 if style.badge else 1}"{dashes}'


def definitions(colors: Palette) -> str:
    """Arrow heads, badges (``b0`` to ``b5``) and tabs of returned values (``out``, ``grad``, ``upd``)."""
    parts = [_arrow("to", colors.edge), _arrow("saved", colors.saved_edge)]
    parts += [_badge(fate, style, colors) for fate, style in enumerate(colors.fates) if style.badge]
    parts += [_tab(word, colors) for word in MARK_WORDS.values()]
    return "<defs>\n" + "\n".join(parts) + "\n</defs>"


def _arrow(name: str, color: str) -> str:
    head = f'<path d="M0,0L8,4L0,8Z" fill="{color}" stroke="none" marker-end="none"/>'
    size = 'viewBox="0 0 8 8" refX="8" refY="4" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse"'
    return f'<marker id="{name}" {size} orient="auto">{head}</marker>'


def _badge(fate: int, style: FateStyle, colors: Palette) -> str:
    return (
        f'<g id="b{fate}"><circle r="{BADGE_RADIUS:g}" fill="{style.border}" stroke="{colors.background}"/>'
        f'<text y="3.6" fill="{style.badge_text}" font-size="10" font-weight="700">{escape(style.badge)}</text></g>'
    )


def _tab(word: str, colors: Palette) -> str:
    width = 26 if len(word) < 4 else 32
    pill = f'fill="{colors.muted}" stroke="{colors.background}"'
    return (
        f'<g id="{word}"><rect x="{-width / 2:g}" y="-4" width="{width}" height="11" rx="5.5" {pill}/>'
        f'<text y="4.6" fill="{colors.background}" font-size="9" font-weight="700">{word}</text></g>'
    )
