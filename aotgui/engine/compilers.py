"""The registry: one list of compilers, the functions of the user's file, and installed entry points."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

import torch
from torch import fx

from aotgui.engine.compiler import CompileFailed, Compiler, as_flat_call
from aotgui.engine.drawing import DrawGraphCompile
from aotgui.engine.errors import error_text, one_line
from aotgui.engine.half import Compiled
from aotgui.engine.inductor import InductorCompiler
from aotgui.engine.interpreter import CheckedInterpreter
from aotgui.engine.provenance import user_frames_of
from aotgui.engine.torchscript import torchscript_compilers
from aotgui.model.compiler_choice import ChoiceError, parse_choice
from aotgui.model.graph import user_frame
from aotgui.model.presets import preset_of

__all__ = ["CompileFailed", "Compiler", "builtin_compilers", "installed_compilers", "resolve"]

ENTRY_POINT_GROUP = "aotgui.compilers"

CompilerFunction = Callable[[fx.GraphModule, list[Any]], Callable[..., Any]]


class Nop(Compiler):
    """Runs the graph as it is, to tell a wrong compiler from a wrong trace."""

    name = "nop"
    description = "The graph as it is, run by PyTorch."
    changes_graph = False

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Returns the module itself."""
        return Compiled(as_flat_call(module), show=module.code.strip)


class PrintCompile(Nop):
    """Like ``nop``, and prints the code to the console."""

    name = "print_compile"
    description = "Prints the generated code to the console, then runs the graph as it is."

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Prints and returns the module itself."""
        print(module.code)  # noqa: T201 # what this compiler is for
        return super().compile(module, example_inputs)


class DebugNop(Compiler):
    """Runs the graph node by node and checks each value against the trace."""

    name = "debug_nop"
    description = "Interprets the graph and checks dtype, shape and strides of every value against the trace."
    changes_graph = False

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Returns the interpreter's ``run``, which raises ``NodeMismatchError``."""
        return Compiled(as_flat_call(CheckedInterpreter(module).run), show=module.code.strip)


class FunctionCompiler(Compiler):
    """A ``compiler(graph_module, inputs)`` of the user's file or of an installed package."""

    origin = "script"

    def __init__(self, name: str, function: CompilerFunction) -> None:
        self.name = name
        self.description = inspect.cleandoc(function.__doc__ or f"{name} of the script.").partition("\n")[0]
        self.function = function

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Calls the function.

        Raises:
            CompileFailed: it raised, or returned nothing that can be called.
        """
        code = module.code
        try:
            result = self.function(module, example_inputs)
        except Exception as error:
            raise self._failure(error) from error
        if not callable(result):
            raise CompileFailed(f"{self.name} returned {type(result).__name__}, not something that can be called")
        script = result if isinstance(result, torch.jit.ScriptModule) else None
        if script is None:
            return Compiled(as_flat_call(result), show=code.strip)
        return Compiled(as_flat_call(result), script, lambda: str(script.graph), "text")

    def script_source(self) -> str:
        """Takes the function from where it was defined: a module that can be imported, or the user's file."""
        function = inspect.unwrap(self.function)
        module = sys.modules.get(getattr(function, "__module__", "") or "")
        try:
            file = inspect.getsourcefile(function)
        except TypeError:
            file = None
        if file is None:
            return ""
        lines = ["def compile_graph(module, inputs):", f"    sys.path.insert(0, {str(Path(file).parent)!r})"]
        if module is not None and module.__spec__ is not None and getattr(module, self.name, None) is self.function:
            lines += [f"    from {module.__name__} import {self.name}", ""]
            lines += [f"    return {self.name}(module, inputs)"]
        else:
            lines += ["    import runpy", "", f"    return runpy.run_path({file!r})[{self.name!r}](module, inputs)"]
        return "\n".join(lines)

    def _failure(self, error: Exception) -> CompileFailed:
        if isinstance(error, CompileFailed):
            return error
        frame = user_frame(user_frames_of(error))
        return CompileFailed(
            f"{self.name} raised {one_line(error)}",
            details=error_text(error),
            file=frame.file if frame else "",
            line=frame.line if frame else 0,
        )


class InstalledCompiler(Compiler):
    """A compiler of another package: an entry point that names a function ``compiler(graph_module, inputs)``."""

    def __init__(self, point: EntryPoint) -> None:
        self.name = point.name
        self.description = f"Installed: {point.value}"
        self.origin = point.dist.name if point.dist else point.value
        self.point = point

    def script_source(self) -> str:
        """Takes the function from the installed package."""
        return (
            "def compile_graph(module, inputs):\n"
            f"    from importlib.metadata import EntryPoint\n\n"
            f"    return EntryPoint({self.name!r}, {self.point.value!r}, {ENTRY_POINT_GROUP!r}).load()(module, inputs)"
        )

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Imports the function and calls it.

        Raises:
            CompileFailed: it cannot be imported, it raised, or it returned nothing that can be called.
        """
        try:
            function = self.point.load()
        except Exception as error:
            message = f"{self.name} ({self.point.value}) cannot be imported: {one_line(error)}"
            raise CompileFailed(message, details=error_text(error)) from error
        return FunctionCompiler(self.name, function).compile(module, example_inputs)


def builtin_compilers() -> list[Compiler]:
    """The compilers of aotgui itself, in the order in which they are offered."""
    return [Nop(), PrintCompile(), DrawGraphCompile(), DebugNop(), *torchscript_compilers(), InductorCompiler()]


def installed_compilers() -> list[Compiler]:
    """The compilers of installed packages: the entry points of the group ``aotgui.compilers``."""
    return [InstalledCompiler(point) for point in entry_points(group=ENTRY_POINT_GROUP)]


def resolve(name: str, namespace: Mapping[str, Any] | None = None) -> Compiler:
    """Finds a compiler by name: aotgui's own, then a function of the user's file, then installed ones.

    Args:
        name: of the compiler or function, with options where it has any: ``inductor(max_autotune=true)``.
        namespace: the names of the user's file.

    Raises:
        CompileFailed: there is none of this name, or it has no such option.
    """
    try:
        choice = parse_choice(name)
    except ChoiceError as error:
        raise CompileFailed(str(error)) from error
    return _named(choice.name, namespace or {}).with_options(choice.options)


def _named(name: str, namespace: Mapping[str, Any]) -> Compiler:
    for compiler in builtin_compilers():
        if compiler.name == name:
            return compiler
    function = namespace.get(name)
    if callable(function):
        return FunctionCompiler(name, function)
    for compiler in installed_compilers():
        if compiler.name == name:
            return compiler
    if preset_of(name):
        raise CompileFailed(f"{name} is a preset of several settings, which can only be chosen for the forward")
    known = ", ".join(compiler.name for compiler in [*builtin_compilers(), *installed_compilers()])
    raise CompileFailed(f"There is no compiler {name!r}, neither in the script nor among {known}")
