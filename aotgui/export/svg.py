"""A graph as SVG, written by hand: ten times faster and four times smaller than a generator's.

Text stays text, every node has an id and a tooltip, and colours are attributes, which every renderer knows. Looks like
the canvas: fill for the side, border and badge for the fate, a tab where a value is returned.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from aotgui.export.describe import Words
from aotgui.export.svg_legend import HEADER_HEIGHT, header, header_width
from aotgui.export.svg_routes import paths, tenths
from aotgui.export.svg_style import BADGE_RADIUS, Ink, definitions, xml_text
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph, Op
from aotgui.model.palette import Palette, palette
from aotgui.model.text import count_text
from aotgui.model.wording import node_subtitle

MARGIN: Final = 24.0
LIMIT_PX: Final = 32_767
"""Renderers refuse larger pictures (librsvg, cairo); the view box keeps the coordinates."""
TWO_LINES_UNITS: Final = 32.0
_TITLE_UNITS: Final = 7.2
_SUBTITLE_UNITS: Final = 5.8
_SIDE_ROOM: Final = 10.0


def svg_of(
    graph: Graph,
    layout: Layout,
    *,
    dark: bool = False,
    title: str = "",
    legend: bool = True,
    nodes: Collection[int] | None = None,
) -> str:
    """The graph as a complete SVG document.

    Args:
        graph: the graph.
        layout: of this graph; groups may be collapsed.
        dark: light on dark.
        title: said above the graph and by the browser's tab.
        legend: whether sides and fates are explained, with counts, above the graph.
        nodes: show only these, with the edges between them; None for all.
    """
    colors = palette(dark)
    ink = Ink.of(colors)
    items = _items(layout, nodes)
    left, top, width, height = _view(layout, items, nodes is None)
    above = 0.0
    if legend:
        above, width = HEADER_HEIGHT, max(width, header_width(graph, title))
    box = (left - MARGIN, top - MARGIN - above, width + 2 * MARGIN, height + 2 * MARGIN + above)
    parts = [_head(box, title, ink), definitions(colors)]
    parts.append(_rect(f'class="bg" {ink.background}', box))
    if legend:
        parts.append(header(graph, title, left, top - above, ink))
    parts += _frames(layout, nodes is None, ink)
    parts.append(f'<g class="edges" {ink.edges}>')
    parts += paths(layout, _edges(layout, items), ink.edge_kinds)
    parts.append('</g>\n<g class="nodes">')
    parts += _boxes(graph, layout, items, colors, ink)
    parts.append("</g>\n</svg>\n")
    return "\n".join(parts)


def _items(layout: Layout, nodes: Collection[int] | None) -> NDArray[np.int32]:
    if nodes is None:
        return np.arange(len(layout.boxes), dtype=np.int32)
    return np.unique(layout.node_items[np.fromiter(nodes, np.int64)])


def _edges(layout: Layout, items: NDArray[np.int32]) -> NDArray[np.int64]:
    """Edges between the items shown."""
    shown = np.zeros(len(layout.boxes), np.bool_)
    shown[items] = True
    return np.flatnonzero(shown[layout.edge_sources] & shown[layout.edge_targets])


def _view(layout: Layout, items: NDArray[np.int32], everything: bool) -> tuple[float, float, float, float]:
    if everything or not len(items):
        return layout.bounds
    boxes = layout.boxes[items]
    left, top = boxes[:, :2].min(axis=0).tolist()
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0).tolist()
    return left, top, right - left, bottom - top


def _head(box: tuple[float, float, float, float], title: str, ink: Ink) -> str:
    scale = min(1.0, LIMIT_PX / max(box[2], box[3], 1.0))
    view = " ".join(f"{value:.9g}" for value in map(_whole, box))
    size = f'width="{int(box[2] * scale)}" height="{int(box[3] * scale)}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="{view}" role="img" {ink.root}>'
    return f"{head}\n<title>{xml_text(title)}</title>" if title else head


def _whole(value: float) -> float:
    return round(value, 1)


def _frames(layout: Layout, everything: bool, ink: Ink) -> Iterator[str]:
    if not everything:
        return
    for (x, y, width, height), group in zip(layout.frames.tolist(), layout.frame_groups.tolist(), strict=True):
        yield _rect(f'class="frame" {ink.frame} rx="8"', (x, y, width, height))
        text = _fit(layout.groups[group].title, width - 20, _SUBTITLE_UNITS)
        yield f'<text class="m" {ink.muted} {ink.left} x="{x + 10:.9g}" y="{y + 14:.9g}">{text}</text>'


def _boxes(graph: Graph, layout: Layout, items: NDArray[np.int32], colors: Palette, ink: Ink) -> Iterator[str]:
    boxes = tenths(layout.boxes[items]).tolist()
    words = Words(graph)
    of_item = zip(boxes, layout.item_nodes[items].tolist(), layout.item_groups[items].tolist(), strict=True)
    for box, node, group in of_item:
        yield _node(graph, words, node, box, colors, ink) if node >= 0 else _group(graph, layout, group, box, ink)


def _node(graph: Graph, words: Words, node: int, box: list[float], colors: Palette, ink: Ink) -> str:
    x, y, width, height = box
    name, fate = graph.names[node], graph.fates[node]
    radius = height / 2 if graph.ops[node] == Op.PLACEHOLDER else 6
    parts = [
        f'<g id={quoteattr("n-" + name)} class="s{graph.sides[node]} f{fate}">',
        f"<title>{xml_text(words.tooltip(node))}</title>",
        _rect(f'{ink.sides[graph.sides[node]]} {ink.fates[fate]} rx="{radius:g}"', box),
        *_words(graph.title(node), node_subtitle(graph, node), box, ink),
    ]
    if colors.fates[fate].badge:
        parts.append(
            f'<use href="#b{fate}" x="{x + width - 1.3 * BADGE_RADIUS:.9g}" y="{y + 0.1 * BADGE_RADIUS:.9g}"/>'
        )
    if word := words.mark(node):
        parts.append(f'<use href="#{word}" x="{x + width / 2:.9g}" y="{y + height:.9g}"/>')
    return "".join(parts) + "</g>"


def _group(graph: Graph, layout: Layout, group: int, box: list[float], ink: Ink) -> str:
    """A collapsed group: a stack of boxes, filled for the side of most of its nodes."""
    x, y, width, height = box
    shown = layout.groups[group]
    members = shown.nodes.tolist()
    side = int(2 * sum(graph.sides[node] for node in members) > len(members))
    count = count_text(len(members), "node")
    look = f'{ink.sides[side]} {ink.group} rx="6"'
    stack = "".join(_rect(look, (x + shift, y + shift, width, height)) for shift in (4, 2, 0))
    words = "".join(_words(shown.title, count, box, ink))
    return f'<g id="g{group}" class="s{side} group"><title>{xml_text(shown.path)}\n{count}</title>{stack}{words}</g>'


def _rect(look: str, box: Sequence[float]) -> str:
    """A rectangle with some attributes; the box is left, top, width and height."""
    x, y, width, height = box
    return f'<rect {look} x="{x:.9g}" y="{y:.9g}" width="{width:.9g}" height="{height:.9g}"/>'


def _words(title: str, second: str, box: list[float], ink: Ink) -> Iterator[str]:
    x, y, width, height = box
    centre, middle = x + width / 2, y + height / 2
    two_lines = height >= TWO_LINES_UNITS and second
    room = width - _SIDE_ROOM
    line = middle - 2 if two_lines else middle + 4
    yield f'<text x="{centre:.9g}" y="{line:.9g}">{_fit(title, room, _TITLE_UNITS)}</text>'
    if two_lines:
        text = _fit(second, room, _SUBTITLE_UNITS)
        yield f'<text class="m" {ink.muted} x="{centre:.9g}" y="{middle + 11:.9g}">{text}</text>'


def _fit(text: str, room: float, unit: float) -> str:
    """The text escaped, shortened in its middle to about ``room`` scene units at ``unit`` a character."""
    count = max(3, int(room / unit))
    if len(text) > count:
        half = (count - 1) // 2
        text = f"{text[: count - 1 - half]}…{text[-half:]}"
    return xml_text(text)
