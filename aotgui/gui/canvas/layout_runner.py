"""Lays graphs out in the background; the newest request wins and what is stale never arrives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QThreadPool, QTimer, Signal
from PySide6.QtGui import QFont, QFontMetricsF

from aotgui.gui.canvas.group_facts import GroupLedger
from aotgui.gui.canvas.labels import GROUP_ROOM_UNITS, SIDE_ROOM_UNITS, SUBTITLE_PX, TITLE_PX, scene_font
from aotgui.gui.canvas.module_bands import Band, bands_by_level
from aotgui.gui.canvas.scene import node_subtitle
from aotgui.layout.engine import lay_out
from aotgui.layout.expansion import Expanded, opening
from aotgui.layout.groups import make_groups
from aotgui.layout.nesting import Nesting, nest
from aotgui.layout.options import LayoutCancelled, LayoutOptions, check
from aotgui.layout.result import Group, Layout
from aotgui.model.graph import Graph

BOX_HEIGHT_UNITS: Final = 40.0
"""Room for two lines."""
SLOW_MS: Final = 200
"""From when on a person is told that something is at work."""
_ASCII: Final = 128
_TURN: Final = threading.Lock()
"""One layout at a time: each thread more that waits for the interpreter lock makes the window wait longer for it."""


@dataclass(frozen=True, slots=True)
class Request:
    """A layout that a view wants.

    Attributes:
        graph: what is laid out.
        expanded: paths of the groups to open, or None for a flat graph.
        is_opening: a first look: which groups to open is not decided yet.
        known: a former arrangement of the same graph, whose groups and widths still hold; or None.
    """

    graph: Graph
    expanded: Expanded = None
    is_opening: bool = False
    known: Arrangement | None = None


@dataclass(frozen=True, slots=True)
class Arrangement:
    """A graph with its layout.

    Attributes:
        graph: what is laid out.
        layout: where its items are.
        nesting: its groups.
        expanded: which of them are open, or None where it is flat.
        widths: of the nodes' boxes.
        groups: all groups, also those that a flat layout does not show.
        bands: how far the modules reach from top to bottom, level by level.
    """

    graph: Graph
    layout: Layout
    nesting: Nesting
    expanded: Expanded
    widths: list[float]
    groups: tuple[Group, ...] = ()
    bands: list[list[Band]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class MeasuredOptions(LayoutOptions):
    """Layout options whose boxes fit what the canvas writes into them.

    Attributes:
        title_advances: float64 (128,): width of each ASCII character of a title; index 0 for all others.
        subtitle_advances: likewise for second lines.
        known_widths: of the nodes' boxes, where they were measured before.
    """

    node_height: float = BOX_HEIGHT_UNITS
    min_width: float = 64.0
    max_width: float = 250.0
    title_advances: NDArray[np.float64] = field(default_factory=lambda: np.full(_ASCII, 8.0))
    subtitle_advances: NDArray[np.float64] = field(default_factory=lambda: np.full(_ASCII, 6.5))
    known_widths: list[float] | None = None

    def node_widths(self, graph: Graph) -> list[float]:
        """Width of each node's box: what the longer of its two lines takes."""
        if self.known_widths is not None:
            return self.known_widths
        nodes = range(len(graph))
        titles = text_widths([graph.title(node) for node in nodes], self.title_advances)
        subtitles = text_widths([node_subtitle(graph, node) for node in nodes], self.subtitle_advances)
        return self._box_widths(titles, subtitles)

    def group_widths(self, graph: Graph, groups: Sequence[Group]) -> list[float]:
        """Width of each group's box: also the sign that opens it has room."""
        ledger = GroupLedger(graph)
        titles = text_widths([group.title for group in groups], self.title_advances)
        subtitles = text_widths([ledger.facts(group).line() for group in groups], self.subtitle_advances)
        return self._box_widths(titles + GROUP_ROOM_UNITS, subtitles + GROUP_ROOM_UNITS)

    def _box_widths(self, titles: NDArray[np.float64], subtitles: NDArray[np.float64]) -> list[float]:
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


def arrange(request: Request, options: MeasuredOptions, cancelled: Callable[[], bool]) -> Arrangement:
    """Lays out what is wanted. Worker thread.

    Raises:
        LayoutCancelled: ``cancelled`` returned True.
    """
    graph, known = request.graph, request.known
    nesting = known.nesting if known is not None else nest(graph, cancelled)
    expanded = opening(graph, nesting) if request.is_opening else request.expanded
    widths = known.widths if known is not None else options.node_widths(graph)
    measured = replace(options, expanded=expanded, known_widths=widths)
    layout = lay_out(graph, measured, cancelled, nesting)
    groups = known.groups if known is not None else layout.groups or make_groups(graph, nesting)
    check(cancelled)
    return Arrangement(graph, layout, nesting, expanded, widths, groups, bands_by_level(layout, groups))


Arrange = Callable[[Request, MeasuredOptions, Callable[[], bool]], Arrangement]


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

    def run(self) -> None:
        """Worker thread: always ends with ``finished``."""
        result: Arrangement | str | None
        try:
            with _TURN:
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
