"""The sentence of each state."""

from __future__ import annotations

import pytest

from aotgui.gui.app.result_line import ResultState, result_line
from aotgui.gui.session.session import Progress, RunState, Session
from aotgui.model.capture import (
    Capture,
    Check,
    CheckStatus,
    Comparison,
    Problem,
    Severity,
    Stage,
    StageTime,
)
from aotgui.model.decision import Decision
from aotgui.model.settings import Settings
from aotgui.protocol.messages import RunStatus

ERROR = Problem(severity=Severity.ERROR, stage="load", message="It failed.", file="/home/me/model.py", line=7)
WARNING = Problem(severity=Severity.WARNING, stage="trace", message="Beware.")


def compared(name: str, status: CheckStatus) -> Comparison:
    return Comparison(name=name, status=status, max_error=0.25)


@pytest.mark.parametrize(
    ("progress", "text", "step"),
    [
        (Progress(RunState.RUNNING), "Starting the engine…", 0),
        (Progress(RunState.RUNNING, Stage.TRACE), "Tracing the joint graph…  Stage 3 of 8", 2),
        (Progress(RunState.RUNNING, None, (StageTime(stage=Stage.LOAD, seconds=1),)), "Working…", 1),
        (Progress(RunState.STOPPING, Stage.LOAD), "Stopping…", 0),
    ],
)
def test_a_run_under_way(progress: Progress, text: str, step: int) -> None:
    session = Session()
    session.set_progress(progress)
    line = result_line(session)
    assert (line.state, line.text, line.step) == (ResultState.BUSY, text, step)


def test_nothing_has_run() -> None:
    assert result_line(Session()).state is ResultState.EMPTY


def test_a_failure_is_its_worst_problem_with_file_and_line() -> None:
    session = Session()
    session.set_run_status(RunStatus.FAILED)
    session.set_problems([WARNING, ERROR])
    line = result_line(session)
    assert (line.state, line.text, line.problem) == (ResultState.FAILED, "It failed.  model.py:7", ERROR)


def test_a_stopped_run() -> None:
    session = Session()
    session.set_run_status(RunStatus.STOPPED)
    assert result_line(session).text == "Stopped."


def test_no_engine() -> None:
    session = Session()
    session.set_progress(Progress(RunState.DOWN))
    assert result_line(session).text == "The engine cannot be started."


MATCHES = [compared("a", CheckStatus.MATCH), compared("b", CheckStatus.MATCH)]


@pytest.mark.parametrize(
    ("check", "state", "text"),
    [
        (
            Check(status=CheckStatus.MATCH, outputs=MATCHES[:1], gradients=MATCHES, max_error=1e-7, eager_error=2e-7),
            ResultState.MATCH,
            "Matches eager: 1 output and 2 gradients, largest error 1e-07 (eager itself 2e-07)",
        ),
        (
            Check(status=CheckStatus.MATCH, outputs=MATCHES),
            ResultState.MATCH,
            "Matches eager: 2 outputs",
        ),
        (
            Check(
                status=CheckStatus.MISMATCH,
                outputs=MATCHES,
                gradients=[compared(f"w{number}", CheckStatus.MISMATCH) for number in range(5)],
                max_error=0.25,
            ),
            ResultState.MISMATCH,
            "Differs from eager: w0, w1, w2 and 2 more, largest error 0.25",
        ),
        (Check(note="Inputs are missing."), ResultState.UNCHECKED, "Captured; inputs are missing."),
        (Check(), ResultState.UNCHECKED, "Captured; it was not compared with eager."),
    ],
)
def test_a_finished_run_says_whether_it_is_right(check: Check, state: ResultState, text: str) -> None:
    session = Session()
    session.set_capture(Capture(source="m.py", target="model", torch="2.13.0", settings=Settings(), check=check))
    session.set_run_status(RunStatus.DONE)
    line = result_line(session)
    assert (line.state, line.text) == (state, text)


@pytest.mark.parametrize(
    ("check", "text"),
    [
        (Check(status=CheckStatus.MATCH, outputs=MATCHES), "Matches eager: 2 outputs; run with 2 decisions"),
        (Check(note="Inputs are missing."), "Captured; inputs are missing; run with 2 decisions"),
    ],
)
def test_a_run_says_that_it_was_given_decisions(check: Check, text: str) -> None:
    session = Session()
    settings = Settings(decisions={"mm": Decision.SAVE, "1:tanh": Decision.RECOMPUTE})
    session.set_capture(Capture(source="m.py", target="model", torch="2.13.0", settings=settings, check=check))
    session.set_run_status(RunStatus.DONE)
    line = result_line(session)
    assert line.text == text
    assert "Decided: save mm; recompute 1:tanh." in line.detail
