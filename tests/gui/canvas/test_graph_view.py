"""The real widget, driven by events."""

from __future__ import annotations

import dataclasses

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QImage,
    QMouseEvent,
    QNativeGestureEvent,
    QPalette,
    QPointingDevice,
    QWheelEvent,
)
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from aotgui.gui.canvas import frame_titles
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.colouring import ColourMode
from aotgui.gui.canvas.framing import COLUMNS_SCALE, READABLE_SCALE
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.theme import DARK, LIGHT
from aotgui.model.graph import GraphKind

NO_MODIFIER = Qt.KeyboardModifier.NoModifier
LEFT = Qt.MouseButton.LeftButton
NOTCH, NO_PIXELS = QPoint(0, 120), QPoint()


@pytest.fixture
def shown(view, make_graph, settle):
    """A view of a graph of 40 nodes."""
    view.set_graph(*make_graph(20))
    view.zoom_100()
    settle(view)
    return view


def centre(view, node: int) -> QPoint:
    return view.camera.rect_to_view(*view.scene.box(node)).center().toPoint()


def seen(view) -> QRectF:
    """What the view shows of the scene."""
    x0, y0, x1, y1 = view.camera.scene_rect(view.width(), view.height())
    return QRectF(x0, y0, x1 - x0, y1 - y0)


def wheel(view, point: QPointF, angle=NOTCH, modifiers=NO_MODIFIER, pixels=NO_PIXELS,
          phase=Qt.ScrollPhase.NoScrollPhase):  # fmt: skip
    event = QWheelEvent(point, view.mapToGlobal(point), pixels, angle, Qt.MouseButton.NoButton, modifiers, phase, False)
    QApplication.sendEvent(view, event)


def grabbed(view) -> np.ndarray:
    image = view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)[..., :3].astype(int)


# --- Where one looks ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scale", [0.05, 0.3, 1.0, 3.3])
def test_hit_test_at_several_zooms(shown, scale):
    for node in (0, 7, 19, 20, 39):
        left, top, width, height = shown.scene.box(node)
        shown.set_camera(Camera(scale).centred(left + width / 2, top + height / 2, shown.width(), shown.height()))
        assert shown.node_at(QPointF(500, 350)) == node
        assert shown.node_at(QPointF(500, 350 + (height / 2 + 8) * scale)) == -1


@pytest.mark.parametrize("notches", [1, -1, 3])
def test_the_wheel_zooms_around_the_pointer(shown, notches):
    point = QPointF(313, 207)
    before, scale = shown.camera.to_scene(point), shown.camera.scale
    wheel(shown, point, QPoint(0, 120 * notches))
    assert shown.camera.to_scene(point) == pytest.approx(before)
    assert (shown.camera.scale > scale) == (notches > 0)


def test_a_touchpad_pans_and_zooms_with_control(shown):
    before = shown.camera
    wheel(shown, QPointF(9, 9), QPoint(0, 40), pixels=QPoint(-5, 20), phase=Qt.ScrollPhase.ScrollUpdate)
    assert (shown.camera.left, shown.camera.top) == pytest.approx((before.left + 5, before.top - 20))
    assert shown.camera.scale == before.scale
    wheel(shown, QPointF(9, 9), QPoint(0, 40), Qt.KeyboardModifier.ControlModifier, QPoint(0, 20),
          Qt.ScrollPhase.ScrollUpdate)  # fmt: skip
    assert shown.camera.scale > before.scale


def test_a_wheel_pans_with_shift(shown):
    before = shown.camera
    wheel(shown, QPointF(9, 9), QPoint(0, -120), Qt.KeyboardModifier.ShiftModifier)
    assert shown.camera.scale == before.scale
    assert shown.camera.top > before.top


def test_a_pinch_zooms_around_its_place(shown):
    point = QPointF(400, 300)
    before, scale = shown.camera.to_scene(point), shown.camera.scale
    device = QPointingDevice.primaryPointingDevice()
    event = QNativeGestureEvent(Qt.NativeGestureType.ZoomNativeGesture, device, 2, point, point, point, 0.25, QPointF())
    QApplication.sendEvent(shown, event)
    assert shown.camera.scale == pytest.approx(scale * 1.25)
    assert shown.camera.to_scene(point) == pytest.approx(before)


def test_a_readable_graph_opens_fitted(view, make_graph):
    view.set_graph(*make_graph(5))
    assert seen(view).contains(QRectF(*view.scene.bounds))


