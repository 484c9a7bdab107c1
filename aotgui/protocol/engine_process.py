"""The engine as a child process: started, spoken to, and ended, without Qt.

Commands use it directly; the window wraps it in signals. Frames travel over the child's stdin and stdout, so that
the same command line works through ``ssh host aotgui-engine``. The engine keeps both descriptors for itself and
gives the user's code an empty stdin and a stdout that is the real stderr, which here is either inherited
(commands) or read and handed on (window).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Final

import msgspec

from aotgui.protocol.codec import FrameError, decode_event, encode, read_frame
from aotgui.protocol.messages import AnyEvent, Quit, Request

_PACKAGES: Final = str(Path(__file__).resolve().parents[2])
_ENGINE: Final = (
    f"import runpy, sys; sys.path.append({_PACKAGES!r}); "
    "runpy.run_module('aotgui.engine', run_name='__main__', alter_sys=True)"
)
ENGINE_COMMAND: Final = (sys.executable, "-P", "-c", _ENGINE)
"""The engine's command line. Unlike ``-m`` alone it leaves the working directory out of the path on which torch looks
for its imports (a file ``cuda.py`` or ``profile.py`` there would take their place), and finds a checkout."""
ASK_SECONDS: Final = 1.0
"""How long a polite request to end may take before the next rung of the ladder."""
TERMINATE_SECONDS: Final = 1.0
DRAIN_SECONDS: Final = 1.0
"""How long output is awaited after the end: a process that escaped into a session of its own keeps the pipe open."""


class ProcessOutcome(msgspec.Struct, frozen=True):
    """How a process ended, with one wording.

    Attributes:
        returncode: as ``subprocess`` gives it: negative for a signal.
        expected: whether it was told to end.
    """

    returncode: int
    expected: bool = False

    @property
    def sentence(self) -> str:
        """What happened, for a person."""
        if self.expected:
            return "The engine was stopped."
        if self.returncode == 0:
            return "The engine ended by itself: the script closed the process."
        if self.returncode < 0:
            return _SIGNAL_SENTENCES.get(-self.returncode, f"The engine was ended by {_signal_name(-self.returncode)}.")
        return f"The engine ended with status {self.returncode}: the script closed the process."


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


_SIGNAL_SENTENCES: Final[dict[int, str]] = {
    signal.SIGSEGV: "The engine crashed with a segmentation fault (SIGSEGV) in native code that the script ran.",
    signal.SIGBUS: "The engine crashed with a bus error (SIGBUS) in native code that the script ran.",
    signal.SIGILL: "The engine crashed with an illegal instruction (SIGILL) in native code that the script ran.",
    signal.SIGFPE: "The engine crashed with an arithmetic error (SIGFPE) in native code that the script ran.",
    signal.SIGABRT: "The engine aborted (SIGABRT): native code that the script ran gave up.",
    signal.SIGKILL: "The engine was killed (SIGKILL), most likely because the machine ran out of memory.",
    signal.SIGTERM: "The engine was terminated (SIGTERM).",
}


class ProcessState(Enum):
    """Life of the child."""

    RUNNING = "running"
    ENDING = "ending"
    ENDED = "ended"


class EngineProcess:
    """One engine. Callbacks come from reader threads, never from the caller's.

    ``on_end`` is called exactly once, after the last event and the last output; only what an escaped process prints
    more than ``DRAIN_SECONDS`` later comes after it.
    """

    def __init__(
        self,
        on_event: Callable[[AnyEvent], None],
        on_end: Callable[[ProcessOutcome], None],
        on_output: Callable[[bytes], None] | None = None,
        command: Sequence[str] = ENGINE_COMMAND,
    ) -> None:
        """Starts the engine.

        Args:
            on_event: gets every event.
            on_end: gets the outcome.
            on_output: gets what the user's code prints; None lets it through to our stderr.
            command: the engine's command line.

        Raises:
            OSError: the command cannot be started.
        """
        self._on_event = on_event
        self._on_end = on_end
        self._on_output = on_output
        self._state = ProcessState.RUNNING
        self._write_lock = threading.Lock()
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if on_output else None,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read_events, name="engine-events", daemon=True)
        self._output_reader = threading.Thread(target=self._read_output, name="engine-output", daemon=True)
        if on_output:
            self._output_reader.start()  # first: the reader waits for it, and an engine may end at once
        self._reader.start()

    @property
    def pid(self) -> int:
        """Process id of the engine."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether requests can still be served."""
        return self._state is ProcessState.RUNNING and self._process.poll() is None

    def send(self, request: Request) -> bool:
        """Sends a request; False where the engine is gone, of which ``on_end`` tells. Any thread."""
        assert self._process.stdin is not None
        try:
            with self._write_lock:
                self._process.stdin.write(encode(request))
                self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def end(self, ask_s: float = ASK_SECONDS, terminate_s: float = TERMINATE_SECONDS) -> None:
        """Ends the engine and its children: asks, terminates, kills. Blocks at most the two times; any thread."""
        self._state = ProcessState.ENDING
        if ask_s:
            self.send(Quit())
            self._close_stdin()
            if self._wait(ask_s):
                return
        self._signal_group(signal.SIGTERM)
        if not self._wait(terminate_s):
            self._signal_group(signal.SIGKILL)
            self._process.wait()
        self._join()

    def kill(self) -> None:
        """Ends the engine and its children without asking."""
        self._state = ProcessState.ENDING
        self._signal_group(signal.SIGKILL)
        self._process.wait()
        self._join()

    def _wait(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        self._signal_group(signal.SIGKILL)  # children that the script left behind
        self._join()
        return True

    def _join(self) -> None:
        current = threading.current_thread()
        for thread in (self._output_reader, self._reader):
            if thread.is_alive() and thread is not current:
                thread.join(2 * DRAIN_SECONDS)

    def _signal_group(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _close_stdin(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError), self._write_lock:
            self._process.stdin.close()

    def _read_events(self) -> None:
        assert self._process.stdout is not None
        try:
            while (body := read_frame(self._process.stdout)) is not None:  # type: ignore[arg-type] # BufferedReader
                self._on_event(decode_event(body))
        except FrameError:
            # Only bytes of a foreign writer get here (a C library that found our descriptor): nothing after
            # them can be trusted, so the engine goes.
            self._signal_group(signal.SIGKILL)
        returncode = self._process.wait()
        self._signal_group(signal.SIGKILL)
        if self._on_output:
            self._output_reader.join(DRAIN_SECONDS)
        expected = self._state is ProcessState.ENDING
        self._state = ProcessState.ENDED
        self._process.stdout.close()
        self._close_stdin()
        self._on_end(ProcessOutcome(returncode, expected))

    def _read_output(self) -> None:
        assert self._process.stderr is not None
        assert self._on_output is not None
        with self._process.stderr as stream:
            while chunk := stream.read1(65536):  # type: ignore[attr-defined] # BufferedReader
                self._on_output(chunk)
