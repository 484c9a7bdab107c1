"""The controller against engines that behave well and badly."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from pytestqt.qtbot import QtBot

from aotgui.gui.session.breakpoint_places import toggle_node
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.engine_pool import MAX_FAILED_STARTS
from aotgui.gui.session.session import RunState, Session
from aotgui.model.capture import CheckStatus
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import FolderForm, RunStatus, StepAction, StopReason

Build = Callable[..., Controller]
Script = Callable[..., str]


def is_idle(session: Session) -> bool:
    return session.progress.state is RunState.IDLE and session.run_status is not None


def open_and_wait(qtbot: QtBot, controller: Controller, source: str) -> None:
    controller.open(source)
    qtbot.waitUntil(lambda: is_idle(controller.session))


def engine_pid(controller: Controller) -> int:
    link = controller._pool.current
    assert link is not None
    return link.pid


def test_hello_brings_the_compilers_and_makes_the_engine_idle(qtbot: QtBot, controller: Controller) -> None:
    session = controller.session
    assert session.progress.state is RunState.STARTING
    qtbot.waitUntil(lambda: session.progress.state is RunState.IDLE)
    assert [info.name for info in session.compilers] == ["nop", "ts_compile", "inductor"]


def test_an_engine_of_another_version_is_named(qtbot: QtBot, build_controller: Build) -> None:
    session = build_controller("old").session
    qtbot.waitUntil(lambda: bool(session.problems))
    assert "version 0 of the protocol" in session.problems[0].message


def test_opening_a_file_before_hello_captures_it(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    session = controller.session
    assert session.run_status is RunStatus.DONE
    assert session.capture is not None
    assert session.capture.check.status is CheckStatus.MATCH
    assert session.graph(GraphKind.FORWARD).names == ["f0", "f1"]  # type: ignore[union-attr] # fails if None


def test_progress_names_the_stages_in_turn(qtbot: QtBot, controller: Controller, script: Script) -> None:
    seen = []
    controller.session.progress_changed.connect(lambda: seen.append(controller.session.progress))
    open_and_wait(qtbot, controller, script())
    states = [progress.state for progress in seen]
    assert states.index(RunState.RUNNING) < len(states) - 1
    assert states[-1] is RunState.IDLE
    assert any(progress.stage for progress in seen)
    assert len(seen[-1].done) == 1


def test_events_of_other_runs_are_dropped(qtbot: QtBot, controller: Controller, script: Script) -> None:
    stages = []
    controller.session.progress_changed.connect(lambda: stages.append(controller.session.progress.stage))
    open_and_wait(qtbot, controller, script("stale"))
    assert "check" not in stages


def test_stop_ends_a_run_that_listens(qtbot: QtBot, controller: Controller, script: Script) -> None:
    controller.open(script("wait"))
    qtbot.waitUntil(lambda: controller.session.progress.stage is not None)
    pid = engine_pid(controller)
    controller.stop()
    assert controller.session.progress.state is RunState.STOPPING
    qtbot.waitUntil(lambda: is_idle(controller.session))
    assert controller.session.run_status is RunStatus.STOPPED
    assert engine_pid(controller) == pid


def test_stop_ends_the_engine_of_a_run_that_does_not_listen(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    controller.open(script("deaf"))
    qtbot.waitUntil(lambda: controller.session.progress.stage is not None)
    pid = engine_pid(controller)
    controller.stop()
    qtbot.waitUntil(lambda: controller.session.run_status is RunStatus.STOPPED)
    assert engine_pid(controller) != pid
    assert "did not react to Stop" in controller.session.problems[0].message
    open_and_wait(qtbot, controller, script(name="other.py"))
    assert controller.session.run_status is RunStatus.DONE


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("segfault", "segmentation fault (SIGSEGV)"),
        ("exit", "status 3: the script closed the process"),
        ("garbage", "SIGKILL"),
    ],
)
def test_the_death_of_an_engine_is_one_sentence_and_the_next_run_works(
    qtbot: QtBot, controller: Controller, script: Script, word: str, sentence: str
) -> None:
    open_and_wait(qtbot, controller, script(name="good.py"))
    captured = controller.session.capture
    controller.open(script(word, name="bad.py"))
    qtbot.waitUntil(lambda: controller.session.run_status is RunStatus.FAILED)
    problems = controller.session.problems
    assert len(problems) == 1
    assert sentence in problems[0].message
    assert problems[0].stage == "load"
    assert controller.session.capture is captured
    open_and_wait(qtbot, controller, script(name="good.py"))
    assert controller.session.run_status is RunStatus.DONE
    assert controller.session.problems == ()


def test_what_was_captured_before_the_engine_died_stays(qtbot: QtBot, controller: Controller, script: Script) -> None:
    controller.open(script("segfault-late"))
    qtbot.waitUntil(lambda: controller.session.run_status is RunStatus.FAILED)
    assert controller.session.graph(GraphKind.JOINT) is not None


def test_an_engine_that_never_starts_is_given_up_and_tried_again_on_demand(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller("no-hello")
    session = controller.session
    qtbot.waitUntil(lambda: session.progress.state is RunState.DOWN)
    assert "cannot be started" in session.problems[-1].message
    assert "no such module" in session.problems[-1].details
    controller.open(script())
    qtbot.waitUntil(lambda: session.run_status is RunStatus.FAILED)


def test_a_crash_that_takes_the_hello_with_it_is_the_script_s(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller("silent")
    path = script()
    for _ in range(MAX_FAILED_STARTS + 1):
        controller.open(path)
        qtbot.waitUntil(lambda: controller.session.run_status is RunStatus.FAILED)
        assert "segmentation fault" in controller.session.problems[0].message
        assert controller.session.progress.state is not RunState.DOWN


def test_a_missing_program_is_told_like_an_engine_that_never_starts(qtbot: QtBot, tmp_path: Path) -> None:
    controller = Controller(Session(), (str(tmp_path / "missing"),), keep_spare=False)
    controller.start()
    assert controller.session.progress.state is RunState.DOWN
    controller.close()


def test_a_settings_change_runs_again_in_the_same_engine(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    session, pid = controller.session, engine_pid(controller)
    session.select(GraphKind.FORWARD, [1])
    session.set_settings(msgspec.structs.replace(session.settings, partitioner="default"))
    qtbot.waitUntil(lambda: is_idle(session) and len(session.graph(GraphKind.FORWARD) or ()) == 3)
    assert engine_pid(controller) == pid
    assert session.selection.nodes == (1,)


def test_another_compiler_keeps_graphs_and_selection(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    session = controller.session
    shown = session.graph(GraphKind.JOINT)
    session.select(GraphKind.JOINT, [2])
    with qtbot.waitSignal(controller.runs.finished):
        session.set_settings(msgspec.structs.replace(session.settings, forward_compiler="ts_compile"))
    assert session.graph(GraphKind.JOINT) is shown
    assert session.selection.nodes == (2,)


def test_another_source_starts_with_nothing_selected(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    session = controller.session
    session.select(GraphKind.FORWARD, [1])
    toggle_node(session, GraphKind.FORWARD, "f1")
    other = script(name="other.py")
    open_and_wait(qtbot, controller, other)
    assert session.capture is not None
    assert session.capture.source == other
    assert session.selection.current == -1
    assert not session.breakpoints.points


def test_settings_before_the_first_run_start_nothing(qtbot: QtBot, controller: Controller) -> None:
    controller.session.set_settings(msgspec.structs.replace(controller.session.settings, seed=7))
    qtbot.waitUntil(lambda: controller.session.progress.state is RunState.IDLE)
    assert not controller.runs.is_active


def test_a_run_while_one_is_active_follows_it(qtbot: QtBot, controller: Controller, script: Script) -> None:
    path = script("wait")
    controller.open(path)
    qtbot.waitUntil(lambda: controller.session.progress.stage is not None)
    Path(path).write_text("")
    controller.run()
    qtbot.waitUntil(lambda: controller.session.run_status is RunStatus.DONE)


def test_an_unchanged_file_runs_again_in_the_same_engine(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    pid = engine_pid(controller)
    with qtbot.waitSignal(controller.runs.finished):
        controller.run()
    assert engine_pid(controller) == pid


@pytest.mark.parametrize("spare", [False, True])
def test_each_source_has_an_engine_of_its_own(
    qtbot: QtBot, build_controller: Build, script: Script, spare: bool
) -> None:
    controller = build_controller(keep_spare=spare)
    open_and_wait(qtbot, controller, script(name="one.py"))
    first = engine_pid(controller)
    open_and_wait(qtbot, controller, script(name="two.py"))
    assert engine_pid(controller) != first


def test_a_file_changed_on_disk_gets_a_fresh_engine(qtbot: QtBot, controller: Controller, script: Script) -> None:
    path = script()
    open_and_wait(qtbot, controller, path)
    pid = engine_pid(controller)
    script("bigger")
    with qtbot.waitSignal(controller.runs.finished):
        controller.run()
    assert engine_pid(controller) != pid
    assert len(controller.session.graph(GraphKind.FORWARD) or ()) == 3


def test_reload_takes_a_fresh_engine_for_what_the_file_imports(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    open_and_wait(qtbot, controller, script())
    pid = engine_pid(controller)
    with qtbot.waitSignal(controller.runs.finished):
        controller.reload()
    assert engine_pid(controller) != pid


def test_the_spare_is_warm_when_the_next_source_is_opened(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller(keep_spare=True)
    open_and_wait(qtbot, controller, script(name="one.py"))
    qtbot.waitUntil(lambda: controller._pool._spare is not None and controller._pool._spare.ready)
    spare = controller._pool._spare
    open_and_wait(qtbot, controller, script(name="two.py"))
    assert controller._pool.current is spare


def test_opening_another_file_gives_up_a_run_that_hangs(qtbot: QtBot, controller: Controller, script: Script) -> None:
    controller.open(script("deaf", name="deaf.py"))
    qtbot.waitUntil(lambda: controller.session.progress.stage is not None)
    open_and_wait(qtbot, controller, script(name="good.py"))
    assert controller.session.run_status is RunStatus.DONE
    assert controller.session.problems == ()


def test_changes_on_disk_are_signalled_also_when_the_file_is_replaced(
    qtbot: QtBot, controller: Controller, script: Script, tmp_path: Path
) -> None:
    path = script()
    open_and_wait(qtbot, controller, path)
    with qtbot.waitSignal(controller.changed_on_disk):
        Path(path).write_text("bigger")
    with qtbot.waitSignal(controller.changed_on_disk):
        (tmp_path / "new").write_text("bigger still")
        (tmp_path / "new").replace(path)


def test_a_flood_of_output_is_bounded_and_ends_with_its_end(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    printed: list[str] = []
    controller.session.console_text.connect(printed.append)
    open_and_wait(qtbot, controller, script("flood"))
    qtbot.waitUntil(lambda: any("run 1 in" in text for text in printed))
    text = "".join(printed)
    assert len(text) < 16 * 1024 * 1024
    assert "of output not shown" in text
    assert "the end\n" in text


def test_output_tells_that_the_second_run_is_in_the_same_process(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    printed: list[str] = []
    controller.session.console_text.connect(printed.append)
    open_and_wait(qtbot, controller, script())
    controller.run()
    qtbot.waitUntil(lambda: "run 2 in" in "".join(printed))
    assert len(set(re.findall(r"run \d in (\d+)", "".join(printed)))) == 1


def test_runs_of_a_source_are_counted_for_the_console(qtbot: QtBot, controller: Controller, script: Script) -> None:
    sections: list[str] = []
    controller.session.console_section.connect(sections.append)
    open_and_wait(qtbot, controller, script())
    with qtbot.waitSignal(controller.runs.finished):
        controller.run()
    open_and_wait(qtbot, controller, script(name="other.py"))
    assert sections == ["model.py, run 1", "model.py, run 2", "other.py, run 1"]


def test_stepping_runs_nodes_and_keeps_their_values(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    session = controller.session
    controller.steps.start(GraphKind.FORWARD)
    qtbot.waitUntil(lambda: session.stepping.reason is StopReason.ENTRY)
    controller.steps.perform(StepAction.STEP)
    qtbot.waitUntil(lambda: session.stepping.reason is StopReason.STEP)
    assert session.stepping.node == 1
    assert list(session.values(GraphKind.FORWARD)) == [0]
    with qtbot.waitSignal(session.value_read):
        controller.values.read(GraphKind.FORWARD, 0)
    controller.steps.perform(StepAction.END)
    assert not session.stepping.active


def test_stepping_begins_before_the_first_operator(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script("inputs"))
    session = controller.session
    controller.steps.start(GraphKind.FORWARD)
    qtbot.waitUntil(lambda: session.stepping.reason is StopReason.ENTRY)
    assert session.stepping.node == 1
    assert list(session.values(GraphKind.FORWARD)) == [0]


def test_a_breakpoint_on_an_input_stops_stepping_there(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script("inputs"))
    toggle_node(controller.session, GraphKind.FORWARD, "f0")
    controller.steps.start(GraphKind.FORWARD)
    qtbot.waitUntil(lambda: controller.session.stepping.reason is StopReason.ENTRY)
    assert controller.session.stepping.node == 0


def test_what_cannot_be_stepped_through_says_so_and_is_over(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller("no-steps")
    open_and_wait(qtbot, controller, script())
    with qtbot.waitSignal(controller.session.problems_changed):
        controller.steps.start(GraphKind.FORWARD)
    assert controller.session.problems[-1].message == "These graphs have not been run."
    assert not controller.session.stepping.active


def test_an_action_without_a_session_begins_one(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    controller.steps.perform(StepAction.CONTINUE)
    qtbot.waitUntil(lambda: controller.session.stepping.reason is StopReason.FINISHED)


def test_running_to_a_node_of_the_joint_graph_runs_the_half_that_has_it(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    open_and_wait(qtbot, controller, script())
    controller.steps.perform(StepAction.RUN_TO, GraphKind.JOINT, "f1")
    qtbot.waitUntil(lambda: controller.session.stepping.reason is StopReason.REACHED)
    assert controller.session.stepping.graph is GraphKind.FORWARD


def test_a_new_run_ends_stepping(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    controller.steps.start(GraphKind.FORWARD)
    qtbot.waitUntil(lambda: controller.session.stepping.reason is StopReason.ENTRY)
    with qtbot.waitSignal(controller.runs.finished):
        controller.run()
    assert not controller.session.stepping.active


def test_exports_are_answered_once_also_when_the_engine_dies(
    qtbot: QtBot, build_controller: Build, script: Script
) -> None:
    controller = build_controller("ignore-export")
    open_and_wait(qtbot, controller, script())
    with qtbot.waitSignal(controller.exported) as answer:
        controller.export_torchscript(GraphKind.FORWARD, "out.pt")
        os.kill(engine_pid(controller), 9)
    assert "engine ended" in answer.args[0].problem.message


def test_an_export_is_passed_on(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    with qtbot.waitSignal(controller.exported) as answer:
        controller.export_torchscript(GraphKind.FORWARD, "out.pt")
    assert answer.args[0].path == "out.pt"


def test_an_inference_capture_shows_its_graph(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script("inference"))
    assert controller.session.graph_shown is GraphKind.INFERENCE


def test_a_failed_run_keeps_the_earlier_capture_of_the_same_file(
    qtbot: QtBot, controller: Controller, script: Script
) -> None:
    open_and_wait(qtbot, controller, script())
    script("fail")
    with qtbot.waitSignal(controller.runs.finished):
        controller.run()
    assert controller.session.run_status is RunStatus.FAILED
    assert controller.session.problems[0].line == 3
    assert controller.session.graph(GraphKind.JOINT) is not None


def test_closing_the_source_forgets_everything(qtbot: QtBot, controller: Controller, script: Script) -> None:
    open_and_wait(qtbot, controller, script())
    controller.close_source()
    session = controller.session
    assert (session.source, session.capture, session.problems, session.run_status) == ("", None, (), None)


def test_an_export_can_be_stopped_and_what_comes_late_is_dropped(
    build_controller: Callable[..., Controller], script: Callable[..., str], tmp_path: Path, qtbot: QtBot
) -> None:
    controller = build_controller("ignore-export")
    controller.open(script())
    qtbot.waitUntil(lambda: controller.session.run_status is RunStatus.DONE)
    with qtbot.waitSignal(controller.exporting_changed):
        controller.export_folder(FolderForm.BUNDLE, str(tmp_path / "bundle"))
    assert controller.is_exporting
    with qtbot.waitSignal(controller.exported) as exported:
        controller.stop()
    assert exported.args[0].problem.message == "The export was stopped; nothing was written."
    assert not controller.is_exporting
