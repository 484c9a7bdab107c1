"""Captures on disk: ``.aotcap`` files, written whole or not at all and opened without torch."""

from __future__ import annotations

from pathlib import Path

from aotgui import __version__
from aotgui.export.files import write_bytes_atomically
from aotgui.model.capture import Capture
from aotgui.model.capture_file import MAGIC, CaptureFileError, decode_capture, encode_capture, looks_like_capture


def save_capture(path: Path, capture: Capture) -> None:
    """Writes a capture.

    Raises:
        ExportError: the file cannot be written; what was there before is untouched.
        CaptureFileError: the capture is too large for a file.
    """
    write_bytes_atomically(path, encode_capture(capture, __version__))


def open_capture(path: Path) -> Capture:
    """Reads a capture.

    Raises:
        CaptureFileError: the file cannot be read, or is no capture that this version can open.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise CaptureFileError(f"{path} cannot be read: {(error.strerror or str(error)).lower()}.") from None
    try:
        return decode_capture(data)
    except CaptureFileError as error:
        raise CaptureFileError(f"{path}: {error}") from None


def is_capture_file(path: Path) -> bool:
    """Whether a file begins as a capture does, whatever it is called."""
    try:
        with path.open("rb") as stream:
            return looks_like_capture(stream.read(len(MAGIC)))
    except OSError:
        return False
