"""What the window asks before it captures, and what it remembers of the answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.target_dialog import TargetDialog
from aotgui.gui.session.session import TargetChoice
from aotgui.protocol.messages import RunStatus

Script = Callable[..., str]


def target_dialog(window: MainWindow, qtbot: QtBot) -> TargetDialog:
    """The dialog once it is there."""
    qtbot.waitUntil(lambda: any(dialog.isVisible() for dialog in window.findChildren(TargetDialog)))
    return next(dialog for dialog in window.findChildren(TargetDialog) if dialog.isVisible())


def question(window: MainWindow, qtbot: QtBot) -> QMessageBox:
    """The question once it is there."""
    qtbot.waitUntil(lambda: any(box.isVisible() for box in window.findChildren(QMessageBox)))
    return next(box for box in window.findChildren(QMessageBox) if box.isVisible())


def answer(box: QMessageBox, word: str) -> None:
    next(button for button in box.buttons() if button.text().replace("&", "") == word).click()


def drop(window: MainWindow, path: str) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(path)])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(window, QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, keys))
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, buttons, keys))


def wait_until_done(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)


def test_a_source_that_leaves_it_open_is_asked_about(
    window: MainWindow, script: Script, qtbot: QtBot, preferences_path: Path
) -> None:
    path = script("targets")
    window.open(path)
    dialog = target_dialog(window, qtbot)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.FAILED)
    dialog.targets.setCurrentRow(1)
    dialog.form.rows[0].shape.setText("4x16")
    dialog.accept()
    wait_until_done(window, qtbot)
    assert window.session.capture is not None
    assert window.session.capture.target == "loss(randn 4x16)"
    assert PreferencesStore(preferences_path).value.choice_of(path) == TargetChoice("loss", "randn 4x16")


def test_the_answer_is_used_again_and_can_be_changed(window: MainWindow, script: Script, qtbot: QtBot) -> None:
    path = script("targets")
    window.open(path)
    target_dialog(window, qtbot).accept()
    wait_until_done(window, qtbot)
    window.open(path)
    wait_until_done(window, qtbot)
    assert window.session.choice == TargetChoice("net", "randn")
    window.actions_table[ActionId.CHOOSE_TARGET].trigger()
    dialog = target_dialog(window, qtbot)
    assert dialog.target.name == "net"
    dialog.targets.setCurrentRow(1)
    dialog.accept()
    qtbot.waitUntil(lambda: window.session.choice.target == "loss")
    wait_until_done(window, qtbot)


def test_a_dialog_that_was_closed_can_be_had_again(window: MainWindow, script: Script, qtbot: QtBot) -> None:
    window.open(script("targets"))
    target_dialog(window, qtbot).reject()
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.FAILED)
    window.wait_page.target_requested.emit()
    target_dialog(window, qtbot).reject()


def test_inputs_that_cannot_be_read_are_not_captured(window: MainWindow, script: Script, qtbot: QtBot) -> None:
    window.open(script("targets"))
    dialog = target_dialog(window, qtbot)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.FAILED)
    dialog.form.rows[0].shape.setText("4x")
    dialog.form.rows[0].changed.emit()
    dialog.accept()
    assert dialog.isVisible()
    assert window.session.run_status is RunStatus.FAILED
    dialog.reject()


@pytest.mark.parametrize("word", ["Open", "Cancel"])
def test_a_model_that_runs_code_is_opened_only_once_it_is_trusted(
    window: MainWindow, script: Script, qtbot: QtBot, word: str
) -> None:
    window.open(script("pickle", name="model.pt"))
    box = question(window, qtbot)
    assert box.text() == "It would run code."
    answer(box, word)
    if word == "Open":
        wait_until_done(window, qtbot)
    else:
        assert window.session.run_status is RunStatus.FAILED


def test_a_trusted_folder_is_asked_about_once(
    window: MainWindow, script: Script, qtbot: QtBot, preferences_path: Path
) -> None:
    window.open(script("pickle", name="model.pt"))
    box = question(window, qtbot)
    box.checkBox().setChecked(True)
    answer(box, "Open")
    wait_until_done(window, qtbot)
    path = script("pickle", name="other.pt")
    assert PreferencesStore(preferences_path).value.trusts(Path(path))
    window.open(path)
    wait_until_done(window, qtbot)


def test_a_script_from_an_unknown_folder_is_asked_about(window: MainWindow, script: Script, qtbot: QtBot) -> None:
    path = script()
    drop(window, path)
    answer(question(window, qtbot), "Cancel")
    assert window.session.source == ""
    drop(window, path)
    answer(question(window, qtbot), "Open")
    wait_until_done(window, qtbot)
    other = script(name="other.py")
    drop(window, other)
    assert window.session.source == other
    wait_until_done(window, qtbot)
