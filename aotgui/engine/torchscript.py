"""TorchScript compilers: torch's own functions, on graphs that they refuse as they are."""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import fx
from torch._functorch import compilers as functorch_compilers
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import unset_fake_temporarily

from aotgui.engine.compiler import CompileFailed, Compiler, as_flat_call
from aotgui.engine.errors import error_text, one_line
from aotgui.engine.graphs import target_text
from aotgui.engine.half import Compiled
from aotgui.engine.torchscript_steps import StepWatch

if TYPE_CHECKING:
    from collections.abc import Iterator

ScriptFunction = Callable[[fx.GraphModule, list[Any]], torch.jit.ScriptModule]

_NUMBERS: tuple[tuple[type, tuple[type, ...]], ...] = (
    (bool, (bool, torch.SymBool)),
    (int, (int, torch.SymInt)),
    (float, (float, torch.SymFloat)),
)

# The statement above the mark is one line of the generated code: ``name = call(...)``.
_MARKED_STATEMENT = re.compile(r"^ *(\w+)(?: *:[^=\n]*)? = .*\n *~+.*<--- HERE", re.MULTILINE)
_EXPLANATION = re.compile(r"Expected a value of type .*|Could not .*|Unknown .*|.*not supported.*", re.IGNORECASE)


class TorchScriptCompiler(Compiler):
    """Scripts the generated code with one of torch's functions and keeps the ScriptModule for export."""

    makes_torchscript = True

    def __init__(self, name: str, description: str, function: ScriptFunction) -> None:
        self.name = name
        self.description = description
        self._function = function

    def compile(self, module: fx.GraphModule, example_inputs: list[Any]) -> Compiled:
        """Compiles; the artifact is the TorchScript IR.

        Raises:
            CompileFailed: TorchScript has no such operator, or refuses an argument.
        """
        self._refuse_control_flow(module)
        _name_types(module, example_inputs)
        # WORKAROUND torch 2.13: with a tensor constant in the graph, freezing fails while a fake mode is active
        # ("Please convert all Tensors to FakeTensors first").
        with unset_fake_temporarily(), torchscript_warnings_ignored():
            watch, begin = StepWatch(), time.perf_counter()
            try:
                with watch.watching():
                    script = self._function(module, example_inputs)
            except Exception as error:
                raise self._failure(module, error) from error
            seconds = time.perf_counter() - begin - watch.seconds
            return Compiled(
                as_flat_call(script), script, lambda: str(script.graph), "text", tuple(watch.steps), seconds
            )

    def script_source(self) -> str:
        """Torch's function."""
        name = getattr(self._function, "__name__", self.name)
        return (
            "def compile_graph(module, inputs):\n"
            f"    from torch._functorch.compilers import {name}\n\n"
            f"    return {name}(module, inputs)"
        )

    def _refuse_control_flow(self, module: fx.GraphModule) -> None:
        for node in module.graph.nodes:
            if isinstance(node.target, HigherOrderOperator):
                raise CompileFailed(f"{node.target} is not supported in TorchScript", node.name)

    def _failure(self, module: fx.GraphModule, error: Exception) -> CompileFailed:
        text = error_text(error)
        statement = _MARKED_STATEMENT.search(text)
        node = next((n for n in module.graph.nodes if statement and n.name == statement[1]), None)
        explanation = _EXPLANATION.search(text)
        reason = (explanation[0] if explanation else one_line(error)).strip().rstrip(".:")
        what = f"{target_text(node)} (node {node.name})" if node else "the graph"
        return CompileFailed(f"TorchScript cannot compile {what}: {reason}", node.name if node else "", text)


@contextmanager
def torchscript_warnings_ignored() -> Iterator[None]:
    """Silences what torch says about the whole of TorchScript, and nothing else.

    WORKAROUND torch 2.13 (DeprecationWarning) and 2.14 (FutureWarning): its own compilers call what it deprecates, and
    scripting a GraphModule complains about annotations in the ``__init__`` of torch's class.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", r"The TorchScript type system doesn't support instance-level", UserWarning)
        for category in (DeprecationWarning, FutureWarning):
            warnings.filterwarnings("ignore", r".*torch\.jit\..*", category)
        yield


def torchscript_compilers() -> list[Compiler]:
    """The compilers of this module. ``nnc_jit`` in torch is ``aot_function`` with ``simple_ts_compile``."""
    simple = _unboxed(functorch_compilers.simple_ts_compile)
    full = _unboxed(functorch_compilers.ts_compile)
    return [
        TorchScriptCompiler("simple_ts_compile", "TorchScript: scripted and frozen.", simple),
        TorchScriptCompiler("nnc_jit", "What torch's nnc_jit uses: simple_ts_compile.", simple),
        TorchScriptCompiler("ts_compile", "TorchScript: scripted, frozen and optimized for inference.", full),
    ]


def _unboxed(compiler: Any) -> ScriptFunction:
    """Torch's function without the wrapper that hides the ScriptModule."""
    function: ScriptFunction = compiler.__wrapped__
    return function


def _name_types(module: fx.GraphModule, example_inputs: list[Any]) -> None:
    """Annotates what is no tensor: TorchScript takes every argument without a type for a tensor.

    A list that is returned becomes a tuple, because a list in TorchScript holds one type.
    """
    for node, example in zip(module.graph.find_nodes(op="placeholder"), example_inputs, strict=True):
        for number, types in reversed(_NUMBERS):
            if isinstance(example, types):
                node.type = number
        if example is None and not node.users:
            node.type = Any  # None while it compiles, the argument itself (a float, say) when it runs
    output = module.graph.output_node()
    if isinstance(output.args[0], list):
        output.args = (tuple(output.args[0]),)
    module.recompile()
