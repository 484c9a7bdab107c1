"""The one place that patches torch: for as long as a program is watched, its compilations are seen.

Every way into AOT Autograd (``aot_function``, ``aot_module``, ``torch.compile`` with a backend that uses it) ends in
``aot_stage1_graph_capture`` and ``aot_stage2_compile``; there the trace is given the user's stack, and the
partitioner is watched. A backend that does not use AOT Autograd is seen where Dynamo calls it; its graph is then
traced a second time, aside, and the program goes on with what its own backend made.

WORKAROUND torch 2.13: there is no public hook at any of these places. Where a newer torch has no such name,
``intercepting`` raises ``InterceptionError`` and nothing is patched.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Final
from unittest import mock

import torch
from torch import fx
from torch._functorch import aot_autograd as aot

from aotgui.engine.call_recorder import CallRecorder, CompileFn
from aotgui.engine.dynamo_code import DynamoCode
from aotgui.engine.errors import error_text, one_line
from aotgui.engine.names import Names
from aotgui.engine.observer import (
    NO_NAMES,
    RegionObserver,
    module_of_flat_function,
    names_of_dynamo_graph,
    names_of_flat_function,
)
from aotgui.engine.partition import PartitionFn
from aotgui.engine.provenance import recording, recording_backward
from aotgui.engine.region_call import WATCHED_META, RegionCall
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Problem, Severity, Stage
from aotgui.model.graph import GraphKind

_STAGES: Final = ("aot_stage1_graph_capture", "aot_stage2_compile")


class InterceptionError(Exception):
    """This torch has not the functions that would have to be watched."""


class EnoughRegionsError(BaseException):
    """Ends a program that has compiled as much as was asked for; no ``except Exception`` catches it."""


@contextmanager
def intercepting(observer: RegionObserver, partitioner: PartitionFn, limit: int = 0) -> Iterator[None]:
    """Sees every region that is compiled inside, on any thread.

    Args:
        observer: gets the regions.
        partitioner: for graphs whose backend has none of its own.
        limit: raise ``EnoughRegionsError`` in the program once so many regions are known and the last was called; 0
            for never.

    Raises:
        InterceptionError: this torch cannot be watched.
    """
    from torch._dynamo.output_graph import OutputGraph

    if any(not callable(getattr(aot, name, None)) for name in _STAGES) or not hasattr(
        OutputGraph, "call_user_compiler"
    ):
        raise InterceptionError(f"PyTorch {torch.__version__} offers no place where compilations can be watched.")
    interception = _Interception(observer, partitioner, limit)
    with ExitStack() as stack:
        # A cached artifact would hide the graph that it was made from.
        stack.enter_context(torch._functorch.config.patch(enable_autograd_cache=False, force_autograd_cache=False))
        methods: tuple[Callable[..., Any], ...] = (interception.capture, interception.compile)
        for name, method in zip(_STAGES, methods, strict=True):
            stack.enter_context(mock.patch.object(aot, name, functools.partial(method, getattr(aot, name))))
        stack.enter_context(
            mock.patch.object(OutputGraph, "call_user_compiler", _method(interception, OutputGraph.call_user_compiler))
        )
        yield


def _method(interception: _Interception, original: Callable[..., Any]) -> Callable[..., Any]:
    def call_user_compiler(self: Any, module: fx.GraphModule, example_inputs: list[Any]) -> Any:
        return interception.call_backend(functools.partial(original, self), module, example_inputs)

    return call_user_compiler


class _Interception:
    """What the patched functions do."""

    def __init__(self, observer: RegionObserver, partitioner: PartitionFn, limit: int) -> None:
        self._observer = observer
        self._partitioner = partitioner
        self._limit = limit
        self._dynamo_names: list[Names] = []
        self._names: dict[int, Names] = {}
        self._direct: dict[int, RegionCall] = {}
        self._calls = CallRecorder()

    def capture(self, original: Callable[..., Any], state: Any, function: Callable[..., Any]) -> Any:
        """``aot_stage1_graph_capture``: the joint graph is traced here."""
        if self._dynamo_names:
            self._names[id(state)] = self._dynamo_names[-1]
            return original(state, function)
        self._end_when_enough()
        names = self._names[id(state)] = _quietly(names_of_flat_function, function) or NO_NAMES
        module = _quietly(module_of_flat_function, function)
        self._direct[id(state)] = RegionCall(function, function, names, is_direct=True, module=module)

        @functools.wraps(function)
        def with_stacks(*args: Any) -> Any:
            with recording(module):
                return function(*args)

        with recording_backward():
            return original(state, with_stacks)

    def compile(
        self, original: Callable[..., Any], state: Any, capture: Any, partition_fn: PartitionFn, *compilers: Any
    ) -> Any:
        """``aot_stage2_compile``: the joint graph is partitioned here, and both halves compiled."""
        names = self._names.pop(id(state), NO_NAMES)
        compilers = self._recorded(*compilers)
        if not state.needs_autograd or state.aot_config.pre_dispatch:
            self._observer.inference_region(capture.graph_module, names)
        watched = self._observer.watched(partition_fn, capture.graph_module, names)
        before = len(self._observer.regions)
        result = original(state, capture, watched, *compilers)
        call = self._direct.pop(id(state), None)
        if call is None:
            return result
        boxed, *others = result
        call.compiled = lambda *args: boxed(list(args))
        watched_call = self._called(call, before)
        return functools.wraps(boxed)(lambda args: watched_call(*args)), *others

    def _called(self, call: RegionCall, before: int) -> Callable[..., Any]:
        """The compiled code of the regions since ``before``, with its first call kept."""
        regions = self._observer.regions
        for region in regions[before:]:
            region.call = call
        last = len(regions)
        return self._calls.region(call, lambda: self._end_when_enough(last))

    def _recorded(
        self, forward: CompileFn, backward: CompileFn | None = None, inference: CompileFn | None = None
    ) -> Any:
        """The program's compilers, with what they make recording its calls."""
        regions, number = self._observer.regions, len(self._observer.regions)

        def region() -> RegionTrace | None:
            return regions[number] if number < len(regions) else None

        return (
            self._calls.compiler(forward, GraphKind.FORWARD, region),
            self._calls.compiler(backward or forward, GraphKind.BACKWARD, region),
            self._calls.compiler(inference or forward, GraphKind.INFERENCE, region),
        )

    def call_backend(self, original: Callable[..., Any], module: fx.GraphModule, example_inputs: list[Any]) -> Any:
        """``OutputGraph.call_user_compiler``: Dynamo has a graph and calls the program's backend."""
        names = _quietly(names_of_dynamo_graph, module) or NO_NAMES
        self._end_when_enough()
        before = len(self._observer.regions)
        call = _quietly(_dynamo_call, module)
        module.meta[WATCHED_META] = True
        self._dynamo_names.append(names)
        try:
            result = original(module, example_inputs)
            if len(self._observer.regions) == before:
                self._trace_aside(module, example_inputs)
        finally:
            self._dynamo_names.pop()
        if call is None:
            return result
        call.compiled, call.names = result, names
        return self._called(call, before)

    def _trace_aside(self, module: fx.GraphModule, example_inputs: list[Any]) -> None:
        """Gets the graphs of a region whose backend does without AOT Autograd; nothing of it is run."""
        from torch._dynamo.backends.common import aot_autograd

        try:
            aot_autograd(fw_compiler=aot.boxed_nop_preserve_node_meta, partition_fn=self._partitioner)(
                module, example_inputs
            )
        except Exception as error:
            message = f"AOT Autograd cannot trace what the backend compiled: {one_line(error)}"
            self._observer.problems.append(
                Problem(severity=Severity.WARNING, stage=Stage.TRACE, message=message, details=error_text(error))
            )

    def _end_when_enough(self, known: int | None = None) -> None:
        """Ends the program where it would compile more than was asked for, or has called the last region."""
        known = len(self._observer.regions) if known is None else known
        if self._limit and known >= self._limit:
            raise EnoughRegionsError


def _dynamo_call(module: fx.GraphModule) -> RegionCall:
    """The code that Dynamo found, before a backend changes it."""
    kept = DynamoCode(module)
    return RegionCall(kept, kept, NO_NAMES, is_direct=False)


def _quietly(function: Callable[[Any], Any], argument: Any) -> Any:
    """What a function of ours gives, or None: a missing name must not change the program."""
    try:
        return function(argument)
    except Exception:
        return None
