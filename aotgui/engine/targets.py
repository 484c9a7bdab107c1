"""Finding and loading what is captured: a script or ``package.module:name``."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from aotgui.engine.errors import fault, one_line
from aotgui.model.capture import Stage

CONVENTION_NAMES: Final = ("model", "fn")
_SCRIPT_ENDINGS: Final = (".py", ".pyw")


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


def fingerprint(source: str) -> str:
    """Changes when the script changes; empty where there is no file."""
    try:
        return hashlib.sha256(Path(source).read_bytes()).hexdigest()
    except OSError:
        return ""


def load_target(source: str, name: str = "") -> Target:
    """Run a source and find the target and its example inputs in it.

    Args:
        source: path of a script, or ``package.module:name``.
        name: the target's name; empty for ``model`` or ``fn``.

    Raises:
        UserError: the file cannot be read, is no Python, fails while it runs, or defines no target or inputs.
    """
    namespace, wanted = _namespace_of(source)
    found = _find_call(source, namespace, name or wanted)
    call = namespace[found]
    args, kwargs = _example_inputs(source, namespace, found)
    return Target(source, found, call, args, kwargs, namespace)


def _namespace_of(source: str) -> tuple[Mapping[str, Any], str]:
    path = Path(source)
    if path.suffix.lower() in _SCRIPT_ENDINGS or path.exists():
        return _run_script(path), ""
    package, separator, name = source.partition(":")
    if separator and all(part.isidentifier() for part in package.split(".")):
        return _import_module(package), name
    raise fault(Stage.LOAD, f"There is no file {source}.")


def _run_script(path: Path) -> Mapping[str, Any]:
    text = _read_script(path)
    try:
        code = compile(text, str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", 0) or 0
        reason = getattr(error, "msg", str(error))
        raise fault(Stage.LOAD, f"{path.name} is not valid Python: {reason}.", file=str(path), line=line) from None
    # Under a name of its own in sys.modules: dataclasses and pickle look their module up there.
    module = types.ModuleType(f"aotgui_target_{path.stem}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(path.parent))
    sys.argv = [str(path)]
    _execute(lambda: exec(code, module.__dict__), path.name, str(path))
    return module.__dict__


def _read_script(path: Path) -> bytes:
    if path.is_dir():
        raise fault(Stage.LOAD, f"{path} is a folder; open a Python script in it.")
    if path.suffix.lower() not in _SCRIPT_ENDINGS:
        raise fault(Stage.LOAD, f"{path.name} is no Python script: aotgui opens files that end in .py.", file=str(path))
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise fault(Stage.LOAD, f"There is no file {path}.") from None
    except OSError as error:
        raise fault(Stage.LOAD, f"{path} cannot be read: {error.strerror}.", file=str(path)) from None


def _import_module(package: str) -> Mapping[str, Any]:
    sys.path.insert(0, str(Path.cwd()))
    module: types.ModuleType = _execute(lambda: importlib.import_module(package), package, "")
    return module.__dict__


def _execute(run: Callable[[], Any], title: str, file: str) -> Any:
    """Run the user's module code; whatever it raises becomes a sentence with its line."""
    try:
        return run()
    except SystemExit as error:
        message = f"{title} called sys.exit({error.code!r}) while it was loaded, so no target could be taken from it."
        raise fault(Stage.LOAD, message, error=error, file=file if not error.__traceback__ else "") from None
    except Exception as error:
        raise fault(Stage.LOAD, f"{title} fails while it is loaded: {one_line(error)}", error=error) from None


def _find_call(source: str, namespace: Mapping[str, Any], name: str) -> str:
    title, file = Path(source).name, _file(source)
    if not name:
        for convention in CONVENTION_NAMES:
            if callable(namespace.get(convention)):
                return convention
        message = f"{title} defines no target: name a module `model` or a function `fn`.{_suggestion(namespace)}"
        raise fault(Stage.LOAD, message, file=file)
    if name not in namespace:
        raise fault(Stage.LOAD, f"{title} defines no {name!r}.{_suggestion(namespace)}", file=file)
    if not callable(namespace[name]):
        kind = type(namespace[name]).__name__
        raise fault(Stage.LOAD, f"{name!r} in {title} is of type {kind}, no module or function.", file=file)
    return name


def _suggestion(namespace: Mapping[str, Any]) -> str:
    """Modules and functions that could be meant."""
    candidates = [
        name
        for name, value in namespace.items()
        if not name.startswith("_")
        and (isinstance(value, torch.nn.Module) or inspect.isfunction(value))
        and getattr(value, "__module__", None) is not None
        and (isinstance(value, torch.nn.Module) or value.__module__ == namespace.get("__name__"))
    ]
    return f" It has {', '.join(itertools.islice(candidates, 5))}; choose one with --target." if candidates else ""


def _example_inputs(source: str, namespace: Mapping[str, Any], name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if "example_inputs" not in namespace and "example_kwargs" not in namespace:
        message = (
            f"{Path(source).name} defines no example_inputs for {name!r}: assign a tensor, a tuple or a dict to it."
        )
        raise fault(Stage.LOAD, message, file=_file(source))
    inputs = namespace.get("example_inputs", ())
    if inspect.isfunction(inputs):
        inputs = _execute(inputs, "example_inputs()", _file(source))
    kwargs = dict(namespace.get("example_kwargs") or {})
    if isinstance(inputs, dict):
        return (), {**inputs, **kwargs}
    if isinstance(inputs, (tuple, list)):
        return tuple(inputs), kwargs
    return (inputs,), kwargs


def _file(source: str) -> str:
    return source if Path(source).exists() else ""
