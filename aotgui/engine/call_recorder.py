"""What the compiled halves of a program are called with, kept so that they can be stepped through afterwards.

A training step changes parameters in place, so the arguments are copied, up to a number of bytes for the whole
recording. The forward is recorded again until its backward ran, so that both belong to the same step. What a backend
returns is only replaced where it is a plain function; other kinds of compiled code (Inductor's) are left alone, and
their halves cannot be stepped through.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import fx
from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler

from aotgui.engine.calling import copy_tensors
from aotgui.engine.half import Half
from aotgui.engine.tracing import RegionTrace
from aotgui.model.graph import GraphKind

MAX_BYTES: Final = 1 << 30

CompileFn = Callable[[fx.GraphModule, Sequence[Any]], Any]


class CallRecorder:
    """Wraps the compilers of a program."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Makes a recorder.

        Args:
            max_bytes: how much the copies of all halves together may take.
        """
        self._left = max_bytes

    def compiler(self, compile_half: CompileFn, kind: GraphKind, region_of: Callable[[], RegionTrace | None]) -> Any:
        """A compiler whose result records its calls.

        Args:
            compile_half: the program's compiler.
            kind: which half it compiles.
            region_of: the region that is compiled, once it is known.
        """
        if isinstance(compile_half, SerializableAOTDispatchCompiler):
            return compile_half

        def compile_recorded(module: fx.GraphModule, inputs: Sequence[Any]) -> Any:
            made = compile_half(module, inputs)
            region = region_of()
            half = region.halves.get(kind) if region else None
            if region is None or half is None or not isinstance(made, types.FunctionType | types.MethodType):
                return made
            return self._recorded(made, half, region.halves.get(GraphKind.BACKWARD, half))

        return compile_recorded

    def _recorded(self, made: Callable[..., Any], half: Half, last: Half) -> Callable[[list[Any]], Any]:
        is_boxed = getattr(made, "_boxed_call", False)

        def call(args: list[Any]) -> Any:
            if last.recorded is None:
                self._record(half, args)
            if is_boxed:
                return made(args)
            owned = list(args)
            args.clear()
            return made(*owned)

        call._boxed_call = True  # type: ignore[attr-defined] # torch's protocol for boxed calls
        return call

    def _record(self, half: Half, args: Sequence[Any]) -> None:
        if len(args) != len(half.example_inputs):
            return  # AOT Autograd added arguments after the partition
        size = _bytes_of(args) - _bytes_of(half.recorded or ())
        if size <= self._left:
            self._left -= size
            with torch.no_grad():
                half.record(copy_tensors(list(args)))


def _bytes_of(values: Sequence[Any]) -> int:
    return sum(value.nbytes for value in values if isinstance(value, torch.Tensor))
