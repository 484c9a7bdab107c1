"""The overview in the corner."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from aotgui.gui.canvas.minimap import Minimap


@pytest.fixture
def minimap(view, make_graph):
    overview = Minimap(view)
    view.set_graph(*make_graph(300))
    return overview


def test_it_lies_in_the_lower_right_corner(minimap, view):
    assert view.rect().contains(minimap.geometry())
    corner = view.rect().bottomRight() - minimap.geometry().bottomRight()
    assert 0 < corner.x() < 20
    assert 0 < corner.y() < 20
    view.resize(800, 600)
    assert view.rect().contains(minimap.geometry())


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_click_looks_there(minimap, view, share):
    point = QPoint(minimap.width() // 2, round(share * minimap.height()))
    QTest.mouseClick(minimap, Qt.MouseButton.LeftButton, pos=point)
    _, top, _, height = view.scene.bounds
    middle = view.camera.top + view.height() / 2 / view.camera.scale
    assert (middle - top) / height == pytest.approx(share, abs=0.05)


def test_it_goes_where_the_whole_graph_is_seen(minimap, view, make_graph):
    assert minimap.isVisible()
    view.fit()
    assert not minimap.isVisible()
    view.zoom_100()
    assert minimap.isVisible()
    minimap.set_wanted(False)
    assert not minimap.isVisible()


def test_in_a_small_view_it_comes_and_goes(minimap, view, qtbot):
    view.resize(500, 380)
    qtbot.waitUntil(lambda: not minimap.isVisible())
    view.pan_by(0, 40)
    assert minimap.isVisible()
    qtbot.waitUntil(lambda: not minimap.isVisible())
    view.resize(800, 600)
    assert minimap.isVisible()


def test_it_shows_boxes_and_the_frame_of_the_view(minimap, view):
    image = minimap.grab().toImage()
    colours = {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}
    assert len(colours) > 8
    accent = QColor(view.theme.accent)
    assert min(abs(accent.red() - QColor(c).red()) + abs(accent.blue() - QColor(c).blue()) for c in colours) < 8


def test_without_a_graph_there_is_no_overview(minimap, view):
    view.set_graph(None, None)
    assert not minimap.isVisible()


def test_it_hides_what_the_view_hides(view, make_graph):
    graph, layout = make_graph(200)
    view.set_graph(graph, layout)
    view.conceal(np.ones(len(graph), np.bool_))
    empty = view.overview(80, 200)
    assert not any(empty.pixelColor(x, 50).alpha() for x in range(80))


def test_it_fades_what_the_view_fades(view, make_graph, settle):
    minimap = Minimap(view)
    graph, layout = make_graph(200)
    view.set_graph(graph, layout)
    minimap.show()
    bright = view.overview(80, 200)
    view.dim(np.ones(len(graph), np.bool_))
    faded = view.overview(80, 200)
    assert sum(faded.pixelColor(x, 50).alpha() for x in range(80)) < sum(
        bright.pixelColor(x, 50).alpha() for x in range(80)
    )
