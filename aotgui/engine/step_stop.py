"""Why a move of a stepping session ended."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.capture import Problem
from aotgui.protocol.messages import StopReason


class Stop(NamedTuple):
    """Why a move ended.

    Attributes:
        reason: in one word.
        problem: what went wrong.
        hits: breakpoints that ended it.
        note: a sentence about what could not be done.
    """

    reason: StopReason
    problem: Problem | None = None
    hits: Sequence[BreakpointHit] = ()
    note: str = ""


Moves = Iterator[Stop | None]
"""Yields None where somebody has something to say or a report is due, and a ``Stop`` at its end."""
