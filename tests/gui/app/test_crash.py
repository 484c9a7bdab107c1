from __future__ import annotations

import sys
import threading

import pytest
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from aotgui.gui.app.crash import CrashHandler


def boxes() -> list[QMessageBox]:
    return [
        widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QMessageBox) and widget.isVisible()
    ]


@pytest.fixture
def handler(monkeypatch: pytest.MonkeyPatch) -> CrashHandler:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    handler = CrashHandler()
    former = qInstallMessageHandler(None)
    handler.install()
    qInstallMessageHandler(former)
    return handler


def test_a_fault_on_any_thread_is_shown_once_with_its_traceback(
    handler: CrashHandler, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        raise ZeroDivisionError("on a thread")

    with qtbot.waitSignal(handler.crashed):
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    sys.excepthook(ValueError, ValueError("on the main thread"), None)
    qtbot.waitUntil(lambda: len(boxes()) == 1)
    assert "ZeroDivisionError: on a thread" in boxes()[0].detailedText()
    assert "ValueError" in capsys.readouterr().err
    boxes()[0].close()
    qtbot.waitUntil(lambda: not boxes())
    sys.excepthook(KeyError, KeyError("later"), None)
    qtbot.waitUntil(lambda: len(boxes()) == 1)
    boxes()[0].close()