def test_a_tall_graph_opens_at_its_top_at_a_readable_size(view, make_graph):
    view.set_graph(*make_graph(500))
    assert view.camera.scale >= READABLE_SCALE
    assert view.camera.to_view(0, view.scene.bounds[1]).y() == pytest.approx(24)
    assert view.rect().contains(centre(view, 0))


@pytest.mark.parametrize("spread", [1.0, 3.0, 9.0])
def test_a_joint_graph_opens_with_both_columns_in_sight(view, make_graph, spread):
    graph, layout = make_graph(500)
    boxes = layout.boxes * np.array((spread, 1, 1, 1), np.float32)
    bounds = (0.0, 0.0, float((boxes[:, 0] + boxes[:, 2]).max()), layout.bounds[3])
    view.set_graph(graph, dataclasses.replace(layout, boxes=boxes, bounds=bounds))
    assert view.camera.scale >= COLUMNS_SCALE
    if bounds[2] * COLUMNS_SCALE < view.width() - 48:
        assert view.rect().contains(centre(view, 0))
        assert view.rect().contains(centre(view, len(graph) - 1))
    else:
        gutter = (boxes[:500, 0] + boxes[:500, 2]).max() / 2 + boxes[500:, 0].min() / 2
        assert view.camera.to_view(gutter, 0).x() == pytest.approx(view.width() / 2, abs=1)


def test_a_graph_set_before_the_view_has_a_size_opens_when_shown(qtbot, make_graph):
    widget = GraphView()
    qtbot.addWidget(widget)
    widget.set_graph(*make_graph(500))
    widget.resize(1200, 800)
    widget.show()
    assert widget.camera.to_view(0, 0).y() == pytest.approx(24)


def test_what_was_marked_before_the_view_was_shown_is_in_view_then(qtbot, make_graph):
    widget = GraphView()
    qtbot.addWidget(widget)
    widget.set_graph(*make_graph(500))
    widget.set_step_marker(300)
    widget.reveal(300)
    widget.resize(1200, 800)
    widget.show()
    assert widget.rect().contains(centre(widget, 300))


def test_a_graph_opens_where_most_of_its_top_is(view, make_graph):
    """A lane of two boxes that begins above everything else was all that one saw of a backward graph."""
    graph, layout = make_graph(500)
    boxes = layout.boxes.copy()
    boxes[2:500, 1] += 1e5
    boxes[500:] += np.array([5000, 100, 0, 0], np.float32)
    right, bottom = (boxes[:, :2] + boxes[:, 2:]).max(axis=0).tolist()
    moved = dataclasses.replace(layout, boxes=boxes, bounds=(0.0, 0.0, right, bottom))
    view.set_graph(msgspec.structs.replace(graph, kind=GraphKind.BACKWARD), moved)
    seen_nodes = [node for node in range(len(graph)) if view.shows_node(node)]
    assert len(seen_nodes) > 5
    assert min(seen_nodes) >= 500
    assert boxes[seen_nodes, 1].min() == 100


def test_keep_view_keeps_scale_and_position(shown, make_graph):
    camera = Camera(0.77, 12.0, 345.0)
    shown.set_camera(camera)
    shown.set_graph(*make_graph(20), keep_view=True)
    assert shown.camera == camera


def test_fit_home_and_actual_size(shown):
    QTest.keyClick(shown, Qt.Key.Key_Home)
    assert seen(shown).contains(QRectF(*shown.scene.bounds))
    shown.zoom_100()
    assert shown.camera.scale == pytest.approx(1.0)


def test_fit_selection_shows_all_selected(shown):
    shown.set_selection([3, 25])
    shown.fit_selection()
    for node in (3, 25):
        assert shown.rect().contains(centre(shown, node))


def test_reveal_pans_only_where_it_must(shown):
    shown.set_camera(Camera(1.0, -100.0, -50.0))
    before = shown.camera
    shown.reveal(1)
    assert shown.camera == before
    shown.reveal(19)
    assert shown.camera.scale == before.scale
    assert shown.rect().contains(centre(shown, 19))


