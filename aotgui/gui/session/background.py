"""Work that takes too long for the GUI thread and needs nothing of it: reading and writing files."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QObject

from aotgui.gui.session.mailbox import Mailbox

Result = TypeVar("Result")


class Background(QObject, Generic[Result]):
    """One task at a time that counts: a newer one makes the older ones stale, and what is stale never arrives."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = 0
        self._done: Callable[[Result | Exception], None] | None = None
        self._threads: list[threading.Thread] = []
        self._mailbox = Mailbox(self)
        self._mailbox.received.connect(self._on_received)

    def start(self, work: Callable[[], Result], done: Callable[[Result | Exception], None]) -> None:
        """Does ``work`` on a thread of its own and then calls ``done`` on this one, with the result or what was raised.

        Args:
            work: shares nothing with the GUI thread.
            done: not called where another task was started, or this one forgotten, meanwhile.
        """
        self._newest += 1
        self._done = done
        thread = threading.Thread(target=self._run, args=(self._newest, work), name="background", daemon=True)
        self._threads = [other for other in self._threads if other.is_alive()] + [thread]
        thread.start()

    def forget(self) -> None:
        """What is under way does not count any more."""
        self._newest += 1
        self._done = None

    def close(self) -> None:
        """Waits for what is under way, so that no file is left half written; nothing arrives after that."""
        self.forget()
        for thread in self._threads:
            thread.join()
        self._mailbox.close()

    def _run(self, number: int, work: Callable[[], Result]) -> None:
        try:
            result: Result | Exception = work()
        except Exception as error:
            result = error
        self._mailbox.put((number, result))

    def _on_received(self, letter: tuple[int, Result | Exception]) -> None:
        number, result = letter
        if number == self._newest and self._done is not None:
            self._done(result)
