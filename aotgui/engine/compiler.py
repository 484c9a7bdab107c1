"""What a compiler is: a small class that turns a graph module into something that runs."""

from __future__ import annotations

import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from torch import fx

from aotgui.engine.half import Compiled, FlatCall, Half
from aotgui.protocol.messages import CompilerOption


class CompileFailed(Exception):  # noqa: N818 # the words people use
    """A compiler refused a graph, for a reason that a person can act on.

    Attributes:
        message: one sentence.
        node: name of the node to blame, or empty.
        details: the original error text.
        file: the user's file to blame, or empty.
        line: 1-based line in it, 0 where unknown.
    """

    def __init__(self, message: str, node: str = "", details: str = "", *, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.node = node
        self.details = details
        self.file = file
        self.line = line


class Compiler(ABC):
    """One compiler.

    Attributes:
        name: as chosen in the settings.
        description: one line.
        makes_torchscript: whether the result can be saved as TorchScript.
        changes_graph: whether it writes to the graph module that it is given, and so needs a copy.
        needs: what has to be on the machine beside PyTorch, in words.
        options: what can be chosen.
        origin: ``torch``, ``aotgui``, or the package that brings it.
    """

    name: str
    description: str
    makes_torchscript: bool = False
    changes_graph: bool = True
    needs: str = ""
    options: tuple[CompilerOption, ...] = ()
    origin: str = "torch"

    def script_source(self) -> str:
        """Python that defines ``compile_graph(module, inputs)`` without aotgui; empty where there is none."""
        return ""

    def unavailable(self) -> str:
        """Why it cannot run on this machine; empty if it can."""
        return ""

    def prepare(self) -> None:  # noqa: B027 # most have nothing to prepare
        """Imports what compiling needs, so that this does not count as compiling."""

    def with_options(self, chosen: Mapping[str, str]) -> Compiler:
        """The compiler with options.

        Raises:
            CompileFailed: it has no such option, or does not take the value.
        """
        known = {option.name: option for option in self.options}
        for name, value in chosen.items():
            if name not in known:
                there = f"it has {', '.join(known)}" if known else "it has none"
                raise CompileFailed(f"{self.name} has no option {name}: {there}")
            if known[name].choices and value not in known[name].choices:
                raise CompileFailed(f"{self.name} takes {name}={' or '.join(known[name].choices)}, not {value}")
        return self.configured(chosen) if chosen else self

    def configured(self, chosen: Mapping[str, str]) -> Compiler:
        """The compiler with options that it has; those without any are never asked."""
        return self

    @abstractmethod
    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Compiles a graph module, which it may change if ``changes_graph``.

        Raises:
            CompileFailed: the compiler refuses the graph.
        """

    def compile_half(self, half: Half) -> Compiled:
        """Compiles a half, which stays as it is.

        Raises:
            CompileFailed: the compiler is not available here, or refuses the graph.
        """
        return self.compile_module(half.module_copy() if self.changes_graph else half.module, half.example_inputs)

    def compile_module(self, module: fx.GraphModule, example_inputs: Sequence[Any]) -> Compiled:
        """Compiles a graph module, which it may change, with the time that it takes and what it warns of.

        Raises:
            CompileFailed: the compiler is not available here, or refuses the graph.
        """
        if reason := self.unavailable():
            raise CompileFailed(f"{self.name} is not available: {reason}")
        self.prepare()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            begin = time.perf_counter()
            compiled = self.compile(module, list(example_inputs))
            seconds = time.perf_counter() - begin
        said = tuple(dict.fromkeys(f"{warning.category.__name__}: {warning.message}" for warning in caught))
        # A compiler that is watched has taken its own time.
        return replace(compiled, seconds=compiled.seconds or seconds, warnings=said)


def as_flat_call(function: Callable[..., Any]) -> FlatCall:
    """Wraps what compilers return, boxed or not, into a call from a list of arguments to a sequence of outputs."""
    if getattr(function, "_boxed_call", False):
        return lambda args: _as_sequence(function(args))

    def call(args: list[Any]) -> Sequence[Any]:
        taken = tuple(args)
        args.clear()
        return _as_sequence(function(*taken))

    return call


def _as_sequence(result: Any) -> Sequence[Any]:  # compiled code may return anything
    return result if isinstance(result, tuple | list) else [result]
