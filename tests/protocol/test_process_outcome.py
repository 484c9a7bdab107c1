"""How an engine ended, in words."""

from __future__ import annotations

import signal

import pytest

from aotgui.protocol.engine_process import ProcessOutcome

_IN_NATIVE_CODE = "in native code that the script ran."


@pytest.mark.parametrize(
    ("returncode", "sentence"),
    [
        (0, "The engine ended by itself: the script closed the process."),
        (1, "The engine ended with status 1: the script closed the process."),
        (139, "The engine ended with status 139: the script closed the process."),
        (-signal.SIGSEGV, f"The engine crashed with a segmentation fault (SIGSEGV) {_IN_NATIVE_CODE}"),
        (-signal.SIGBUS, f"The engine crashed with a bus error (SIGBUS) {_IN_NATIVE_CODE}"),
        (-signal.SIGILL, f"The engine crashed with an illegal instruction (SIGILL) {_IN_NATIVE_CODE}"),
        (-signal.SIGFPE, f"The engine crashed with an arithmetic error (SIGFPE) {_IN_NATIVE_CODE}"),
        (-signal.SIGABRT, "The engine aborted (SIGABRT): native code that the script ran gave up."),
        (
            -signal.SIGKILL,
            "The engine was killed (SIGKILL), most likely because the machine ran out of memory.",
        ),
        (-signal.SIGTERM, "The engine was terminated (SIGTERM)."),
        (-signal.SIGPIPE, "The engine was ended by SIGPIPE."),
        (-200, "The engine was ended by signal 200."),
    ],
)
def test_each_way_to_end_has_its_sentence(returncode: int, sentence: str) -> None:
    assert ProcessOutcome(returncode).sentence == sentence


@pytest.mark.parametrize("returncode", [0, 1, -signal.SIGKILL, -signal.SIGSEGV])
def test_an_end_that_was_asked_for_is_no_fault(returncode: int) -> None:
    assert ProcessOutcome(returncode, expected=True).sentence == "The engine was stopped."
