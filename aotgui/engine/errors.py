"""Faults of the user's code or graph, as exceptions that carry the sentence to show."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

import aotgui
from aotgui.engine.frames import Origin, origin_of
from aotgui.engine.provenance import user_frames_of
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind, user_frame

_OURS: Final = str(Path(aotgui.__file__).parent)
_INNER_FRAMES: Final = 3
"""Frames of torch that are kept in a traceback, counted from the innermost."""


class UserError(Exception):
    """Something that the person can read and mend; everything else is a fault of ours.

    Attributes:
        problem: what to show.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class Stopped(BaseException):
    """Raised inside the worker thread when the person stops the run; no ``except Exception`` catches it."""


def fault(
    stage: str,
    message: str,
    *,
    error: BaseException | None = None,
    file: str = "",
    line: int = 0,
    node: str = "",
    graph: GraphKind | None = None,
    details: str = "",
) -> UserError:
    """A ``UserError``; without a place given, the user's innermost line in ``error`` is blamed."""
    if error is not None:
        details = details or error_text(error)
        if not file and (frame := user_frame(user_frames_of(error))):
            file, line = frame.file, frame.line
    return UserError(
        Problem(
            severity=Severity.ERROR,
            stage=stage,
            message=message,
            file=file,
            line=line,
            node=node,
            graph=graph,
            details=details,
        )
    )


def error_text(error: BaseException) -> str:
    """The traceback as Python prints it; our own frames in front of the user's are left out."""
    text = traceback.TracebackException.from_exception(error)
    shown: traceback.TracebackException | None = text
    while shown is not None:
        shown.stack = _without_our_entry(shown.stack)
        shown = shown.__cause__ or shown.__context__
    return "".join(text.format())


def _without_our_entry(stack: traceback.StackSummary) -> traceback.StackSummary:
    """Drops our frames where they only pass a call on, and torch's but for the innermost ones."""
    theirs = next((place for place, frame in enumerate(stack) if not frame.filename.startswith(_OURS)), 0)
    kept = [f for f in stack[theirs:] if f.name != "__torch_function__" or not f.filename.startswith(_OURS)]
    inner = max(0, len(kept) - _INNER_FRAMES)
    shown = [f for place, f in enumerate(kept) if place >= inner or origin_of(f.filename) is not Origin.HIDDEN]
    return traceback.StackSummary.from_list(shown)


def is_ours(error: BaseException) -> bool:
    """Whether an exception is a slip in our own code: a fault of the program, not of the person.

    Native functions have no frame: what they raise seems to come from our call of them. So only kinds of exceptions
    count that they do not raise.
    """
    if not isinstance(error, (NameError, AttributeError, ImportError)):
        return False
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    code = entry.tb_frame.f_code if entry is not None else None
    return code is not None and code.co_filename.startswith(_OURS) and code.co_name != "__torch_function__"


def one_line(error: BaseException, limit: int = 300) -> str:
    """``ValueError: text`` on one line, cut to ``limit`` characters."""
    first = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    text = f"{type(error).__name__}: {first}" if first else type(error).__name__
    return text if len(text) <= limit else text[: limit - 1] + "…"
