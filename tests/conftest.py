"""What every test needs: no screen, no settings of the person who runs it, and nothing left behind."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# Other workers and other programs take processor time from an example: how long it took says nothing about it.
hypothesis.settings.register_profile("aotgui", deadline=None)
hypothesis.settings.load_profile("aotgui")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
if "PYTEST_XDIST_WORKER" in os.environ:
    # The workers and their engines share the cores: threads that wait for each other would only be in the way.
    os.environ.setdefault("OMP_NUM_THREADS", "1")


@pytest.fixture(autouse=True)
def private_settings(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings, caches and state of a test live in a folder of its own, also for the processes it starts."""
    home = tmp_path_factory.mktemp("home")
    for name in ("CONFIG", "DATA", "STATE", "CACHE"):
        folder = home / name.lower()
        folder.mkdir()
        monkeypatch.setenv(f"XDG_{name}_HOME", str(folder))
    return home


@pytest.fixture(autouse=True)
def no_engines_left(private_settings: Path) -> Iterator[None]:
    """An engine, or a thread that reads from one, which outlives its test fails it."""
    before = _engines()
    yield
    left = _engines() - before
    assert not left, f"left running: {sorted(left)}"


def _engines() -> set[str]:
    threads = {f"thread {thread.name}" for thread in threading.enumerate() if thread.name.startswith("engine-")}
    return threads | {f"process {pid}" for pid in _children() if b"aotgui.engine" in _command_line(pid)}


def _children() -> list[str]:
    tasks = Path("/proc/self/task").glob("*/children")
    return [pid for task in tasks for pid in _read(task).decode().split()]


def _command_line(pid: str) -> bytes:
    return _read(Path(f"/proc/{pid}/cmdline"))


def _read(path: Path) -> bytes:
    """A file of ``/proc``; empty where its thread or process has just ended."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
