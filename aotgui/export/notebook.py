"""A capture as a notebook shows it: a table, and a picture of each region's main graph."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import Final

from aotgui.export.svg import svg_of
from aotgui.layout.engine import lay_out
from aotgui.model.capture import Capture, Region
from aotgui.model.decision import decisions_text
from aotgui.model.graph import Fate, Graph
from aotgui.model.text import bytes_text

MAX_NODES: Final = 1500
"""There is no picture of more nodes: it would be megabytes of page."""


def capture_html(captured: Capture) -> str:
    """An element of a page."""
    return "\n".join(_html(captured))


def region_text(region: Region) -> str:
    """``region 0 (120 nodes, 3.1 MB saved)``."""
    graph = region.main_graph
    nodes = f"{graph.node_count} nodes" if graph else "no graph"
    if not region.is_training:
        return f"{region.name} (inference, {nodes})"
    return f"{region.name} ({nodes}, {bytes_text(region.saved_bytes)} saved)"


def _html(captured: Capture) -> Iterator[str]:
    yield "<div>"
    yield "<table>"
    for name, value in _rows(captured):
        yield f"<tr><th style='text-align:left'>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>"
    yield "</table>"
    for region in captured.regions:
        graph = region.main_graph
        if graph is not None and len(graph) <= MAX_NODES:
            yield f"<div style='overflow:auto;max-height:40em'>{_inline(graph, captured.target)}</div>"
        elif graph is not None:
            yield f"<p>{html.escape(region.name)}: {len(graph)} nodes are too many to draw here; save it instead.</p>"
    yield "</div>"


def _inline(graph: Graph, target: str) -> str:
    """A picture as an element of a page."""
    svg = svg_of(graph, lay_out(graph), title=f"{target}, {graph.kind} graph")
    return svg[svg.index("<svg") :]


def _rows(captured: Capture) -> Iterator[tuple[str, str]]:
    yield "target", captured.target
    yield "torch", captured.torch
    yield "captured", f"{captured.settings.entry_point}, {captured.route}, partitioner {captured.settings.partitioner}"
    if captured.settings.decisions:
        yield "decided", decisions_text(captured.settings.decisions)
    for region in captured.regions:
        yield region.name, region_text(region)
        counts = (f"{len(names)} {fate}" for fate, names in _fates(region) if names)
        yield "", ", ".join(counts)
    yield "check", f"{captured.check.status.value.replace('_', ' ')}. {captured.check.note}".strip(". ")
    for problem in captured.problems:
        yield problem.severity, str(problem)


def _fates(region: Region) -> Iterator[tuple[str, list[str]]]:
    return ((fate.label, region.names_with(fate)) for fate in Fate) if region.is_training else iter(())
