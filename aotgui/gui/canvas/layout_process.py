"""Layouts in a process of their own, so that the window never waits for the interpreter lock.

A layout is a second of plain Python for a large graph. On a thread of the window's process it takes the lock for
milliseconds at a time, and the event loop stalls for up to a third of a second. Small graphs stay on the thread:
they are done before a message would be there and back. So does everything where the process cannot be started.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.gui.canvas.arranging import Arrangement, MeasuredOptions, Request, arrange
from aotgui.gui.canvas.layout_frames import Answered, Arranged, Dropped, Wanted
from aotgui.layout.options import Cancelled, LayoutCancelled
from aotgui.model.graph import Graph
from aotgui.protocol.codec import FrameError, frame_of, read_frame

LARGE_NODES: Final = 600
"""A graph of so many nodes is laid out in the process: about 30 ms of work."""
POLL_S: Final = 0.02
"""How often a waiting thread looks whether its layout is still wanted."""
MAX_STARTS: Final = 3
LOST: Final = "The process that lays graphs out ended unexpectedly; this graph was laid out in the window instead."
NOT_STARTED: Final = "The process that lays graphs out could not be started; large graphs make the window halt briefly."

_PACKAGES: Final = str(Path(__file__).resolve().parents[3])
_WORKER: Final = (
    f"import runpy, sys; sys.path.append({_PACKAGES!r}); "
    "runpy.run_module('aotgui.gui.canvas.layout_worker', run_name='__main__', alter_sys=True)"
)
LAYOUT_COMMAND: Final = (sys.executable, "-P", "-c", _WORKER)


class _Worker:
    """One running layout process.

    Attributes:
        answers: what it says; None where it ended.
    """

    def __init__(self, command: Sequence[str]) -> None:
        """Starts it.

        Raises:
            OSError: it cannot be started.
        """
        self.answers: SimpleQueue[Answered | None] = SimpleQueue()
        self._sent: list[tuple[int, weakref.ref[Graph]]] = []
        self._last_key = 0
        # A session of its own: Ctrl+C in the terminal is for the window, which ends this process.
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=os.name == "posix",
        )
        self._reader = threading.Thread(target=self._read, name="layout-answers", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        """Process id."""
        return self._process.pid

    def send(self, message: Wanted | Dropped) -> None:
        """Sends a message.

        Raises:
            OSError: the process is gone.
        """
        assert self._process.stdin is not None
        self._process.stdin.write(frame_of(msgspec.msgpack.encode(message)))
        self._process.stdin.flush()

    def key_of(self, graph: Graph) -> tuple[int, bool]:
        """The number under which the process knows a graph, and whether that number is new."""
        self._sent = [(key, known) for key, known in self._sent if known() is not None]
        for key, known in self._sent:
            if known() is graph:
                return key, False
        self._last_key += 1
        self._sent.append((self._last_key, weakref.ref(graph)))
        return self._last_key, True

    @property
    def keys(self) -> list[int]:
        """Numbers of all graphs that may be asked for again."""
        return [key for key, _ in self._sent]

    def end(self) -> None:
        """Ends the process, whatever it is at: nothing it knows is lost."""
        self._process.kill()
        self._process.wait()
        self._reader.join()
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        decoder = msgspec.msgpack.Decoder(Answered)
        with contextlib.suppress(OSError, FrameError, msgspec.MsgspecError), self._process.stdout as stream:
            while (body := read_frame(stream)) is not None:  # type: ignore[arg-type] # BufferedReader
                self.answers.put(decoder.decode(body))
        self.answers.put(None)


class LayoutProcess(QObject):
    """Arranges graphs in a process that is started when first needed, and again after it died.

    Signals:
        trouble: a sentence: the process died or cannot be started.
    """

    trouble = Signal(str)

    def __init__(self, command: Sequence[str] = LAYOUT_COMMAND, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._command = command
        self._lock = threading.Lock()
        self._worker: _Worker | None = None
        self._starts = 0
        self._number = 0

    @property
    def is_running(self) -> bool:
        """Whether there is a process."""
        return self._worker is not None

    @property
    def pid(self) -> int:
        """Process id; 0 where there is no process."""
        return self._worker.pid if self._worker is not None else 0

    def start_ahead(self) -> None:
        """Starts the process, so that its imports are done by the time there is a graph."""
        with self._lock:
            self._started()

    def close(self) -> None:
        """Ends the process. No layout may be at work, and none comes after that."""
        with self._lock:
            self._starts = MAX_STARTS
            self._end()

    def arrange(self, request: Request, options: MeasuredOptions, cancelled: Cancelled) -> Arrangement:
        """Lays out what is wanted; see ``arranging.arrange``. Worker threads.

        Raises:
            LayoutCancelled: ``cancelled`` returned True.
        """
        arrangement = None
        if len(request.graph) >= LARGE_NODES:
            with self._lock:
                arrangement = self._arranged_elsewhere(request, options, cancelled)
        return arrangement or arrange(request, options, cancelled)

    def _arranged_elsewhere(
        self, request: Request, options: MeasuredOptions, cancelled: Cancelled
    ) -> Arrangement | None:
        """What the process makes of a request; None where there is no process, or it fails or dies of it."""
        worker = self._started()
        if worker is None:
            return None
        self._number += 1
        try:
            worker.send(_wanted(self._number, worker, request, options))
            answer = self._answer(worker, cancelled)
        except OSError:
            answer = None
        if answer is None:
            self._end()
            self.trouble.emit(LOST)
        return answer.arrangement(request) if isinstance(answer, Arranged) else None

    def _answer(self, worker: _Worker, cancelled: Cancelled) -> Answered | None:
        """The answer to the newest request; late ones to those that were dropped are thrown away.

        Raises:
            LayoutCancelled: ``cancelled`` returned True.
            OSError: the process is gone.
        """
        while True:
            try:
                answer = worker.answers.get(timeout=POLL_S)
            except Empty:
                if cancelled():
                    worker.send(Dropped(self._number))
                    raise LayoutCancelled from None
                continue
            if answer is None or answer.number == self._number:
                return answer

    def _started(self) -> _Worker | None:
        if self._worker is None and self._starts < MAX_STARTS:
            self._starts += 1
            try:
                self._worker = _Worker(self._command)
            except OSError:
                self._starts = MAX_STARTS
                self.trouble.emit(NOT_STARTED)
        return self._worker

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


def _wanted(number: int, worker: _Worker, request: Request, options: MeasuredOptions) -> Wanted:
    key, is_new = worker.key_of(request.graph)
    return Wanted(
        number=number,
        key=key,
        graph=_without_text(request.graph) if is_new else None,
        keep=worker.keys,
        expanded=None if request.expanded is None else sorted(request.expanded),
        is_opening=request.is_opening,
        is_known=request.known is not None,
        title_advances=options.title_advances.tolist(),
        subtitle_advances=options.subtitle_advances.tolist(),
    )


def _without_text(graph: Graph) -> Graph:
    """A graph without what no layout depends on: most of its bytes."""
    blank: list[list[int]] = [[]] * len(graph)
    return msgspec.structs.replace(graph, arguments=blank, code="", schemas={})
