"""The debugger's menu: what it does with the selected value, how one steps, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.panels.breakpoint_dialog import BreakpointDialog
from aotgui.gui.panels.replace_dialog import ReplaceDialog
from aotgui.model.breakpoint import BreakpointKind
from aotgui.model.capture import Problem, Severity
from aotgui.model.cause import Cause
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Edit, Granularity, NodeError, Replacement, ReplacementKind
from aotgui.protocol.messages import Stepped, StopReason, ValueSaved

FORWARD = GraphKind.FORWARD
Open = Callable[[MainWindow, str], None]
Script = Callable[..., str]


@pytest.fixture
def stepping(window: MainWindow, script: Script, open_and_wait: Open, qtbot: QtBot) -> MainWindow:
    """A window whose debugger executed the first node, which is selected."""
    open_and_wait(window, script())
    window.actions_table[ActionId.STEP].trigger()
    session = window.session
    qtbot.waitUntil(lambda: session.stepping.reason is StopReason.ENTRY)
    window.actions_table[ActionId.STEP].trigger()
    qtbot.waitUntil(lambda: bool(session.values(FORWARD)))
    session.select(FORWARD, [0])
    return window


def press(window: MainWindow, name: ActionId) -> None:
    action = window.actions_table[name]
    assert action.isEnabled(), name
    action.trigger()


def enabled(window: MainWindow, *names: ActionId) -> list[ActionId]:
    return [name for name in names if window.actions_table[name].isEnabled()]


OF_VALUE = (ActionId.REPLACE_VALUE, ActionId.SAVE_VALUE, ActionId.FIND_CAUSE, ActionId.RESTORE_VALUES)


def test_what_needs_a_value_is_offered_for_an_executed_node_only(stepping: MainWindow) -> None:
    assert enabled(stepping, *OF_VALUE) == [ActionId.REPLACE_VALUE, ActionId.SAVE_VALUE]
    stepping.session.select(FORWARD, [1])
    assert enabled(stepping, *OF_VALUE) == []
    bad = msgspec.structs.replace(stepping.session.values(FORWARD)[0], nans=1)
    stepping.session.add_values({FORWARD: [bad]})
    stepping.session.select(FORWARD, [0])
    assert ActionId.FIND_CAUSE in enabled(stepping, *OF_VALUE)


def test_how_far_a_step_goes_is_one_choice_in_menu_and_panel(window: MainWindow) -> None:
    window.workspace  # noqa: B018 # builds what is tested
    press(window, ActionId.STEP_BY_LINE)
    assert window.session.debug.options.granularity is Granularity.LINE
    assert window.workspace.views.debugger.granularity.currentText() == "Source line"
    checked = [
        name
        for name in (ActionId.STEP_BY_NODE, ActionId.STEP_BY_LINE, ActionId.STEP_BY_MODULE)
        if window.actions_table[name].isChecked()
    ]
    assert checked == [ActionId.STEP_BY_LINE]


def test_the_keys_are_those_that_debuggers_share(window: MainWindow) -> None:
    keys = {
        ActionId.CONTINUE: "F5",
        ActionId.PAUSE: "F6",
        ActionId.STEP: "F10",
        ActionId.STEP_INTO: "F11",
        ActionId.STEP_OUT: "Shift+F11",
        ActionId.STEP_BACK: "Shift+F10",
        ActionId.REVERSE_CONTINUE: "Shift+F5",
        ActionId.BREAKPOINT: "F9",
        ActionId.RUN_TO: "Ctrl+F10",
        ActionId.RESTART: "Ctrl+Shift+F5",
    }
    assert {name: window.actions_table[name].shortcut().toString() for name in keys} == keys


def test_f9_in_the_source_sets_a_breakpoint_on_the_line(stepping: MainWindow, qtbot: QtBot) -> None:
    source = stepping.workspace.views.source
    capture = stepping.session.capture
    assert capture is not None
    text = "import torch\n\n\ndef fn(x):\n    return x.cos()\n"
    stepping.session.update_result(msgspec.structs.replace(capture, sources={"/net.py": text}))
    stepping.session.capture_changed.emit()
    stepping.workspace.docks.bring_to_front("Source")
    source.code.view.show_line(5)
    source.code.view.setFocus()
    qtbot.waitUntil(source.code.view.hasFocus)
    press(stepping, ActionId.BREAKPOINT)
    points = stepping.session.breakpoints.listed
    assert [(point.kind, point.where, point.line) for point in points] == [(BreakpointKind.LINE, "/net.py", 5)]


def test_a_new_breakpoint_is_asked_for(stepping: MainWindow) -> None:
    press(stepping, ActionId.NEW_BREAKPOINT)
    dialog = stepping.findChild(BreakpointDialog)
    assert dialog is not None
    dialog.where.setText("aten.cos")
    dialog.accept()
    assert [point.where for point in stepping.session.breakpoints.listed] == ["aten.cos"]


def test_another_value_is_asked_for_and_sent(stepping: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(stepping.controller.steps, "replace", lambda *what: sent.append(what))
    press(stepping, ActionId.REPLACE_VALUE)
    dialog = stepping.findChild(ReplaceDialog)
    assert dialog is not None
    assert dialog.windowTitle() == "Replace f0"
    dialog.accept()
    assert sent == [(FORWARD, 0, Replacement(kind=ReplacementKind.ZEROS), 0)]


def test_replaced_values_can_be_restored_once_there_are_some(stepping: MainWindow) -> None:
    session = stepping.session
    edit = Edit(graph=FORWARD, node="f0", replacement=Replacement(kind=ReplacementKind.ONES))
    session.debug.take(Stepped(session=1, region=0, graph=FORWARD, node=1, reason=StopReason.EDITED, edits=[edit]))
    assert enabled(stepping, ActionId.RESTORE_VALUES)


def test_a_value_is_saved_and_both_ends_are_told(
    stepping: MainWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr(stepping.controller.values, "save", lambda *what: sent.append(what))
    target = str(tmp_path / "f0.pt")
    monkeypatch.setattr("aotgui.gui.app.files.QFileDialog.getSaveFileName", lambda *_args: (target, ""))
    press(stepping, ActionId.SAVE_VALUE)
    assert sent == [(FORWARD, 0, 0, target, 0)]
    stepping.session.debug.tell_saved(ValueSaved(request=1, path=target, detail="float32[2, 2], for torch.load."))
    assert stepping.statusBar().currentMessage() == f"Saved {target}: float32[2, 2], for torch.load."
    problem = Problem(severity=Severity.ERROR, stage="step", message="The disk is full.")
    stepping.session.debug.tell_saved(ValueSaved(request=2, problem=problem))
    assert stepping.session.problems[-1] == problem


def test_a_cause_brings_its_panel_to_the_front(stepping: MainWindow, qtbot: QtBot) -> None:
    with qtbot.waitSignal(stepping.workspace.views.panel_wanted) as wanted:
        stepping.session.debug.set_cause((FORWARD, 0, Cause(text="f0 makes it.")))
    assert wanted.args == ["Cause"]
    assert stepping.workspace.views.cause.browser.page.sentence == "f0 makes it."


def test_the_first_large_error_is_selected(stepping: MainWindow) -> None:
    session = stepping.session
    assert not enabled(stepping, ActionId.GO_TO_ERROR)
    errors = [NodeError(node=0, relative=1e-9), NodeError(node=1, relative=0.5)]
    session.debug.take(
        Stepped(session=1, region=0, graph=FORWARD, node=2, reason=StopReason.STEP, errors={FORWARD: errors})
    )
    stepping.workspace.debug.refresh()
    press(stepping, ActionId.GO_TO_ERROR)
    assert session.selection.nodes == (1,)
    session.breakpoints.set_built_in(BreakpointKind.ERROR_ABOVE, False, 2.0)
    press(stepping, ActionId.GO_TO_ERROR)
    assert stepping.statusBar().currentMessage() == "The error of no executed node exceeds 2."


def test_the_memory_for_going_back_is_asked_for_and_remembered(
    window: MainWindow, monkeypatch: pytest.MonkeyPatch, preferences_path: Path
) -> None:
    window.workspace  # noqa: B018 # builds what is tested
    monkeypatch.setattr("aotgui.gui.app.debug_commands.QInputDialog.getDouble", lambda *_args: (0.5, True))
    press(window, ActionId.MEMORY_LIMIT)
    assert window.session.debug.options.memory_limit_bytes == 512 << 20
    assert PreferencesStore(preferences_path).value.debug_memory_mib == 512
