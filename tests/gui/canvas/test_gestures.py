"""Wheels and touchpads told apart."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QInputDevice, QPointingDevice, QWheelEvent

from aotgui.gui.canvas.gestures import wheel_pan

NO_PIXELS = QPoint()
NONE = Qt.KeyboardModifier.NoModifier


def event(angle, pixels=NO_PIXELS, modifiers=NONE, phase=Qt.ScrollPhase.NoScrollPhase, device=None):
    device = device or QPointingDevice.primaryPointingDevice()
    buttons = Qt.MouseButton.NoButton
    source = Qt.MouseEventSource.MouseEventNotSynthesized
    return QWheelEvent(QPointF(), QPointF(), pixels, angle, buttons, modifiers, phase, False, source, device)


@pytest.fixture
def touchpad(qapp):
    kind, pointer = QInputDevice.DeviceType.TouchPad, QPointingDevice.PointerType.Finger
    return QPointingDevice("pad", 7, kind, pointer, QInputDevice.Capability.Scroll, 2, 0)


def test_a_wheel_zooms_even_where_the_driver_reports_pixels(qapp):
    assert wheel_pan(event(QPoint(0, 120), QPoint(0, 15))) is None


def test_a_sideways_wheel_pans(qapp):
    assert wheel_pan(event(QPoint(120, 0))) == QPointF(120, 0)


def test_a_touchpad_pans_by_pixels_or_angle(touchpad):
    assert wheel_pan(event(QPoint(0, 30), QPoint(3, -8), device=touchpad)) == QPointF(3, -8)
    assert wheel_pan(event(QPoint(0, 30), device=touchpad)) == QPointF(0, 15)


def test_control_zooms_on_a_touchpad_too(touchpad):
    assert wheel_pan(event(QPoint(0, 30), QPoint(3, -8), Qt.KeyboardModifier.ControlModifier, device=touchpad)) is None
