"""Numbers, sizes and places as people read them; the same in the window and in the commands."""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Final

NONE_TEXT: Final = "—"
"""Stands where there is no value."""

MINUS: Final = "\u2212"
_BYTE_UNITS: Final = ("KiB", "MiB", "GiB", "TiB")


def bytes_text(size_bytes: int) -> str:
    """``512 B``, ``1.5 KiB``, ``120 MiB``: binary units, one decimal below 100."""
    if size_bytes < 1024:
        return f"{size_bytes} B"
    power = min(len(_BYTE_UNITS), (size_bytes.bit_length() - 1) // 10)
    size, unit = size_bytes / 1024**power, _BYTE_UNITS[power - 1]
    return f"{size:.0f} {unit}" if size >= 99.95 else f"{size:.1f} {unit}"


def exact_bytes_text(size_bytes: int) -> str:
    """``1.5 KiB (1,536 bytes)``; without the bracket where it would say the same twice."""
    if size_bytes < 1024:
        return count_text(size_bytes, "byte")
    return f"{bytes_text(size_bytes)} ({size_bytes:,} bytes)"


def signed_bytes_text(size_bytes: int) -> str:
    """``+1.5 KiB``, the same with a minus sign, or ``±0``."""
    if not size_bytes:
        return "±0"
    return f"{MINUS if size_bytes < 0 else '+'}{bytes_text(abs(size_bytes))}"


def number_text(value: float | None, digits: int = 4) -> str:
    """A number with ``digits`` significant digits; ``—`` for None, ``NaN``, ``Inf``, ``-Inf``."""
    if value is None:
        return NONE_TEXT
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    return f"{value:.{digits}g}"


def count_text(count: int, noun: str, plural: str = "") -> str:
    """``1 node``, ``2 nodes``, ``7,228 nodes``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def seconds_text(seconds: float) -> str:
    """``0.4 ms``, ``12 ms``, ``1.23 s``, ``2 min 5 s``."""
    if seconds < 0.001:
        return f"{seconds * 1000:.2f} ms"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    if seconds < 60:
        return f"{seconds:.2f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s"


def percent_text(part: float, whole: float) -> str:
    """``42 %``, ``0.5 %``, ``< 0.1 %``; ``—`` of nothing."""
    if not whole:
        return NONE_TEXT
    share = 100 * part / whole
    if 0 < share < 0.05:
        return "< 0.1 %"
    return f"{share:.1f} %" if share < 9.95 else f"{share:.0f} %"


def place_text(file: str, line: int = 0) -> str:
    """``model.py:12``: the file without its folder."""
    name = PurePath(file).name
    return f"{name}:{line}" if name and line else name


def shape_text(shape: tuple[int | str, ...]) -> str:
    """``[4, 16]``; ``scalar`` for a tensor without dimensions."""
    return f"[{', '.join(map(str, shape))}]" if shape else "scalar"
