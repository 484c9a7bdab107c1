"""The clock of a run: which stage is at work, how long each took."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from aotgui.model.capture import Stage, StageTime
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import Event, StageEnded, StageStarted

COMPILE_STAGES: Final = {
    GraphKind.FORWARD: Stage.COMPILE_FORWARD,
    GraphKind.INFERENCE: Stage.COMPILE_FORWARD,
    GraphKind.BACKWARD: Stage.COMPILE_BACKWARD,
}


class StageClock:
    """Tells the window when stages begin and end, and sums up seconds where a stage runs more than once."""

    def __init__(self, run: int, emit: Callable[[Event], None]) -> None:
        self._run = run
        self._emit = emit
        self._times: dict[Stage, StageTime] = {}
        self._current: list[tuple[Stage, float]] = []

    @property
    def times(self) -> list[StageTime]:
        """Every stage that ended, in the order of its first end."""
        return list(self._times.values())

    @property
    def current(self) -> Stage | None:
        """The innermost stage at work."""
        return self._current[-1][0] if self._current else None

    def begin(self, stage: Stage) -> None:
        """A stage begins."""
        self._current.append((stage, time.perf_counter()))
        self._emit(StageStarted(run=self._run, stage=stage))

    def end(self, nodes: int = 0) -> None:
        """The innermost stage ends well."""
        stage, began = self._current.pop()
        before = self._times.get(stage, StageTime(stage=stage, seconds=0.0))
        seconds = before.seconds + time.perf_counter() - began
        self._times[stage] = StageTime(stage=stage, seconds=seconds, nodes=before.nodes + nodes)
        self._emit(StageEnded(run=self._run, time=self._times[stage]))

    def switch(self, stage: Stage, nodes: int = 0) -> None:
        """The innermost stage ends well and another takes its place."""
        self.end(nodes)
        self.begin(stage)

    @contextmanager
    def running(self, stage: Stage) -> Iterator[None]:
        """A stage that ends with the block; one that raises stays ``current`` so that the failure can name it."""
        self.begin(stage)
        yield
        self.end()

    def reset(self) -> None:
        """Forget what was at work when something failed."""
        self._current.clear()
