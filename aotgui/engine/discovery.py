"""What a source offers to capture when it does not say it by convention."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

import torch

from aotgui.model.targets import Parameter, TargetInfo, TargetKind

_MAX_TARGETS: Final = 1000
_MAX_TEXT: Final = 80


def discover(namespace: Mapping[str, Any]) -> list[TargetInfo]:
    """Modules, functions and buildable module classes at module level, in the order of their definition.

    Functions and classes that the source only imported are left out, but for those that a package re-exports.
    """
    home = str(namespace.get("__name__", ""))
    found = []
    for name, value in namespace.items():
        if not name.startswith("_") and name not in _INPUT_NAMES and (kind := _kind_of(value, home)):
            found.append(_info(name, value, kind))
        if len(found) == _MAX_TARGETS:
            break
    return found


_INPUT_NAMES: Final = ("example_inputs", "example_kwargs")


def is_module_class(value: Any) -> bool:
    """Whether a value is a class of modules."""
    return inspect.isclass(value) and issubclass(value, torch.nn.Module)


def signature_of(call: Callable[..., Any]) -> inspect.Signature | None:
    """What a call takes; None where Python cannot tell."""
    function = call.forward if isinstance(call, torch.nn.Module) else call
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def can_be_called_empty(call: Callable[..., Any]) -> bool:
    """Whether no argument is required."""
    signature = signature_of(call)
    return signature is not None and not any(map(_is_required, signature.parameters.values()))


def _kind_of(value: Any, home: str) -> TargetKind | None:
    if isinstance(value, torch.nn.Module):
        return TargetKind.MODULE
    if not _belongs(value, home):
        return None
    if is_module_class(value):
        return TargetKind.MODULE_CLASS if can_be_called_empty(value) else None
    return TargetKind.FUNCTION if inspect.isfunction(inspect.unwrap(value)) else None


def _belongs(value: Any, home: str) -> bool:
    """Whether a function or class is defined in the source, or inside the package that the source is."""
    if not callable(value) or isinstance(value, functools.partial):
        return False
    module = getattr(value, "__module__", None) or ""
    return bool(home) and (module == home or module.startswith(f"{home}."))


def _info(name: str, value: Any, kind: TargetKind) -> TargetInfo:
    called = value.forward if kind is TargetKind.MODULE_CLASS else value
    parameters = list(_parameters(called))
    if kind is TargetKind.MODULE_CLASS:
        parameters = parameters[1:]  # self
    return TargetInfo(
        name=name,
        kind=kind,
        parameters=tuple(parameters),
        summary=_summary(value),
        type_name=type(value).__name__ if kind is TargetKind.MODULE else "",
        line=_line(type(value) if kind is TargetKind.MODULE else value),
    )


def _parameters(call: Callable[..., Any]) -> Iterator[Parameter]:
    signature = signature_of(call)
    for parameter in signature.parameters.values() if signature else ():
        stars = str(parameter).partition(parameter.name)[0]  # * or **
        default, annotation = parameter.default, parameter.annotation
        yield Parameter(
            name=f"{stars}{parameter.name}",
            annotation="" if annotation is parameter.empty else _cut(_annotation_text(annotation)),
            default="" if default is parameter.empty else _cut(_safe_repr(default)),
            required=_is_required(parameter),
        )


def _is_required(parameter: inspect.Parameter) -> bool:
    variadic = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return parameter.default is parameter.empty and parameter.kind not in variadic


def _annotation_text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _safe_repr(value: Any) -> str:
    """``repr``, which is the user's code and may fail."""
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__}>"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _MAX_TEXT else line[: _MAX_TEXT - 1] + "…"


def _summary(value: Any) -> str:
    """First line of a docstring of its own; what a class inherits says nothing about it."""
    owner = type(value) if isinstance(value, torch.nn.Module) else value
    text = vars(owner).get("__doc__") if inspect.isclass(owner) else getattr(owner, "__doc__", None)
    return _cut(inspect.cleandoc(text).partition("\n")[0]) if isinstance(text, str) and text.strip() else ""


def _line(value: Any) -> int:
    code = getattr(inspect.unwrap(value), "__code__", None)
    if code is not None:
        return int(code.co_firstlineno)
    try:
        return inspect.getsourcelines(value)[1]
    except (OSError, TypeError):
        return 0
