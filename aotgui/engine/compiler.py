"""What a compiler is: a small class that turns a graph module into something that runs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from torch import fx

from aotgui.engine.half import Compiled, FlatCall, Half


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
    """

    name: str
    description: str
    makes_torchscript: bool = False

    def unavailable(self) -> str:
        """Why it cannot run on this machine; empty if it can."""
        return ""

    @abstractmethod
    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Compiles a graph module, which it may change.

        Raises:
            CompileFailed: the compiler refuses the graph.
        """

    def compile_half(self, half: Half) -> Compiled:
        """Compiles a copy of the half's graph.

        Raises:
            CompileFailed: the compiler is not available here, or refuses the graph.
        """
        if reason := self.unavailable():
            raise CompileFailed(f"{self.name} is not available: {reason}")
        return self.compile(half.module_copy(), list(half.example_inputs))


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
