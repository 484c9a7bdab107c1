"""Hands objects from any thread to the GUI thread without a Qt call on the sender's side.

A signal emitted on a thread that Qt did not start works until its sender is deleted in the middle of it. Here a thread
appends to a deque and writes one byte to a socket that Qt watches, so nothing of Qt is shared.
"""

from __future__ import annotations

import contextlib
import socket
from collections import deque

from PySide6.QtCore import QObject, QSocketNotifier, Signal


class Mailbox(QObject):
    """First in, first out.

    Signals:
        received: an object that was put, on the thread that the mailbox lives in.
    """

    received = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._letters: deque[object] = deque()
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._deliver)

    def put(self, letter: object) -> None:
        """Sends an object; any thread, also after ``close``."""
        self._letters.append(letter)
        # Where the socket is full a wake-up is under way already; where it is closed nobody listens.
        with contextlib.suppress(OSError):
            self._writer.send(b"\0")

    def close(self) -> None:
        """Nothing is delivered any more."""
        self._notifier.setEnabled(False)
        self._letters.clear()
        self._reader.close()
        self._writer.close()

    def _deliver(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._reader.recv(4096):
                pass
        while self._letters:
            self.received.emit(self._letters.popleft())
