"""DOT as other tools read it: nodes, edges and colours, and any text safely quoted."""

from __future__ import annotations

import re

import pytest

from aotgui.export.dot import dot_of
from aotgui.model.graph import Graph
from aotgui.model.palette import LIGHT

from .conftest import make_graph


def test_every_node_and_edge_is_there(graph: Graph) -> None:
    dot = dot_of(graph)
    assert re.findall(r"^\t(n\d+) \[", dot, re.M) == [f"n{index}" for index in range(len(graph))]
    edges = {(int(a), int(b)) for a, b in re.findall(r"n(\d+) -> n(\d+)", dot)}
    assert edges == set(zip(graph.edge_sources, graph.edge_targets, strict=True))


def test_only_edges_into_the_backward_are_orange(graph: Graph) -> None:
    orange = re.findall(rf'n(\d+) -> n(\d+) \[color="{LIGHT.saved_edge}"', dot_of(graph))
    assert orange == [("4", "8"), ("1", "9")]


def test_fate_is_border_and_badge(graph: Graph) -> None:
    lines = dict(re.findall(r"^\t(n\d+) \[(.*)\]$", dot_of(graph), re.M))
    assert 'color="#B36200"' in lines["n2"]
    assert "[S]" in lines["n2"]
    assert 'style="rounded,filled,dashed"' in lines["n5"]


def test_clusters_follow_modules(graph: Graph) -> None:
    dot = dot_of(graph, clusters=True)
    cluster = dot[dot.index("subgraph") : dot.index("}")]
    assert "cluster_layer" in cluster
    assert "n2 [" in cluster
    assert "n0 [" not in cluster


@pytest.mark.parametrize("label", ['a "quoted" one', "back\\slash", "<b>no html</b>", "line\nbreak"])
def test_text_is_quoted(label: str) -> None:
    line = next(line for line in dot_of(make_graph(label=label)).splitlines() if line.startswith("\tn1 "))
    text = re.search(r'label="((?:[^"\\]|\\.)*)"', line)
    assert text is not None
    plain = text.group(1).replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    assert plain.startswith(f"{label}\nparameter f32[4, 4]")
