"""What the user's code prints, between the thread that reads it and the window that shows it.

A script may print a gigabyte. The window takes what has gathered about twenty times a second, and of what gathered
in between at most a beginning and an end are kept, so neither memory nor painting grows with the flood.
"""

from __future__ import annotations

import codecs
import threading
from collections import deque
from typing import Final

HEAD_BYTES: Final = 16 * 1024
"""Kept from the start of what gathers between two takes."""
TAIL_BYTES: Final = 16 * 1024
"""Kept from its end."""


class ConsoleBuffer:
    """Bounded bytes in, text out. Any thread may call any method.

    Attributes:
        head_bytes: how much of the beginning is kept between two takes.
        tail_bytes: how much of the end is kept.
    """

    def __init__(self, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> None:
        self.head_bytes = head_bytes
        self.tail_bytes = tail_bytes
        self._lock = threading.Lock()
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0

    def put(self, chunk: bytes) -> bool:
        """Adds output; True where the buffer was empty, so that somebody should come and take it."""
        with self._lock:
            was_empty = not self._head
            room = max(self.head_bytes - len(self._head), 0)
            self._head += chunk[:room]
            if rest := chunk[room:]:
                self._put_tail(rest)
            return was_empty

    def take(self) -> str:
        """Everything kept since the last take; says how much was left out in its middle."""
        with self._lock:
            head, tail, dropped = bytes(self._head), b"".join(self._tail), self._dropped
            self._head.clear()
            self._tail.clear()
            self._tail_size = self._dropped = 0
            return self._decode(head, tail, dropped)

    def _put_tail(self, chunk: bytes) -> None:
        self._tail.append(chunk)
        self._tail_size += len(chunk)
        while self._tail_size - len(self._tail[0]) >= self.tail_bytes:
            oldest = self._tail.popleft()
            self._tail_size -= len(oldest)
            self._dropped += len(oldest)
        if surplus := max(self._tail_size - self.tail_bytes, 0):
            self._tail[0] = self._tail[0][surplus:]
            self._tail_size -= surplus
            self._dropped += surplus

    def _decode(self, head: bytes, tail: bytes, dropped: int) -> str:
        if not dropped:
            return self._decoder.decode(head + tail)
        before = self._decoder.decode(head, final=True)
        self._decoder.reset()
        # The cut may fall within a character: what is left of it is of no use.
        after = self._decoder.decode(tail.lstrip(_CONTINUATION_BYTES))
        return f"{before}\n[… {_size(dropped)} of output not shown …]\n{after}"


_CONTINUATION_BYTES: Final = bytes(range(0x80, 0xC0))


def _size(size_bytes: int) -> str:
    if size_bytes < 1024:
        return f"{size_bytes} bytes"
    if size_bytes < 1024 * 1024:
        return f"{size_bytes / 1024:.1f} KB"
    return f"{size_bytes / (1024 * 1024):.1f} MB"
