"""Uses the whole window at random, with a real engine that is killed now and then: nothing raises, nothing warns.

Twenty seconds unless ``AOTGUI_SOAK_SECONDS`` says otherwise, with the seed ``AOTGUI_SOAK_SEED``. Run with
``pytest --benchmark-only tests/benchmarks/test_window_soak.py``. Exceptions in slots and Qt's warnings fail the test.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QTabBar, QTableView, QTreeView, QWidget
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aotgui.gui.app.action_spec import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import RunState, Session
from aotgui.model.resources import resource_path

SECONDS = float(os.environ.get("AOTGUI_SOAK_SECONDS", "20"))
SEED = int(os.environ.get("AOTGUI_SOAK_SEED", "1"))
LEFT_OUT = {ActionId.QUIT}
PAUSES_MS = (0, 5, 30, 100)


class RestlessUser:
    """Does something at random; dialogs and menus are closed again by a timer."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self._window = window
        self._session = window.session
        self._random = random.Random(seed)
        self._actions = [action for action in ActionId if action not in LEFT_OUT]
        self._deeds: list[Callable[[], None]] = [
            *[self._trigger] * 9, *[self._select] * 3, *[self._click] * 3, *[self._turn_to_tab] * 2,
            *[self._activate_row] * 2, self._choose, self._run,
        ]  # fmt: skip

    def act(self) -> None:
        """One deed, and some time for what comes of it."""
        self._random.choice(self._deeds)()
        if self._random.random() < 0.01:
            self._kill_engine()
        QTest.qWait(self._random.choice(PAUSES_MS))

    def _seen(self, kind: type[QWidget]) -> list[QWidget]:
        return [widget for widget in self._window.findChildren(kind) if widget.isVisible() and widget.isEnabled()]

    def _trigger(self) -> None:
        action = self._window.actions_table[self._random.choice(self._actions)]
        if action.isEnabled():
            action.trigger()

    def _select(self) -> None:
        region = self._session.region
        if region is not None and region.graphs:
            kind = self._random.choice(list(region.graphs))
            self._session.show_graph(kind)
            node = self._random.randrange(len(region.graphs[kind]))
            self._session.select(kind, [node], reveal=self._random.random() < 0.5)

    def _click(self) -> None:
        if views := self._seen(GraphView):
            view = self._random.choice(views)
            place = QPoint(self._random.randrange(view.width()), self._random.randrange(view.height()))
            self._random.choice((QTest.mouseClick, QTest.mouseDClick))(view, Qt.MouseButton.LeftButton, pos=place)

    def _turn_to_tab(self) -> None:
        if bars := [bar for bar in self._seen(QTabBar) if isinstance(bar, QTabBar) and bar.count()]:
            bar = self._random.choice(bars)
            bar.setCurrentIndex(self._random.randrange(bar.count()))

    def _activate_row(self) -> None:
        views = [
            view
            for view in (*self._seen(QTableView), *self._seen(QTreeView))
            if isinstance(view, QTableView | QTreeView) and view.model() is not None and view.model().rowCount()
        ]
        if views:
            view = self._random.choice(views)
            index = view.model().index(self._random.randrange(view.model().rowCount()), 0)
            view.setCurrentIndex(index)
            view.activated.emit(index)

    def _choose(self) -> None:
        if boxes := [box for box in self._seen(QComboBox) if isinstance(box, QComboBox) and box.count()]:
            box = self._random.choice(boxes)
            index = self._random.randrange(box.count())
            box.setCurrentIndex(index)
            box.activated.emit(index)

    def _run(self) -> None:
        if (action := self._window.actions_table[ActionId.RUN]).isEnabled():
            action.trigger()

    def _kill_engine(self) -> None:
        for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
            if b"aotgui.engine" in Path(f"/proc/{pid}/cmdline").read_bytes():
                os.kill(int(pid), signal.SIGKILL)


def close_popups() -> None:
    """Closes dialogs and menus that somebody would have to answer."""
    for _ in range(4):
        popup = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if popup is None:
            return
        popup.close()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    """The window with the example of two transformer blocks, captured."""
    controller = Controller(Session(), keep_spare=False)
    controller.start()
    window = MainWindow(controller, PreferencesStore(tmp_path / "preferences.json"))
    window.resize(1400, 900)
    window.show()
    window.open(str(resource_path("examples", "transformer_block.py")), trusted=True)
    session = window.session
    qtbot.waitUntil(lambda: session.run_status is not None and session.progress.state is RunState.IDLE, timeout=120_000)
    timer = QTimer(window)
    timer.timeout.connect(close_popups)
    timer.start(150)
    yield window
    timer.stop()
    close_popups()
    window.close()
    window.deleteLater()


@pytest.mark.timeout(0)
@pytest.mark.qt_log_ignore("This plugin does not support", extend=True)  # raising and grabbing without a screen
def test_it_bears_a_restless_user(
    benchmark: BenchmarkFixture, window: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    user, deeds = RestlessUser(window, SEED), []

    def soak() -> None:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            user.act()
            deeds.append(time.monotonic())

    benchmark.pedantic(soak, rounds=1)
    benchmark.extra_info["deeds"] = len(deeds)
    assert len(deeds) > 5 * SECONDS
    assert window.isVisible()
