"""The engine as a child process: events, output, and the ladder by which it ends."""

from __future__ import annotations

import contextlib
import os
import queue
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

from aotgui.protocol.engine_process import EngineProcess, ProcessOutcome
from aotgui.protocol.messages import Stop

TIMEOUT_S = 20.0


class Recorder:
    """Keeps what an engine says."""

    def __init__(self) -> None:
        self.events: queue.Queue[object] = queue.Queue()
        self.output = bytearray()
        self.printed = threading.Event()
        self.ends: list[ProcessOutcome] = []
        self.ended = threading.Event()

    def on_output(self, chunk: bytes) -> None:
        self.output += chunk
        self.printed.set()

    def on_end(self, outcome: ProcessOutcome) -> None:
        self.ends.append(outcome)
        self.ended.set()


@pytest.fixture
def start() -> Iterator[Callable[[str], tuple[EngineProcess, Recorder]]]:
    """Starts a Python program as an engine; kills it after the test."""
    started: list[EngineProcess] = []

    def begin(program: str) -> tuple[EngineProcess, Recorder]:
        recorder = Recorder()
        command = (sys.executable, "-u", "-c", program)
        process = EngineProcess(recorder.events.put, recorder.on_end, recorder.on_output, command)
        started.append(process)
        return process, recorder

    yield begin
    for process in started:
        process.kill()


@contextlib.contextmanager
def watched(pid: int) -> Iterator[Callable[[], bool]]:
    """Gives a function that waits for the end of a process that is not our child; False if it does not come."""
    descriptor = os.pidfd_open(pid)
    try:
        yield lambda: bool(select.select([descriptor], [], [], TIMEOUT_S)[0])
    finally:
        os.close(descriptor)


def test_it_ends_when_asked(start: Callable[[str], tuple[EngineProcess, Recorder]]) -> None:
    process, recorder = start("import sys; sys.stdin.buffer.read()")
    process.end(ask_s=TIMEOUT_S)
    assert recorder.ends == [ProcessOutcome(0, expected=True)]
    assert not process.is_alive
    assert not process.send(Stop())


def test_what_does_not_listen_is_killed_with_its_children(
    start: Callable[[str], tuple[EngineProcess, Recorder]],
) -> None:
    process, recorder = start(
        "import signal, subprocess, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        "print(child.pid, file=sys.stderr)\n"
        "time.sleep(600)\n"
    )
    assert recorder.printed.wait(TIMEOUT_S)
    with watched(int(recorder.output)) as child_ends:
        process.end(ask_s=0.1, terminate_s=0.1)
        assert recorder.ends == [ProcessOutcome(-9, expected=True)]
        assert child_ends()


def test_its_death_is_told_once_after_its_last_output(
    start: Callable[[str], tuple[EngineProcess, Recorder]],
) -> None:
    _, recorder = start("import os, sys; print('last words', file=sys.stderr); os._exit(5)")
    assert recorder.ended.wait(TIMEOUT_S)
    assert recorder.ends == [ProcessOutcome(5)]
    assert bytes(recorder.output) == b"last words\n"


def test_a_death_before_its_output_is_read_is_told(
    start: Callable[[str], tuple[EngineProcess, Recorder]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command waited for ever where the engine had ended before our thread for its output was started."""
    original = threading.Thread.start

    def start_and_wait_for_the_end(thread: threading.Thread) -> None:
        original(thread)
        if thread.name == "engine-events":
            thread.join(TIMEOUT_S)

    monkeypatch.setattr(threading.Thread, "start", start_and_wait_for_the_end)
    _, recorder = start("")
    assert recorder.ends == [ProcessOutcome(0)]


def test_foreign_bytes_in_the_channel_end_it(start: Callable[[str], tuple[EngineProcess, Recorder]]) -> None:
    _, recorder = start("import sys, time; print('hello' * 10); time.sleep(600)")
    assert recorder.ended.wait(TIMEOUT_S)
    assert recorder.ends[0].returncode == -9
    assert recorder.events.empty()


def test_a_process_that_escaped_with_the_output_does_not_hide_the_end(
    start: Callable[[str], tuple[EngineProcess, Recorder]],
) -> None:
    _, recorder = start(
        "import subprocess, sys\n"
        "program = [sys.executable, '-c', 'import time; time.sleep(600)']\n"
        # An engine keeps its channel to itself; only its stderr is inherited.
        "child = subprocess.Popen(program, start_new_session=True, stdout=subprocess.DEVNULL)\n"
        "print(child.pid, file=sys.stderr)\n"
    )
    assert recorder.ended.wait(TIMEOUT_S)
    assert recorder.ends == [ProcessOutcome(0)]
    with watched(int(recorder.output)) as child_ends:
        os.kill(int(recorder.output), signal.SIGKILL)
        assert child_ends()
    left = [thread for thread in threading.enumerate() if thread.name == "engine-output"]
    for thread in left:
        thread.join(TIMEOUT_S)
        assert not thread.is_alive()
