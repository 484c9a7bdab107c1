"""The most bytes that a call holds at once, beyond what was there before it.

On a GPU torch's allocator counts. On a CPU nobody counts, so each allocation is watched by torch's profiler: the old
one, because it is quiet and exact (the new one writes lines to the standard error stream of the process). All of
torch's allocations are seen, those of compiled code included; what a library allocates for itself is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import torch

_NAMES: Final = ("_enable_profiler_legacy", "_disable_profiler_legacy", "ProfilerConfig", "ProfilerState")


class PeakMeter:
    """The peak over several calls, one after the other; what is allocated between them does not count.

    Attributes:
        peak: most bytes held at once so far; None where this torch offers no way to see them.
    """

    def __init__(self, devices: set[str]) -> None:
        """Prepares.

        Args:
            devices: types of the devices that the calls compute on.
        """
        self.peak: int | None = 0
        self._live = 0
        self._measure = _on_gpu if "cuda" in devices else _on_cpu

    def run(self, call: Callable[[], Any]) -> Any:
        """Makes a call and returns what it returns."""
        result, changes = self._measure(call)
        if changes is None or self.peak is None:
            self.peak = None
            return result
        highest, left = changes
        self.peak = max(self.peak, self._live + highest)
        self._live += left
        return result


Changes = tuple[int, int]
"""Most bytes held beyond what was there before a call, and what is left of them after it."""


def _on_gpu(call: Callable[[], Any]) -> tuple[Any, Changes | None]:
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result = call()
    torch.cuda.synchronize()
    return result, (torch.cuda.max_memory_allocated() - before, torch.cuda.memory_allocated() - before)


def _on_cpu(call: Callable[[], Any]) -> tuple[Any, Changes | None]:
    # WORKAROUND torch 2.13: private, and the only quiet way to see allocations; without it there is no figure.
    enable, disable, config, state = (getattr(torch.autograd, name, None) for name in _NAMES)
    if enable is None or disable is None or config is None or state is None:
        return call(), None
    options = torch._C._profiler._ExperimentalConfig()
    enable(config(state.CPU, False, True, False, False, False, options))
    try:
        result = call()
    finally:
        threads = disable()
    changes = [event.cpu_memory_usage() for events in threads for event in events if event.kind() == "memory_alloc"]
    return result, (_highest(changes), sum(changes))


def _highest(changes: list[int]) -> int:
    live = highest = 0
    for change in changes:
        live += change
        highest = max(highest, live)
    return highest
