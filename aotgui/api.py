"""The Python interface: captures without a window, in the process of whoever asks.

    import aotgui

    result = aotgui.capture(model, x)                   # a module or a function, with example inputs
    result.saved()                                      # what forward passes to backward, in bytes and with reasons
    result.fates()["recomputed"]                        # names of the nodes that backward computes again
    result.to_svg("joint")                              # a picture; a notebook shows one by itself
    result.save("model.aotcap")                         # opens later: aotgui model.aotcap

    compiled = torch.compile(model, backend="aotgui")   # captures what torch.compile compiles ...
    aotgui.captures()                                   # ... one result a region

``AOTGUI_CAPTURE_DIR`` names a folder into which the backend also writes each region as an ``.aotcap`` file.
"""

from __future__ import annotations

import inspect
import itertools
import os
import sys
import types
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import torch

from aotgui.engine.dynamo_backend import CapturingBackend
from aotgui.engine.pipeline import Pipeline
from aotgui.engine.targets import Target
from aotgui.export.capture_result import CaptureResult
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.capture_file import ENDING
from aotgui.model.settings import Settings
from aotgui.protocol.composing import composed
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded

__all__ = ["CaptureError", "CaptureResult", "Settings", "capture", "captures", "clear_captures"]

FOLDER_VARIABLE: Final = "AOTGUI_CAPTURE_DIR"


class CaptureError(Exception):
    """Nothing could be captured; the text is one sentence with the user's file and line.

    Attributes:
        problem: the same in parts; its ``details`` hold the original traceback.
    """

    def __init__(self, problem: Problem) -> None:
        super().__init__(str(problem))
        self.problem = problem


def capture(
    target: Callable[..., Any] | torch.nn.Module, /, *args: Any, settings: Settings | None = None, **kwargs: Any
) -> CaptureResult:
    """Captures a function or module in this process, as ``aotgui report`` does in another.

    The target runs several times: in eager, traced, compiled, and once in float64 as a reference. Parameters,
    buffers, gradients and torch's random numbers are as before afterwards. Where direct tracing fails,
    ``torch.compile`` is tried, which resets Dynamo (``settings=Settings(route="direct")`` forbids it).

    Args:
        target: a module, or a function of tensors; modules that it uses without getting them are found in its closure.
        args: positional example inputs; tensors may require a gradient.
        settings: partitioner, decompositions, compilers, ...: see ``Settings``. Names in it may be functions that the
            caller's module defines.
        kwargs: keyword example inputs.

    Returns:
        Graphs, fates, saved values, check. A compiler or check that fails is among ``problems``.

    Raises:
        CaptureError: no graph could be captured.
        TypeError: the target cannot be called.
        ValueError: a setting has no such value.

    Example:
        >>> result = aotgui.capture(torch.nn.Linear(4, 2), torch.randn(3, 4))
        >>> [value.label for value in result.saved()]
        ['args[0]']
    """
    if not callable(target):
        raise TypeError(f"a {type(target).__name__} cannot be captured: give a function or a module")
    settings = _valid(settings or Settings())
    caller = sys._getframe(1).f_globals
    made = Target(_source_of(target), _name_of(target), target, args, kwargs, _namespace(target, caller))
    request = Run(run=1, source=made.source, target=made.name, settings=settings, trusted=True)
    events: list[Event] = []
    Pipeline(events.append, made).run(request)
    ready = next((event for event in reversed(events) if isinstance(event, CaptureReady)), None)
    ended = next(event for event in reversed(events) if isinstance(event, RunEnded))
    result = composed(request, ready, ended, str(torch.__version__))
    if not result.regions:
        raise CaptureError(_worst(result.problems))
    return CaptureResult(result)


def captures() -> list[CaptureResult]:
    """What ``torch.compile(..., backend="aotgui")`` compiled in this process so far, one result a region.

    A region is compared with eager after its first call, so ask for it then. That runs the region three times more
    and copies its arguments; ``torch.compile(..., options={"check": False})`` leaves it out.
    """
    return list(_collected)


def clear_captures() -> None:
    """Forgets what ``captures`` would return."""
    _collected.clear()


_collected: Final[list[CaptureResult]] = []
"""Of the backend. Dynamo finds a backend by its name alone, so what it made has to be kept here."""
_numbers = itertools.count()


def _collect(captured: Capture) -> Callable[[Capture], None]:
    """Keeps what the backend captured; returns what takes the same region once it has been checked."""
    number = next(_numbers)
    result = _kept(captured, number)
    _collected.append(result)

    def update(checked: Capture) -> None:
        again = _kept(checked, number)
        _collected[:] = [again if known is result else known for known in _collected]

    return update


def _kept(captured: Capture, number: int) -> CaptureResult:
    region = msgspec.structs.replace(captured.regions[0], name=f"region {number}")
    result = CaptureResult(msgspec.structs.replace(captured, regions=[region]))
    if folder := os.environ.get(FOLDER_VARIABLE):
        _save_into(Path(folder), f"region-{os.getpid()}-{number}{ENDING}", result)
    return result


def _save_into(folder: Path, name: str, result: CaptureResult) -> None:
    """A file that cannot be written must not end the program that is compiled."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        result.save(folder / name)
    except OSError as error:
        warnings.warn(f"{FOLDER_VARIABLE}: {error}", stacklevel=2)


dynamo_backend: Final = CapturingBackend(_collect)
"""The entry point ``aotgui`` of the group ``torch_dynamo_backends``."""


def _valid(settings: Settings) -> Settings:
    """The settings with text turned into what it stands for (``"direct"`` into ``Route.DIRECT``)."""
    try:
        return msgspec.convert(msgspec.to_builtins(settings), Settings)
    except msgspec.ValidationError as error:
        raise ValueError(f"the settings cannot be used: {error}") from None


def _worst(problems: list[Problem]) -> Problem:
    errors = [problem for problem in problems if problem.severity is Severity.ERROR]
    fallback = Problem(severity=Severity.ERROR, stage="engine", message="Nothing was captured.")
    return next(iter([*errors, *problems]), fallback)


def _name_of(target: Any) -> str:
    return getattr(target, "__name__", "") or type(target).__name__


def _source_of(target: Any) -> str:
    """The file that defines a target; its module's name where there is none (a notebook, torch's own C code)."""
    owner = type(target) if isinstance(target, torch.nn.Module) else inspect.unwrap(target)
    try:
        return inspect.getfile(owner)
    except (OSError, TypeError):
        return str(getattr(owner, "__module__", "") or "")


def _namespace(target: Any, caller: Mapping[str, Any]) -> dict[str, Any]:
    """Names that settings may use, and the modules that a function uses."""
    own = {name: value for name, value in caller.items() if isinstance(value, types.FunctionType | dict)}
    try:
        used = inspect.getclosurevars(inspect.unwrap(target))
    except (TypeError, ValueError):
        return own
    return {**own, **used.globals, **used.nonlocals}
