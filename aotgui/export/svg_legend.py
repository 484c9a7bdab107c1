"""The header of a picture: its title, its size, and what fills, borders and badges mean, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from aotgui.export.svg_style import BADGE_RADIUS, Ink, xml_text
from aotgui.model.graph import Fate, Graph, GraphKind, Side
from aotgui.model.text import count_text

HEADER_HEIGHT: Final = 96.0
_CHARACTER: Final = 7.2
_TITLE_CHARACTER: Final = 10.5
_SWATCH: Final = 26.0
_GAP: Final = 22.0


def header(graph: Graph, title: str, x: float, y: float, ink: Ink) -> str:
    """Two lines of words and one of swatches, from (x, y) downwards."""
    sizes = f"{count_text(graph.node_count, 'node')}, {count_text(graph.edge_count, 'edge')}"
    words = title or f"{str(graph.kind).capitalize()} graph"
    lines = [
        f'<text class="h" {ink.heading} x="{x:g}" y="{y + 16:g}">{xml_text(words)}</text>',
        f'<text class="m l" {ink.muted} {ink.left} x="{x:g}" y="{y + 34:g}">{sizes}</text>',
        *_swatches(graph, x, y + 48, ink),
    ]
    return '<g class="legend">' + "\n".join(lines) + "</g>"


def header_width(graph: Graph, title: str) -> float:
    """Scene units that the header takes."""
    labels = [label for _, _, label in _entries(graph)]
    swatches = sum(_SWATCH + 8 + len(label) * _CHARACTER + _GAP for label in labels)
    return max(swatches, len(title) * _TITLE_CHARACTER)


def _swatches(graph: Graph, x: float, y: float, ink: Ink) -> Iterator[str]:
    for side, fate, label in _entries(graph):
        look = f'class="{"swatch" if side is None else f"s{side:d}"} f{fate:d}"'
        fill = ink.swatch if side is None else ink.sides[side]
        badge = f"b{fate:d}" if side is None else ""
        yield f'<rect {look} {fill} {ink.fates[fate]} x="{x:g}" y="{y:g}" width="{_SWATCH:g}" height="16" rx="4"/>'
        if badge:
            yield f'<use href="#{badge}" x="{x + _SWATCH - BADGE_RADIUS:g}" y="{y:g}"/>'
        x += _SWATCH + 8
        yield f'<text class="l" {ink.left} x="{x:g}" y="{y + 12.5:g}">{label}</text>'
        x += len(label) * _CHARACTER + _GAP


def _entries(graph: Graph) -> Iterator[tuple[Side | None, Fate, str]]:
    """Side, fate and words of each swatch, without a side where the fate is meant; what does not occur is left out."""
    sides = Counter(graph.sides)
    for side in Side:
        if sides[side]:
            yield side, _PLAIN[side], f"{side.label} {sides[side]:,}"
    if graph.kind is GraphKind.INFERENCE:
        return
    for fate, count in graph.fate_counts().items():
        if count and fate not in _PLAIN.values():
            yield None, fate, f"{fate.label} {count:,}"


_PLAIN: Final = {Side.FORWARD: Fate.FORWARD_ONLY, Side.BACKWARD: Fate.BACKWARD_ONLY}
