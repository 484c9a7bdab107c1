"""Captions at the cut ends of long edges."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from aotgui.gui.canvas.captions import caption_at, captions_in
from aotgui.gui.canvas.labels import Labels
from aotgui.gui.canvas.node_states import NodeStates
from aotgui.gui.canvas.scene import Scene

EVERYWHERE = (-1e5, -1e5, 1e5, 1e5)


@pytest.fixture
def scene(qapp, make_graph, make_stubs):
    graph, layout = make_graph(10)
    return Scene(graph, make_stubs(layout))


def test_both_ends_of_a_cut_edge_say_where_they_lead(scene):
    texts = [caption.label.text.text() for caption in captions_in(scene, Labels(scene), NodeStates(), EVERYWHERE)]
    # Saved: 0, 3, 6, 9 are read by 19, 16, 13, 10; the last pair is a plain neighbour as well.
    assert "\u2192 mm_16" in texts
    assert "mm_3 \u2192" in texts
    assert "layers.0.weight \u2192" in texts
    assert len(texts) == 2 * len(np.unique(scene.segments.edges[scene.layout.route_kinds[scene.segments.edges] == 3]))


def test_many_ends_at_one_box_share_a_caption(qapp, make_graph, make_stubs):
    graph, layout = make_graph(10)
    stubs = make_stubs(layout)
    sources = np.where(stubs.route_kinds == 3, 0, stubs.edge_sources).astype(np.int32)
    scene = Scene(graph, dataclasses.replace(stubs, edge_sources=sources))
    count = int((stubs.route_kinds == 3).sum())
    texts = [caption.label.text.text() for caption in captions_in(scene, Labels(scene), NodeStates(), EVERYWHERE)]
    assert texts.count(f"\u2192 {count} nodes") == 1
    assert len(texts) == 1 + count


def test_a_caption_is_found_where_it_lies(scene):
    labels = Labels(scene)
    for caption in captions_in(scene, labels, NodeStates(), EVERYWHERE):
        centre = caption.place.center()
        assert caption_at(scene, labels, NodeStates(), centre.x(), centre.y()).items.tolist() == caption.items.tolist()
    assert caption_at(scene, labels, NodeStates(), -500.0, -500.0) is None


def test_a_cut_edge_is_seen_whole_while_its_caption_or_box_is_under_the_pointer(view, make_graph, make_stubs):
    graph, layout = make_graph(10)
    view.set_graph(graph, make_stubs(layout))
    view.zoom_100()
    view.reveal(3)
    captions = captions_in(view.scene, Labels(view.scene), view.states, EVERYWHERE)
    (caption,) = [caption for caption in captions if caption.label.text.text() == "\u2192 mm_16"]
    (edge,) = caption.edges.tolist()
    start, *_, end = (view.camera.to_view(*point) for point in view.scene.route(edge).tolist())
    middle = ((start + end) / 2).toPoint()

    def picture():
        image = view.grab().toImage()
        return [image.pixel(middle.x(), middle.y() + dy) for dy in range(-3, 4)]

    QTest.mouseMove(view, QPoint(2, 2))
    before = picture()
    QTest.mouseMove(view, view.camera.to_view(caption.place.center().x(), caption.place.center().y()).toPoint())
    assert view.marks.hovered_edges == [edge]
    assert picture() != before
    QTest.mouseMove(view, view.camera.rect_to_view(*view.scene.box(16)).center().toPoint())
    assert view.marks.hovered == 16
    assert edge in view.marks.hovered_edges
    QTest.mouseMove(view, QPoint(2, 2))
    assert not view.marks.hovered_edges
    assert picture() == before


def test_a_click_on_a_caption_goes_to_the_other_end(view, make_graph, make_stubs, qtbot, settle):
    graph, layout = make_graph(10)
    far = np.where(np.arange(20)[:, None] >= 10, (4000.0, 0, 0, 0), (0.0, 0, 0, 0))
    layout = dataclasses.replace(
        layout, bounds=(0.0, 0.0, 4600.0, 620.0), boxes=(layout.boxes + far).astype(np.float32)
    )
    view.set_graph(graph, make_stubs(layout))
    view.zoom_100()
    view.reveal(3)
    captions = captions_in(view.scene, Labels(view.scene), view.states, EVERYWHERE)
    (caption,) = [caption for caption in captions if caption.label.text.text() == "\u2192 mm_16"]
    point = view.camera.to_view(caption.place.center().x(), caption.place.center().y())
    QTest.mouseMove(view, point.toPoint())
    assert view.cursor().shape() is Qt.CursorShape.PointingHandCursor
    with qtbot.waitSignal(view.selection_requested) as asked:
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=point.toPoint())
    assert asked.args == [[16]]
    assert view.rect().contains(view.camera.rect_to_view(*view.scene.box(16)).toRect())
