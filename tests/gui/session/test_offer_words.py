"""The window asks for a choice in its own words."""

from __future__ import annotations

import pytest

from aotgui.gui.session.offer_words import in_window_words
from aotgui.model.capture import Problem, Severity
from aotgui.model.targets import TargetInfo, TargetKind
from aotgui.protocol.messages import TargetsFound

ERROR = Problem(severity=Severity.ERROR, stage="load", message="Describe them (--input 'randn 4x16').", line=3)
WARNING = Problem(severity=Severity.WARNING, stage="load", message="Beware.")
NET = TargetInfo(name="net", kind=TargetKind.MODULE, parameters=())


@pytest.mark.parametrize(
    ("chosen", "target", "words"),
    [
        ("net", "", "model.py defines no example_inputs for 'net': choose its inputs."),
        ("", "net", "model.py defines no 'net': choose what to capture."),
        ("", "", "model.py defines neither model nor fn: choose what to capture."),
    ],
)
def test_a_question_says_what_to_choose(chosen: str, target: str, words: str) -> None:
    offer = TargetsFound(run=1, targets=[NET], chosen=chosen)
    error, warning = in_window_words([ERROR, WARNING], offer, "/home/me/model.py", target)
    assert (error.message, error.line) == (words, 3)
    assert warning is WARNING


def test_other_problems_are_told_as_the_engine_tells_them() -> None:
    assert in_window_words([ERROR], None, "/home/me/model.py", "") == [ERROR]
    assert in_window_words([ERROR], TargetsFound(run=1, targets=[]), "/home/me/model.py", "") == [ERROR]
