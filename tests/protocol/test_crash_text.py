"""A crash's text is held back from the output, and its place is the script's line."""

from __future__ import annotations

import ctypes

from aotgui.protocol import client
from aotgui.protocol.crash_text import MAX_HELD_BYTES, CrashWatch, crash_place

TEXT = f"""\
Fatal Python error: Segmentation fault

Thread 0x00007f0000000001 (most recent call first):
  File "/home/me/other.py", line 99 in wait

Current thread 0x00007f0000000000 (most recent call first):
  File "{ctypes.__file__}", line 519 in string_at
  File "/home/me/my model.py", line 3 in boom
  File "/home/me/my model.py", line 5 in <module>
  File "{client.__file__}", line 1 in run
"""


def test_output_passes_and_the_crash_is_held() -> None:
    passed: list[bytes] = []
    watch = CrashWatch(passed.append)
    for piece in (b"one\n", b"two\nFatal Python error: Segm", b"entation fault\n", b"more\n"):
        watch.feed(piece)
    assert b"".join(passed) == b"one\ntwo\n"
    assert watch.text == "Fatal Python error: Segmentation fault\nmore\n"


def test_without_a_crash_there_is_no_text() -> None:
    watch = CrashWatch(lambda data: None)
    watch.feed(b"all is well\n")
    assert watch.text == ""


def test_what_is_held_has_a_limit() -> None:
    watch = CrashWatch(lambda data: None)
    for _ in range(4):
        watch.feed(b"Fatal Python error: " + b"x" * MAX_HELD_BYTES)
    assert len(watch.text) == MAX_HELD_BYTES


def test_the_place_is_the_innermost_line_of_the_script() -> None:
    assert crash_place(TEXT) == ("/home/me/my model.py", 3)


def test_a_crash_outside_the_script_has_no_place() -> None:
    assert crash_place(f'Current thread 0x1:\n  File "{ctypes.__file__}", line 519 in string_at\n') == ("", 0)
    assert crash_place("") == ("", 0)
