"""Colour modes put every box into a class with a word."""

from __future__ import annotations

import pytest

from aotgui.gui.canvas.colouring import ColourMode, colour
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import DARK, LIGHT


def words(make_graph, mode, executed=()):
    scene = Scene(*make_graph(10))
    colouring = colour(scene, mode, LIGHT, executed)
    return [colouring.labels[value] for value in colouring.classes]


@pytest.mark.parametrize("mode", list(ColourMode))
@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_mode_colours_every_box(make_graph, mode, theme):
    scene = Scene(*make_graph(10))
    colouring = colour(scene, mode, theme)
    assert len(colouring.classes) == len(scene)
    assert len(colouring.fills) == len(colouring.labels)
    assert sum(colouring.counts()) == len(scene)


def test_partition_is_the_side(make_graph):
    assert words(make_graph, ColourMode.PARTITION) == ["forward"] * 10 + ["backward"] * 10


def test_operators_and_roles(make_graph):
    assert words(make_graph, ColourMode.OPERATOR) == ["parameter"] + ["mm"] * 19


def test_dtypes(make_graph):
    assert words(make_graph, ColourMode.DTYPE) == ["f32", "bf16"] * 10


def test_bytes_in_steps(make_graph):
    assert words(make_graph, ColourMode.BYTES) == ["< 16 KiB", "< 1 KiB"] * 10


def test_modules(make_graph):
    assert set(words(make_graph, ColourMode.MODULE)) == {"layers.0"}


def test_executed(make_graph):
    assert words(make_graph, ColourMode.EXECUTED, {0, 2})[:4] == ["executed", "not yet", "executed", "not yet"]


def test_rare_words_share_one_class(make_graph):
    graph, layout = make_graph(20)
    graph.strings.extend(f"aten.op{i}.default" for i in range(30))
    graph.targets[5:35] = range(4, 34)
    colouring = colour(Scene(graph, layout), ColourMode.OPERATOR, LIGHT)
    assert len(colouring.fills) == len(LIGHT.categories) + 1
    assert colouring.labels[0] == "other"
    assert colouring.counts()[0] > 0
