"""The Memory menu and its panels in the whole window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from aotgui.export.capture_files import save_capture
from aotgui.gui.app import files
from aotgui.gui.app.actions import MEMORY, ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.session.state import NO_ENGINE
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import RunStatus

Script = Callable[..., str]
Open = Callable[..., None]


def answered(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.controller.partitions.is_working)


def is_in_front(window: MainWindow, dock: str) -> bool:
    return window.workspace.docks.widgets[dock].isVisible()


def test_partitions_are_compared_from_the_menu(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    window.actions_table[ActionId.COMPARE_PARTITIONS].trigger()
    answered(window, qtbot)
    panel = window.workspace.views.partitions
    qtbot.waitUntil(lambda: is_in_front(window, "Partitions"))
    assert panel.table.model.total == 7
    assert panel.plot is not None
    assert len(panel.plot.points) == 7


def test_a_node_is_forced_undone_and_exported_as_a_policy(
    window: MainWindow,
    script: Script,
    open_and_wait: Open,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    open_and_wait(window, script())
    actions, partitions = window.actions_table, window.session.partitions
    assert not actions[ActionId.FORCE_RECOMPUTE].isEnabled()
    window.session.select(GraphKind.FORWARD, [1])
    actions[ActionId.FORCE_RECOMPUTE].trigger()
    answered(window, qtbot)
    qtbot.waitUntil(lambda: is_in_front(window, "WhatIf"))
    assert partitions.decisions == {"f1": Decision.RECOMPUTE}
    assert window.workspace.views.decisions.status.text().startswith("Altogether: \u221216 B saved")
    target = str(tmp_path / "policy.py")
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (target, ""))
    with qtbot.waitSignal(window.controller.exported):
        actions[ActionId.EXPORT_POLICY].trigger()
    assert "Captured with f1 recompute." in window.statusBar().currentMessage()
    actions[ActionId.UNDO_DECISION].trigger()
    assert not partitions.decisions
    actions[ActionId.REDO_DECISION].trigger()
    answered(window, qtbot)
    assert not actions[ActionId.RUN_WITHOUT_DECISIONS].isEnabled()
    for action, decided in (
        (ActionId.RUN_WITH_DECISIONS, {"f1": Decision.RECOMPUTE}),
        (ActionId.RUN_WITHOUT_DECISIONS, {}),
    ):
        with qtbot.waitSignal(window.controller.runs.finished):
            actions[action].trigger()
        assert window.session.settings.decisions == decided
        answered(window, qtbot)
        assert not actions[action].isEnabled()
        assert partitions.decisions == {"f1": Decision.RECOMPUTE}
    window.session.select(GraphKind.FORWARD, [1])
    actions[ActionId.RESET_DECISION].trigger()
    assert not partitions.decisions
    assert not actions[ActionId.EXPORT_POLICY].isEnabled()


def test_the_menu_of_a_node_leads_to_the_same(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    pane = window.workspace.tabs.pane(GraphKind.JOINT)
    assert pane is not None
    force = next(action for action in pane.menus.for_node(0).actions() if action.text() == "Force save")
    force.trigger()
    answered(window, qtbot)
    assert window.session.partitions.decisions == {"f0": Decision.SAVE}


def test_why_is_shown_on_the_canvas_and_cleared(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    actions, session = window.actions_table, window.session
    assert not actions[ActionId.SHOW_WHY].isEnabled()
    session.select(GraphKind.JOINT, [1])
    actions[ActionId.SHOW_WHY].trigger()
    assert session.spotlight.spot is not None
    assert session.spotlight.spot.nodes == (1, 2)  # f1 and b0, which reads it
    pane = window.workspace.tabs.pane(GraphKind.JOINT)
    assert pane is not None
    assert pane.spot_bar.isVisible()
    actions[ActionId.CLEAR_MARKS].trigger()
    assert not pane.spot_bar.isVisible()
    session.select(GraphKind.JOINT, [0])
    actions[ActionId.SHOW_WHY].trigger()  # nothing of the backward reads f0: there is no path
    assert session.spotlight.spot is None
    assert "f0" in window.statusBar().currentMessage()
    actions[ActionId.SHOW_NETWORK].trigger()
    qtbot.waitUntil(lambda: is_in_front(window, "MinCut"))
    actions[ActionId.SHOW_PEAK].trigger()
    qtbot.waitUntil(lambda: is_in_front(window, "Memory"))


def test_the_ledger_is_exported(
    window: MainWindow, script: Script, open_and_wait: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_and_wait(window, script())
    target = tmp_path / "saved.csv"
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    window.actions_table[ActionId.EXPORT_SAVED].trigger()
    assert target.read_text().startswith("Value,Bytes,Share,Role")


def test_for_a_saved_capture_what_needs_an_engine_says_so(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    open_and_wait(window, script())
    assert window.session.capture is not None
    save_capture(tmp_path / "saved.aotcap", window.session.capture)
    window.open(str(tmp_path / "saved.aotcap"))
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE and window.session.shows_source)
    window.session.select(GraphKind.JOINT, [1])
    for name in (ActionId.COMPARE_PARTITIONS, ActionId.FORCE_SAVE, ActionId.EXPORT_POLICY):
        assert not window.actions_table[name].isEnabled()
        assert window.actions_table[name].toolTip() == NO_ENGINE
    window.workspace.docks.bring_to_front("Partitions")
    assert window.workspace.views.partitions.table.empty_text == NO_ENGINE
    window.actions_table[ActionId.SHOW_WHY].trigger()
    assert window.session.spotlight.spot is not None


def test_every_action_of_the_menu_does_something(window: MainWindow) -> None:
    actions = window.actions_table.in_menu(MEMORY)
    assert len(actions) == 14
    window.workspace  # noqa: B018 # what connects them is built on demand
    assert all(action.receivers("2triggered(bool)") >= 1 for action in actions)
