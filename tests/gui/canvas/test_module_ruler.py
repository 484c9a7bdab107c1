"""Modules along the left border."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest

from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.module_bands import Band, bands_by_level
from aotgui.gui.canvas.module_ruler import COLUMN_PX, ModuleRuler
from aotgui.layout.engine import lay_out
from aotgui.layout.groups import groups_of
from aotgui.layout.options import LayoutOptions


@pytest.fixture
def graph(make_graph):
    """Two blocks of two parts each."""
    graph, _ = make_graph(40)
    first = len(graph.strings)
    paths = [f"block.{part}.{half}" for part in range(2) for half in "ab"]
    modules = [first + seq_nr // 10 for seq_nr in graph.seq_nrs]
    return msgspec.structs.replace(graph, strings=[*graph.strings, *paths], modules=modules)


@pytest.fixture
def ruler(view, graph, qtbot):
    layout = lay_out(graph)
    view.set_graph(graph, layout)
    widget = ModuleRuler(view)
    qtbot.addWidget(widget)
    widget.resize(2 * COLUMN_PX, view.height())
    widget.show_modules(bands_by_level(layout, groups_of(graph)))
    return widget


def paths(bands):
    return [band.group.path for band in bands]


def test_levels_from_top_to_bottom(graph):
    levels = bands_by_level(lay_out(graph), groups_of(graph))
    assert [paths(bands) for bands in levels] == [
        ["block.0", "block.1"],
        ["block.0.a", "block.0.b", "block.1.a", "block.1.b"],
    ]
    assert levels[0][0].bottom < levels[0][1].top
    assert levels[0][0].top == levels[1][0].top
    assert levels[0][0].bottom == levels[1][1].bottom


def test_what_a_collapsed_module_holds_is_not_shown(ruler, view, graph):
    width = ruler.sizeHint().width()
    layout = lay_out(graph, LayoutOptions(expanded=frozenset({"block.1"})))
    view.set_graph(graph, layout)
    ruler.show_modules(bands_by_level(layout, layout.groups))
    view.set_camera(Camera(1.0))
    assert [paths(bands) for bands in ruler.columns] == [["block.0", "block.1"], ["block.1.a", "block.1.b"]]
    layout = lay_out(graph, LayoutOptions(expanded=frozenset()))
    view.set_graph(graph, layout)
    ruler.show_modules(bands_by_level(layout, layout.groups))
    assert [paths(bands) for bands in ruler.columns] == [["block.0", "block.1"]]
    assert ruler.sizeHint().width() == width  # or the view would move when a module is opened


def test_looking_closer_shows_deeper_modules(ruler, view):
    view.set_camera(Camera(0.05))
    assert paths(ruler.columns[0]) == ["block.0", "block.1"]
    view.set_camera(Camera(1.0))
    assert len(ruler.columns) == 2


def test_a_click_names_the_module(ruler, view, qtbot):
    view.set_camera(Camera(1.0))
    inner = ruler.columns[1][1]
    y = round(inner.top - view.camera.top) + 5
    assert ruler.band_at(QPointF(COLUMN_PX + 5, y)) is inner
    assert ruler.band_at(QPointF(5, y)).group.path == "block.0"
    with qtbot.waitSignal(ruler.chosen) as chosen:
        QTest.mouseClick(ruler, Qt.MouseButton.LeftButton, pos=QPoint(COLUMN_PX + 5, y))
    assert chosen.args == [inner.group, False]


def test_a_module_of_several_levels_is_named_once(ruler, view, graph):
    """Also where the bands came from the layout's own process, one for each level."""
    layout = lay_out(graph)
    outer = bands_by_level(layout, groups_of(graph))[0]
    ruler.show_modules([outer, [dataclasses.replace(band) for band in outer]])
    view.set_camera(Camera(0.3))
    y = round((outer[0].top - view.camera.top) * 0.3) + 5
    assert ruler.band_at(QPointF(5, y)) == outer[0]
    assert ruler.band_at(QPointF(COLUMN_PX + 5, y)) is None


def test_a_stray_node_does_not_stretch_its_module(graph):
    """Without groups a node can stand where another module is."""
    layout = lay_out(graph)
    groups = groups_of(graph)
    of_last = next(group for group in groups if group.path == "block.1.b")
    boxes = layout.boxes.copy()
    boxes[:, 1] *= 8  # the blocks are far apart
    apart = dataclasses.replace(layout, boxes=boxes)
    rows = boxes[layout.node_items[of_last.nodes]]
    boxes[layout.node_items[of_last.nodes[0]], 1] = 0.0
    band = next(band for band in bands_by_level(apart, groups)[1] if band.group.path == "block.1.b")
    assert band.top >= rows[:, 1].min()
    assert band.bottom == (rows[:, 1] + rows[:, 3]).max()


def test_one_module_needs_no_ruler(ruler, make_graph):
    graph, _ = make_graph(5)
    ruler.show_modules(bands_by_level(lay_out(graph), groups_of(graph)))
    assert ruler.isHidden()


def test_bands_without_room_for_a_name_are_left_out(ruler, view):
    """A user saw empty pills, and "tr…"."""

    def picture():
        image = ruler.grab().toImage()
        return {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}

    view.set_camera(Camera(0.002))
    assert ruler.columns
    assert len(picture()) == 1
    assert ruler.band_at(QPointF(5, 1)) is None
    view.set_camera(Camera(1.0))
    assert len(picture()) > 1


def test_a_class_goes_before_a_name_does(ruler, view, graph):
    layout = lay_out(graph)
    bands = bands_by_level(layout, groups_of(graph))[0]
    long = [
        Band(dataclasses.replace(band.group, title="block · " + 50 * "Wide"), band.top, band.bottom) for band in bands
    ]
    ruler.show_modules([long])
    view.set_camera(Camera(100 / (bands[0].bottom - bands[0].top), bands[0].top, bands[0].top))
    assert ruler.band_at(QPointF(5, 10)) is long[0]
