"""Other partitions: what is wanted, what the engine answers, what is stale, and decisions that can be taken back."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import msgspec
from pytestqt.qtbot import QtBot

from aotgui.export.capture_files import save_capture
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.partition_control import NO_GRAPHS, PartitionControl
from aotgui.gui.session.partitions import Partitions, choice_of, decidable_names, usual_choices
from aotgui.gui.session.session import RunState, Session
from aotgui.gui.session.spotlight import Spot
from aotgui.gui.session.state import NO_ENGINE
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind
from aotgui.model.partition import PartitionChoice
from aotgui.model.settings import Settings
from aotgui.protocol.messages import Exported

Build = Callable[..., Controller]
Script = Callable[..., str]


def opened(qtbot: QtBot, controller: Controller, source: str) -> Session:
    controller.open(source)
    session = controller.session
    qtbot.waitUntil(lambda: session.progress.state is RunState.IDLE and session.run_status is not None)
    return session


def answered(qtbot: QtBot, control: PartitionControl) -> None:
    qtbot.waitUntil(lambda: not control.is_working)


def saved(session: Session) -> dict[str, int | None]:
    """What is known, by the name of the choice."""
    entries = session.partitions.entries
    return {str(entry.choice): entry.result.saved_bytes if entry.result else None for entry in entries}


def test_what_is_compared_begins_with_the_partition_at_hand_and_names_each_choice_once() -> None:
    assert choice_of(Settings(memory_budget=0.4)) == PartitionChoice(memory_budget=0.4)
    assert choice_of(Settings(partitioner="default", memory_budget=0.4)) == PartitionChoice(partitioner="default")
    names = [str(choice) for choice in usual_choices(PartitionChoice(memory_budget=0.4))]
    assert names[:3] == ["min_cut@0.4", "default", "min_cut"]
    assert len(names) == len(set(names)) == 7


def test_decisions_can_be_taken_back_and_had_again(qapp: object) -> None:
    partitions = Partitions()
    partitions.decide(["mul", "add"], Decision.SAVE)
    partitions.decide(["add"], None)
    assert partitions.decisions == {"mul": Decision.SAVE}
    partitions.undo()
    assert partitions.decisions == {"mul": Decision.SAVE, "add": Decision.SAVE}
    partitions.undo()
    assert not partitions.decisions
    assert not partitions.can_undo
    assert partitions.trial is None
    partitions.redo()
    assert partitions.trial == PartitionChoice(decisions={"mul": Decision.SAVE, "add": Decision.SAVE})
    partitions.decide(["mul"], Decision.RECOMPUTE)
    assert not partitions.can_redo
    partitions.decide(["mul"], Decision.RECOMPUTE)  # decides nothing new
    partitions.undo()
    assert partitions.decisions["mul"] is Decision.SAVE


def test_other_graphs_keep_the_decisions_for_nodes_that_they_have_too(qapp: object) -> None:
    partitions = Partitions()
    partitions.decide(["mul", "add"], Decision.SAVE)
    partitions.begin(PartitionChoice(partitioner="default"), ["add", "sub"])
    assert partitions.decisions == {"add": Decision.SAVE}
    assert not partitions.can_undo
    assert partitions.trial == PartitionChoice(partitioner="default", decisions={"add": Decision.SAVE})


def test_partitions_are_compared_in_their_order(qtbot: QtBot, controller: Controller, script: Script) -> None:
    session = opened(qtbot, controller, script())
    controller.partitions.compare()
    assert [entry.is_waiting for entry in session.partitions.entries] == [True] * 7
    answered(qtbot, controller.partitions)
    assert list(saved(session).values()) == [64, 64, 51, 38, 26, 13, 0]


def test_a_decision_is_worked_out_beside_the_partition_at_hand(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    session = opened(qtbot, controller, script())
    controller.partitions.decide(["f1"], Decision.RECOMPUTE)
    answered(qtbot, controller.partitions)
    base = session.partitions.entry(session.partitions.base).result
    assert base is not None
    assert base.saved_bytes == 64
    assert saved(session) == {"min_cut with 1 decision": 48}
    controller.partitions.undo()
    assert saved(session) == {}
    controller.partitions.redo()
    assert not controller.partitions.is_working  # it is known from before
    assert saved(session) == {"min_cut with 1 decision": 48}
    controller.partitions.reset_decisions()
    assert not session.partitions.decisions


def test_the_newest_budget_is_worked_out_and_only_that(qtbot: QtBot, controller: Controller, script: Script) -> None:
    session = opened(qtbot, controller, script())
    for budget in (0.9, 0.7, 0.5):
        controller.partitions.try_budget(budget)
    qtbot.waitUntil(lambda: session.partitions.budget is not None)
    answered(qtbot, controller.partitions)
    assert saved(session) == {"min_cut@0.5": 32}


def test_answers_to_an_older_request_are_dropped_and_what_they_left_open_is_asked_again(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller("hold")
    session = opened(qtbot, controller, script())
    controller.partitions.compare()
    controller.partitions.decide(["f1"], Decision.SAVE)
    answered(qtbot, controller.partitions)
    assert "stale" not in saved(session)
    assert all(size is not None for size in saved(session).values())
    assert saved(session)["min_cut with 1 decision"] == 80


def test_a_request_that_fails_says_why_and_can_be_made_again(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller("no-partition")
    session = opened(qtbot, controller, script())
    controller.partitions.compare()
    answered(qtbot, controller.partitions)
    problems = {entry.problem.message if entry.problem else "" for entry in session.partitions.entries}
    assert problems == {"Nothing was captured."}
    controller.partitions.compare()
    assert controller.partitions.is_working


def test_a_run_in_another_engine_leaves_nothing_pending(qtbot: QtBot, build_controller: Build, script: Script) -> None:
    controller = build_controller("hold")  # the engine that is asked first never answers
    session = opened(qtbot, controller, script())
    controller.partitions.compare()
    assert controller.partitions.waiting == 7
    with qtbot.waitSignal(controller.runs.finished):
        controller.run(fresh=True)
    controller.partitions.compare()
    controller.partitions.compare()
    answered(qtbot, controller.partitions)
    assert all(size is not None for size in saved(session).values())


def test_an_engine_that_dies_leaves_nothing_pending(qtbot: QtBot, build_controller: Build, script: Script) -> None:
    controller = build_controller("ignore-partitions")
    session = opened(qtbot, controller, script())
    controller.partitions.compare()
    link = controller._pool.current
    assert link is not None
    os.kill(link.pid, signal.SIGKILL)
    answered(qtbot, controller.partitions)
    assert all(entry.problem is not None for entry in session.partitions.entries)


def test_another_capture_voids_what_was_known(qtbot: QtBot, controller: Controller, script: Script) -> None:
    source = script()
    session = opened(qtbot, controller, source)
    controller.partitions.decide(["f1", "gone"], Decision.SAVE)
    controller.partitions.compare()
    answered(qtbot, controller.partitions)
    session.spotlight.show(Spot(title="A path", graph=GraphKind.JOINT, nodes=(0, 1), is_path=True))
    Path(source).write_text("bigger")
    controller.reload()
    qtbot.waitUntil(lambda: not session.partitions.compared)
    assert session.spotlight.spot is None
    assert session.partitions.decisions == {"f1": Decision.SAVE}
    qtbot.waitUntil(lambda: session.progress.state is RunState.IDLE and session.run_status is not None)
    answered(qtbot, controller.partitions)
    assert saved(session) == {"min_cut with 1 decision": 80}  # worked out again for the new graphs


def test_decisions_do_not_outlive_their_source(qtbot: QtBot, controller: Controller, script: Script) -> None:
    session = opened(qtbot, controller, script())
    controller.partitions.decide(["f1"], Decision.SAVE)
    answered(qtbot, controller.partitions)
    with qtbot.waitSignal(controller.runs.finished):
        controller.open(script(name="other.py"))  # has a node f1, too
    assert not session.partitions.decisions


def test_a_partition_is_applied_by_running_with_its_settings(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    session = opened(qtbot, controller, script())
    with qtbot.waitSignal(controller.runs.finished):
        controller.partitions.apply(PartitionChoice(partitioner="default"))
    assert session.settings.partitioner == "default"
    assert "f9" in session.graph(GraphKind.FORWARD).names  # type: ignore[union-attr] # fails if None


def test_without_an_engine_it_says_why_nothing_can_be_partitioned(
    qtbot: QtBot, controller: Controller, script: Script, tmp_path: Path
) -> None:
    assert controller.partitions.obstacle == NO_GRAPHS
    session = opened(qtbot, controller, script())
    assert controller.partitions.obstacle == ""
    assert session.capture is not None
    save_capture(tmp_path / "saved.aotcap", session.capture)
    with qtbot.waitSignal(session.source_changed):
        controller.open(str(tmp_path / "saved.aotcap"))
    qtbot.waitUntil(lambda: session.shows_source)
    assert controller.partitions.obstacle == NO_ENGINE
    controller.partitions.decide(["f1"], Decision.SAVE)
    assert not controller.partitions.is_working


def test_the_decisions_are_exported_with_the_exports(
    qtbot: QtBot, controller: Controller, script: Script, tmp_path: Path
) -> None:
    opened(qtbot, controller, script())
    controller.partitions.decide(["f1"], Decision.RECOMPUTE)
    with qtbot.waitSignal(controller.exported) as answer:
        controller.export_policy(str(tmp_path / "policy.py"))
    exported: Exported = answer.args[0]
    assert exported.detail == "Captured with f1 recompute."


def test_only_for_operators_of_the_forward_can_something_be_decided(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    session = opened(qtbot, controller, script())
    found = [
        decidable_names(session, kind, nodes)
        for kind, nodes in (
            (GraphKind.JOINT, (0, 1, 2)),
            (GraphKind.FORWARD, (1,)),
            (GraphKind.BACKWARD, (0,)),
            (None, ()),
        )
    ]
    assert found == [["f0", "f1"], ["f1"], [], []]


def test_nothing_can_be_decided_without_a_backward(qtbot: QtBot, controller: Controller, script: Script) -> None:
    session = opened(qtbot, controller, script("inference"))
    assert decidable_names(session, GraphKind.INFERENCE, [0]) == []
    assert "no backward" in controller.partitions.obstacle


def test_the_spotlight_shows_nothing_without_nodes(qapp: object) -> None:
    session = Session()
    spot = Spot(title="Nothing differs", graph=GraphKind.JOINT, nodes=())
    session.spotlight.show(spot)
    assert session.spotlight.spot is None
    session.spotlight.show(msgspec.structs.replace(spot, nodes=(1,)))
    assert session.spotlight.spot is not None
    session.set_capture(None)
    assert session.spotlight.spot is None
