"""What the compiled halves of a program are called with, kept so that they can be stepped through afterwards.

A training step changes parameters in place, so the arguments are copied, up to a number of bytes for the whole
recording. The forward is recorded again until its backward ran, so that both belong to the same step. What a backend
returns is only replaced where it is a plain function; other kinds of compiled code (Inductor's) are left alone, and
their halves cannot be stepped through. The first call of a whole region is kept as well (``RegionCall``), to be
compared with eager; what its forward gets unchanged is copied once for both.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import fx
from torch._functorch._aot_autograd.schemas import SerializableAOTDispatchCompiler

from aotgui.engine.calling import copy_tensors
from aotgui.engine.half import Half
from aotgui.engine.region_call import Budget, RegionCall, bytes_of
from aotgui.engine.tracing import RegionTrace
from aotgui.model.graph import GraphKind

MAX_BYTES: Final = 1 << 30

CompileFn = Callable[[fx.GraphModule, Sequence[Any]], Any]


class CallRecorder:
    """Wraps the compilers of a program."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        """Makes a recorder.

        Args:
            max_bytes: how much all copies together may take.
        """
        self._budget = Budget(max_bytes)
        self._taken: dict[int, int] = {}
        self._copies: dict[Any, torch.Tensor] = {}

    def region(self, call: RegionCall, called: Callable[[], None]) -> Callable[..., Any]:
        """The compiled code of a region, with its first call kept in ``call``; ``called`` is told after it."""
        is_called = False

        @functools.wraps(call.compiled)
        def recorded(*args: Any) -> Any:
            nonlocal is_called
            if is_called:
                return call.compiled(*args)
            is_called = True
            call.record(args, self._budget)
            self._copies = _by_tensor(args, call.args or ())
            try:
                result = call.compiled(*args)
            finally:
                self._copies = {}
            called()
            return result

        return recorded

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
        missing = [arg for arg in args if _key(arg) not in self._copies]
        size = bytes_of(missing)
        if self._budget.take(size - self._taken.get(id(half), 0)):
            self._taken[id(half)] = size
            with torch.no_grad():
                copied = iter(copy_tensors(missing))
                half.record([self._copies[key] if (key := _key(arg)) in self._copies else next(copied) for arg in args])


def _by_tensor(values: Sequence[Any], copies: Sequence[Any]) -> dict[Any, torch.Tensor]:
    """Copies by the tensor that they are of."""
    pairs = zip(values, copies, strict=False)
    return {key: copy.detach() for value, copy in pairs if (key := _key(value)) is not None}


def _key(value: Any) -> Any:
    """What is equal for tensors that show the same memory in the same way; None for everything else."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter) or value.layout is not torch.strided or value.is_nested:
        return None
    return value.data_ptr(), value.shape, value.stride(), value.dtype, value.device
