"""Lays graphs out in the background; the newest request wins and what is stale never arrives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QRunnable, QThreadPool, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF

from aotgui.gui.canvas.labels import SIDE_ROOM_UNITS, SUBTITLE_PX, TITLE_PX, scene_font
from aotgui.gui.canvas.scene import node_subtitle
from aotgui.layout import engine
from aotgui.layout.options import LayoutCancelled, LayoutOptions
from aotgui.layout.result import Layout
from aotgui.model.graph import Graph

BOX_HEIGHT_UNITS: Final = 40.0
"""Room for two lines."""
SLOW_MS: Final = 200
"""From when on a person is told that something is at work."""
_ASCII: Final = 128

LayOut = Callable[[Graph, LayoutOptions, Callable[[], bool]], Layout]


@dataclass(frozen=True, slots=True)
class MeasuredOptions(LayoutOptions):
    """Layout options whose boxes fit what the canvas writes into them.

    Attributes:
        title_advances: float64 (128,): width of each ASCII character of a title; index 0 for all others.
        subtitle_advances: likewise for second lines.
    """

    node_height: float = BOX_HEIGHT_UNITS
    min_width: float = 64.0
    max_width: float = 250.0
    title_advances: NDArray[np.float64] = field(default_factory=lambda: np.full(_ASCII, 8.0))
    subtitle_advances: NDArray[np.float64] = field(default_factory=lambda: np.full(_ASCII, 6.5))

    def node_widths(self, graph: Graph) -> list[float]:
        """Width of each node's box: what the longer of its two lines takes."""
        nodes = range(len(graph))
        titles = text_widths([graph.title(node) for node in nodes], self.title_advances)
        subtitles = text_widths([node_subtitle(graph, node) for node in nodes], self.subtitle_advances)
        widths = np.ceil(np.maximum(titles, subtitles) + SIDE_ROOM_UNITS + 8.0)
        return np.clip(widths, self.min_width, self.max_width).tolist()  # type: ignore[no-any-return] # numpy says Any


def measured_options() -> MeasuredOptions:
    """Options measured in the application's font. GUI thread only."""
    return MeasuredOptions(
        title_advances=_advances(scene_font(TITLE_PX, QFont.Weight.DemiBold)),
        subtitle_advances=_advances(scene_font(SUBTITLE_PX)),
    )


def text_widths(texts: list[str], advances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Width of each text, all at once: measuring fifty thousand one by one would take a third of a second."""
    lengths = np.fromiter(map(len, texts), np.int64, len(texts))
    codes = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    owners = np.repeat(np.arange(len(texts)), lengths)
    return np.asarray(np.bincount(owners, advances[np.where(codes < _ASCII, codes, 0)], len(texts)), np.float64)


def _advances(font: QFont) -> NDArray[np.float64]:
    metrics = QFontMetricsF(font)
    widths = [metrics.horizontalAdvance(chr(code)) for code in range(32, _ASCII)]
    return np.array([metrics.horizontalAdvance("m")] * 32 + widths)


class _Signals(QObject):
    """A runnable cannot have signals of its own.

    Signals:
        finished: the job, and its layout, an error text, or None when it was cancelled.
    """

    finished = Signal(object, object)


class _Job(QRunnable):
    """One layout in a worker thread. Shares nothing: graph and options are frozen."""

    def __init__(self, graph: Graph, options: LayoutOptions, lay_out: LayOut) -> None:
        super().__init__()
        self.setAutoDelete(False)
        self.signals = _Signals()
        self.cancelled = threading.Event()
        self.graph = graph
        self._options = options
        self._lay_out = lay_out

    def run(self) -> None:
        """Worker thread: always ends with ``finished``."""
        result: Layout | str | None
        try:
            result = self._lay_out(self.graph, self._options, self.cancelled.is_set)
        except LayoutCancelled:
            result = None
        except Exception as error:
            result = f"{type(error).__name__}: {error}"
        self.signals.finished.emit(self, result)


class LayoutRunner(QObject):
    """Runs one layout at a time for one view.

    Signals:
        finished: graph and layout, unless another one was asked for meanwhile.
        failed: graph and what went wrong.
        slow: a layout has been at work for ``SLOW_MS``.
    """

    finished = Signal(object, object)
    failed = Signal(object, str)
    slow = Signal()

    def __init__(self, parent: QObject | None = None, lay_out: LayOut = engine.lay_out) -> None:
        super().__init__(parent)
        self._lay_out = lay_out
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

    def start(self, graph: Graph) -> None:
        """Lays ``graph`` out; a layout at work is given up."""
        self.cancel()
        job = _Job(graph, measured_options(), self._lay_out)
        job.signals.finished.connect(self._on_finished)
        self._job = job
        self._jobs.add(job)
        self._slow_timer.start()
        self._pool.start(job)

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

    def _on_finished(self, job: _Job, result: Layout | str | None) -> None:
        self._jobs.discard(job)
        if job is not self._job:
            return
        self._job = None
        self._slow_timer.stop()
        if isinstance(result, Layout):
            self.finished.emit(job.graph, result)
        elif isinstance(result, str):
            self.failed.emit(job.graph, result)
