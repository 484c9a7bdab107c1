"""What Python's fault handler prints when native code crashes, told apart from what the script prints."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

import aotgui

FATAL: Final = b"Fatal Python error: "
MAX_HELD_BYTES: Final = 256 * 1024
_FRAME: Final = re.compile(r'^  File "([^"\n]+)", line (\d+) in ', re.M)
_INSTALLED: Final = {sys.prefix, sys.base_prefix, str(Path(sys.prefix).resolve()), str(Path(sys.base_prefix).resolve())}
_NOT_THEIRS: Final = (f"{Path(aotgui.__file__).parent}/", *(f"{folder}/" for folder in sorted(_INSTALLED)), "<frozen")


class CrashWatch:
    """Passes output on as it comes, and holds back the text of a crash.

    Attributes:
        text: what the fault handler printed; empty while nothing crashed.
    """

    def __init__(self, write: Callable[[bytes], None]) -> None:
        """Passes output on to ``write``, on the thread that feeds."""
        self._write = write
        self._held: bytearray | None = None

    def feed(self, data: bytes) -> None:
        """A piece of output; the handler writes its first words at once, so that no piece ends within them."""
        if self._held is None:
            before, found, after = data.partition(FATAL)
            if before:
                self._write(before)
            if not found:
                return
            self._held, data = bytearray(FATAL), after
        self._held += data[: MAX_HELD_BYTES - len(self._held)]

    @property
    def text(self) -> str:
        """What the fault handler printed."""
        return bytes(self._held or b"").decode(errors="replace")


def crash_place(text: str) -> tuple[str, int]:
    """File and line of the script's innermost frame at the crash; an empty file where there is none."""
    current = text[max(text.find("Current thread"), 0) :]
    for file, line in _FRAME.findall(current):
        if not file.startswith(_NOT_THEIRS):
            return file, int(line)
    return "", 0
