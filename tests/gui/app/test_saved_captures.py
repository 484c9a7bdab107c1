"""Captures in files: saved from the window, opened in it without an engine, and what cannot be done with them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from PySide6.QtWidgets import QComboBox
from pytestqt.qtbot import QtBot

from aotgui.export.capture_files import open_capture, save_capture
from aotgui.gui.app import files
from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.session.breakpoint_places import toggle_node
from aotgui.gui.session.state import NO_ENGINE
from aotgui.model.capture import CheckStatus
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import RunStatus, StepAction

Script = Callable[..., str]
Open = Callable[..., None]


@pytest.fixture
def saved(
    window: MainWindow,
    script: Script,
    open_and_wait: Open,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> str:
    """A capture that the window made and saved; nothing is open any more."""
    open_and_wait(window, script())
    path = str(tmp_path / "saved.aotcap")
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (path, ""))
    window.actions_table[ActionId.SAVE_CAPTURE].trigger()
    qtbot.waitUntil(lambda: path in window.statusBar().currentMessage())
    window.actions_table[ActionId.CLOSE].trigger()
    return path


def test_a_saved_capture_shows_everything_again(window: MainWindow, saved: str, qtbot: QtBot) -> None:
    window.open(saved)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    session = window.session
    assert session.is_stored
    assert session.capture is not None
    assert session.capture == open_capture(Path(saved))
    assert session.capture.check.status is CheckStatus.MATCH
    assert window.workspace.page.isVisible()
    assert window.windowTitle().startswith("saved.aotcap")
    assert window.result_bar.line.text.startswith("Matches eager")


def test_what_needs_an_engine_says_that_there_is_none(window: MainWindow, saved: str, qtbot: QtBot) -> None:
    window.open(saved)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    for name in (ActionId.RUN, ActionId.STEP, ActionId.EXPORT_FORWARD):
        action = window.actions_table[name]
        assert not action.isEnabled()
        assert action.toolTip() == NO_ENGINE
    box = window.findChild(QComboBox, "partitioner")
    assert box is not None
    assert not box.isEnabled()
    window.controller.steps.perform(StepAction.STEP)
    assert not window.session.stepping.active
    assert window.actions_table[ActionId.EXPORT_SVG].isEnabled()


def test_after_a_capture_a_script_runs_again(
    window: MainWindow, saved: str, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    window.open(saved)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    open_and_wait(window, script())
    assert not window.session.is_stored
    assert window.actions_table[ActionId.RUN].isEnabled()
    assert "Capture, compile" in window.actions_table[ActionId.RUN].toolTip()


def test_a_damaged_capture_is_one_sentence(window: MainWindow, saved: str, qtbot: QtBot) -> None:
    data = Path(saved).read_bytes()
    Path(saved).write_bytes(data[: len(data) // 2])
    window.open(saved)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.FAILED)
    assert "cut off" in window.wait_page.text
    assert window.session.capture is None


def test_a_capture_that_was_written_again_is_read_again(window: MainWindow, saved: str, qtbot: QtBot) -> None:
    window.open(saved)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    save_capture(Path(saved), msgspec.structs.replace(open_capture(Path(saved)), target="another"))
    qtbot.waitUntil(lambda: window.changed_bar.isVisible())
    window.changed_bar.reload_requested.emit()
    qtbot.waitUntil(lambda: window.session.capture is not None and window.session.capture.target == "another")


def test_trust_from_the_command_line_reaches_the_run(
    window: MainWindow, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(window.controller, "open", lambda *_args, trusted: asked.append(trusted))
    window.open(script(), trusted=True)
    window.open(script())
    assert asked == [True, False]


@pytest.mark.parametrize(("name", "magic"), [(ActionId.EXPORT_PNG, b"\x89PNG"), (ActionId.EXPORT_PDF, b"%PDF")])
def test_pictures_are_drawn_in_the_background(
    window: MainWindow,
    script: Script,
    open_and_wait: Open,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: ActionId,
    magic: bytes,
) -> None:
    open_and_wait(window, script())
    target = tmp_path / "graph.out"
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    window.actions_table[name].trigger()
    qtbot.waitUntil(lambda: f"Saved {target}" in window.statusBar().currentMessage())
    assert target.read_bytes().startswith(magic)


def test_only_what_is_selected_is_exported(
    window: MainWindow, script: Script, open_and_wait: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_and_wait(window, script())
    target = tmp_path / "graph.svg"
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    window.session.select(window.session.graph_shown, [0])
    window.actions_table[ActionId.EXPORT_SELECTION].setChecked(True)
    window.actions_table[ActionId.EXPORT_SVG].trigger()
    assert target.read_text().count('id="n-') == 1
    window.actions_table[ActionId.EXPORT_TABLE].trigger()
    assert len(target.read_text().splitlines()) == 2


def test_the_result_bar_leads_to_what_was_saved(window: MainWindow, saved: str, qtbot: QtBot) -> None:
    window.result_bar.announce("Saved it.", saved)
    assert "Open Folder" in window.result_bar.facts
    window.open(saved)
    assert "Open Folder" not in window.result_bar.facts
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    assert window.result_bar.facts.startswith("saved capture")


def test_breakpoints_come_back_with_their_source(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    toggle_node(window.session, GraphKind.FORWARD, "f1")
    window.session.debug.set_expressions(["f1.max()"])
    points = window.session.breakpoints.points
    open_and_wait(window, script())
    assert window.session.breakpoints.points == points
    open_and_wait(window, script(name="other.py"))
    assert not window.session.breakpoints.points
    assert not window.session.debug.expressions
    open_and_wait(window, script())
    assert window.session.breakpoints.points == points
    assert window.session.debug.expressions == ("f1.max()",)
