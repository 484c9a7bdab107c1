"""Finds the lines behind errors of eager autograd that name none."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec
import torch
from torch.overrides import TorchFunctionMode
from torch.utils import _pytree as pytree

from aotgui.engine.calling import Harness
from aotgui.engine.errors import UserError
from aotgui.engine.frames import innermost_visible
from aotgui.engine.provenance import parse_stack
from aotgui.model.capture import Stage
from aotgui.model.graph import user_frame

OVERWRITTEN = "modified by an inplace operation"


class _Place(NamedTuple):
    file: str
    line: int
    operator: str


class Overwrite(NamedTuple):
    """A value that a later in-place operator overwrites.

    Attributes:
        computed: where it was computed.
        written: where it was overwritten.
    """

    computed: _Place
    written: _Place


class _WriteWatcher(TorchFunctionMode):
    """Remembers where each storage was computed and where it was written to in place."""

    def __init__(self) -> None:
        super().__init__()
        self._computed: dict[int, _Place] = {}
        self.overwrites: list[Overwrite] = []

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        name = getattr(func, "__name__", "")
        place = _user_place(name)
        if place is None:
            return result
        if _writes_in_place(name) and args and isinstance(args[0], torch.Tensor):
            computed = self._computed.get(args[0].untyped_storage().data_ptr())
            if computed is not None:
                self.overwrites.append(Overwrite(computed, place))
            return result
        for leaf in pytree.tree_leaves(result):
            if isinstance(leaf, torch.Tensor) and leaf.grad_fn is not None:
                self._computed.setdefault(leaf.untyped_storage().data_ptr(), place)
        return result


def _writes_in_place(name: str) -> bool:
    return (name.endswith("_") and not name.endswith("__")) or (name.startswith("__i") and name.endswith("__"))


def _user_place(operator: str) -> _Place | None:
    frame = innermost_visible(sys._getframe(2))
    return _Place(frame.f_code.co_filename, frame.f_lineno, operator.strip("_")) if frame else None


def overwrites_of(harness: Harness, seed: int) -> list[Overwrite]:
    """The values that the target computes and then overwrites, in the order of writing."""
    watcher = _WriteWatcher()

    def watched(*args: Any, **kwargs: Any) -> None:
        with watcher:
            harness.target.call(*args, **kwargs)

    with harness.restoring(seed):
        args, kwargs = harness.fresh_inputs()
        watched(*args, **kwargs)
    return watcher.overwrites


def with_lines(error: UserError, harness: Harness, seed: int) -> UserError:
    """The same error with the lines to blame, where it names none and they can be found."""
    problem = error.problem
    if OVERWRITTEN not in problem.details:
        return error if problem.line or problem.stage != Stage.EAGER else _with_forward_line(error, harness, seed)
    try:
        overwrites = overwrites_of(harness, seed)
    except Exception:
        return error
    named = [found for found in overwrites if found.computed.operator.lower() in problem.details.lower()]
    if not (named or overwrites):
        return error
    computed, written = (named or overwrites)[-1]
    message = (
        f"{problem.message} The result of {computed.operator} at line {computed.line} is needed by the backward, and "
        f"line {written.line} overwrites it ({written.operator}). Eager fails in the same way."
    )
    return UserError(msgspec.structs.replace(problem, message=message, file=written.file, line=written.line))


def _with_forward_line(error: UserError, harness: Harness, seed: int) -> UserError:
    """The error of a backward with the line whose gradient it computes: autograd's anomaly mode warns of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            with torch.autograd.detect_anomaly(check_nan=False):
                harness.call(harness.target.call, seed)
        except Exception:
            stacks = [parse_stack(str(warning.message)) for warning in caught]
            frame = next((found for stack in reversed(stacks) if (found := user_frame(stack))), None)
            if frame is not None:
                return UserError(msgspec.structs.replace(error.problem, file=frame.file, line=frame.line))
    return error
