"""The docks by themselves."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QTabBar, QWidget
from pytestqt.qtbot import QtBot

from aotgui.gui.app.docks import Docks, DockSpec, Place


def build(qtbot: QtBot) -> tuple[QMainWindow, Docks]:
    """A window that is shown, with two tabs at the right and two at the bottom."""
    window = QMainWindow()
    window.setCentralWidget(QWidget())
    window.resize(1200, 800)
    qtbot.addWidget(window)
    with qtbot.waitExposed(window):
        window.show()
    places = {"A": Place.RIGHT, "B": Place.RIGHT, "C": Place.BOTTOM, "D": Place.BOTTOM}
    docks = Docks(window, [DockSpec(name, name, QLabel(name), place) for name, place in places.items()])
    QApplication.processEvents()
    return window, docks


def shown_tabs(window: QMainWindow) -> list[list[str]]:
    QApplication.processEvents()
    bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
    return sorted([bar.tabText(tab) for tab in range(bar.count())] for bar in bars if bar.isVisible())


def test_a_remembered_layout_leaves_no_tab_bar_behind(qtbot: QtBot) -> None:
    first, docks = build(qtbot)
    docks.suspend()
    docks.resume()
    layout = docks.save()
    assert layout
    second, restored = build(qtbot)
    restored.restore(layout)
    assert shown_tabs(second) == shown_tabs(first) == [["A", "B"], ["C", "D"]]


def test_what_is_no_layout_changes_nothing(qtbot: QtBot) -> None:
    window, docks = build(qtbot)
    docks.restore(b"no layout")
    assert shown_tabs(window) == [["A", "B"], ["C", "D"]]


def test_the_content_of_a_dock_behind_a_tab_is_hidden(qtbot: QtBot) -> None:
    """Panels wait with what they show until they are seen; they ask whether they are visible."""
    window, docks = build(qtbot)
    contents = {label.text(): label for label in window.findChildren(QLabel) if label.text() in "ABCD"}
    qtbot.waitUntil(lambda: sum(label.isVisible() for label in contents.values()) == 2)
    behind = next(name for name in "AB" if not contents[name].isVisible())
    docks.bring_to_front(behind)
    qtbot.waitUntil(contents[behind].isVisible)
    assert sum(contents[name].isVisible() for name in "AB") == 1
