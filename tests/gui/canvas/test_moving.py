"""Boxes move to where they belong when modules open or close, at no cost and never against the hands."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QProxyStyle, QStyle

from aotgui.gui.canvas import moving, picture_view
from aotgui.gui.canvas.camera import Camera
from aotgui.gui.canvas.moving import frames_between, pieces_between

RUN = "layers.0\u20263"


class StillStyle(QProxyStyle):
    """A system whose user wants no animations."""

    def styleHint(self, hint, option=None, widget=None, returned=None):  # noqa: N802 (Qt names it)
        if hint == QStyle.StyleHint.SH_Widget_Animation_Duration:
            return 0
        return super().styleHint(hint, option, widget, returned)


@pytest.fixture(autouse=True)
def time_enough(monkeypatch):
    """A busy machine paints the view at once as well."""
    monkeypatch.setattr(picture_view, "SLICE_S", 10.0)


@pytest.fixture
def run_opened(opened, qtbot, view, settle):
    """The four blocks are seen, each closed; nothing moves."""
    view.set_camera(Camera(0.5, -100.0, -50.0))
    with qtbot.waitSignal(opened.placed):
        opened.toggle(RUN, 0, view.camera.to_view(*view.scene.group_place(RUN, 0)))
    qtbot.waitUntil(lambda: not view.is_moving)
    settle(view)
    return opened


def toggle(folds, qtbot, view, path):
    with qtbot.waitSignal(folds.placed):
        folds.toggle(path, 0, view.camera.to_view(*view.scene.group_place(path, 0)))


def near(one: QPointF, other: QPointF) -> bool:
    return (one - other).manhattanLength() < 0.5


def test_what_was_inside_comes_out_of_the_box_and_all_others_only_move(run_opened, qtbot, view):
    before = view.moment()
    toggle(run_opened, qtbot, view, "layers.1")
    after = view.moment()
    pieces = pieces_between(before, after)
    seen = dict(zip(after.items, [p for p in pieces if p.is_new], strict=True))
    closed = before.scene.item_of(5)
    inner, other = after.scene.item_of(5), after.scene.item_of(0)
    assert near(seen[inner].begin, before.rect(closed).center())
    assert near(seen[inner].end, after.rect(inner).center())
    assert seen[inner].fades
    assert near(seen[other].begin, before.rect(before.scene.item_of(0)).center())
    assert not seen[other].fades
    gone = [piece for piece in pieces if not piece.is_new]
    assert [piece.box for piece in gone] == [before.rect(item) for item in (closed, before.scene.item_of(30))]


def test_closing_is_opening_backwards(run_opened, qtbot, view):
    closed = view.moment()
    toggle(run_opened, qtbot, view, "layers.1")
    opened = view.moment()
    there, back = pieces_between(closed, opened), pieces_between(opened, closed)
    assert len(there) == len(back)
    for piece in there:
        assert any(near(piece.begin, other.end) and near(piece.end, other.begin) for other in back)
    frame = opened.frames["layers.1", 0]
    assert (closed.rect(closed.scene.item_of(5)), frame) in frames_between(closed, opened)
    assert (frame, closed.rect(closed.scene.item_of(5))) in frames_between(opened, closed)


def test_it_ends_by_itself_with_the_usual_picture(run_opened, qtbot, view, settle):
    toggle(run_opened, qtbot, view, "layers.1")
    assert view.is_moving
    first = view.grab().toImage()
    qtbot.waitUntil(lambda: not view.is_moving)
    settle(view)
    assert view.grab().toImage() == view.moment().picture.toImage()
    assert view.grab().toImage() != first


@pytest.mark.parametrize("change", ["pan", "zoom", "graph"])
def test_the_hands_come_first(run_opened, qtbot, view, change):
    toggle(run_opened, qtbot, view, "layers.1")
    assert view.is_moving
    match change:
        case "pan":
            view.pan_by(0, 30)
        case "zoom":
            view.zoom_by(1.2)
        case "graph":
            view.set_graph(None, None)
    assert not view.is_moving


def test_a_system_without_animations_has_none(run_opened, qtbot, view):
    style = StillStyle()
    view.setStyle(style)
    toggle(run_opened, qtbot, view, "layers.1")
    assert not view.is_moving


def test_what_nobody_can_follow_does_not_move(run_opened, qtbot, view, monkeypatch):
    monkeypatch.setattr(moving, "MOST_BOXES", 3)
    toggle(run_opened, qtbot, view, "layers.1")
    assert not view.is_moving


def test_the_former_picture_is_seen_until_the_next_one_is_painted(run_opened, qtbot, view, monkeypatch):
    """On a slow machine one slice was too little: half of a picture was seen, and nothing moved."""
    monkeypatch.setattr(picture_view, "SLICE_S", 0.0)
    view.pan_by(0, 40)
    qtbot.waitUntil(lambda: view.is_crisp)
    before = view.moment().picture.toImage()
    toggle(run_opened, qtbot, view, "layers.1")
    assert not view.is_crisp
    assert not view.is_moving
    assert view.grab().toImage() == before
    qtbot.waitUntil(lambda: view.is_moving)


def test_a_view_that_takes_long_to_paint_is_shown_as_far_as_it_is_painted(run_opened, qtbot, view, monkeypatch):
    monkeypatch.setattr(picture_view, "SLICE_S", 0.0)
    monkeypatch.setattr(view._moving, "go", lambda _after: None)
    before = view.grab().toImage()
    toggle(run_opened, qtbot, view, "layers.1")
    assert view.grab().toImage() == before
    qtbot.waitUntil(lambda: view.grab().toImage() != before)
    assert not view.is_moving


def test_what_is_asked_for_elsewhere_is_shown_at_once(run_opened, qtbot, view):
    with qtbot.waitSignal(run_opened.placed):
        run_opened.reveal(17)
    assert not view.is_moving
