"""Colour modes put every box into a class with a word."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from aotgui.gui.canvas.colouring import MEASURED, ColourMode, colour
from aotgui.gui.canvas.measures import LABELS, Measure
from aotgui.gui.canvas.scene import Scene
from aotgui.gui.canvas.theme import DARK, LIGHT


def words(make_graph, mode, executed=(), measured=None):
    scene = Scene(*make_graph(10))
    colouring = colour(scene, mode, LIGHT, executed, measured)
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


def test_devices(make_graph):
    assert set(words(make_graph, ColourMode.DEVICE)) == {"cpu"}


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


def measured(measure, values):
    column = np.full(20, np.nan)
    column[: len(values)] = values
    return {measure: column}


@pytest.mark.parametrize(
    ("mode", "values", "expected"),
    [
        (ColourMode.TIME, [0.0, 0.009, 0.01, 0.5, 25.0], ["< 0.01 ms", "< 0.01 ms", "< 0.03 ms", "< 1 ms", "10 ms +"]),
        (ColourMode.ERROR, [0.0, 1e-7, 5e-4, 0.5], ["< 1e-7", "< 1e-6", "< 0.1 %", "1 % +"]),
        (ColourMode.DIFFERENCE, [0.0, 1e-9, 0.05, np.inf], ["unchanged", "< 1e-6", "< 10 %", "100 % +"]),
    ],
)
def test_measured_nodes_are_put_into_steps(make_graph, mode, values, expected):
    found = words(make_graph, mode, measured=measured(MEASURED[mode], values))
    assert found[: len(values)] == expected
    assert set(found[len(values) :]) == {LABELS[MEASURED[mode]][0]}


def test_a_group_takes_the_sum_of_times_and_the_largest_error(make_graph, make_group):
    graph, layout = make_graph(10)
    layout = make_group(layout, [0, 1, 2])
    items = [index for index in range(20) if index not in (1, 2)]
    folded = dataclasses.replace(
        layout,
        boxes=layout.boxes[items],
        item_nodes=np.array([-1, *items[1:]], np.int32),
        item_groups=np.array([0, *[-1] * 17], np.int32),
        node_items=np.array([0, 0, 0, *range(1, 18)], np.int32),
    )
    scene = Scene(graph, folded)
    times = colour(scene, ColourMode.TIME, LIGHT, (), measured(Measure.MS, [0.06, np.nan, 0.06, 0.06]))
    assert [times.labels[value] for value in times.classes[:3]] == ["< 0.3 ms", "< 0.1 ms", "not executed"]
    errors = colour(scene, ColourMode.ERROR, LIGHT, (), measured(Measure.ERROR, [1e-9, np.nan, 5e-6]))
    assert errors.labels[errors.classes[0]] == "< 1e-5"
