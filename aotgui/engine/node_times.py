"""How long each node of a region takes, measured by running its halves node by node on the recorded call."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Mapping
from typing import Any, Final

import torch
from torch import fx

from aotgui.engine.half import Half
from aotgui.model.graph import GraphKind, Op

PASSES: Final = 3
"""How often each half is run; the median counts."""
PATIENCE_S: Final = 2.0
"""After so long no further pass begins."""


def node_seconds(halves: Mapping[GraphKind, Half]) -> dict[int, float] | None:
    """Seconds of each node of the joint graph; None where the region has not been run or cannot be run again.

    A node that runs in both halves counts as it does in the forward.

    Args:
        halves: forward and backward, each with a recorded call.
    """
    known: dict[int, float] = {}
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        for kind in (GraphKind.BACKWARD, GraphKind.FORWARD):
            half = halves.get(kind)
            if half is None or half.recorded is None:
                return None
            try:
                known.update(_of_half(half))
            except Exception:  # the values of a call that a mutation made unusable, or memory that is not there
                return None
    return known


def _of_half(half: Half) -> Iterator[tuple[int, float]]:
    begin = time.perf_counter()
    passes = [_one_pass(half)]
    while len(passes) < PASSES and time.perf_counter() - begin < PATIENCE_S:
        passes.append(_one_pass(half))
    for index, origin in enumerate(half.graph.origins):
        if origin >= 0 and half.graph.ops[index] == Op.CALL_FUNCTION:
            yield origin, statistics.median(seconds[index] for seconds in passes)


def _one_pass(half: Half) -> list[float]:
    if half.random_state is not None:
        half.random_state.restore()
    watch = _Stopwatch(half.module)
    watch.boxed_run(half.fresh_args())
    return [watch.seconds.get(node, 0.0) for node in half.nodes]


class _Stopwatch(fx.Interpreter):
    """Notes the seconds of each node; waits for the device where there is one."""

    def __init__(self, module: fx.GraphModule) -> None:
        super().__init__(module)
        self.seconds: dict[fx.Node, float] = {}
        self._waits = torch.cuda.is_initialized()  # type: ignore[no-untyped-call] # untyped in torch

    def run_node(self, n: fx.Node) -> Any:  # a node may return anything
        begin = time.perf_counter()
        value = super().run_node(n)
        if self._waits:
            torch.cuda.synchronize()
        self.seconds[n] = time.perf_counter() - begin
        return value
