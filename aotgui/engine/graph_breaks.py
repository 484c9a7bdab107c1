"""Where ``torch.compile`` gives up a graph and goes on in Python, and why."""

from __future__ import annotations

import re
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from aotgui.engine.frames import Origin, origin_of
from aotgui.model.capture import Problem, Severity, Stage

_PLAIN_WORDS: Final = {
    "step_unsupported": "Dynamo cannot trace what this line does after an earlier break",
    "generic_jump": "the value of a tensor decides which code runs next",
}
"""First words of reasons that are names of Dynamo's own functions."""
_SAYS_LITTLE: Final = ("Failed to trace builtin operator", "Dynamic shape operator")
"""Titles that leave open what it is about, which the explanation says."""
_EXPLANATION: Final = re.compile(r"^\s*Explanation: (.+?)\s*$", re.MULTILINE)


def _reason_words(text: str) -> str:
    """One line about a break from Dynamo's text, which begins with a title and may have an explanation."""
    title = next((line.strip() for line in text.splitlines() if line.strip()), "unknown reason")
    explanation = _EXPLANATION.search(text)
    if title in _SAYS_LITTLE and explanation:
        return explanation[1]
    return _PLAIN_WORDS.get(title.split()[0], title)


def _place_of(stack: Sequence[traceback.FrameSummary]) -> tuple[str, int]:
    """File and line of the innermost frame of the user's own, else of a library, else nothing."""
    for wanted in (Origin.USER, Origin.LIBRARY):
        for frame in reversed(stack):
            if origin_of(frame.filename) is wanted:
                return frame.filename, frame.lineno or 0
    return "", 0


class GraphBreaks:
    """The places where Dynamo gave the program back to Python, each once, with its reason.

    Private API: ``torch._dynamo.utils.graph_break_reasons``. Without it no breaks are listed.
    """

    def __init__(self) -> None:
        self._found: dict[tuple[str, int, str], str] = {}

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Looks at what breaks inside."""
        reasons = self._reasons()
        reasons.clear()
        try:
            yield
        finally:
            self.look()

    def look(self) -> None:
        """Takes note of what is listed now: a program may reset Dynamo, which empties the list."""
        for reason in self._reasons():
            text = str(reason.reason)
            self._found.setdefault((*_place_of(reason.user_stack), _reason_words(text)), text)

    def problems(self) -> list[Problem]:
        """One warning a place."""
        return [
            Problem(
                severity=Severity.WARNING,
                stage=Stage.TRACE,
                message=f"Graph break: {first.rstrip('.')}.",
                file=file,
                line=line,
                details=text,
            )
            for (file, line, first), text in self._found.items()
        ]

    @staticmethod
    def _reasons() -> list[Any]:
        from torch._dynamo import utils

        found = getattr(utils, "graph_break_reasons", None)
        return found if isinstance(found, list) else []
