"""How a command ends, and how it says what went wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from enum import IntEnum

from aotgui.model.capture import Problem, Severity


class ExitStatus(IntEnum):
    """The command's exit status, part of the stable contract.

    Attributes:
        FINE: done.
        FAILED: the user's code, graph or check failed, and the report says where.
        USAGE: wrong usage.
        ENGINE_DIED: the engine process ended before it answered.
        INTERRUPTED: Ctrl-C, as shells count it.
    """

    FINE = 0
    FAILED = 1
    USAGE = 2
    ENGINE_DIED = 3
    INTERRUPTED = 130


class CommandError(Exception):
    """A command cannot go on; the text is one sentence.

    Attributes:
        status: what it exits with.
        details: more lines, or empty.
    """

    def __init__(self, sentence: str, status: ExitStatus = ExitStatus.FAILED, details: str = "") -> None:
        super().__init__(sentence)
        self.status = status
        self.details = details


def say_error(sentence: str, details: str = "") -> None:
    """One sentence in the first line, details after it."""
    print(sentence, file=sys.stderr)
    if details:
        print(details.rstrip(), file=sys.stderr)


def say_problems(problems: Iterable[Problem]) -> None:
    """The errors first, each as one line followed by its details; then warnings, without. Each is said once."""
    problems = list({(problem.severity, str(problem)): problem for problem in problems}.values())
    for problem in problems:
        if problem.severity is Severity.ERROR:
            say_error(str(problem), problem.details)
    for problem in problems:
        if problem.severity is Severity.WARNING:
            say_error(f"Warning: {problem}")
