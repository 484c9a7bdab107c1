"""Runs the real command in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
Aotgui = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def aotgui(tmp_path: Path) -> Aotgui:
    """``aotgui(*words)`` in an empty folder: its exit status, standard output and standard error."""

    def call(*words: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "aotgui", *words]
        return subprocess.run(
            command, capture_output=True, text=True, cwd=tmp_path, timeout=timeout, stdin=subprocess.DEVNULL
        )

    return call


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Writes a script and gives its path."""

    def write(text: str, name: str = "script.py") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write


@pytest.fixture
def example() -> Callable[[str], str]:
    """Path of a shipped example."""
    return lambda name: str(ROOT / "resources" / "examples" / name)


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """What the test starts is interrupted by Ctrl-C also where a shell runs the tests in the background, deaf to it."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, previous)
