"""What is saved, why, and other partitions, with a real engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.app import files
from aotgui.gui.app.actions import ActionId
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.result_line import result_line
from aotgui.model.capture import CheckStatus
from aotgui.model.graph import Fate, GraphKind
from aotgui.model.resources import resource_path
from aotgui.protocol.engine_process import ENGINE_COMMAND
from aotgui.protocol.messages import RunStatus

PATIENCE_MS = 90_000


def test_saved_values_are_explained_compared_forced_and_exported(
    build_window: Callable[..., MainWindow],
    open_and_wait: Callable[..., None],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    window = build_window(ENGINE_COMMAND)
    open_and_wait(window, str(resource_path("examples", "mlp.py")), PATIENCE_MS)
    session, views, docks = window.session, window.workspace.views, window.workspace.docks
    assert session.run_status is RunStatus.DONE, session.problems
    region = session.region
    assert region is not None
    docks.bring_to_front("Saved")
    qtbot.waitUntil(lambda: views.saved.model.total == len(region.saved))
    joint = region.graphs[GraphKind.JOINT]
    saved = [node for node in range(len(joint)) if joint.fates[node] == Fate.SAVED and joint.ops[node] == 2]
    session.select(GraphKind.JOINT, saved[:1])
    why = next(section for section in views.inspector.page.sections if section.title == "Why")
    assert "no min-cut network" not in why.rows[0].text
    docks.bring_to_front("Memory")
    qtbot.waitUntil(lambda: views.memory.memory is not None)
    assert views.memory.chosen == views.memory.memory.peak()  # type: ignore[union-attr] # fails if None
    docks.bring_to_front("MinCut")
    qtbot.waitUntil(lambda: views.network.view.scene is not None)
    _compare(window, qtbot)
    window.actions_table[ActionId.FORCE_RECOMPUTE].trigger()
    qtbot.waitUntil(lambda: not window.controller.partitions.is_working, timeout=PATIENCE_MS)
    assert views.decisions.entry is not None
    assert views.decisions.entry.result is not None, views.decisions.entry.problem
    target = tmp_path / "policy.py"
    monkeypatch.setattr(files.QFileDialog, "getSaveFileName", lambda *_args: (str(target), ""))
    with qtbot.waitSignal(window.controller.exported, timeout=PATIENCE_MS) as answer:
        window.actions_table[ActionId.EXPORT_POLICY].trigger()
    assert answer.args[0].problem is None
    assert "create_selective_checkpoint_contexts" in target.read_text()
    _run_with_decisions(window, qtbot)


def _run_with_decisions(window: MainWindow, qtbot: QtBot) -> None:
    """The run comes out as was worked out, is right, and says what it was told; then it is undone."""
    session, panel = window.session, window.workspace.views.decisions
    entry, decided = panel.entry, dict(session.partitions.decisions)
    assert entry is not None
    assert entry.result is not None
    for button, decisions in ((panel.run_with, decided), (panel.run_without, {})):
        with qtbot.waitSignal(window.controller.runs.finished, timeout=PATIENCE_MS):
            button.click()
        assert session.capture is not None
        assert session.region is not None
        assert session.capture.settings.decisions == decisions
        assert session.capture.check.status is CheckStatus.MATCH
        assert session.partitions.decisions == decided
        is_as_worked_out = session.region.graphs[GraphKind.JOINT].fates == entry.result.fates
        assert is_as_worked_out is bool(decisions)
        assert ("with 1 decision" in result_line(session).text) is bool(decisions)
        qtbot.waitUntil(lambda: not window.controller.partitions.is_working, timeout=PATIENCE_MS)
    assert panel.run_with.isEnabled()


def _compare(window: MainWindow, qtbot: QtBot) -> None:
    """The partition at hand has the figures of the capture, and no memory at all saves least."""
    session = window.session
    window.actions_table[ActionId.COMPARE_PARTITIONS].trigger()
    qtbot.waitUntil(lambda: not window.controller.partitions.is_working, timeout=PATIENCE_MS)
    results = {str(entry.choice): entry.result for entry in session.partitions.entries}
    assert all(results.values()), session.partitions.entries
    base, least = results["min_cut"], results["min_cut@0"]
    assert base is not None
    assert least is not None
    assert session.region is not None
    assert base.saved_bytes == session.region.saved_bytes
    assert base.fates == session.region.graphs[GraphKind.JOINT].fates
    assert least.saved_activation_bytes <= base.saved_activation_bytes
