"""Whose code a frame of Python's stack runs, and the walk to the frames that a person wants to see."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Container
from enum import Enum
from functools import cache
from pathlib import Path
from types import FrameType

import torch

import aotgui

_TORCH_DIRECTORY = str(Path(torch.__file__).parent) + os.sep
_OUR_DIRECTORY = str(Path(aotgui.__file__).parent) + os.sep
_CALLERS = frozenset(_OUR_DIRECTORY + str(Path("engine", name)) for name in ("calling.py", "interception.py"))
"""What calls a target: frames outside of these are not the target's."""
_STANDARD_LIBRARY = sysconfig.get_path("stdlib") + os.sep
_SITE_PACKAGES = tuple({sysconfig.get_path(name) + os.sep for name in ("purelib", "platlib")})


class Origin(Enum):
    """Whose code a file holds."""

    USER = "user"
    LIBRARY = "library"
    HIDDEN = "hidden"


@cache
def origin_of(file: str) -> Origin:
    """Whose code a file holds: torch's, Python's and ours is hidden, installed packages are libraries."""
    if file.startswith(("<", _TORCH_DIRECTORY, _OUR_DIRECTORY)):
        return Origin.HIDDEN
    if file.startswith(_SITE_PACKAGES) or "site-packages" in file or "dist-packages" in file:
        return Origin.LIBRARY
    return Origin.HIDDEN if file.startswith(_STANDARD_LIBRARY) else Origin.USER


@cache
def _is_visible(file: str) -> bool | None:
    """Whether frames of a file are shown; None for what calls the target, where a walk ends."""
    return None if file in _CALLERS else origin_of(file) is not Origin.HIDDEN


def visible_frames(frame: FrameType | None) -> list[FrameType]:
    """The target's frames that are neither torch's nor Python's nor ours, innermost first.

    Runs for every torch function that is traced, so it is the plain loop that it is.
    """
    frames = []
    while frame is not None:
        visible = _is_visible(frame.f_code.co_filename)
        if visible is None:
            break
        if visible:
            frames.append(frame)
        frame = frame.f_back
    return frames


def innermost_visible(frame: FrameType | None, unless: Container[str] = ()) -> FrameType | None:
    """The target's innermost frame that is shown; None where a frame of one of the files ``unless`` comes first."""
    while frame is not None and frame.f_code.co_filename not in unless:
        visible = _is_visible(frame.f_code.co_filename)
        if visible is not False:
            return frame if visible else None
        frame = frame.f_back
    return None
