"""The blocking client: answers become values, and no silence or death of the engine leaves it waiting."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aotgui.model.capture import CheckStatus, Stage
from aotgui.model.graph import GraphKind
from aotgui.protocol.client import EngineClient, EngineDiedError, EngineTimeoutError, RequestFailedError
from aotgui.protocol.messages import ExportTorchScript, Run, StepAction, StopReason

SCRIPT = Path(__file__).with_name("scripted_engine.py")
RUN = Run(run=1, source="/x.py", target="net")


def client(*words: str, timeout_s: float = 60, on_stage: Callable[[Stage], None] | None = None) -> EngineClient:
    return EngineClient((sys.executable, str(SCRIPT), *words), timeout_s=timeout_s, on_stage=on_stage)


def test_a_run_is_graphs_from_one_event_and_the_result_from_another() -> None:
    with client("listen", "ready", "done") as engine:
        capture = engine.run(RUN)
    assert [region.name for region in capture.regions] == ["region 0"]
    assert capture.check.status is CheckStatus.MATCH
    assert [stage.stage for stage in capture.stages] == [Stage.LOAD]
    assert capture.target == "model"


def test_a_run_without_graphs_is_a_capture_all_the_same() -> None:
    with client("listen", "done") as engine:
        capture = engine.run(RUN)
    assert capture.regions == []
    assert (capture.source, capture.torch) == ("/x.py", "2.13.0")


def test_stages_are_told_as_they_begin() -> None:
    stages: list[Stage] = []
    with client("listen", "stage", "done", on_stage=stages.append) as engine:
        engine.run(RUN)
    assert stages == [Stage.LOAD, Stage.TRACE]


def test_a_crash_says_what_happened_and_when() -> None:
    with client("listen", "stage", "die") as engine, pytest.raises(EngineDiedError) as caught:
        engine.run(RUN)
    assert caught.value.outcome.returncode == -signal.SIGSEGV
    assert caught.value.stage is Stage.TRACE
    assert "segmentation fault" in str(caught.value)


def test_a_crash_keeps_the_graphs_that_were_known() -> None:
    with client("listen", "ready", "die") as engine, pytest.raises(EngineDiedError) as caught:
        engine.run(RUN)
    assert caught.value.capture is not None
    assert [region.name for region in caught.value.capture.regions] == ["region 0"]


def test_an_exit_is_a_death_too() -> None:
    with client("listen", "exit") as engine, pytest.raises(EngineDiedError, match="status 3"):
        engine.run(RUN)


def test_an_engine_that_never_gets_ready_is_no_fault_of_the_script() -> None:
    broken = (sys.executable, "-c", "raise SystemExit(1)")
    with EngineClient(broken) as engine, pytest.raises(EngineDiedError, match=r"could not start \(status 1\)"):
        engine.run(RUN)


def test_bytes_that_are_no_frame_end_the_engine() -> None:
    with client("listen", "garbage", "hang") as engine, pytest.raises(EngineDiedError):
        engine.run(RUN)


def test_time_runs_out_and_the_engine_says_where_it_was() -> None:
    with client("listen", "stage", "stopped", timeout_s=1.0) as engine, pytest.raises(EngineTimeoutError) as caught:
        engine.run(RUN)
    assert str(caught.value) == "Stopped after 1 s while tracing the joint graph, as --timeout asked."
    assert [(problem.file, problem.line) for problem in caught.value.problems] == [("/home/me/loop.py", 7)]


def test_an_engine_that_hears_nothing_is_killed() -> None:
    started = time.monotonic()
    with client("hang", timeout_s=0.5) as engine, pytest.raises(EngineTimeoutError) as caught:
        engine.run(RUN)
    assert caught.value.problems == []
    assert time.monotonic() - started < 20


def test_a_refusal_carries_its_problem() -> None:
    with client("listen", "refuse") as engine, pytest.raises(RequestFailedError) as caught:
        engine.start_stepping(0, GraphKind.FORWARD)
    assert str(caught.value) == "There is nothing to step. (/x.py:3)"


def test_an_export_that_is_refused_does_not_wait() -> None:
    request = ExportTorchScript(request=1, region=0, graph=GraphKind.FORWARD, path="/tmp/x.pt")
    with client("listen", "refuse") as engine, pytest.raises(RequestFailedError):
        engine.export(request)


def test_steps_come_up_to_the_one_that_stops() -> None:
    with client("listen", "entry", "listen", "steps") as engine:
        entry = engine.start_stepping(0, GraphKind.FORWARD)
        reports = list(engine.step(StepAction.STEP, GraphKind.FORWARD))
    assert entry.reason is StopReason.ENTRY
    assert [report.reason for report in reports] == [StopReason.RUNNING, StopReason.STEP]
    assert [value.nans for value in reports[-1].executed[GraphKind.FORWARD]] == [1]


def test_a_command_that_does_not_exist_is_an_os_error() -> None:
    with pytest.raises(OSError, match="no-such-engine"):
        EngineClient(("no-such-engine",))
