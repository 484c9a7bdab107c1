"""Recording a script from the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.record_dialog import RecordDialog
from aotgui.gui.app.result_line import result_line
from aotgui.gui.session.session import RecordingOptions
from aotgui.protocol.messages import RunStatus

Script = Callable[..., str]
Open = Callable[..., None]


def record_dialog(window: MainWindow) -> RecordDialog:
    window.actions_table[ActionId.RECORD].trigger()
    return next(dialog for dialog in window.findChildren(RecordDialog) if dialog.isVisible())


def test_a_script_is_recorded_with_its_command_line(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot, preferences_path: Path
) -> None:
    path = script()
    open_and_wait(window, path)
    dialog = record_dialog(window)
    assert dialog.script.text() == path
    dialog.arguments.setText("--name 'two words'")
    dialog.regions.setValue(3)
    dialog.accept()
    qtbot.waitUntil(lambda: window.session.run_status is None)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    assert window.session.capture is not None
    assert window.session.capture.target == "recorded(['--name', 'two words'] 3)"
    options = RecordingOptions(("--name", "two words"), 3)
    assert PreferencesStore(preferences_path).value.recordings == {path: options}
    again = record_dialog(window)
    assert (again.arguments.text(), again.regions.value()) == ("--name 'two words'", 3)
    again.reject()


def test_what_is_recorded_is_counted_and_can_be_finished(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script(name="known.py"))
    assert not window.actions_table[ActionId.FINISH_RECORDING].isEnabled()
    window.record(script("wait"), RecordingOptions())
    qtbot.waitUntil(lambda: result_line(window.session).text == "Recording…  2 regions captured")
    window.actions_table[ActionId.FINISH_RECORDING].trigger()
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)


def test_opening_a_file_captures_it_again(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    path = script()
    window.record(path, RecordingOptions(("--fast",)))
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)
    open_and_wait(window, path)
    assert window.session.recording is None
    assert window.session.capture is not None
    assert window.session.capture.target == "model"


def test_what_cannot_be_recorded_is_said(window: MainWindow, tmp_path: Path, script: Script) -> None:
    dialog = record_dialog(window)
    assert dialog.problem.text() == "Choose a script."
    dialog.script.setText(str(tmp_path / "nowhere.py"))
    assert dialog.problem.text() == "Choose a script that exists."
    dialog.script.setText(script())
    assert dialog.problem.text() == ""
    dialog.arguments.setText("'open")
    assert dialog.problem.text() == "The arguments cannot be read: no closing quotation."
    dialog.accept()
    assert dialog.isVisible()
    dialog.reject()
