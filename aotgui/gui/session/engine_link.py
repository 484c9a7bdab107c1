"""One engine process as Qt signals.

Events are read and decoded on a thread of ``EngineProcess``; the signals here are delivered on the thread that the
link lives in. The process is ended on a thread of its own, because the ladder (ask, terminate, kill) takes seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from aotgui.gui.session.console_buffer import ConsoleBuffer
from aotgui.gui.session.mailbox import Mailbox
from aotgui.gui.session.source_key import SourceKey
from aotgui.protocol.engine_process import ASK_SECONDS, ENGINE_COMMAND, EngineProcess, ProcessOutcome
from aotgui.protocol.messages import AnyEvent, CaptureReady, Request

OUTPUT_INTERVAL_MS: Final = 50
"""How often output is handed on."""
CLOSE_SECONDS: Final = 5.0
"""The longest that closing waits: by then the last rung of the ladder is behind us."""
_LAST_OUTPUT_CHARS: Final = 32_000
_PRINTED: Final = object()
"""Tells the GUI thread that there is output to take."""


class EngineLink(QObject):
    """One engine.

    Attributes:
        loaded: what it has loaded, or None while it is fresh.
        ready: whether it said hello.
        last_output: the end of what it printed, for the details of a problem.

    Signals:
        event_received: an event arrived.
        output: text that was printed since the last time.
        ended: the process is gone; a ``ProcessOutcome``. The last signal of a link, after all output.
    """

    event_received = Signal(object)
    output = Signal(str)
    ended = Signal(object)

    def __init__(self, command: Sequence[str] = ENGINE_COMMAND, parent: QObject | None = None) -> None:
        """Starts the engine.

        Raises:
            OSError: the command cannot be started.
        """
        super().__init__(parent)
        self.loaded: SourceKey | None = None
        self.ready = False
        self.last_output = ""
        self._over = False
        self._ending: threading.Thread | None = None
        self._buffer = ConsoleBuffer()
        self._output_timer = QTimer(self, interval=OUTPUT_INTERVAL_MS, singleShot=True)
        self._output_timer.timeout.connect(self._hand_on_output)
        self._mailbox = Mailbox(self)
        self._mailbox.received.connect(self._on_received)
        put = self._mailbox.put
        try:
            self._process = EngineProcess(self._receive_event, put, self._receive_output, command)
        except OSError:
            self._mailbox.close()
            raise

    @property
    def pid(self) -> int:
        """Process id of the engine."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether requests can still be served."""
        return not self._over and self._process.is_alive

    def send(self, request: Request) -> bool:
        """Sends a request; False where the engine is gone, of which ``ended`` tells."""
        return self._process.send(request)

    def end(self, *, ask: bool = True) -> None:
        """Ends the engine and its children in the background; ``ask=False`` starts with the second rung."""
        if self._ending is None and not self._over:
            seconds = ASK_SECONDS if ask else 0.0
            self._ending = threading.Thread(target=self._process.end, args=(seconds,), name="engine-end", daemon=True)
            self._ending.start()

    def close(self) -> None:
        """Ends the engine and waits for it, a fraction of a second as a rule; nothing is signalled after that."""
        self.end(ask=False)
        self._over = True
        self._output_timer.stop()
        if self._ending:
            self._ending.join(CLOSE_SECONDS)
        self._mailbox.close()

    def _receive_event(self, event: AnyEvent) -> None:
        """Reader thread: what takes long for a large capture is done here."""
        if isinstance(event, CaptureReady):
            for region in event.capture.regions:
                region.build_tables()
        self._mailbox.put(event)

    def _receive_output(self, chunk: bytes) -> None:
        if self._buffer.put(chunk):
            self._mailbox.put(_PRINTED)

    def _on_received(self, letter: object) -> None:
        if self._over:
            return
        if letter is _PRINTED:
            self._output_timer.start()
        elif isinstance(letter, ProcessOutcome):
            self._on_gone(letter)
        else:
            self.event_received.emit(letter)

    def _hand_on_output(self) -> None:
        if text := self._buffer.take():
            self.last_output = (self.last_output + text)[-_LAST_OUTPUT_CHARS:]
            self.output.emit(text)

    def _on_gone(self, outcome: ProcessOutcome) -> None:
        self._over = True
        self._output_timer.stop()
        self._hand_on_output()
        if self._ending:
            self._ending.join()
        self._mailbox.close()
        self.ended.emit(outcome)
