"""Files and folders that are being written under a passing name, and what becomes of them where the engine ends.

An engine that is told to quit ends at once: no ``finally`` of the thread that writes is reached any more.
"""

from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_paths: Final[set[Path]] = set()
settling: Final = threading.RLock()
"""Held while something takes its place, which must not be left half way."""


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """Removes a new file or folder when the block ends, or the engine; one that got another name by then stays."""
    _paths.add(path)
    try:
        yield path
    finally:
        _remove(path)
        _paths.discard(path)


def remove_unfinished() -> None:
    """Removes everything that is being written, before the process ends without the handlers that would do it."""
    with settling:
        for path in tuple(_paths):
            _remove(path)


def _remove(path: Path) -> None:
    """Takes its name first, so that the thread that fills a folder finds it no more."""
    gone = path.with_suffix(".gone")
    with contextlib.suppress(OSError):
        path.rename(gone)
    for left in (gone, path):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                left.unlink()
