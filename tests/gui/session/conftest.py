"""A controller over engines that need no torch, and a check that nothing is left behind."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session
from aotgui.protocol import engine_process


@pytest.fixture(autouse=True)
def nothing_left_behind(no_threads_left: None, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Iterator[None]:
    """Fails a test that leaves a process or a thread."""
    started: list[subprocess.Popen[bytes]] = []

    class WatchedPopen(subprocess.Popen):  # type: ignore[type-arg] # generic only in stubs
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)  # type: ignore[call-overload] # whatever the product passes
            started.append(self)

    monkeypatch.setattr(engine_process.subprocess, "Popen", WatchedPopen)
    yield
    running = [process.args for process in started if process.poll() is None]
    for process in started:
        process.kill()
        process.wait()
    assert not running, f"processes left behind: {running}"


@pytest.fixture
def build_controller(qtbot: QtBot, fake_engine: Callable[..., tuple[str, ...]]) -> Iterator[Callable[..., Controller]]:
    """Builds controllers over fake engines; ends them after the test."""
    built: list[Controller] = []

    def build(*words: str, keep_spare: bool = False) -> Controller:
        controller = Controller(Session(), fake_engine(*words), keep_spare=keep_spare)
        controller.start()
        built.append(controller)
        return controller

    yield build
    for controller in built:
        controller.close()
        timers = [timer for timer in controller.findChildren(QTimer) if timer.isActive()]
        assert not timers, "timers left running"


@pytest.fixture
def controller(build_controller: Callable[..., Controller]) -> Controller:
    """One whose engines behave."""
    return build_controller()
