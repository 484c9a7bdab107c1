"""``aotgui FILE`` opens the window, in each way that the README names, and closes it when told."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STARTS = {
    "installed command": [str(Path(sys.executable).with_name("aotgui"))],
    "module": [sys.executable, "-m", "aotgui"],
    "checkout": [sys.executable, str(ROOT / "main.py")],
}


@pytest.mark.parametrize("start", STARTS)
def test_every_way_to_start_is_the_same_command(start: str) -> None:
    done = subprocess.run([*STARTS[start], "--version"], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout.startswith("aotgui ")


def test_the_window_opens_without_torch_and_closes_when_told(example: Callable[[str], str]) -> None:
    with subprocess.Popen(
        [*STARTS["module"], example("cos_cos.py")], stderr=subprocess.PIPE, text=True, cwd=ROOT
    ) as window:
        deadline = time.monotonic() + 60
        while not (_engine_of(window.pid) and _catches(window.pid, signal.SIGTERM)):
            assert window.poll() is None
            assert time.monotonic() < deadline
        loaded = Path(f"/proc/{window.pid}/maps").read_text()
        window.send_signal(signal.SIGTERM)
        _, errors = window.communicate(timeout=60)
    assert window.returncode == 0, errors
    assert "QtWidgets" in loaded
    assert "libtorch" not in loaded
    assert "Traceback" not in errors


def _engine_of(pid: int) -> bool:
    """Whether the process has started an engine."""
    children = [child for task in Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()]
    return any(b"aotgui.engine" in Path(f"/proc/{child}/cmdline").read_bytes() for child in children)


def _catches(pid: int, number: signal.Signals) -> bool:
    """Whether the process has a handler for a signal."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool(int(status["SigCgt"], 16) & 1 << (number - 1))
