"""PySide6 6.12.0 takes a reference off None in every method that returns nothing, which ends Python 3.11."""

from __future__ import annotations

import sys

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

CALLS = 1000


def test_calls_that_return_nothing_leave_the_references_to_none_alone(qtbot: QtBot) -> None:
    label, owner = QLabel(), QObject()
    qtbot.addWidget(label)
    timer = QTimer(owner)
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        label.setText("text")
        owner.setObjectName("name")
        timer.setInterval(1)
        timer.stop()
    assert abs(sys.getrefcount(None) - before) < CALLS // 10
