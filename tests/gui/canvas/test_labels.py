"""Words at any zoom."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.detail import SMALLEST_TEXT_PX, TITLE_FROM_ZOOM, TITLE_UNITS, title_units
from aotgui.gui.canvas.labels import Labels
from aotgui.gui.canvas.scene import Scene

ZOOMS = np.linspace(TITLE_FROM_ZOOM, 1.5, 200).tolist()


def test_titles_are_readable_wherever_they_are_painted():
    assert all(title_units(zoom) * zoom >= SMALLEST_TEXT_PX for zoom in ZOOMS)
    assert title_units(1.0) == TITLE_UNITS[0]


@pytest.mark.parametrize("units", TITLE_UNITS)
def test_enlarged_titles_stay_in_their_boxes(qapp, make_graph, units):
    labels = Labels(Scene(*make_graph(20)))
    for item in range(40):
        label = labels.title(item, units)
        assert label.width <= 150 - 6
        assert label.height < 40


def test_what_says_least_goes_first(qapp, make_graph):
    graph, layout = make_graph(20)
    names = ["layer", *(f"transpose_{n}" for n in range(1, 40))]
    labels = Labels(Scene(msgspec.structs.replace(graph, names=names), layout))
    assert labels.title(1, 12).text.text() == "transpose_1"
    assert labels.title(1, 28).text.text().rstrip("\u2026") in "transpose"
    assert labels.title(1, 28).text.text().startswith("tra")
    assert labels.title(0, 28).text.text().endswith("weight")  # a parameter's path


def test_the_title_of_an_open_group_loses_its_class_first(qapp, make_graph):
    labels = Labels(Scene(*make_graph(2)))
    title = "norm \u00b7 LayerNorm"
    assert labels.heading(title, 300.0).text.text() == title
    assert labels.heading(title, 60.0).text.text() == "norm"


def test_names_are_painted_at_a_small_zoom(view, make_graph, settle):
    """A demanding user saw boxes without any words at 30%."""
    view.set_graph(*make_graph(200))
    view.set_camera(Camera(0.3))
    settle(view)
    left, top, width, height = view.scene.box(3)
    box = view.camera.rect_to_view(left, top, width, height).toRect().adjusted(3, 3, -3, -3)
    image = view.grab(box).toImage()
    darkest = min(image.pixelColor(x, y).lightness() for x in range(image.width()) for y in range(image.height()))
    assert darkest < 140
