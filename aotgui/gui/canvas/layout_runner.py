"""Lays graphs out in the background; the newest request wins and what is stale never arrives."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QThreadPool, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF

from aotgui.gui.canvas.arranging import ASCII, Arrange, Arrangement, MeasuredOptions, Request, arrange
from aotgui.gui.canvas.labels import SUBTITLE_PX, TITLE_PX, scene_font
from aotgui.layout.options import LayoutCancelled

SLOW_MS: Final = 200
"""From when on a person is told that something is at work."""


class Turns:
    """Lets one layout work at a time, in the order in which they were asked for.

    Each thread more that waits for the interpreter lock makes the window wait longer for it. The graph in front is
    asked for first, and nobody wants to see it after those behind it.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: list[int] = []
        self._last = 0

    def take(self) -> int:
        """A number, which must be used: those after it wait for it."""
        with self._changed:
            self._last += 1
            self._waiting.append(self._last)
            return self._last

    @contextlib.contextmanager
    def turn(self, number: int) -> Iterator[None]:
        """Waits for the number's turn; the next one has it afterwards."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting[0] == number)
        try:
            yield
        finally:
            with self._changed:
                self._waiting.remove(number)
                self._changed.notify_all()


_TURNS: Final = Turns()


def measured_options() -> MeasuredOptions:
    """Options measured in the application's font. GUI thread only."""
    return MeasuredOptions(
        title_advances=_advances(scene_font(TITLE_PX, QFont.Weight.DemiBold)),
        subtitle_advances=_advances(scene_font(SUBTITLE_PX)),
    )


def _advances(font: QFont) -> NDArray[np.float64]:
    metrics = QFontMetricsF(font)
    widths = [metrics.horizontalAdvance(chr(code)) for code in range(32, ASCII)]
    return np.array([metrics.horizontalAdvance("m")] * 32 + widths)


class _Job(QObject):
    """One layout in a worker thread. Shares nothing: graph and options are frozen.

    WORKAROUND: PySide6 6.11 never frees a ``QRunnable`` that Python made, with or without ``autoDelete``; a bound
    method that the pool runs is let go.

    Signals:
        finished: the job, and its arrangement, an error text, or None when it was cancelled.
    """

    finished = Signal(object, object)

    def __init__(self, request: Request, options: MeasuredOptions, arrange: Arrange) -> None:
        super().__init__()
        self.cancelled = threading.Event()
        self.request = request
        self._options = options
        self._arrange = arrange
        self._number = _TURNS.take()

    def run(self) -> None:
        """Worker thread: always ends with ``finished``."""
        result: Arrangement | str | None
        try:
            with _TURNS.turn(self._number):
                result = self._arrange(self.request, self._options, self.cancelled.is_set)
        except LayoutCancelled:
            result = None
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        self.finished.emit(self, result)


class LayoutRunner(QObject):
    """Runs one layout at a time for one view.

    Signals:
        finished: an ``Arrangement``, unless another one was asked for meanwhile.
        failed: graph and what went wrong.
        slow: a layout has been at work for ``SLOW_MS``.
    """

    finished = Signal(object)
    failed = Signal(object, str)
    slow = Signal()

    def __init__(self, parent: QObject | None = None, work: Arrange = arrange) -> None:
        super().__init__(parent)
        self._work = work
        self._pool = QThreadPool(self)
        self._job: _Job | None = None
        self._jobs: set[_Job] = set()
        self._slow_timer = QTimer(self)
        self._slow_timer.setSingleShot(True)
        self._slow_timer.setInterval(SLOW_MS)
        self._slow_timer.timeout.connect(self.slow)

    @property
    def is_running(self) -> bool:
        """Whether a result is still to come."""
        return self._job is not None

    def start(self, request: Request) -> None:
        """Does what is wanted; a layout at work is given up."""
        self.cancel()
        job = _Job(request, measured_options(), self._work)
        job.finished.connect(self._on_finished)
        self._job = job
        self._jobs.add(job)
        self._slow_timer.start()
        self._pool.start(job.run)

    def cancel(self) -> None:
        """Gives the layout at work up; nothing of it arrives."""
        self._slow_timer.stop()
        if self._job is not None:
            self._job.cancelled.set()
            self._job = None

    def close(self) -> None:
        """Gives up and waits for the worker thread to notice."""
        self.cancel()
        self._pool.waitForDone()

    def _on_finished(self, job: _Job, result: Arrangement | str | None) -> None:
        self._jobs.discard(job)
        if job is not self._job:
            return
        self._job = None
        self._slow_timer.stop()
        if isinstance(result, Arrangement):
            self.finished.emit(result)
        elif isinstance(result, str):
            self.failed.emit(job.request.graph, result)
