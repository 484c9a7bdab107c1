"""What the user's code does in eager that a graph of AOT Autograd may not contain.

Two kinds of things are watched while the target runs once in eager: uses of autograd features that tracing drops or
changes (checkpoints, saved-tensor hooks, ``retain_grad``), each with the user's line, and Python side effects: plain
attributes of modules and names of the script that the call changes.

Private API: ``torch.utils.checkpoint._checkpoint_without_reentrant_generator`` and ``CheckpointFunction``. Where one
is missing that feature goes unnoticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from enum import Enum
from typing import Any, NamedTuple
from unittest import mock

import torch
import torch.utils.checkpoint
from torch.overrides import TorchFunctionMode

from aotgui.engine.frames import innermost_visible
from aotgui.engine.targets import Target

_PLAIN = (int, float, str, bool, bytes, type(None))


class Feature(Enum):
    """An autograd feature that the target uses."""

    CHECKPOINT = "torch.utils.checkpoint"
    REENTRANT_CHECKPOINT = "reentrant checkpoint"
    SAVED_TENSOR_HOOKS = "saved_tensors_hooks"
    RETAIN_GRAD = "retain_grad"
    SEED = "torch.manual_seed"


class Use(NamedTuple):
    """Where a feature is used.

    Attributes:
        feature: which.
        file: the innermost file that is not torch's.
        line: 1-based.
    """

    feature: Feature
    file: str
    line: int


@contextmanager
def watching(uses: dict[Use, None]) -> Iterator[None]:
    """Collect the uses of features while the block runs, in their order, each once."""
    with ExitStack() as stack:
        for patch in _patches(lambda feature: _note(uses, feature)):
            stack.enter_context(patch)
        stack.enter_context(_RetainGradWatcher(uses))
        yield


def _note(uses: dict[Use, None], feature: Feature) -> None:
    # Checkpoints are made of saved-tensor hooks; those are not the target's own.
    made_of = (torch.utils.checkpoint.__file__,) if feature is Feature.SAVED_TENSOR_HOOKS else ()
    frame = innermost_visible(sys._getframe(2), unless=made_of)
    if frame is not None:
        uses[Use(feature, frame.f_code.co_filename, frame.f_lineno)] = None


def _patches(note: Callable[[Feature], None]) -> Iterator[Any]:
    checkpoints = torch.utils.checkpoint
    hooks = torch.autograd.graph.saved_tensors_hooks
    yield mock.patch.object(hooks, "__enter__", _noting(hooks.__enter__, note, Feature.SAVED_TENSOR_HOOKS))
    generator = getattr(checkpoints, "_checkpoint_without_reentrant_generator", None)
    if generator is not None:
        watched = _noting(generator, note, Feature.CHECKPOINT)
        yield mock.patch.object(checkpoints, "_checkpoint_without_reentrant_generator", watched)
    yield mock.patch.object(torch, "manual_seed", _noting(torch.manual_seed, note, Feature.SEED))
    function = getattr(checkpoints, "CheckpointFunction", None)
    if function is not None:
        apply = _noting(function.apply, note, Feature.REENTRANT_CHECKPOINT)
        yield mock.patch.object(function, "apply", staticmethod(apply))


def _noting(original: Callable[..., Any], note: Callable[[Feature], None], feature: Feature) -> Callable[..., Any]:
    def watched(*args: Any, **kwargs: Any) -> Any:
        note(feature)
        return original(*args, **kwargs)

    return watched


class _RetainGradWatcher(TorchFunctionMode):
    """Sees ``retain_grad`` calls, which cannot be replaced on the C class of tensors."""

    def __init__(self, uses: dict[Use, None]) -> None:
        super().__init__()
        self._uses = uses

    def __torch_function__(
        self, func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if func is torch.Tensor.retain_grad:
            _note(self._uses, Feature.RETAIN_GRAD)
        return func(*args, **(kwargs or {}))


def plain_state(target: Target, modules: list[tuple[str, torch.nn.Module]]) -> dict[str, str]:
    """Plain Python values that a call may change: module attributes and names of the script, as text."""
    state = {
        f"{target.name}.{prefix}{path}{'.' if path else ''}{name}": _fingerprint(value)
        for prefix, root in modules
        for path, module in root.named_modules()
        for name, value in vars(module).items()
        if not name.startswith("_") and _is_plain(value)
    }
    state.update(
        (name, _fingerprint(value))
        for name, value in target.namespace.items()
        if not name.startswith("_") and _is_plain(value)
    )
    return state


@contextmanager
def plain_values_restored(target: Target, modules: list[tuple[str, torch.nn.Module]]) -> Iterator[None]:
    """Puts plain values of the modules and of the script back: what a check changes must not reach the next run."""
    children = (vars(child) for _, root in modules for child in root.modules())
    # The namespace of a target is the script's own, which its functions read.
    owners = [*children, *([target.namespace] if isinstance(target.namespace, dict) else [])]
    values = [(owner, {k: v for k, v in owner.items() if type(v) in _PLAIN}) for owner in owners]
    try:
        yield
    finally:
        for owner, plain in values:
            owner.update(plain)


def changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """Names whose value is another one afterwards, those that are new included."""
    return [name for name, value in after.items() if before.get(name) != value]


def _is_plain(value: Any) -> bool:
    # Exact types: a subclass may be a lazy mapping that imports half a library when it is looked at.
    return type(value) in _PLAIN or type(value) in (list, set, dict, tuple)


def _fingerprint(value: Any) -> str:
    if isinstance(value, (list, set, dict, tuple)):
        return f"{type(value).__name__} of {len(value)}: {str(value)[:200] if _holds_plain(value) else ''}"
    return repr(value)[:200]


def _holds_plain(value: Any) -> bool:
    items = value.values() if isinstance(value, dict) else value
    return all(type(item) in _PLAIN for item in items)
