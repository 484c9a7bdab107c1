"""The chosen tab is seen whole, however wide its bar."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from aotgui.gui.app.whole_tabs import WholeTabs


@pytest.fixture
def bar(qtbot: QtBot) -> Iterator[QTabBar]:
    """Ten tabs, of which the last is chosen, exactly as wide as they need."""
    parent = QWidget()
    qtbot.addWidget(parent)
    parent.resize(2000, 60)
    bar = QTabBar(parent)
    bar.setElideMode(Qt.TextElideMode.ElideNone)
    bar.setUsesScrollButtons(True)
    for number in range(10):
        bar.addTab(f"Panel {number}")
    parent.show()
    bar.resize(bar.sizeHint())
    bar.setCurrentIndex(9)
    yield bar
    parent.close()  # until now it is held here


def hidden_px(bar: QTabBar) -> int:
    """How much of the chosen tab is behind the arrows or out of the bar."""
    arrows = [button.x() for button in bar.findChildren(QToolButton) if button.isVisible()]
    return max(0, bar.tabRect(bar.currentIndex()).right() + 1 - min(arrows, default=bar.width()))


def test_the_last_tab_is_whole_at_every_width(bar: QTabBar) -> None:
    """Qt 6.11 hides the last tab where the tabs are one pixel too wide."""
    whole, needed, hidden = WholeTabs(bar), bar.width(), []
    whole.watch(bar)
    for width in range(needed - 6, needed + 6):
        bar.resize(width, bar.height())
        hidden.append(hidden_px(bar))
    assert hidden == [0] * 12


def test_a_bar_is_mended_when_it_is_first_watched(bar: QTabBar) -> None:
    bar.resize(bar.width() - 1, bar.height())
    assert hidden_px(bar) > 0
    WholeTabs(bar).watch(bar)
    assert hidden_px(bar) == 0
