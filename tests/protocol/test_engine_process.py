"""The engine as a child process: events, output, and the ladder by which it ends."""

from __future__ import annotations

import os
import queue
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


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


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
    child = int(recorder.output)
    process.end(ask_s=0.1, terminate_s=0.1)
    assert recorder.ends == [ProcessOutcome(-9, expected=True)]
    assert not is_running(process.pid)
    # The child is no longer ours to wait for; init reaps it at some point, but it runs no more.
    assert not is_running(child) or _state(child) == "Z"


def _state(pid: int) -> str:
    with open(f"/proc/{pid}/stat") as stat:  # noqa: PTH123 # a proc file, read whole
        return stat.read().rpartition(") ")[2][0]


def test_its_death_is_told_once_after_its_last_output(
    start: Callable[[str], tuple[EngineProcess, Recorder]],
) -> None:
    _, recorder = start("import os, sys; print('last words', file=sys.stderr); os._exit(5)")
    assert recorder.ended.wait(TIMEOUT_S)
    assert recorder.ends == [ProcessOutcome(5)]
    assert bytes(recorder.output) == b"last words\n"


def test_foreign_bytes_in_the_channel_end_it(start: Callable[[str], tuple[EngineProcess, Recorder]]) -> None:
    _, recorder = start("import sys, time; print('hello' * 10); time.sleep(600)")
    assert recorder.ended.wait(TIMEOUT_S)
    assert recorder.ends[0].returncode == -9
    assert recorder.events.empty()
