"""The real window over engines that need no torch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import RunState, Session


@pytest.fixture(autouse=True)
def nothing_left_behind(no_threads_left: None, qtbot: QtBot) -> Iterator[None]:
    """Fails a test that leaves a thread or a window; processes are watched for every test."""
    windows = set(QApplication.topLevelWidgets())
    yield
    shown = [widget for widget in set(QApplication.topLevelWidgets()) - windows if widget.isVisible()]
    assert not shown, f"windows left behind: {shown}"


@pytest.fixture
def preferences_path(tmp_path: Path) -> Path:
    return tmp_path / "preferences.json"


@pytest.fixture
def build_window(
    qtbot: QtBot, preferences_path: Path, fake_engine: Callable[..., tuple[str, ...]]
) -> Iterator[Callable[..., MainWindow]]:
    """Builds windows over an engine; closes them, and with them the engine, after the test."""
    built: list[MainWindow] = []

    def build(command: tuple[str, ...] = ()) -> MainWindow:
        controller = Controller(Session(), command or fake_engine(), keep_spare=False)
        controller.start()
        window = MainWindow(controller, PreferencesStore(preferences_path))
        window.resize(1200, 800)
        window.show()
        built.append(window)
        return window

    yield build
    for window in built:
        window.close()
        active = [timer for timer in window.controller.findChildren(QTimer) if timer.isActive()]
        window.deleteLater()
        assert not active, "timers of the controller left running"


@pytest.fixture
def window(build_window: Callable[..., MainWindow]) -> MainWindow:
    """A window that shows the start page."""
    return build_window()


@pytest.fixture
def open_and_wait(qtbot: QtBot) -> Callable[[MainWindow, str], None]:
    """Opens a source in a window and waits for the end of its run and for the layouts."""

    def is_done(window: MainWindow) -> bool:
        session = window.session
        if session.progress.state is not RunState.IDLE or session.run_status is None:
            return False
        panes = (window.workspace.tabs.pane(kind) for kind in window.workspace.tabs.kinds)
        return not any(pane.is_laying_out for pane in panes if pane)

    def open_source(window: MainWindow, source: str, timeout_ms: int = 20_000) -> None:
        window.open(source)
        qtbot.waitUntil(lambda: is_done(window), timeout=timeout_ms)

    return open_source
