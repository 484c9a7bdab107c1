"""What to open next."""

from __future__ import annotations

from types import ModuleType

import pytest

from aotgui.layout import expansion
from aotgui.layout.nesting import Nesting, nest
from aotgui.model.graph import Graph, GraphKind, Role

OUTER = {"net", "head"}
INNER = {"net.a", "net.b"}


@pytest.fixture
def graph(graphs: ModuleType) -> Graph:
    builder = graphs.GraphBuilder(kind=GraphKind.INFERENCE)
    value = builder.add(role=Role.INPUT)
    for module in ("net", "net.a", "net.b", "net", "head"):
        value = builder.add(builder.add(value, module=module), module=module)
    graph: Graph = builder.build()
    return graph


@pytest.fixture
def nesting(graph: Graph) -> Nesting:
    return nest(graph)


def test_levels_open_and_close_one_by_one(nesting: Nesting) -> None:
    once = expansion.deeper(nesting, frozenset())
    twice = expansion.deeper(nesting, once)
    assert (once, twice) == (OUTER, OUTER | INNER)
    assert expansion.deeper(nesting, twice) == twice
    assert expansion.shallower(nesting, twice) == once
    assert expansion.shallower(nesting, once) == frozenset()


def test_what_is_open_inside_comes_back(nesting: Nesting) -> None:
    everything = expansion.everything(nesting)
    closed = expansion.toggled(everything, "net")
    assert "net.a" in closed
    assert expansion.toggled(closed, "net") == everything


def test_opening_everything_inside(nesting: Nesting) -> None:
    assert expansion.within(nesting, frozenset(), "net") == {"net"} | INNER


def test_showing_a_node_opens_what_is_around_it(nesting: Nesting, graph: Graph) -> None:
    node = next(node for node in range(len(graph)) if graph.module(node) == "net.a")
    assert expansion.showing(nesting, frozenset({"head"}), [node]) == {"head", "net", "net.a"}
    assert expansion.showing(nesting, None, [node]) is None


def test_a_graph_without_modules_opens_flat(graphs: ModuleType) -> None:
    builder = graphs.GraphBuilder(kind=GraphKind.INFERENCE)
    builder.add(builder.add(role=Role.INPUT))
    graph = builder.build()
    assert expansion.opening(graph, nest(graph)) is None


def test_a_small_graph_opens_entirely_and_a_large_one_in_part(
    nesting: Nesting, graph: Graph, graphs: ModuleType
) -> None:
    assert expansion.opening(graph, nesting) == OUTER | INNER
    large = graphs.real_graph("gpt2_12.joint")
    opened = expansion.opening(large, nest(large))
    assert opened is not None
    assert 0 < len(opened) < len(nest(large).paths)
