"""What a pressed mouse button does until it is released: an object with ``move``, ``end`` and ``cancel``."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QInputDevice, QWheelEvent

FRICTION_PER_S: Final = 5.0
"""Share of its speed that a thrown view loses in a second, as an exponent."""
MIN_THROW_PX_PER_S: Final = 120.0
STOP_PX_PER_S: Final = 20.0
VELOCITY_WINDOW_S: Final = 0.08

WHEEL_NOTCH: Final = 120
"""``angleDelta`` of one notch of an ordinary wheel."""

PanBy = Callable[[float, float], None]


def wheel_pan(event: QWheelEvent) -> QPointF | None:
    """By how many pixels a wheel event pans; None where it zooms.

    A touchpad is told by its device, or by the phases of its scrolling. Pixels are not asked for first: on X11 they are
    reported for wheels too.
    """
    if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
        return None
    angle = QPointF(event.angleDelta())
    is_touchpad = event.device().type() is QInputDevice.DeviceType.TouchPad
    if is_touchpad or event.phase() is not Qt.ScrollPhase.NoScrollPhase:
        return QPointF(event.pixelDelta()) if not event.pixelDelta().isNull() else angle / 2
    if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
        return angle
    # Alt turns a wheel by a quarter: Qt reports it as horizontal.
    return angle if angle.x() and not angle.y() else None


class Gesture(Protocol):
    """A drag of one kind."""

    def move(self, position: QPointF) -> None:
        """The pointer is elsewhere."""

    def end(self) -> None:
        """The button was released."""

    def cancel(self) -> None:
        """Undone by Escape or because the view changed."""


class PanGesture:
    """Moves the scene with the pointer, and on release lets it glide on."""

    def __init__(self, start: QPointF, pan_by: PanBy, glide: Glide) -> None:
        self._last = start
        self._pan_by = pan_by
        self._glide = glide
        self._track: deque[tuple[float, QPointF]] = deque([(time.monotonic(), start)], maxlen=16)

    def move(self, position: QPointF) -> None:
        """Pans by the way since the last move."""
        delta = position - self._last
        self._last = position
        self._track.append((time.monotonic(), position))
        self._pan_by(delta.x(), delta.y())

    def end(self) -> None:
        """Lets go; the view keeps the pointer's speed of the last moments."""
        now = time.monotonic()
        recent = [(at, point) for at, point in self._track if now - at <= VELOCITY_WINDOW_S]
        if len(recent) >= 2 and recent[-1][0] > recent[0][0]:
            seconds = recent[-1][0] - recent[0][0]
            self._glide.start((recent[-1][1] - recent[0][1]) / seconds)

    def cancel(self) -> None:
        """Stops where it is."""


class BandGesture:
    """A rubber band."""

    def __init__(self, start: QPointF, show: Callable[[QRectF | None], None], select: Callable[[QRectF], None]) -> None:
        self._start = start
        self._show = show
        self._select = select
        self._band = QRectF(start, start)

    def move(self, position: QPointF) -> None:
        """Spans the band to the pointer."""
        self._band = QRectF(self._start, position).normalized()
        self._show(self._band)

    def end(self) -> None:
        """Selects what the band touches."""
        self._show(None)
        self._select(self._band)

    def cancel(self) -> None:
        """Selects nothing."""
        self._show(None)


class Glide(QObject):
    """Goes on panning after a throw, ever slower."""

    def __init__(self, pan_by: PanBy, parent: QObject) -> None:
        super().__init__(parent)
        self._pan_by = pan_by
        self._velocity = QPointF()
        self._last = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(8)
        self._timer.timeout.connect(self._on_timeout)

    @property
    def is_active(self) -> bool:
        """Whether the view still moves."""
        return self._timer.isActive()

    def start(self, velocity: QPointF) -> None:
        """Glides at ``velocity``, pixels a second; a slow release does nothing."""
        if velocity.manhattanLength() >= MIN_THROW_PX_PER_S:
            self._velocity = velocity
            self._last = time.monotonic()
            self._timer.start()

    def stop(self) -> None:
        """Holds the view."""
        self._timer.stop()

    def _on_timeout(self) -> None:
        now = time.monotonic()
        seconds, self._last = min(now - self._last, 0.05), now
        self._pan_by(self._velocity.x() * seconds, self._velocity.y() * seconds)
        self._velocity *= max(0.0, 1.0 - FRICTION_PER_S * seconds)
        if self._velocity.manhattanLength() < STOP_PX_PER_S:
            self._timer.stop()
