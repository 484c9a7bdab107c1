"""Which engine serves: one process for each loaded source, and a spare that is warm when the next is needed.

Nothing that a user's file does to globals, ``sys.path``, the working directory or random generators reaches another
file: an engine that has loaded one source is never given another. A spare engine imports torch while the person looks
at the first result, so that the switch costs nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, Signal

from aotgui.gui.session.engine_link import EngineLink
from aotgui.gui.session.source_key import SourceKey
from aotgui.protocol.engine_process import ENGINE_COMMAND, ProcessOutcome
from aotgui.protocol.messages import AnyEvent, Hello

MAX_FAILED_STARTS: Final = 3
"""So many engines in a row may end before their hello."""

NOT_STARTED: Final = "The engine ended before it was ready; the details say why."


class EnginePool(QObject):
    """The current engine, the spare, and those on their way out.

    Signals:
        hello: an engine is ready; its ``Hello``.
        ready: the current engine is ready.
        replaced: another engine serves from now on, or none; it has loaded nothing.
        event_received: an event of the current engine.
        output: the current engine printed this.
        ended: the current engine died by itself; a sentence and the end of what it printed.
        unavailable: no engine can be started; what the last one printed, or the system's error.
    """

    hello = Signal(object)
    ready = Signal()
    replaced = Signal()
    event_received = Signal(object)
    output = Signal(str)
    ended = Signal(str, str)
    unavailable = Signal(str)

    def __init__(
        self, command: Sequence[str] = ENGINE_COMMAND, *, keep_spare: bool = True, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._command = command
        self._keep_spare = keep_spare
        self._current: EngineLink | None = None
        self._spare: EngineLink | None = None
        self._retired: list[EngineLink] = []
        self._failed_starts = 0

    @property
    def current(self) -> EngineLink | None:
        """The engine that serves; None before ``start`` and where none can be started."""
        return self._current

    @property
    def is_ready(self) -> bool:
        """Whether the current engine said hello."""
        return self._current is not None and self._current.ready

    def start(self) -> None:
        """Starts the first engine, or another attempt after ``unavailable``."""
        if self._current is None:
            self._failed_starts = 0
            self._current = self._new_link()

    def acquire(self, key: SourceKey, *, fresh: bool = False) -> EngineLink | None:
        """The engine for a source, which it has loaded or will load next; None where none can be started.

        Args:
            key: the source as it is now.
            fresh: never take an engine that has loaded anything.
        """
        self.start()
        current = self._current
        if current and current.loaded and (fresh or current.loaded != key):
            self.replace_current()
        if self._current:
            self._current.loaded = key
        return self._current

    def replace_current(self, *, ask: bool = True) -> None:
        """Ends the current engine in the background and takes the spare, or a new one, instead."""
        if self._current:
            self._retired.append(self._current)
            self._current.end(ask=ask)
        self._promote()

    def prewarm(self) -> None:
        """Starts the spare where there is none."""
        if self._keep_spare and self._spare is None and self._current and self._current.loaded:
            self._spare = self._new_link()

    def close(self) -> None:
        """Ends every engine and waits for that."""
        links = [link for link in (self._current, self._spare, *self._retired) if link]
        self._current = self._spare = None
        self._retired = []
        for link in links:
            link.end(ask=False)
        for link in links:
            link.close()

    def _promote(self) -> None:
        self._current, self._spare = self._spare or self._new_link(), None
        self.replaced.emit()
        if self.is_ready:
            self.ready.emit()

    def _new_link(self) -> EngineLink | None:
        try:
            link = EngineLink(self._command, self)
        except OSError as error:
            self.unavailable.emit(str(error))
            return None
        link.event_received.connect(lambda event: self._on_event(link, event))
        link.output.connect(lambda text: self._on_output(link, text))
        link.ended.connect(lambda outcome: self._on_ended(link, outcome))
        return link

    def _on_event(self, link: EngineLink, event: AnyEvent) -> None:
        if isinstance(event, Hello):
            self._on_hello(link, event)
        elif link is self._current:
            self.event_received.emit(event)

    def _on_hello(self, link: EngineLink, hello: Hello) -> None:
        link.ready = True
        self._failed_starts = 0
        self.hello.emit(hello)
        if link is self._current:
            self.ready.emit()

    def _on_output(self, link: EngineLink, text: str) -> None:
        if link is self._current:
            self.output.emit(text)

    def _on_ended(self, link: EngineLink, outcome: ProcessOutcome) -> None:
        if _never_started(link, outcome):
            self._failed_starts += 1
        if link is self._spare:
            self._spare = None
        elif link is self._current:
            self._replace_dead(link, outcome)
        else:
            self._retired.remove(link)
        link.deleteLater()

    def _replace_dead(self, link: EngineLink, outcome: ProcessOutcome) -> None:
        self._current = None
        if self._failed_starts < MAX_FAILED_STARTS:
            self._promote()
            sentence = NOT_STARTED if _never_started(link, outcome) else outcome.sentence
            self.ended.emit(sentence, link.last_output)
        else:
            self.replaced.emit()
            self.unavailable.emit(link.last_output or outcome.sentence)


def _never_started(link: EngineLink, outcome: ProcessOutcome) -> bool:
    """Whether an engine failed by itself; a script may end it so early that its hello is lost with it."""
    return not link.ready and (link.loaded is None or outcome.returncode == 1)
