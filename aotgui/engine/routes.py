"""Which ways of tracing are tried, in which order, and how a person is told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import NamedTuple

import torch

from aotgui.model.capture import Problem
from aotgui.model.settings import EntryPoint, Route, Settings


class Way(NamedTuple):
    """One way of tracing.

    Attributes:
        route: the route.
        words: completes "Captured with ...".
        context: entered while it traces.
    """

    route: Route
    words: str
    context: Callable[[], AbstractContextManager[None]] = nullcontext


DIRECT = Way(Route.DIRECT, "direct tracing")
DYNAMIC = Way(Route.DYNAMIC, "dynamic shapes")
COMPILE = Way(Route.COMPILE, "torch.compile")
# WORKAROUND torch 2.13: oneDNN's recurrent layers save None for backward, which AOT Autograd's runtime refuses
# ("expected all tensors_saved_with_vc_check to be Tensors"). Without oneDNN they are traced as plain operators.
WITHOUT_ONEDNN = Way(Route.DIRECT, "direct tracing without oneDNN", lambda: torch.backends.mkldnn.flags(enabled=False))

NONE_SAVED = "tensors_saved_with_vc_check"
"""Part of the message of the assertion that such a layer fails."""


def ways_of(settings: Settings) -> list[Way]:
    """The ways to try, in order."""
    if settings.entry_point is EntryPoint.TORCH_COMPILE or settings.route is Route.COMPILE:
        return [COMPILE]
    first = DYNAMIC if settings.dynamic or settings.route is Route.DYNAMIC else DIRECT
    if settings.route is not Route.AUTO:
        return [first]
    return [first, COMPILE] if first is DYNAMIC else [DIRECT, DYNAMIC, COMPILE]


def ways_after(failure: Problem, failed: Way, left: list[Way], settings: Settings) -> list[Way]:
    """The ways that are left after a failed one; one that fits the failure comes first."""
    fits = NONE_SAVED in failure.details + failure.message and settings.route is Route.AUTO
    if fits and failed is DIRECT:  # once: without oneDNN the failure may be the same
        return [WITHOUT_ONEDNN, *left]
    return left