@pytest.mark.parametrize("depth", [1, 3, 7])
def test_reveal_brings_a_box_out_from_below_the_titles_of_its_groups(view, make_graph, make_group, depth):
    graph, layout = make_graph(50)
    framed = make_group(layout, list(range(40)))
    groups = tuple(dataclasses.replace(framed.groups[0], path=f"m{n}", parent=n - 1) for n in range(depth))
    frames = np.repeat(framed.frames, depth, axis=0)
    numbers = np.arange(depth, dtype=np.int32)
    view.set_graph(graph, dataclasses.replace(framed, frames=frames, frame_groups=numbers, groups=groups))
    box = view.scene.box(20)
    view.set_camera(Camera(1.0, box[0] - 200, box[1] - 9))
    view.reveal(20)
    place = view.camera.rect_to_view(*box)
    assert QRectF(view.rect()).contains(place)
    titles = frame_titles.titles_in(view.scene, view.camera, view.size())
    assert len([title for title in titles if title.is_sticky]) == depth
    assert not any(title.place.intersects(place) for title in titles)


def test_reveal_zooms_in_where_boxes_are_too_small(view, make_graph):
    view.set_graph(*make_graph(2000))
    view.fit()
    view.reveal(1000)
    assert view.camera.scale == READABLE_SCALE
    assert view.rect().contains(centre(view, 1000))


def test_one_cannot_lose_the_graph(shown):
    shown.pan_by(1e7, -1e7)
    assert seen(shown).intersects(QRectF(*shown.scene.bounds))
    shown.zoom_by(1e-9)
    shown.zoom_by(1e-9)
    assert shown.camera.scale * shown.scene.bounds[3] > 0.5 * shown.height()


# --- Mouse ----------------------------------------------------------------------------------------------------


def test_a_click_asks_for_the_node_and_beside_it_for_nothing(shown, qtbot):
    with qtbot.waitSignal(shown.selection_requested) as clicked:
        QTest.mouseClick(shown, LEFT, pos=centre(shown, 2))
    assert clicked.args == [[2]]
    with qtbot.waitSignal(shown.selection_requested) as beside:
        QTest.mouseClick(shown, LEFT, pos=centre(shown, 2) + QPoint(120, 0))
    assert beside.args == [[]]


def test_control_click_adds_and_removes(shown, qtbot):
    shown.set_selection([2])
    control = Qt.KeyboardModifier.ControlModifier
    with qtbot.waitSignal(shown.selection_requested) as added:
        QTest.mouseClick(shown, LEFT, control, centre(shown, 4))
    assert added.args == [[4, 2]]
    shown.set_selection([4, 2])
    with qtbot.waitSignal(shown.selection_requested) as removed:
        QTest.mouseClick(shown, LEFT, control, centre(shown, 2))
    assert removed.args == [[4]]


def drag(view, start: QPoint, end: QPoint, modifiers=NO_MODIFIER) -> None:
    QTest.mousePress(view, LEFT, modifiers, start)
    for share in (0.3, 0.6, 1.0):
        point = QPointF(start) + share * QPointF(end - start)
        QApplication.sendEvent(view, _move(view, point, modifiers))
    QTest.mouseRelease(view, LEFT, modifiers, end)


def _move(view, point: QPointF, modifiers):
    return QMouseEvent(QEvent.Type.MouseMove, point, view.mapToGlobal(point), Qt.MouseButton.NoButton, LEFT, modifiers)


def test_a_drag_pans_and_selects_nothing(shown, qtbot):
    before = shown.camera
    with qtbot.assertNotEmitted(shown.selection_requested):
        QTest.mousePress(shown, LEFT, NO_MODIFIER, QPoint(300, 300))
        QApplication.sendEvent(shown, _move(shown, QPointF(360, 280), NO_MODIFIER))
    assert (shown.camera.left, shown.camera.top) == pytest.approx((before.left - 60, before.top + 20))
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    QTest.mouseRelease(shown, LEFT, NO_MODIFIER, QPoint(360, 280))


def test_a_thrown_view_glides_and_a_press_holds_it(shown, qtbot):
    drag(shown, QPoint(600, 600), QPoint(560, 420))
    released = shown.camera
    assert shown.is_gliding
    qtbot.waitUntil(lambda: shown.camera.top > released.top + 5)
    QTest.mousePress(shown, LEFT, NO_MODIFIER, QPoint(900, 600))
    held = shown.camera
    assert not shown.is_gliding
    QTest.mouseRelease(shown, LEFT, NO_MODIFIER, QPoint(900, 600))
    assert shown.camera == held


def test_shift_drag_selects_what_the_band_touches(shown, qtbot):
    first, last = centre(shown, 2), centre(shown, 5)
    with qtbot.waitSignal(shown.selection_requested) as banded:
        drag(shown, first - QPoint(100, 5), last + QPoint(5, 5), Qt.KeyboardModifier.ShiftModifier)
    assert banded.args == [[2, 3, 4, 5]]
    assert shown.marks.band is None


