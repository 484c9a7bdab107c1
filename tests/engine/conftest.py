"""Halves of small functions, traced by the real AOT Autograd and recorded in a real run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from functorch.compile import aot_function, make_boxed_func, min_cut_rematerialization_partition
from torch import fx

from aotgui.engine.graphs import graph_of
from aotgui.engine.half import Half
from aotgui.engine.names import Names
from aotgui.model.graph import GraphKind

Halves = dict[GraphKind, Half]
MakeHalves = Callable[..., Halves]


@pytest.fixture
def make_halves() -> MakeHalves:
    return capture


def capture(function: Callable[..., Any], *args: Any, dynamic: bool = False, seed: int = 0, **options: Any) -> Halves:
    """Traces ``function``, runs it once forwards and backwards, and returns its halves with the recorded calls.

    A module is taken with its parameters and buffers as the first inputs.
    """
    halves: Halves = {}
    if isinstance(function, torch.nn.Module):
        function, args = _functional(function, args)

    def compiler_of(kind: GraphKind) -> Callable[..., Any]:
        def compile_slot(module: fx.GraphModule, inputs: list[Any]) -> Any:
            half = halves[kind] = Half(kind, module, list(inputs), graph_of(module, kind, Names()))

            def call(flat: list[Any]) -> Any:
                half.record(flat)
                return module(*flat)

            return make_boxed_func(lambda *flat: call(list(flat)))

        return compile_slot

    torch.manual_seed(seed)
    compiled = aot_function(
        function,
        compiler_of(GraphKind.FORWARD),
        compiler_of(GraphKind.BACKWARD),
        min_cut_rematerialization_partition,
        inference_compiler=compiler_of(GraphKind.INFERENCE),
        dynamic=dynamic,
        **options,
    )
    outputs = compiled(*args)
    leaves = outputs if isinstance(outputs, list | tuple) else [outputs]
    roots = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor) and leaf.requires_grad]
    if roots:
        torch.autograd.backward(roots, [torch.ones_like(root) for root in roots])
    return halves


def _functional(module: torch.nn.Module, args: tuple[Any, ...]) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    state = {**dict(module.named_parameters()), **dict(module.named_buffers())}
    names = list(state)

    def call(*flat: Any) -> Any:
        return torch.func.functional_call(module, dict(zip(names, flat, strict=False)), flat[len(names) :])

    return call, (*state.values(), *args)
