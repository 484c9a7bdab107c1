"""One engine process as Qt signals.

Events are read and decoded on a thread of ``EngineProcess``; the signals here are delivered on the thread that the
link lives in. The process is ended on a thread of its own, because the ladder (ask, terminate, kill) takes seconds.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from aotgui.gui.session.console_buffer import ConsoleBuffer
from aotgui.gui.session.source_key import SourceKey
from aotgui.protocol.engine_process import ASK_SECONDS, ENGINE_COMMAND, EngineProcess, ProcessOutcome
from aotgui.protocol.messages import AnyEvent, Request

OUTPUT_INTERVAL_MS: Final = 50
"""How often output is handed on."""
_LAST_OUTPUT_CHARS: Final = 4000


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

    _arrived = Signal(object)
    _printed = Signal()
    _gone = Signal(object)

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
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._printed.connect(self._on_printed, Qt.ConnectionType.QueuedConnection)
        self._gone.connect(self._on_gone, Qt.ConnectionType.QueuedConnection)
        self._process = EngineProcess(self._arrived.emit, self._gone.emit, self._receive_output, command)

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
            self._ending = threading.Thread(target=self._process.end, args=(seconds,), name="engine-end")
            self._ending.start()

    def close(self) -> None:
        """Ends the engine and waits for it, a fraction of a second as a rule; nothing is signalled after that."""
        self._over = True
        self._output_timer.stop()
        if self._ending:
            self._ending.join()
        else:
            self._process.end(ask_s=0.0)

    def _receive_output(self, chunk: bytes) -> None:
        if self._buffer.put(chunk):
            self._printed.emit()

    def _on_printed(self) -> None:
        if not self._over:
            self._output_timer.start()

    def _hand_on_output(self) -> None:
        if text := self._buffer.take():
            self.last_output = (self.last_output + text)[-_LAST_OUTPUT_CHARS:]
            self.output.emit(text)

    def _on_arrived(self, event: AnyEvent) -> None:
        if not self._over:
            self.event_received.emit(event)

    def _on_gone(self, outcome: ProcessOutcome) -> None:
        if self._over:
            return
        self._over = True
        self._output_timer.stop()
        self._hand_on_output()
        if self._ending:
            self._ending.join()
        self.ended.emit(outcome)
