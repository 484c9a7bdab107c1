"""The layout process: arranges graphs for the window, one after the other, without Qt and without torch.

It reads ``Wanted`` and ``Dropped`` from stdin and answers on stdout, and ends with its stdin.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Iterator
from queue import SimpleQueue
from typing import BinaryIO

import msgspec

from aotgui.gui.canvas.arranging import Arrangement, Request, arrange
from aotgui.gui.canvas.layout_frames import Answered, Arranged, Asked, Dropped, Refused, Wanted
from aotgui.model.graph import Graph
from aotgui.protocol.codec import frame_of, read_frame


class LayoutWorker:
    """Answers requests; remembers the graphs that it may be asked for again."""

    def __init__(self) -> None:
        self._graphs: dict[int, Graph] = {}
        self._known: dict[int, Arrangement] = {}
        self._dropped = 0

    def drop(self, number: int) -> None:
        """A request, and all before it, is no longer wanted; any thread."""
        self._dropped = max(self._dropped, number)

    def answer(self, wanted: Wanted) -> Answered:
        """What was asked for, or why not."""
        self._remember(wanted)
        try:
            arrangement = self._arrange(wanted)
        except Exception:  # dropped, or a fault that the window meets again and tells
            return Refused(wanted.number)
        self._known[wanted.key] = arrangement
        return Arranged.of(wanted.number, arrangement, is_known=wanted.is_known)

    def _remember(self, wanted: Wanted) -> None:
        if wanted.graph is not None:
            self._graphs[wanted.key] = wanted.graph
        for key in self._graphs.keys() - wanted.keep:
            del self._graphs[key]
            self._known.pop(key, None)

    def _arrange(self, wanted: Wanted) -> Arrangement:
        expanded = None if wanted.expanded is None else frozenset(wanted.expanded)
        request = Request(self._graphs[wanted.key], expanded, wanted.is_opening, self._known.get(wanted.key))
        return arrange(request, wanted.options(), lambda: wanted.number <= self._dropped)


def serve(asked: BinaryIO, answered: BinaryIO) -> None:
    """Answers until there is nothing more to read."""
    worker = LayoutWorker()
    waiting: SimpleQueue[Wanted] = SimpleQueue()
    threading.Thread(target=_read, args=(asked, worker, waiting), name="layout-requests", daemon=True).start()
    encoder = msgspec.msgpack.Encoder()
    while True:
        answered.write(frame_of(encoder.encode(worker.answer(waiting.get()))))
        answered.flush()


def _read(asked: BinaryIO, worker: LayoutWorker, waiting: SimpleQueue[Wanted]) -> None:
    """Reader thread: what is dropped must be known while a layout is at work."""
    for letter in _letters(asked):
        if isinstance(letter, Dropped):
            worker.drop(letter.number)
        else:
            waiting.put(letter)
    os._exit(0)  # the window is gone, and nothing here is worth finishing


def _letters(asked: BinaryIO) -> Iterator[Asked]:
    decoder = msgspec.msgpack.Decoder(Asked)
    while (body := read_frame(asked)) is not None:
        yield decoder.decode(body)


if __name__ == "__main__":
    # Layouts make millions of objects and hardly a cycle: collecting would take a third of the time.
    gc.disable()
    serve(sys.stdin.buffer, sys.stdout.buffer)
