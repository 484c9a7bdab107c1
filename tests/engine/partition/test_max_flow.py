"""The quick cut is networkx's: value and both parts."""

from __future__ import annotations

import math

import networkx
from hypothesis import given, settings
from hypothesis import strategies as st

from aotgui.engine.max_flow import minimum_cut

NODES = ["source", "a", "b", "c", "d", "e", "f", "sink"]
CAPACITIES = st.one_of(st.integers(0, 9), st.just(math.inf))
EDGES = st.dictionaries(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), CAPACITIES, max_size=30)


@settings(max_examples=300)
@given(EDGES)
def test_cuts_as_networkx_does(edges):
    network = networkx.DiGraph()
    network.add_nodes_from(NODES)
    for (start, end), capacity in edges.items():
        if start != end and end != "source" and start != "sink":
            network.add_edge(start, end, capacity=capacity)
    try:
        expected = networkx.minimum_cut(network, "source", "sink")
    except networkx.NetworkXUnbounded:
        assert minimum_cut(network) is None
        return
    assert minimum_cut(network) == expected


def test_ladder_of_a_thousand_steps():
    network = networkx.DiGraph()
    for step in range(1000):
        network.add_edge(step, step + 1, capacity=step % 7 + 3)
        network.add_edge("source" if step == 0 else step, step + 2, capacity=5 + step % 3)
    network.add_edge("source", 0, capacity=math.inf)
    network.add_edge(1000, "sink", capacity=math.inf)
    network.add_edge(1001, "sink", capacity=math.inf)
    assert minimum_cut(network) == networkx.minimum_cut(network, "source", "sink")
