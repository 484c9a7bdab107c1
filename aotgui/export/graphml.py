"""A graph as GraphML, for Gephi, yEd, Cytoscape and ``networkx.read_graphml``."""

from __future__ import annotations

import io

import networkx as nx

from aotgui.export.tables import node_rows
from aotgui.model.graph import Graph


def graphml_of(graph: Graph) -> bytes:
    """The document, UTF-8. Nodes are named as torch names them and carry what the table of nodes says of them."""
    network: nx.DiGraph[str] = nx.DiGraph()
    for name, row in zip(graph.names, node_rows(graph), strict=True):
        network.add_node(name, **{key: value for key, value in row.items() if key != "name"})
    network.add_edges_from(
        (graph.names[source], graph.names[target])
        for source, target in zip(graph.edge_sources, graph.edge_targets, strict=True)
    )
    stream = io.BytesIO()
    nx.write_graphml(network, stream)
    return stream.getvalue()
