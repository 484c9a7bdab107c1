"""The steps of torch's TorchScript compilers, seen from outside.

Torch's ``ts_compile`` and ``simple_ts_compile`` are one function each. The functions that they call are watched while
they run, so that what is shown is what torch does, in this version: overloads stripped, ``_to_copy`` normalised,
lint, script, mutation removed, freeze, optimize for inference. A function that a newer torch does not call gives no
step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._functorch import compilers as functorch_compilers

from aotgui.engine.half import Step


class StepWatch:
    """Notes the steps as they are done.

    Attributes:
        steps: those so far.
        seconds: that noting them took.
    """

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.seconds = 0.0
        self._depth = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Notes what is done inside."""
        with ExitStack() as stack:
            for owner, name, title, show in _WATCHED:
                if callable(original := getattr(owner, name, None)):
                    stack.enter_context(mock.patch.object(owner, name, self._watched(original, title, show)))
            yield

    def _watched(self, original: Callable[..., Any], title: str, show: Show) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            self._depth += 1
            begin = time.perf_counter()
            try:
                result = original(*args, **kwargs)
            finally:
                self._depth -= 1
            if not self._depth:  # torch's own functions call each other
                end = time.perf_counter()
                self.steps.append(Step(title, end - begin, *show(args, result)))
                self.seconds += time.perf_counter() - end
            return result

        return call


Show = Callable[[tuple[Any, ...], Any], tuple[Callable[[], str], str]]
"""From the arguments and the result of a step to a function that gives text, and its language."""


def _code(args: tuple[Any, ...], result: Any) -> tuple[Callable[[], str], str]:
    """The Python code of the graph module or graph that a step was given and changed."""
    given = args[0]
    graph = given.graph if isinstance(given, fx.GraphModule) else given
    code = graph.python_code("self").src if isinstance(graph, fx.Graph) else ""
    return code.strip, "python"


def _graph_given(args: tuple[Any, ...], result: Any) -> tuple[Callable[[], str], str]:
    """The IR that a step was given and changed."""
    copied = args[0].copy()
    return lambda: str(copied), "text"


def _graph_returned(args: tuple[Any, ...], result: Any) -> tuple[Callable[[], str], str]:
    """The IR of the ScriptModule that a step returned; later steps change it, so it is copied."""
    copied = result.graph.copy() if isinstance(result, torch.jit.ScriptModule) else ""
    return lambda: str(copied), "text"


_WATCHED: tuple[tuple[Any, str, str, Show], ...] = (
    (functorch_compilers, "strip_overloads", "strip overloads", _code),
    (fx.Graph, "lint", "normalise _to_copy and devices, lint", _code),
    (torch.jit, "script", "script", _graph_returned),
    (torch._C, "_jit_pass_remove_mutation", "remove mutation", _graph_given),
    (torch.jit, "freeze", "freeze", _graph_returned),
    (torch.jit, "optimize_for_inference", "optimize for inference", _graph_returned),
)
