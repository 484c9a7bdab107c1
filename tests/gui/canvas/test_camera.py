"""Scene and view coordinates."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF

from aotgui.gui.canvas.camera import MAX_SCALE, Camera, fitted


def test_zooming_keeps_the_point_under_the_anchor():
    camera = Camera(0.7, -300.0, 1200.0)
    anchor = QPointF(613.0, 402.0)
    before = camera.to_scene(anchor)
    for factor in (1.2, 3.0, 0.1, 0.9):
        camera = camera.zoomed(factor, anchor)
        assert camera.to_scene(anchor) == pytest.approx(before)


def test_the_scale_has_limits():
    assert Camera().zoomed(1e6, QPointF()).scale == MAX_SCALE
    assert Camera().zoomed(1e-9, QPointF(), low=0.5).scale == 0.5


def test_to_view_is_the_inverse_of_to_scene():
    camera = Camera(1.7, 40.0, -20.0)
    assert camera.to_scene(camera.to_view(123.0, 456.0)) == pytest.approx((123.0, 456.0))


def test_fitted_shows_the_whole_rectangle_in_the_middle():
    camera = fitted((-500.0, 100.0, 4000.0, 1000.0), 800, 600)
    left, top, right, bottom = camera.scene_rect(800, 600)
    assert QRectF(left, top, right - left, bottom - top).contains(QRectF(-500, 100, 4000, 1000))
    assert ((left + right) / 2, (top + bottom) / 2) == pytest.approx((1500, 600))


def test_fitted_does_not_enlarge_a_small_graph():
    assert fitted((0.0, 0.0, 100.0, 100.0), 800, 600).scale == 1.0
