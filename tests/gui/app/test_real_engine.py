"""The real window with a real engine: torch, user code, and its worst habits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.result_line import ResultState
from aotgui.model.capture import CheckStatus
from aotgui.model.graph import Fate, GraphKind
from aotgui.model.resources import resource_path
from aotgui.protocol.engine_process import ENGINE_COMMAND
from aotgui.protocol.messages import RunStatus, StopReason

PATIENCE_MS = 90_000

Open = Callable[..., None]


@pytest.fixture
def window(build_window: Callable[..., MainWindow]) -> MainWindow:
    return build_window(ENGINE_COMMAND)


def test_an_example_is_captured_compiled_stepped_and_exported(
    window: MainWindow, open_and_wait: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_and_wait(window, str(resource_path("examples", "mlp.py")), PATIENCE_MS)
    session = window.session
    assert session.run_status is RunStatus.DONE, session.problems
    assert window.result_bar.line.state is ResultState.MATCH
    tabs = window.workspace.tabs
    assert tabs.kinds == [GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD]
    for kind in tabs.kinds:
        pane = tabs.pane(kind)
        assert pane is not None
        assert pane.view.scene is not None
        assert len(pane.view.scene.boxes) == len(session.graph(kind) or ())
    assert session.region is not None
    assert session.region.names_with(Fate.SAVED)
    _compile_with_torchscript(window, qtbot)
    _step_to_the_end(window, qtbot)
    target = tmp_path / "forward.pt"
    monkeypatch.setattr("aotgui.gui.app.files.QFileDialog.getSaveFileName", lambda *_args: (str(target), ""))
    with qtbot.waitSignal(window.controller.exported, timeout=PATIENCE_MS) as answer:
        window.actions_table[ActionId.EXPORT_FORWARD].trigger()
    assert answer.args[0].problem is None
    assert target.stat().st_size > 0


def _compile_with_torchscript(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    shown = session.graph(GraphKind.JOINT)
    with qtbot.waitSignal(window.controller.runs.finished, timeout=PATIENCE_MS):
        session.set_settings(msgspec.structs.replace(session.settings, forward_compiler="ts_compile"))
    assert session.run_status is RunStatus.DONE, session.problems
    assert session.capture is not None
    assert session.capture.check.status is CheckStatus.MATCH
    assert session.graph(GraphKind.JOINT) is shown


def _step_to_the_end(window: MainWindow, qtbot: QtBot) -> None:
    session = window.session
    window.actions_table[ActionId.STEP].trigger()
    qtbot.waitUntil(lambda: session.stepping.reason is StopReason.ENTRY, timeout=PATIENCE_MS)
    window.actions_table[ActionId.CONTINUE].trigger()
    qtbot.waitUntil(lambda: session.stepping.reason is StopReason.FINISHED, timeout=PATIENCE_MS)
    for kind in (GraphKind.FORWARD, GraphKind.BACKWARD):
        assert len(session.values(kind)) == len(session.graph(kind) or ())


def test_the_window_survives_endless_loops_and_segmentation_faults(
    window: MainWindow, open_and_wait: Open, qtbot: QtBot, tmp_path: Path
) -> None:
    good = tmp_path / "good.py"
    good.write_text(
        "import torch\ndef fn(x):\n    return x.cos().cos()\nexample_inputs = torch.randn(3, requires_grad=True)\n"
    )
    open_and_wait(window, str(good), PATIENCE_MS)
    session = window.session
    assert session.run_status is RunStatus.DONE, session.problems
    captured = session.capture
    endless = tmp_path / "endless.py"
    endless.write_text("while True:\n    pass\n")
    window.open(str(endless))
    qtbot.waitUntil(lambda: session.progress.stage is not None, timeout=PATIENCE_MS)
    window.actions_table[ActionId.STOP].trigger()
    qtbot.waitUntil(lambda: session.run_status is RunStatus.STOPPED, timeout=PATIENCE_MS)
    fault = tmp_path / "fault.py"
    fault.write_text("import ctypes\nctypes.string_at(0)\n")
    window.open(str(fault))
    qtbot.waitUntil(lambda: session.run_status is RunStatus.FAILED, timeout=PATIENCE_MS)
    assert "segmentation fault" in session.problems[0].message
    assert session.capture is captured
    open_and_wait(window, str(good), PATIENCE_MS)
    assert session.run_status is RunStatus.DONE, session.problems
