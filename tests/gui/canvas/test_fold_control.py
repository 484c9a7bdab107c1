"""Modules open and close in the view, and what was clicked stays where it is."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from aotgui.gui.canvas.frame_titles import title_at, titles_in
from aotgui.gui.canvas.group_clicks import group_at
from aotgui.gui.canvas.hover_card import describe

RUN = "layers.0\u20263"


def after(folds, qtbot, change, *args):
    with qtbot.waitSignal(folds.placed):
        change(*args)


def titles(view):
    layout = view.scene.layout
    return [layout.groups[group].title for group in layout.frame_groups.tolist()]


def place_of(view, path, side=0):
    return view.camera.to_view(*view.scene.group_place(path, side))


def test_a_small_graph_opens_with_every_module_open(folds, blocks, qtbot, view):
    with qtbot.waitSignal(folds.arranged):
        folds.open(blocks)
    assert len(view.scene) == len(blocks)
    assert titles(view)[:2] == ["4 \u00d7 Block", "4 \u00d7 Block"]


def test_a_group_opens_and_closes_where_it_is(opened, qtbot, view):
    view.zoom_100()
    before = place_of(view, RUN)
    after(opened, qtbot, opened.toggle, RUN, 0, before)
    assert len(view.scene) == 8
    assert (place_of(view, RUN) - before).manhattanLength() < 1
    after(opened, qtbot, opened.toggle, RUN, 0, before)
    assert len(view.scene) == 2
    assert (place_of(view, RUN) - before).manhattanLength() < 1


def test_a_click_on_the_sign_opens_and_closes(opened, qtbot, view):
    view.zoom_100()
    item = view.scene.item_of(0)
    left, top, _, height = view.scene.box(item)
    sign = view.camera.to_view(left + 13, top + height / 2).toPoint()
    after(opened, qtbot, lambda: QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=sign))
    assert titles(view) == ["4 \u00d7 Block"] * 2
    left, top, _, _ = view.scene.layout.frames[0].tolist()
    sign = view.camera.to_view(left + 13, top + 11).toPoint()
    after(opened, qtbot, lambda: QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=sign))
    assert titles(view) == []


def test_enter_opens_the_selected_group(opened, qtbot, view):
    view.set_selection([0])
    view.setFocus()
    after(opened, qtbot, lambda: QTest.keyClick(view, Qt.Key.Key_Return))
    assert opened.expanded == {RUN}


def test_levels(opened, qtbot, view, blocks):
    sizes = []
    for change in (opened.open_level, opened.open_level, opened.close_level, opened.close_level, opened.open_all):
        after(opened, qtbot, change)
        sizes.append(len(view.scene))
    assert sizes == [8, len(blocks), 8, 2, len(blocks)]


def test_flat_and_back(opened, qtbot, view, blocks):
    after(opened, qtbot, opened.set_flat, True)
    assert (len(view.scene), titles(view), opened.expanded) == (len(blocks), [], None)
    after(opened, qtbot, opened.set_flat, False)
    assert titles(view)


def test_the_current_node_stays_in_its_place(opened, qtbot, view):
    after(opened, qtbot, opened.open_all)
    view.zoom_100()
    view.set_selection([7])
    view.reveal(7)
    before = view.camera.to_view(*view.scene.centre_of(7))
    after(opened, qtbot, opened.close_level)
    assert (view.camera.to_view(*view.scene.centre_of(7)) - before).manhattanLength() < 1


def test_a_hidden_node_is_shown(opened, qtbot, view):
    after(opened, qtbot, opened.reveal, 7)
    assert view.scene.node_of(view.scene.item_of(7)) == 7
    assert view.shows(view.scene.item_of(7))
    assert opened.expanded == {RUN, "layers.1"}
    assert not opened.reveal(7)


def test_the_newest_wish_wins(opened, qtbot, view, blocks):
    seen = []
    opened.arranged.connect(lambda arrangement, _: seen.append(len(arrangement.layout.boxes)))
    with qtbot.waitSignal(opened.placed):
        opened.open_level()
        opened.open_all()
    assert seen == [len(blocks)]


def test_a_double_click_on_a_sign_does_what_a_click_does(opened, qtbot, view):
    """The box may have opened by the second click: what is under the pointer then is its title, beside the sign."""
    view.zoom_100()
    box = view.camera.rect_to_view(*view.scene.box(0))
    sign = QPoint(round(box.left()) + 12, round(box.center().y()))
    assert view.group_at(QPointF(sign)).on_sign
    with qtbot.waitSignal(opened.placed):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=sign)
    event = QMouseEvent(
        QEvent.Type.MouseButtonDblClick,
        QPointF(sign),
        view.mapToGlobal(QPointF(sign)),
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    assert view.group_at(event.position()) is not None
    with qtbot.assertNotEmitted(view.group_toggled):
        QApplication.sendEvent(view, event)


def test_a_block_that_differs_says_how(opened, qtbot, view):
    after(opened, qtbot, opened.open_level)
    scene = view.scene
    cards = {scene.title(item): describe(scene, item) for item in range(len(scene)) if scene.sides[item] == 0}
    assert cards["layers.2 · Block"][-2] == "differs from the other blocks: 1 more saved, 1 fewer forward only"
    assert not any("differs" in line for line in cards["layers.1 · Block"])
    assert scene.layout.groups[scene.group_of(scene.item_of(12))].differs


def test_a_collapsed_run_says_from_where_to_where(opened, view):
    assert describe(view.scene, 0)[:2] == ["4 \u00d7 Block", "layers.0 to layers.3"]


def test_titles_stay_at_the_top_while_their_frame_is_above(opened, qtbot, view):
    after(opened, qtbot, opened.open_all)
    view.zoom_100()
    left, top, _, height = view.scene.layout.frames[0].tolist()
    view.set_camera(view.camera.__class__(1.0, left - 10, top + height / 2))
    sticky = [title for title in titles_in(view.scene, view.camera, view.size()) if title.is_sticky]
    assert view.scene.layout.groups[sticky[0].group].path == RUN
    assert sticky[0].place.top() == 0
    assert all(title.place.top() >= 22 for title in sticky if view.scene.layout.groups[title.group].path != RUN)
    hit = group_at(view.scene, view.camera, view.size(), QPointF(sticky[0].place.left() + 60, 10), view.states)
    assert (hit.group, hit.is_open, hit.on_sign) == (sticky[0].group, True, False)


def test_a_title_that_its_frame_pushes_out_goes_under_the_outer_one(opened, qtbot, view):
    after(opened, qtbot, opened.open_all)
    view.zoom_100()
    layout = view.scene.layout
    number = next(n for n, group in enumerate(layout.frame_groups) if layout.groups[group].path != RUN)
    left, top, _, height = layout.frames[number].tolist()
    view.set_camera(view.camera.__class__(1.0, left - 10, top + height - 30))
    inner = int(layout.frame_groups[number])
    outer = layout.groups[inner].parent
    places = {title.group: title.place for title in titles_in(view.scene, view.camera, view.size())}
    overlap = places[outer].intersected(places[inner])
    assert overlap.height() > 5
    assert title_at(view.scene, view.camera, view.size(), overlap.center()).group == outer
    picture = view.grab().toImage()
    view.set_camera(view.camera.__class__(1.0, left - 10, top + height - 100))
    y = round(overlap.top()) + 3
    assert [picture.pixel(x, y) for x in range(60, 200)] == [view.grab().toImage().pixel(x, y) for x in range(60, 200)]


def test_a_group_is_executed_when_all_in_it_is(opened, view):
    nodes = view.scene.nodes_of([0])
    view.set_executed(nodes[:-1])
    assert view.states.executed == set()
    view.add_executed(nodes[-1:])
    assert view.states.executed == {0}
    view.dim(np.isin(np.arange(40), nodes[1:]))
    assert view.states.dimmed.tolist() == [False, False]


def test_shift_enter_closes_the_group_around(opened, qtbot, view):
    after(opened, qtbot, opened.open_all)
    view.set_selection([7])
    view.setFocus()
    after(opened, qtbot, lambda: QTest.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier))
    assert "layers.1" not in opened.expanded
    assert RUN in opened.expanded


def test_closing_all_shows_what_is_left(opened, qtbot, view):
    after(opened, qtbot, opened.open_all)
    view.set_camera(view.camera.__class__(3.0, 4000.0, 4000.0))
    after(opened, qtbot, opened.close_all)
    assert all(view.shows(item) for item in range(len(view.scene)))
