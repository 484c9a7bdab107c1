"""The real window, driven as a person does, over engines that need no torch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QComboBox
from pytestqt.qtbot import QtBot

from aotgui.gui.app import files
from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.link_row import LinkRow
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.options_bar import WIDE_PX, OptionsBar
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.result_line import ResultState
from aotgui.gui.app.theme import Theme, apply_theme, is_dark
from aotgui.model.breakpoint import BreakpointKind
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import RunStatus, StopReason

Build = Callable[..., MainWindow]
Script = Callable[..., str]
Open = Callable[..., None]


def press(window: MainWindow, name: ActionId) -> None:
    action = window.actions_table[name]
    assert action.isEnabled(), f"{name} is disabled"
    action.trigger()


def combo(window: MainWindow, field: str) -> QComboBox:
    found = window.findChild(QComboBox, field)
    assert found is not None
    return found


def choose(window: MainWindow, field: str, text: str) -> None:
    """Chooses an entry as a click in the list does."""
    box = combo(window, field)
    index = box.findText(text)
    assert index >= 0
    box.setCurrentIndex(index)
    box.activated.emit(index)


def test_the_start_page_says_how_to_begin(window: MainWindow) -> None:
    rows = window.start_page.findChildren(LinkRow)
    assert "mlp.py" in [row.title for row in rows]
    assert all(row.description.endswith(".") for row in rows)
    assert window.windowTitle().startswith("aotgui")
    assert not window.actions_table[ActionId.RUN].isEnabled()
    assert not window.result_bar.isVisible()


def test_opening_a_script_shows_its_three_graphs(window: MainWindow, script: Script, open_and_wait: Open) -> None:
    open_and_wait(window, script())
    tabs = window.workspace.tabs
    assert tabs.isVisible()
    assert tabs.kinds == [GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD]
    assert tabs.tabText(0) == "Joint  5"
    assert window.windowTitle().startswith("model.py")
    assert window.result_bar.line.state is ResultState.MATCH
    press(window, ActionId.SHOW_BACKWARD)
    assert tabs.currentIndex() == 2
    tabs.setCurrentIndex(1)
    assert window.session.graph_shown is GraphKind.FORWARD


def test_a_region_without_gradients_has_one_tab(window: MainWindow, script: Script, open_and_wait: Open) -> None:
    open_and_wait(window, script("inference"))
    assert window.workspace.tabs.kinds == [GraphKind.INFERENCE]
    assert not window.actions_table[ActionId.SHOW_BACKWARD].isEnabled()


def test_several_regions_can_be_chosen(window: MainWindow, script: Script, open_and_wait: Open) -> None:
    open_and_wait(window, script("regions"))
    chooser = window.workspace.tabs.cornerWidget()
    assert isinstance(chooser, QComboBox)
    assert chooser.isVisible()
    chooser.activated.emit(1)
    assert window.session.region_index == 1
    assert chooser.currentIndex() == 1


def test_the_file_dialog_opens_what_was_chosen(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_and_wait(window, script(name="known.py"))
    path = script()
    monkeypatch.setattr(files.QFileDialog, "getOpenFileName", lambda *_args: (path, ""))
    press(window, ActionId.OPEN)
    assert window.session.source == path
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)


def test_dropping_a_script_opens_it(window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot) -> None:
    open_and_wait(window, script(name="known.py"))
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(script())])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, keys)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, buttons, keys))
    assert Path(window.session.source).name == "model.py"
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.DONE)


def test_dropping_something_else_is_refused(window: MainWindow, tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(50, 50), Qt.DropAction.CopyAction, data, buttons, keys)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    assert not enter.isAccepted()


def test_stop_ends_an_endless_loop(window: MainWindow, script: Script, qtbot: QtBot) -> None:
    window.open(script("deaf"))
    qtbot.waitUntil(lambda: window.session.progress.stage is not None)
    assert window.result_bar.line.state is ResultState.BUSY
    assert "Stage 1 of 8" in window.result_bar.line.text
    press(window, ActionId.STOP)
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.STOPPED)
    assert window.result_bar.line.state is ResultState.STOPPED


def test_the_death_of_the_engine_keeps_graphs_and_says_why(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    window.open(script("segfault", name="bad.py"))
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.FAILED)
    assert window.workspace.tabs.isVisible()
    assert window.workspace.tabs.kinds
    assert "segmentation fault" in window.result_bar.line.text
    window.result_bar.problem_clicked.emit(window.result_bar.line.problem)
    assert not window.workspace.docks.widgets["Problems"].visibleRegion().isEmpty()
    open_and_wait(window, script(name="good.py"))
    assert window.result_bar.line.state is ResultState.MATCH


def test_what_is_shown_after_a_failure_is_named(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    source = script()
    open_and_wait(window, source)
    Path(source).write_text("fail")
    with qtbot.waitSignal(window.controller.runs.finished):
        press(window, ActionId.RELOAD)
    assert window.result_bar.facts == "still showing an earlier run of model.py"
    open_and_wait(window, script("fail", name="other.py"))
    assert window.result_bar.facts == "still showing model.py"


def test_a_file_that_fails_at_first_shows_the_sentence_in_the_middle(
    window: MainWindow, script: Script, qtbot: QtBot
) -> None:
    window.open(script("fail"))
    qtbot.waitUntil(lambda: window.session.run_status is RunStatus.FAILED)
    assert window.wait_page.isVisible()
    assert window.wait_page.text == "It failed.  model.py:3"


def test_a_mismatch_is_said(window: MainWindow, script: Script, open_and_wait: Open) -> None:
    open_and_wait(window, script("mismatch"))
    assert window.result_bar.line.state is ResultState.MISMATCH


def test_choosing_another_partitioner_runs_again(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    choose(window, "partitioner", "default")
    qtbot.waitUntil(lambda: len(window.session.graph(GraphKind.FORWARD) or ()) == 3)


def test_compilers_that_cannot_run_say_why(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: len(window.session.compilers) == 3)
    box = combo(window, "forward_compiler")
    index = box.model().index(box.findText("inductor"), 0)
    assert not index.flags() & Qt.ItemFlag.ItemIsEnabled
    assert index.data(Qt.ItemDataRole.ToolTipRole) == "There is no C++ compiler."
    assert combo(window, "backward_compiler").currentText() == "same as forward"


def test_the_debugger_steps_from_the_keyboard(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    press(window, ActionId.STEP)
    qtbot.waitUntil(lambda: window.session.stepping.reason is StopReason.ENTRY)
    press(window, ActionId.STEP)
    qtbot.waitUntil(lambda: window.session.stepping.reason is StopReason.STEP)
    assert not window.actions_table[ActionId.STOP].isEnabled()  # nothing runs
    # The joint graph shows where the debugger stands, so nobody is taken away from it.
    assert window.session.graph_shown is GraphKind.JOINT
    joint = window.workspace.tabs.pane(GraphKind.JOINT)
    assert joint is not None
    qtbot.waitUntil(lambda: joint.view.marks.stepping == 1)
    press(window, ActionId.END)
    assert not window.session.stepping.active


def test_breakpoints_belong_to_the_selected_node(window: MainWindow, script: Script, open_and_wait: Open) -> None:
    open_and_wait(window, script())
    press(window, ActionId.BREAKPOINT)
    assert window.statusBar().currentMessage() == "Select a node to stop before it."
    window.session.select(GraphKind.FORWARD, [1])
    press(window, ActionId.BREAKPOINT)
    points = window.session.breakpoints.points
    assert [(point.kind, point.graph, point.where) for point in points] == [
        (BreakpointKind.NODE, GraphKind.FORWARD, "f1")
    ]


def test_a_change_on_disk_offers_to_reload(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    open_and_wait(window, script())
    script("bigger")
    qtbot.waitUntil(lambda: window.changed_bar.isVisible())
    window.changed_bar.reload_requested.emit()
    assert not window.changed_bar.isVisible()
    qtbot.waitUntil(lambda: len(window.session.graph(GraphKind.FORWARD) or ()) == 3)


def test_recent_files_settings_and_layout_outlive_the_window(
    build_window: Build, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    path = script()
    first = build_window()
    open_and_wait(first, path)
    choose(first, "partitioner", "default")
    qtbot.waitUntil(lambda: len(first.session.graph(GraphKind.FORWARD) or ()) == 3)
    first.workspace.docks.widgets["Console"].hide()
    first.close()
    second = build_window()
    assert second.start_page.findChildren(LinkRow)[-1].title == "model.py"
    open_and_wait(second, path)
    assert second.session.settings.partitioner == "default"
    assert second.workspace.docks.widgets["Console"].isHidden()
    press(second, ActionId.RESET_LAYOUT)
    assert not second.workspace.docks.widgets["Console"].isHidden()


def test_a_low_window_gives_its_room_to_the_graph(
    window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot
) -> None:
    window.resize(1600, 1000)
    open_and_wait(window, script())
    window.resize(1000, 640)
    qtbot.waitUntil(lambda: window.workspace.page.height() > 0.5 * window.height())
    low = window.workspace.docks.widgets["Debugger"].height()
    window.resize(1600, 1000)
    qtbot.waitUntil(lambda: window.workspace.docks.widgets["Debugger"].height() > 1.5 * low)


def test_a_wide_window_has_its_captions_beside_the_controls(window: MainWindow, qtbot: QtBot) -> None:
    bar = window.findChild(OptionsBar)
    assert isinstance(bar, OptionsBar)
    window.resize(1000, 640)
    qtbot.waitUntil(lambda: bar.width() < WIDE_PX)
    high = bar.sizeHint().height()
    window.resize(WIDE_PX + 50, 900)
    qtbot.waitUntil(lambda: bar.sizeHint().height() < high)


def test_docks_are_hidden_on_the_start_page_only(window: MainWindow, script: Script, open_and_wait: Open) -> None:
    window.prepare()
    docks = window.workspace.docks.widgets
    assert all(dock.isHidden() for dock in docks.values())
    open_and_wait(window, script())
    assert not docks["Inspector"].isHidden()
    press(window, ActionId.CLOSE)
    assert all(dock.isHidden() for dock in docks.values())
    assert window.start_page.isVisible()


@pytest.mark.parametrize(
    ("name", "word"),
    [
        (ActionId.EXPORT_SVG, "<svg"),
        (ActionId.EXPORT_DOT, "digraph"),
        (ActionId.EXPORT_GRAPHML, "<graphml"),
        (ActionId.EXPORT_JSON, '"edge_sources"'),
        (ActionId.EXPORT_TABLE, "index,name,op"),
        (ActionId.EXPORT_REPORT, "<!doctype html>"),
    ],
)
def test_the_graph_shown_is_exported(
    window: MainWindow,
    script: Script,
    open_and_wait: Open,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    name: ActionId,
    word: str,
) -> None:
    open_and_wait(window, script())
    target = tmp_path / "graph.out"
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    press(window, name)
    qtbot.waitUntil(lambda: f"Saved {target}" in window.statusBar().currentMessage())
    assert word in target.read_text()
    assert "f0" in target.read_text()


def test_an_export_that_cannot_be_written_is_a_problem(
    window: MainWindow, script: Script, open_and_wait: Open, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    open_and_wait(window, script())
    target = tmp_path / "missing" / "graph.dot"
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    press(window, ActionId.EXPORT_DOT)
    assert window.session.problems[-1].stage == "export"


def test_torchscript_is_exported_by_the_engine(
    window: MainWindow,
    script: Script,
    open_and_wait: Open,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    open_and_wait(window, script())
    target = str(tmp_path / "forward.pt")
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (target, ""))
    press(window, ActionId.EXPORT_FORWARD)
    qtbot.waitUntil(lambda: "Loaded and run" in window.statusBar().currentMessage())


def test_the_theme_is_applied_and_remembered(window: MainWindow, preferences_path: Path, qapp: QApplication) -> None:
    for theme, dark in ((Theme.DARK, True), (Theme.HIGH_CONTRAST, True), (Theme.LIGHT, False)):
        window.findChild(type(window.menuBar()))
        window._choose_theme(theme)
        assert is_dark(window.palette()) is dark
        assert PreferencesStore(preferences_path).value.theme is theme
    apply_theme(qapp, Theme.SYSTEM)


def test_icons_are_drawn_for_every_action_that_names_one(window: MainWindow) -> None:
    window.show_icons()
    assert not window.actions_table[ActionId.RUN].icon().isNull()
