"""The debugger's window with a real engine: from a NaN back to its cause, forth with another value, and into a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.panels.replace_dialog import ReplaceDialog
from aotgui.gui.session.session import Session
from aotgui.model.breakpoint import Breakpoint, BreakpointKind
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import ReplacementKind
from aotgui.protocol.engine_process import ENGINE_COMMAND
from aotgui.protocol.messages import RunStatus, StopReason

FORWARD = GraphKind.FORWARD
PATIENCE_MS = 90_000
SCRIPT = """import torch


def fn(x):
    kept = x.relu()
    scores = kept.log()
    return (scores * 0.0 + kept).sum()


torch.manual_seed(0)
example_inputs = torch.randn(4, 8, requires_grad=True)
"""
Open = Callable[..., None]


@pytest.fixture
def window(build_window: Callable[..., MainWindow], open_and_wait: Open, tmp_path: Path) -> MainWindow:
    """A window in which the script above was captured."""
    script = tmp_path / "scores.py"
    script.write_text(SCRIPT)
    window = build_window(ENGINE_COMMAND)
    open_and_wait(window, str(script), PATIENCE_MS)
    assert window.session.run_status is RunStatus.DONE, window.session.problems
    return window


class Person:
    """Presses keys and waits for what comes of it."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self.session, self.qtbot = window, window.session, qtbot

    def wait(self, until: Callable[[], bool]) -> None:
        self.qtbot.waitUntil(until, timeout=PATIENCE_MS)

    def press(self, name: ActionId, until: StopReason) -> None:
        action = self.window.actions_table[name]
        assert action.isEnabled(), name
        with self.qtbot.waitSignal(self.session.stepping_changed, timeout=PATIENCE_MS):
            action.trigger()
        self.wait(lambda: not self.session.stepping.running)
        assert self.session.stepping.reason is until, (self.session.stepping, self.session.problems)

    def select(self, name: str) -> None:
        self.session.select(FORWARD, [index_of(self.session, name)])


def index_of(session: Session, name: str) -> int:
    graph = session.graph(FORWARD)
    assert graph is not None
    return graph.index_of[name]


def test_a_nan_is_found_explained_and_cured(window: MainWindow, qtbot: QtBot, tmp_path: Path,
                                            monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    person, session, debug = Person(window, qtbot), window.session, window.session.debug
    session.breakpoints.set_built_in(BreakpointKind.NONFINITE, True)
    session.breakpoints.put(
        Breakpoint(id="b1", kind=BreakpointKind.OPERATOR, where="aten.relu", log="{node} from {value.min()}")
    )
    debug.set_expressions(["relu.min()", "nobody"])
    _stops_at_the_log(person)
    _says_where_the_nan_comes_from(person)
    _goes_back_and_keeps_what_it_knows(person)
    _continues_with_another_value(person)
    _compares_with_float64(person)
    _reads_and_saves_a_value(person, tmp_path, monkeypatch)
    window.actions_table[ActionId.END].trigger()
    person.wait(lambda: not window.controller.steps._deadline.isActive())
    assert not [problem for problem in session.problems if problem.stage == "step"]


def _stops_at_the_log(person: Person) -> None:
    session, debug = person.session, person.session.debug
    person.press(ActionId.STEP, StopReason.ENTRY)
    person.press(ActionId.CONTINUE, StopReason.NONFINITE)
    (hit,) = debug.stop.hits
    assert (hit.id, hit.node, hit.after) == ("nonfinite", index_of(session, "log"), True)
    assert [line.hit.text for line in debug.log] == ["relu from 0.0"]
    assert session.breakpoints.hits["b1"] == 1
    known, unknown = debug.watches
    assert (known.text, known.failed, unknown.failed) == ("0.0", False, True)
    assert person.window.workspace.views.debugger.status.text().startswith("Stopped after log in forward")


def _says_where_the_nan_comes_from(person: Person) -> None:
    person.press(ActionId.STEP, StopReason.NONFINITE)  # 0 * inf
    person.select("mul")
    person.window.actions_table[ActionId.FIND_CAUSE].trigger()
    debug = person.session.debug
    person.wait(lambda: debug.cause is not None)
    assert debug.cause is not None
    cause = debug.cause[2]
    assert (cause.steps[cause.origin].name, cause.steps[cause.origin].line) == ("log", 6)
    assert "scores.py:6" in person.window.workspace.views.cause.browser.page.text


def _goes_back_and_keeps_what_it_knows(person: Person) -> None:
    session = person.session
    known = dict(session.values(FORWARD))
    person.select("relu")
    person.press(ActionId.GO_TO, StopReason.REACHED)
    assert session.stepping.node == index_of(session, "relu")
    person.press(ActionId.STEP, StopReason.STEP)
    person.press(ActionId.STEP_BACK, StopReason.STEP)
    assert session.values(FORWARD) == known


def _continues_with_another_value(person: Person) -> None:
    session, window = person.session, person.window
    window.actions_table[ActionId.REPLACE_VALUE].trigger()
    dialog = window.findChild(ReplaceDialog)
    assert dialog is not None
    dialog.kinds[ReplacementKind.CLAMP].click()
    dialog.low.setText("0.01")
    with person.qtbot.waitSignal(session.debug.edits_changed, timeout=PATIENCE_MS):
        dialog.accept()
    assert session.stepping.reason is StopReason.EDITED
    assert session.values(FORWARD)[index_of(session, "relu")].minimum == pytest.approx(0.01)
    assert index_of(session, "log") not in session.values(FORWARD)
    person.press(ActionId.CONTINUE, StopReason.FINISHED)
    assert session.values(FORWARD)[index_of(session, "mul")].is_finite
    pane = window.workspace.tabs.pane(FORWARD)
    assert pane is not None
    assert index_of(session, "log") in pane.view.states.changed


def _compares_with_float64(person: Person) -> None:
    session = person.session
    person.window.actions_table[ActionId.REFERENCE].trigger()
    person.wait(lambda: bool(session.debug.errors(GraphKind.BACKWARD)) and not session.stepping.running)
    assert session.debug.errors(FORWARD)[index_of(session, "log")].relative < 1e-5


def _reads_and_saves_a_value(person: Person, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window, views = person.window, person.window.workspace.views
    person.select("log")
    window.workspace.docks.bring_to_front("Value")
    views.value.tabs.setCurrentWidget(views.value.heat_map)
    person.wait(lambda: not views.value.heat_map.message)
    assert views.value.heat_map.plot.values.shape == (4, 8)
    views.value.tabs.setCurrentWidget(views.value.histogram)
    person.wait(lambda: not views.value.histogram.message)
    assert sum(views.value.histogram.plot.heights) == 32
    target = tmp_path / "log.npy"
    monkeypatch.setattr("aotgui.gui.app.files.QFileDialog.getSaveFileName", lambda *_args: (str(target), ""))
    with person.qtbot.waitSignal(person.session.debug.value_saved, timeout=PATIENCE_MS) as saved:
        window.actions_table[ActionId.SAVE_VALUE].trigger()
    assert saved.args[0].problem is None
    np.testing.assert_array_equal(np.load(target), views.value.heat_map.plot.values)
