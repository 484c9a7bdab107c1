"""Files that appear whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


class ExportError(Exception):
    """An export failed; the text is one sentence for a person."""


def write_text_atomically(path: Path, text: str) -> None:
    """Writes UTF-8 text; see ``write_bytes_atomically``."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: Path, data: bytes) -> None:
    """Writes a file under a temporary name beside it, then renames it; a reader sees the old file or the new one.

    What is no file, as ``/dev/null`` or a named pipe, is written to and stays what it is.

    Raises:
        ExportError: it cannot be written; what was there before is untouched.
    """
    target = path.resolve()  # a link stays a link to the new content
    if target.exists() and not target.is_file() and not target.is_dir():
        _write_to_device(path, data)
        return
    try:
        _replace(target, data)
    except OSError as error:
        raise ExportError(f"Cannot write {path}: {_reason(error)}.") from error


def _write_to_device(path: Path, data: bytes) -> None:
    try:
        with path.open("wb") as stream:
            stream.write(data)
    except OSError as error:
        raise ExportError(f"Cannot write {path}: {_reason(error)}.") from error


def _replace(target: Path, data: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(_mode_of(target))
        temporary.replace(target)
    except BaseException:  # also Ctrl-C
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def _mode_of(target: Path) -> int:
    """The permissions that the file has or that a new one would get: ``mkstemp`` lets nobody else read."""
    with contextlib.suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