def test_escape_gives_a_band_up(shown, qtbot):
    shift = Qt.KeyboardModifier.ShiftModifier
    with qtbot.assertNotEmitted(shown.selection_requested):
        QTest.mousePress(shown, LEFT, shift, QPoint(5, 5))
        QApplication.sendEvent(shown, _move(shown, QPointF(400, 400), shift))
        assert shown.marks.band is not None
        QTest.keyClick(shown, Qt.Key.Key_Escape)
        QTest.mouseRelease(shown, LEFT, shift, QPoint(400, 400))
    assert shown.marks.band is None


def test_a_double_click_activates(shown, qtbot):
    with qtbot.waitSignal(shown.node_activated) as activated:
        QTest.mouseDClick(shown, LEFT, pos=centre(shown, 6))
    assert activated.args == [6]


def test_hovering_tells_the_node_and_brings_a_card(shown, qtbot):
    with qtbot.waitSignal(shown.node_hovered) as hovered:
        QTest.mouseMove(shown, centre(shown, 3))
    assert hovered.args == [3]
    without = grabbed(shown)
    qtbot.waitUntil(lambda: shown.shows_card)
    assert (grabbed(shown) != without).any()
    with qtbot.waitSignal(shown.node_hovered) as left:
        QTest.mouseMove(shown, centre(shown, 3) + QPoint(110, 0))
    assert left.args == [-1]
    assert not shown.shows_card


def test_the_context_menu_names_the_node(shown, qtbot):
    point = centre(shown, 5)
    with qtbot.waitSignal(shown.context_menu_requested) as asked:
        event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, point, shown.mapToGlobal(point))
        QApplication.sendEvent(shown, event)
    assert asked.args[0] == 5


def test_a_group_frame_toggles_by_its_title(view, make_graph, make_group, qtbot):
    graph, layout = make_graph(5)
    framed = make_group(layout, [1, 2])
    view.set_graph(graph, framed)
    left, top, _, _ = framed.frames[0].tolist()
    with qtbot.waitSignal(view.group_toggled) as toggled:
        QTest.mouseDClick(view, LEFT, pos=view.camera.to_view(left + 60, top + 16).toPoint())
    assert toggled.args[:2] == ["layers.0", 0]
    with qtbot.waitSignal(view.group_toggled):
        QTest.mouseClick(view, LEFT, pos=view.camera.to_view(left + 12, top + 11).toPoint())


# --- Keys -----------------------------------------------------------------------------------------------------


def pressed(view, qtbot, key, modifiers=NO_MODIFIER):
    with qtbot.waitSignal(view.selection_requested) as asked:
        QTest.keyClick(view, key, modifiers)
    return asked.args[0]


def test_arrows_walk_along_edges_and_across(shown, qtbot):
    shown.set_selection([3])
    assert pressed(shown, qtbot, Qt.Key.Key_Down) == [4]
    assert pressed(shown, qtbot, Qt.Key.Key_Up) == [2]
    assert pressed(shown, qtbot, Qt.Key.Key_Right) == [36]  # the backward node in the same row
    shown.set_selection([36])
    assert pressed(shown, qtbot, Qt.Key.Key_Up) == [37]  # backward flows up
    assert pressed(shown, qtbot, Qt.Key.Key_Left) == [3]


def test_arrows_pass_over_what_is_hidden(shown, qtbot):
    shown.conceal(np.isin(np.arange(40), (4, 36)))
    shown.set_selection([3])
    assert pressed(shown, qtbot, Qt.Key.Key_Down) != [4]
    assert pressed(shown, qtbot, Qt.Key.Key_Right) != [36]
    shown.set_selection([])
    left, top, width, height = shown.scene.box(4)
    shown.set_camera(Camera(1.0).centred(left + width / 2, top + height / 2, shown.width(), shown.height()))
    assert pressed(shown, qtbot, Qt.Key.Key_Down)[0] in (3, 5)
    shown.conceal(np.ones(40, np.bool_))
    with qtbot.assertNotEmitted(shown.selection_requested):
        QTest.keyClick(shown, Qt.Key.Key_Down)


def test_at_an_end_an_arrow_stays(shown, qtbot):
    shown.set_selection([0])
    assert pressed(shown, qtbot, Qt.Key.Key_Up) == [0]


