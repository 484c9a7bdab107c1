"""What the window says where a source leaves open what to capture: the engine's own words are for a command line."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

import msgspec

from aotgui.model.capture import Problem, Severity
from aotgui.protocol.messages import TargetsFound


def in_window_words(problems: Iterable[Problem], offer: TargetsFound | None, source: str, target: str) -> list[Problem]:
    """The problems of a run; where it asked for a choice, its errors say what to choose in the window.

    Args:
        problems: as the engine tells them.
        offer: what the source offers, or None where nothing was asked.
        source: what is open.
        target: name that was asked for; empty for none.
    """
    if offer is None or not offer.targets:
        return list(problems)
    words = _question(offer, PurePath(source).name, target)
    return [
        msgspec.structs.replace(problem, message=words) if problem.severity is Severity.ERROR else problem
        for problem in problems
    ]


def _question(offer: TargetsFound, title: str, target: str) -> str:
    if offer.chosen:
        return f"{title} defines no example_inputs for {offer.chosen!r}: choose its inputs."
    if target:
        return f"{title} defines no {target!r}: choose what to capture."
    return f"{title} defines neither model nor fn: choose what to capture."
