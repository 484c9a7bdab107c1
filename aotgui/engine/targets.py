"""Choosing what is captured: by convention, by name, or from a list; with its example inputs.

A source that names a module ``model`` or a function ``fn`` and ``example_inputs`` needs nothing else. Anything
else is chosen by name, and inputs are given as text (``aotgui.model.inputs``). A class of modules that is chosen is
built, and so is what a function without needed arguments returns when it is a module: ``torchvision.models:resnet18``.
"""

from __future__ import annotations

import inspect
import itertools
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import torch

from aotgui.engine.discovery import can_be_called_empty, discover, is_module_class, signature_of
from aotgui.engine.errors import UserError, fault, one_line
from aotgui.engine.inputs import inputs_of
from aotgui.engine.model_files import TrustNeededError
from aotgui.engine.sources import Source, execute, open_source
from aotgui.model.capture import Problem, Stage
from aotgui.model.targets import TargetInfo

__all__ = ["Target", "TargetNeededError", "TrustNeededError", "load_target", "target_in"]

CONVENTION_NAMES: Final = ("model", "fn")
_MAX_LISTED: Final = 40

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Target:
    """What is captured, with its example inputs.

    Attributes:
        source: as given: a path or ``package.module:name``.
        name: name of the target in the source.
        call: the function or module.
        args: positional example inputs.
        kwargs: keyword example inputs.
        namespace: the names that the source defines.
    """

    source: str
    name: str
    call: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    namespace: Mapping[str, Any]

    @property
    def module(self) -> torch.nn.Module | None:
        """The target if it is a module."""
        return self.call if isinstance(self.call, torch.nn.Module) else None

    @property
    def file(self) -> str:
        """The script that it comes from, or empty."""
        return str(self.namespace.get("__file__") or "")


class TargetNeededError(UserError):
    """The source leaves open what is to be captured, or with which inputs.

    Attributes:
        targets: what it offers.
        chosen: name of the target that only lacks inputs, or empty.
    """

    def __init__(self, problem: Problem, targets: list[TargetInfo], chosen: str = "") -> None:
        super().__init__(problem)
        self.targets = targets
        self.chosen = chosen


def load_target(source: str, name: str = "", inputs: str = "", seed: int = 0, trusted: bool = False) -> Target:
    """Open a source and find the target and its example inputs in it; see ``open_source`` and ``target_in``.

    Raises:
        UserError: the source cannot be opened, or there is no such target.
    """
    return target_in(open_source(source, trusted), name, inputs, seed)


def target_in(source: Source, name: str = "", inputs: str = "", seed: int = 0) -> Target:
    """The target and its inputs in a source that is open.

    Args:
        source: the source.
        name: the target's name, dots for attributes; empty for ``model`` or ``fn``.
        inputs: a specification of inputs that replaces ``example_inputs``; empty for none.
        seed: for random inputs, and for the parameters of a module that is built.

    Raises:
        TargetNeededError: the source names no target, or no inputs for it.
        UserError: there is no such target, it cannot be built, or the inputs do not fit it.
    """
    found, call = _find_call(source, name or source.wanted)
    args, kwargs = inputs_of(inputs, seed) if inputs.strip() else _example_inputs(source, found)
    call = _built(found, call, (args, kwargs), seed)
    if inputs.strip():
        _require_fit(found, call, (args, kwargs))
    return Target(source.text, found, call, args, kwargs, source.namespace)


def _find_call(source: Source, name: str) -> tuple[str, Callable[..., Any]]:
    if not name:
        for convention in CONVENTION_NAMES:
            if callable(call := source.namespace.get(convention)):
                return convention, call
        targets = discover(source.namespace)
        message = f"{source.title} defines no target: name a module `model` or a function `fn`.{_suggestion(targets)}"
        raise _choice(source, message, targets)
    value = source.namespace.get(name.partition(".")[0])
    for attribute in name.split(".")[1:]:
        value = getattr(value, attribute, None)
    if value is None:
        targets = discover(source.namespace)
        message = f"{source.title} defines no {name!r}.{_suggestion(targets)}"
        raise _choice(source, message, targets)
    if not callable(value):
        kind = type(value).__name__
        raise fault(
            Stage.LOAD, f"{name!r} in {source.title} is of type {kind}, no module or function.", file=source.file
        )
    return name, value


def _choice(source: Source, message: str, targets: list[TargetInfo], chosen: str = "") -> TargetNeededError:
    shown = targets[:_MAX_LISTED]
    lines = [
        f"  {target.name}({', '.join(map(str, target.parameters))})  {target.summary}".rstrip() for target in shown
    ]
    if len(targets) > len(shown):
        lines.append(f"  and {len(targets) - len(shown)} more")
    problem = fault(Stage.LOAD, message, file=source.file, details="\n".join(lines)).problem
    return TargetNeededError(problem, targets, chosen)


def _suggestion(targets: list[TargetInfo]) -> str:
    """Modules and functions that could be meant."""
    names = [target.name for target in itertools.islice(targets, 5)]
    return f" It has {', '.join(names)}; choose one with --target." if names else ""


def _example_inputs(source: Source, name: str) -> Inputs:
    namespace = source.namespace
    if "example_inputs" not in namespace and "example_kwargs" not in namespace:
        message = (
            f"{source.title} defines no example_inputs for {name!r}: assign a tensor, a tuple or a dict to it, "
            "or describe them (--input 'randn 4x16')."
        )
        raise _choice(source, message, discover(namespace), name)
    inputs = namespace.get("example_inputs", ())
    if inspect.isfunction(inputs):
        inputs = execute(inputs, "example_inputs()", source.file)
    kwargs = dict(namespace.get("example_kwargs") or {})
    if isinstance(inputs, dict):
        return (), {**inputs, **kwargs}
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs), kwargs
    return (inputs,), kwargs


def _built(name: str, call: Callable[..., Any], inputs: Inputs, seed: int) -> Callable[..., Any]:
    """The module that a class or a factory function stands for, or the call itself."""
    if isinstance(call, torch.nn.Module) or not (is_module_class(call) or _makes_module(call, inputs)):
        return call
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            module = call()
        except Exception as error:
            message = f"{name} cannot be built without arguments: {one_line(error)}"
            raise fault(Stage.LOAD, message, error=error) from None
    if isinstance(module, torch.nn.Module):
        return module
    kind = type(module).__name__
    raise fault(Stage.LOAD, f"{name} takes no such inputs, and what it returns is a {kind}, no module.")


def _makes_module(call: Callable[..., Any], inputs: Inputs) -> bool:
    """Whether a function says that it returns a module, or takes nothing although there are inputs."""
    if not can_be_called_empty(call):
        return False
    try:
        returns = typing.get_type_hints(call).get("return")
    except Exception:
        returns = None  # annotations are the user's code, and may name what is not there
    return is_module_class(returns) or (any(inputs) and bool(_misfit(call, inputs)))


def _misfit(call: Callable[..., Any], inputs: Inputs) -> str:
    """Why a call cannot take these inputs; empty where it can, or where Python cannot tell."""
    signature = signature_of(call)
    if signature is None:
        return ""
    try:
        signature.bind(*inputs[0], **inputs[1])
    except TypeError as error:
        return str(error)
    return ""


def _require_fit(name: str, call: Callable[..., Any], inputs: Inputs) -> None:
    if misfit := _misfit(call, inputs):
        signature = signature_of(call)
        parameters = ", ".join(signature.parameters) if signature else ""
        raise fault(Stage.LOAD, f"{name}({parameters}) cannot be called with these inputs: {misfit}.")
