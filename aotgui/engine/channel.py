"""The engine's end of the pipe.

Frames travel over stdin and stdout, which the user's code must not see: both descriptors are duplicated, then
stdin becomes empty and stdout becomes stderr, for Python and for native code alike.
"""

from __future__ import annotations

import os
import queue
import sys
import threading
from typing import BinaryIO

from aotgui.protocol.codec import decode_request, encode, read_frame
from aotgui.protocol.messages import AnyRequest, Event


class Channel:
    """Reads requests on one thread, takes events from any.

    Events are written by a thread of their own: the worker thread may be stopped at any instruction, and an exception
    within a write would tear a frame. The sender waits until its event was written, so that nothing is lost when the
    user's code takes the process down next.
    """

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._frames: queue.SimpleQueue[tuple[bytes, threading.Event] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="aotgui-writer", daemon=True)
        self._thread.start()

    @classmethod
    def from_standard_streams(cls) -> Channel:
        """Takes stdin and stdout away from the user's code; call once, before anything prints."""
        reader = os.fdopen(os.dup(0), "rb")
        writer = os.fdopen(os.dup(1), "wb")
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")  # type: ignore[union-attr] # TextIO
        return cls(reader, writer)

    def receive(self) -> AnyRequest | None:
        """The next request, or None when the other side is gone. Blocks.

        Raises:
            FrameError: the bytes are no request.
        """
        body = read_frame(self._reader)
        return None if body is None else decode_request(body)

    def send(self, event: Event) -> None:
        """Sends an event; one that nobody reads any more is dropped."""
        written = threading.Event()
        self._frames.put((encode(event), written))
        written.wait()

    def close(self) -> None:
        """Waits until everything sent was written or the other side is gone."""
        self._frames.put(None)
        self._thread.join()

    def _write(self) -> None:
        while (item := self._frames.get()) is not None:
            frame, written = item
            try:
                self._writer.write(frame)
                self._writer.flush()
            except (OSError, ValueError):
                pass  # the reader is gone, and the engine is about to end
            written.set()
