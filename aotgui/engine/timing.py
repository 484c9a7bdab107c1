"""How long calls of a target take, forward and backward apart, several ways of calling it side by side."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch

from aotgui.engine.calling import Harness
from aotgui.model.comparison import Timing

WARM_UP_CALLS: Final = 3
MIN_WARM_UP_CALLS: Final = 2
"""TorchScript's executor specialises on its second call."""
MIN_SAMPLES: Final = 5
MAX_SAMPLES: Final = 200


@dataclass
class Samples:
    """Seconds of the calls of one function.

    Attributes:
        forward: of each call.
        backward: of each backward; empty where there is none.
    """

    forward: list[float] = field(default_factory=list)
    backward: list[float] = field(default_factory=list)


def time_side_by_side(
    harness: Harness, functions: Sequence[Callable[..., Any]], seed: int, seconds: float, *, on_gpu: bool
) -> list[Samples]:
    """Calls functions in the target's place in turn, so that all of them meet the same state of the machine.

    Args:
        harness: calls them.
        functions: take the target's arguments.
        seed: for random operators and tangents.
        seconds: how long all timed calls together may take, about; at least ``MIN_SAMPLES`` of each are made.
        on_gpu: time with events of the GPU instead of the clock.
    """
    clock = _gpu_clock if on_gpu else _clock
    for function in functions:
        _warm_up(harness, function, seed, seconds)
    samples = [Samples() for _ in functions]
    end = time.perf_counter() + seconds
    for count in range(MAX_SAMPLES):
        if count >= MIN_SAMPLES and time.perf_counter() > end:
            break
        # In turn from the other end, so that nobody always follows the same one.
        for position in range(len(functions)) if count % 2 else reversed(range(len(functions))):
            _sample(harness, functions[position], seed, samples[position], clock)
    return samples


def _warm_up(harness: Harness, function: Callable[..., Any], seed: int, seconds: float) -> None:
    """Fills caches; slow calls are made no more often than needed."""
    end = time.perf_counter() + seconds
    for count in range(WARM_UP_CALLS):
        if count >= MIN_WARM_UP_CALLS and time.perf_counter() > end:
            return
        harness.call_in_parts(function, seed, lambda call: call())


def _sample(harness: Harness, function: Callable[..., Any], seed: int, samples: Samples, clock: Clock) -> None:
    parts = iter((samples.forward, samples.backward))

    def run(call: Callable[[], Any]) -> Any:
        result, seconds = clock(call)
        next(parts).append(seconds)
        return result

    harness.call_in_parts(function, seed, run)


Clock = Callable[[Callable[[], Any]], tuple[Any, float]]
"""Runs a call; its result and the seconds that it took."""


def _clock(call: Callable[[], Any]) -> tuple[Any, float]:
    begin = time.perf_counter()
    result = call()
    return result, time.perf_counter() - begin


def _gpu_clock(call: Callable[[], Any]) -> tuple[Any, float]:
    begin: Any = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call] # untyped in torch
    end: Any = torch.cuda.Event(enable_timing=True)  # type: ignore[no-untyped-call] # untyped in torch
    torch.cuda.synchronize()
    begin.record()
    result = call()
    end.record()
    torch.cuda.synchronize()
    return result, begin.elapsed_time(end) / 1000


def timing_of(seconds: Sequence[float]) -> Timing | None:
    """Median and quartiles; None of nothing."""
    if len(seconds) < 2:
        return None
    low, median, high = statistics.quantiles(seconds, n=4, method="inclusive")
    return Timing(median_s=median, low_s=low, high_s=high, samples=len(seconds))