def test_shift_and_arrow_extend_the_selection(shown, qtbot):
    shown.set_selection([3])
    assert pressed(shown, qtbot, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier) == [4, 3]


def test_an_arrow_without_selection_takes_the_middle(shown, qtbot):
    left, top, width, height = shown.scene.box(8)
    shown.set_camera(Camera(1.0).centred(left + width / 2, top + height / 2, shown.width(), shown.height()))
    assert pressed(shown, qtbot, Qt.Key.Key_Down) == [8]


def test_walking_keeps_the_node_in_view(shown, qtbot):
    node = 0
    while node < 19:
        shown.set_selection([node])
        (node,) = pressed(shown, qtbot, Qt.Key.Key_Down)
        assert shown.rect().contains(centre(shown, node))


def test_enter_activates_and_escape_deselects(shown, qtbot):
    shown.set_selection([9])
    with qtbot.waitSignal(shown.node_activated) as activated:
        QTest.keyClick(shown, Qt.Key.Key_Return)
    assert activated.args == [9]
    assert pressed(shown, qtbot, Qt.Key.Key_Escape) == []


def test_plus_and_minus_zoom_around_the_middle(shown):
    middle = QPointF(500, 350)
    before, scale = shown.camera.to_scene(middle), shown.camera.scale
    QTest.keyClick(shown, Qt.Key.Key_Plus, Qt.KeyboardModifier.ControlModifier)
    assert shown.camera.scale == pytest.approx(1.25 * scale)
    QTest.keyClick(shown, Qt.Key.Key_Minus, Qt.KeyboardModifier.ControlModifier)
    assert shown.camera.scale == pytest.approx(scale)
    assert shown.camera.to_scene(middle) == pytest.approx(before)


# --- Painting -------------------------------------------------------------------------------------------------


def test_marks_do_not_touch_the_buffer(shown, settle, monkeypatch):
    painted = []
    monkeypatch.setattr(shown.buffer, "_paint_tile", lambda *args: painted.append(args))
    plain = grabbed(shown)
    shown.set_selection([3])
    shown.set_step_marker(5)
    shown.set_hovered(7)
    assert shown.is_crisp
    marked = grabbed(shown)
    for node in (3, 5, 7):
        box = shown.camera.rect_to_view(*shown.scene.box(node)).adjusted(-6, -6, 6, 6).toRect()
        area = (slice(max(box.top(), 0), box.bottom()), slice(max(box.left(), 0), box.right()))
        assert (plain[area] != marked[area]).any(), node
    shown.set_selection([])
    shown.set_step_marker(None)
    shown.set_hovered(-1)
    assert (grabbed(shown) == plain).all()
    assert painted == []


def test_selected_edges_to_inputs_and_users_have_their_colours(shown, settle):
    def count(colour):
        rgb = QColor(colour)
        return (grabbed(shown) == (rgb.blue(), rgb.green(), rgb.red())).all(axis=2).sum()

    assert count(LIGHT.inputs) == count(LIGHT.users) == 0
    shown.set_selection([5])
    assert count(LIGHT.inputs) > 20
    assert count(LIGHT.users) > 20


@pytest.mark.parametrize("state", ["set_executed", "set_breakpoints", "set_nonfinite"])
def test_states_are_painted_on_their_boxes_alone(shown, settle, state):
    plain = grabbed(shown)
    getattr(shown, state)([4])
    settle(shown)
    changed = np.argwhere((grabbed(shown) != plain).any(axis=2))
    assert len(changed)
    box = shown.camera.rect_to_view(*shown.scene.box(4)).adjusted(-10, -10, 10, 10)
    assert all(box.contains(float(x), float(y)) for y, x in changed)
    getattr(shown, state)([])
    settle(shown)
    assert (grabbed(shown) == plain).all()


def test_executed_nodes_can_be_given_as_a_mask_or_one_by_one(shown, settle):
    shown.set_executed(np.arange(40) < 3)
    settle(shown)
    mask = grabbed(shown)
    shown.set_executed([])
    for node in range(3):
        shown.add_executed([node])
    settle(shown)
    assert (grabbed(shown) == mask).all()


def test_hidden_nodes_are_not_there_and_come_back(shown, settle):
    plain = grabbed(shown)
    shown.conceal(np.arange(40) == 2)
    settle(shown)
    box = shown.camera.rect_to_view(*shown.scene.box(2)).toRect()
    area = grabbed(shown)[box.top() : box.bottom(), box.left() : box.right()]
    assert (area == area[0, 0]).all()
    assert shown.item_at(QPointF(box.center())) == -1
    shown.conceal(None)
    settle(shown)
    assert (grabbed(shown) == plain).all()


