"""The engine's end of the pipe.

Frames travel over stdin and stdout, which the user's code must not see: both descriptors are duplicated, then
stdin becomes empty and stdout becomes stderr, for Python and for native code alike.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import BinaryIO

from aotgui.protocol.codec import decode_request, encode, read_frame
from aotgui.protocol.messages import AnyRequest, Event


class Channel:
    """Reads requests on one thread, writes events from any."""

    def __init__(self, reader: BinaryIO, writer: BinaryIO) -> None:
        self._reader = reader
        self._writer = writer
        self._lock = threading.Lock()

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
        frame = encode(event)
        try:
            with self._lock:
                self._writer.write(frame)
                self._writer.flush()
        except (BrokenPipeError, ValueError):
            return
