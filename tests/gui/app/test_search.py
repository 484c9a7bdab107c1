"""Search in the real window: actions, fading in every tab, memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.model.graph import GraphKind

Script = Callable[..., str]
Open = Callable[[MainWindow, str], None]


def faded(window: MainWindow, kind: GraphKind) -> list[str] | None:
    """Names of the nodes that a canvas fades, or None where it fades nothing."""
    pane = window.workspace.tabs.pane(kind)
    assert pane is not None
    assert pane.view.scene is not None
    mask = pane.view.states.dimmed
    return None if mask is None else [pane.view.scene.graph.names[node] for node in mask.nonzero()[0]]


def test_searching_fades_the_rest_in_every_graph(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    window.actions_table[ActionId.FIND].trigger()
    bar = window.workspace.views.search_bar
    assert bar.isVisible()
    bar.field.setText("side:backward")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    for kind in (GraphKind.JOINT, GraphKind.BACKWARD):
        graph = window.session.graph(kind)
        assert graph is not None
        assert faded(window, kind) == [name for name, side in zip(graph.names, graph.sides, strict=True) if not side]
    selected = window.session.selection
    assert selected.graph is GraphKind.JOINT
    assert selected.current == window.workspace.views.search.matches(GraphKind.JOINT)[0]
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert faded(window, GraphKind.JOINT) is None


def test_a_slash_searches_and_escape_gives_the_keyboard_back(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    pane, bar = window.workspace.tabs.pane(GraphKind.JOINT), window.workspace.views.search_bar
    assert pane is not None
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    pane.view.setFocus()
    qtbot.keyClick(pane.view, Qt.Key.Key_Slash)
    assert bar.field.hasFocus()
    qtbot.keyClicks(bar.field, "a/b")
    assert bar.field.text() == "a/b"
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert pane.view.hasFocus()


def test_another_file_is_searched_as_soon_as_it_is_laid_out(
    window: MainWindow, script: Script, open_and_wait: Open
) -> None:
    open_and_wait(window, script())
    window.workspace.views.search.set_text("side:forward")
    open_and_wait(window, script(name="other.py"))
    graph = window.session.graph(GraphKind.JOINT)
    assert graph is not None
    assert faded(window, GraphKind.JOINT) == [n for n, side in zip(graph.names, graph.sides, strict=True) if side]


def test_searches_are_remembered(
    window: MainWindow, script: Script, open_and_wait: Open, preferences_path: Path, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    bar = window.workspace.views.search_bar
    window.actions_table[ActionId.FIND].trigger()
    bar.field.setText("fate:saved")
    window.actions_table[ActionId.FIND_NEXT].trigger()
    assert PreferencesStore(preferences_path).value.searches == ("fate:saved",)


def test_there_is_nothing_to_search_on_the_start_page(window: MainWindow) -> None:
    assert not window.actions_table[ActionId.FIND].isEnabled()
    assert [keys.toString() for keys in window.actions_table[ActionId.FIND].shortcuts()] == ["Ctrl+F", "/"]
