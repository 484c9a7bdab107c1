"""What flows along edges."""

from __future__ import annotations

import itertools

import numpy as np

from aotgui.gui.canvas.edge_labels import HEIGHT_UNITS, WIDTH_UNITS, EdgeLabels
from aotgui.gui.canvas.scene import Scene
from aotgui.layout.engine import lay_out

EVERYWHERE = (-1e6, -1e6, 1e6, 1e6)


def test_an_edge_carries_the_type_of_its_source(make_graph):
    scene = Scene(*make_graph(6))
    labels = EdgeLabels(scene)
    shown = {edge: labels.text(edge) for edge, _, _ in labels.in_rect(*EVERYWHERE)}
    assert len(shown) > 5
    for edge, text in shown.items():
        source = int(scene.layout.edge_sources[edge])
        assert text == ("f32[32, 64]" if source % 2 == 0 else "bf16[64]")


def test_labels_lie_neither_on_each_other_nor_on_boxes(make_graph):
    graph, _ = make_graph(30)
    scene = Scene(graph, lay_out(graph))
    places = [(x, y) for _, x, y in EdgeLabels(scene).in_rect(*EVERYWHERE)]
    assert places
    for (x1, y1), (x2, y2) in itertools.combinations(places, 2):
        assert abs(x1 - x2) >= WIDTH_UNITS or abs(y1 - y2) >= HEIGHT_UNITS
    assert all(scene.item_at(x, y) < 0 for x, y in places)


def test_only_labels_of_a_part_are_found(make_graph):
    labels = EdgeLabels(Scene(*make_graph(30)))
    everything = labels.in_rect(*EVERYWHERE)
    _, x, y = everything[3]
    found = labels.in_rect(x - 1, y - 1, x + 1, y + 1)
    assert 0 < len(found) < len(everything)


def test_an_empty_graph_has_none(make_graph):
    scene = Scene(*make_graph(1))
    assert np.isfinite([x for _, x, _ in EdgeLabels(scene).in_rect(*EVERYWHERE)]).all()
