"""Where the engine that ran a script is gone, what needs it is disabled and says why, until the next run."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.session.state import RUN_AGAIN, RunState
from aotgui.model.graph import GraphKind

NEED_ENGINE = (
    ActionId.STEP,
    ActionId.CONTINUE,
    ActionId.RUN_TO_NONFINITE,
    ActionId.EXPORT_FORWARD,
    ActionId.EXPORT_BUNDLE,
    ActionId.FIND_CULPRIT,
    ActionId.REFERENCE,
    ActionId.COMPARE_PARTITIONS,
)


@pytest.fixture
def shown(window: MainWindow, script: Callable[..., str], open_and_wait: Callable[..., None]) -> MainWindow:
    open_and_wait(window, script())
    return window


def kill_engine(window: MainWindow, qtbot: QtBot) -> None:
    engine = window.controller._pool.current
    assert engine is not None
    os.kill(engine.pid, 9)
    qtbot.waitUntil(lambda: bool(window.session.problems))
    qtbot.waitUntil(lambda: window.session.progress.state is RunState.IDLE)


def test_what_needs_the_engine_says_that_it_is_gone(shown: MainWindow, qtbot: QtBot) -> None:
    tips = {name: shown.actions_table[name].toolTip() for name in NEED_ENGINE}
    assert all(shown.actions_table[name].isEnabled() for name in NEED_ENGINE)
    kill_engine(shown, qtbot)
    for name in NEED_ENGINE:
        action = shown.actions_table[name]
        assert (name, action.isEnabled(), action.toolTip()) == (name, False, RUN_AGAIN)
    for name in (ActionId.RUN, ActionId.EXPORT_SVG, ActionId.SAVE_CAPTURE, ActionId.FIND):
        assert shown.actions_table[name].isEnabled()
    shown.actions_table[ActionId.RUN].trigger()
    qtbot.waitUntil(lambda: shown.session.progress.state is RunState.RUNNING)
    qtbot.waitUntil(lambda: shown.session.progress.state is RunState.IDLE)
    assert all(shown.actions_table[name].isEnabled() for name in NEED_ENGINE)
    assert {name: shown.actions_table[name].toolTip() for name in NEED_ENGINE} == tips


def test_panels_say_that_it_is_gone(shown: MainWindow, qtbot: QtBot) -> None:
    views = shown.workspace.views
    start = views.debugger.start_buttons[GraphKind.FORWARD]
    assert start.isEnabled()
    kill_engine(shown, qtbot)
    assert not start.isEnabled()
    assert start.toolTip() == views.debugger.status.text() == RUN_AGAIN
    assert not views.compare.compare_button.isEnabled()
    assert not views.partitions.compare_button.isEnabled()
    assert views.partitions.table.empty_text == RUN_AGAIN


def test_a_run_that_fails_in_a_new_engine_brings_nothing_back(
    shown: MainWindow, qtbot: QtBot, script: Callable[..., str]
) -> None:
    script("fail")
    shown.actions_table[ActionId.RELOAD].trigger()
    qtbot.waitUntil(lambda: shown.session.progress.state is RunState.RUNNING)
    qtbot.waitUntil(lambda: shown.session.progress.state is RunState.IDLE)
    assert shown.session.region is not None
    assert shown.actions_table[ActionId.STEP].toolTip() == RUN_AGAIN
