"""What the result bar says, as text: one sentence for each state of the session."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import PurePath

import msgspec

from aotgui.gui.session.session import Progress, RunState, Session
from aotgui.model.capture import Check, CheckStatus, Problem, Severity, Stage
from aotgui.model.decision import Decision, decisions_text
from aotgui.model.text import count_text, number_text
from aotgui.protocol.messages import RunStatus

STAGES = tuple(Stage)


class ResultState(Enum):
    """The states, each with its icon and colour."""

    EMPTY = "empty"
    BUSY = "busy"
    MATCH = "match"
    MISMATCH = "mismatch"
    FAILED = "failed"
    STOPPED = "stopped"
    UNCHECKED = "unchecked"


class ResultLine(msgspec.Struct, frozen=True):
    """What the bar shows.

    Attributes:
        state: decides on icon and colour.
        text: the sentence.
        detail: more, for the tooltip.
        step: how many stages are over, of ``len(STAGES)``; -1 where there is no progress to show.
        problem: the problem to show on a click, or None.
    """

    state: ResultState
    text: str
    detail: str = ""
    step: int = -1
    problem: Problem | None = None


def result_line(session: Session) -> ResultLine:
    """The line for the session as it is."""
    if session.progress.is_running:
        return _busy(session.progress)
    if session.progress.state is RunState.DOWN:
        return _failed(session.problems, "The engine cannot be started.")
    match session.run_status:
        case None:
            return ResultLine(ResultState.EMPTY, "")
        case RunStatus.STOPPED:
            return ResultLine(ResultState.STOPPED, "Stopped.", problem=_first(session.problems))
        case RunStatus.FAILED:
            return _failed(session.problems, "The run failed.")
        case RunStatus.DONE:
            line = _checked(session.capture.check if session.capture else Check(), session.problems)
            return _with_decisions(line, session.capture.settings.decisions if session.capture else {})


def _busy(progress: Progress) -> ResultLine:
    done = len(progress.done)
    if progress.state is RunState.STOPPING:
        return ResultLine(ResultState.BUSY, "Stopping…", step=done)
    if progress.regions:
        return ResultLine(ResultState.BUSY, f"Recording…  {count_text(progress.regions, 'region')} captured", step=done)
    if progress.stage is None:
        return ResultLine(ResultState.BUSY, "Starting the engine…" if not done else "Working…", step=done)
    number = STAGES.index(progress.stage) + 1
    text = f"{progress.stage.label}…  Stage {number} of {len(STAGES)}"
    return ResultLine(ResultState.BUSY, text, step=number - 1)


def _failed(problems: tuple[Problem, ...], otherwise: str) -> ResultLine:
    problem = _first(problems)
    if problem is None:
        return ResultLine(ResultState.FAILED, otherwise)
    place = f"  {PurePath(problem.file).name}:{problem.line}" if problem.line else ""
    return ResultLine(ResultState.FAILED, f"{problem.message}{place}", str(problem), problem=problem)


def _first(problems: tuple[Problem, ...]) -> Problem | None:
    """The first of the worst problems."""
    order = list(Severity)
    return min(problems, key=lambda problem: order.index(problem.severity), default=None)


def _checked(check: Check, problems: tuple[Problem, ...]) -> ResultLine:
    problem = _first(problems)
    if check.status is CheckStatus.NOT_RUN:
        note = check.note or "it was not compared with eager."
        return ResultLine(ResultState.UNCHECKED, f"Captured; {note[:1].lower()}{note[1:]}", problem=problem)
    compared = _compared(check)
    if check.status is CheckStatus.MATCH:
        return ResultLine(ResultState.MATCH, f"Matches eager: {compared}{_errors(check)}", check.note, problem=problem)
    wrong = check.differing
    named = f"{', '.join(wrong[:3])}{f' and {len(wrong) - 3} more' if len(wrong) > 3 else ''}" or compared
    text = f"Differs from eager: {named}{_errors(check)}"
    return ResultLine(ResultState.MISMATCH, text, "\n".join(wrong), problem=problem)


def _with_decisions(line: ResultLine, decisions: Mapping[str, Decision]) -> ResultLine:
    if not decisions:
        return line
    detail = f"Decided: {decisions_text(decisions)}."
    return msgspec.structs.replace(
        line,
        text=f"{line.text.rstrip('.')}; run with {count_text(len(decisions), 'decision')}",
        detail="\n".join(filter(None, (line.detail, detail))),
    )


def _compared(check: Check) -> str:
    outputs = count_text(len(check.outputs), "output")
    return f"{outputs} and {count_text(len(check.gradients), 'gradient')}" if check.gradients else outputs


def _errors(check: Check) -> str:
    if check.max_error is None:
        return ""
    own = f" (eager itself {number_text(check.eager_error, 2)})" if check.eager_error is not None else ""
    return f", largest error {number_text(check.max_error, 2)}{own}"