def test_edges_and_frames_go_with_what_is_hidden(shown, settle):
    shown.conceal(np.ones(40, np.bool_))
    settle(shown)
    picture = grabbed(shown)
    assert (picture == picture[0, 0]).all()


def test_faded_nodes_are_lighter_and_come_back(shown, settle):
    plain = grabbed(shown)
    shown.dim(np.arange(40) != 2)
    settle(shown)
    faded = grabbed(shown)
    assert faded.mean() > plain.mean() + 2
    box = shown.camera.rect_to_view(*shown.scene.box(2)).toRect().adjusted(10, 10, -30, -10)
    area = (slice(box.top(), box.bottom()), slice(box.left(), box.right()))
    assert (faded[area] == plain[area]).all()
    shown.dim(None)
    settle(shown)
    assert (grabbed(shown) == plain).all()


def test_colour_modes_change_the_fills(shown, settle, qtbot):
    plain = grabbed(shown)
    with qtbot.waitSignal(shown.appearance_changed):
        shown.set_colour_mode(ColourMode.DTYPE)
    settle(shown)
    assert (grabbed(shown) != plain).any()
    shown.set_colour_mode(ColourMode.PARTITION)
    settle(shown)
    assert (grabbed(shown) == plain).all()


def test_the_theme_follows_the_palette(shown, settle):
    assert shown.theme is LIGHT
    shown.setPalette(QPalette(QColor("#333333"), QColor("#202020")))
    assert shown.theme is DARK
    settle(shown)
    assert grabbed(shown).mean() < 80
    shown.setPalette(QPalette(QColor("#eeeeee"), QColor("#ffffff")))
    assert shown.theme is LIGHT


def test_a_message_stands_in_the_middle(view, make_graph, settle):
    view.show_message("Laying out…")
    dark = np.argwhere(grabbed(view).max(axis=2) < 160)
    assert len(dark)
    assert np.abs(dark.mean(axis=0) - (350, 500)).max() < 20
    view.set_graph(*make_graph(3))
    assert view.message == ""


def test_an_empty_view_survives_everything(view):
    view.set_graph(None, None)
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Home, Qt.Key.Key_Return, Qt.Key.Key_Plus, Qt.Key.Key_Escape):
        QTest.keyClick(view, key)
    QTest.mouseClick(view, LEFT, pos=QPoint(50, 50))
    wheel(view, QPointF(9, 9))
    view.reveal(3)
    view.fit_selection()
    view.set_executed([1])
    view.set_selection([1])
    assert view.marks.selected == []
    assert grabbed(view).shape == (700, 1000, 3)


def test_a_screen_reader_gets_the_sentence_of_the_selected_node(shown):
    shown.set_selection([3])
    assert shown.accessibleDescription() == (
        "mm_3. aten.mm.default. bf16[64]   128 B. forward side, saved. layers.0. 1 input, 2 users."
    )
    shown.set_selection([])
    assert shown.accessibleDescription() == ""


def test_resizing_opens_again_only_what_nobody_moved(view, make_graph):
    view.set_graph(*make_graph(8))
    opened = view.camera
    view.resize(700, 500)
    assert view.camera != opened
    view.set_camera(Camera(1.5, 10.0, 20.0))
    view.resize(720, 500)
    assert view.camera.scale == 1.5
    assert view.camera.top == 20.0


@pytest.mark.parametrize("scale", [0.4, 1.0])
def test_a_breakpoint_is_seen_where_the_debugger_stands(shown, settle, scale):
    left, top, width, height = shown.scene.box(5)
    shown.set_camera(Camera(scale).centred(left + width / 2, top + height / 2, shown.width(), shown.height()))
    shown.set_breakpoints([5])
    settle(shown)
    alone = _pixels_like(shown, shown.theme.breakpoint)
    shown.set_step_marker(5)
    assert _pixels_like(shown, shown.theme.breakpoint) >= max(0.9 * alone, 30)


def _pixels_like(view, colour: str) -> int:
    """How many pixels of a view have a colour, nearly."""
    red, green, blue, _ = QColor(colour).getRgb()
    return int((np.abs(grabbed(view) - (blue, green, red)).max(axis=2) < 24).sum())
