"""Counts and signs on the tabs of the problems and findings."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from PySide6.QtWidgets import QTabBar
from pytestqt.qtbot import QtBot

from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.session.breakpoint_places import toggle_node
from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.capture import Finding, Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import Stepped, StopReason


def tab(window: MainWindow, title: str) -> tuple[str, bool] | None:
    """Text of the tab that begins with a word, and whether it has an icon."""
    for bar in window.findChildren(QTabBar):
        for place in range(bar.count()):
            if bar.tabText(place).startswith(title):
                return bar.tabText(place), not bar.tabIcon(place).isNull()
    return None


def test_the_status_bar_says_what_goes_wrong_between_runs(
    window: MainWindow, script: Callable[..., str], open_and_wait: Callable[..., None]
) -> None:
    open_and_wait(window, script())
    window.session.add_problem(Problem(severity=Severity.WARNING, stage="step", message="Slow."))
    assert "Slow." not in window.statusBar().currentMessage()
    window.session.add_problem(Problem(severity=Severity.ERROR, stage="engine", message="The engine was killed."))
    assert window.statusBar().currentMessage() == "The engine was killed."


def test_tabs_count_and_show_the_worst(
    window: MainWindow, script: Callable[..., str], open_and_wait: Callable[..., None], qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    session = window.session
    qtbot.waitUntil(lambda: tab(window, "Findings") == ("Findings", False))
    session.set_problems([Problem(severity=Severity.WARNING, stage="check", message="It differs.")] * 2)
    qtbot.waitUntil(lambda: tab(window, "Problems") == ("Problems  2", True))
    assert session.capture is not None
    note = Finding(id="note", severity=Severity.INFO, message="A constant.")
    session.update_result(msgspec.structs.replace(session.capture, findings=[note]))
    qtbot.waitUntil(lambda: tab(window, "Findings") == ("Findings  1", False))
    session.set_problems([])
    qtbot.waitUntil(lambda: tab(window, "Problems") == ("Problems", False))
    toggle_node(session, GraphKind.FORWARD, "f1")
    qtbot.waitUntil(lambda: tab(window, "Breakpoints") == ("Breakpoints  1", False))
    said = BreakpointHit(id="b1", graph=GraphKind.FORWARD, node=1, text="f1 ran")
    session.debug.take(
        Stepped(session=1, region=0, graph=GraphKind.FORWARD, node=2, reason=StopReason.STEP, logs=[said, said])
    )
    qtbot.waitUntil(lambda: tab(window, "Log") == ("Log  2", False))
