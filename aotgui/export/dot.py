"""A graph as Graphviz DOT, for those who go on with their own tools.

Quoting is left to the ``graphviz`` package. Nothing is drawn here: ``dot`` does not finish graphs of a thousand nodes
in minutes, so a reader of the file should try ``sfdp`` or limit it to a part.
"""

from __future__ import annotations

from typing import Final

import graphviz

from aotgui.export.describe import Words
from aotgui.model.graph import Fate, Graph, Op, Side
from aotgui.model.palette import LIGHT
from aotgui.model.wording import node_subtitle

_FONT: Final = "DejaVu Sans"


def dot_of(graph: Graph, *, title: str = "", clusters: bool = False) -> str:
    """The graph as DOT text; saved values leave the forward on orange edges.

    Args:
        graph: the graph.
        title: said above the graph.
        clusters: draw a box around the nodes of each module.
    """
    dot = graphviz.Digraph(str(graph.kind), strict=False)
    dot.attr("graph", label=graphviz.escape(title), labelloc="t", fontname=_FONT, bgcolor=LIGHT.background)
    dot.attr("node", shape="box", style="rounded,filled", fontname=_FONT, fontsize="10", fontcolor=LIGHT.text)
    dot.attr("edge", color=LIGHT.edge, arrowsize="0.6")
    modules = _nodes_by_module(graph) if clusters else {"": list(range(len(graph)))}
    words = Words(graph)
    for module, nodes in modules.items():
        _add_module(dot, graph, words, module, nodes)
    for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True):
        crosses = graph.sides[source] == Side.FORWARD and graph.sides[target] == Side.BACKWARD
        dot.edge(_id(source), _id(target), **({"color": LIGHT.saved_edge, "penwidth": "1.5"} if crosses else {}))
    return str(dot.source)


def _id(node: int) -> str:
    return f"n{node}"


def _nodes_by_module(graph: Graph) -> dict[str, list[int]]:
    by_module: dict[str, list[int]] = {}
    for node in range(len(graph)):
        by_module.setdefault(graph.module(node), []).append(node)
    return by_module


def _add_module(dot: graphviz.Digraph, graph: Graph, words: Words, module: str, nodes: list[int]) -> None:
    if not module:
        for node in nodes:
            _add_node(dot, graph, words, node)
        return
    with dot.subgraph(name=f"cluster_{module}") as cluster:
        cluster.attr(label=graphviz.escape(module), style="rounded", color=LIGHT.frame, fontcolor=LIGHT.muted)
        for node in nodes:
            _add_node(cluster, graph, words, node)


def _add_node(dot: graphviz.Digraph, graph: Graph, words: Words, node: int) -> None:
    style = LIGHT.fate(Fate(graph.fates[node]))
    lines = [graph.title(node), node_subtitle(graph, node), *(output.label for output in graph.outputs_of(node))]
    label = "\n".join(filter(None, lines)) + (f"  [{style.badge}]" if style.badge else "")
    dot.node(
        _id(node),
        label=_escaped(label),
        tooltip=_escaped(words.tooltip(node)),
        fillcolor=LIGHT.fill(Side(graph.sides[node])),
        color=style.border,
        penwidth=f"{style.width:g}",
        **({"style": "rounded,filled,dashed"} if style.dashed else {}),
        **({"shape": "oval"} if graph.ops[node] == Op.PLACEHOLDER else {}),
    )


def _escaped(text: str) -> str:
    """Text as it is, with line breaks as DOT writes them."""
    return str(graphviz.escape(text)).replace("\n", "\\n")
