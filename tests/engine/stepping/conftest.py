"""Stepping sessions that are driven as the window drives them."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from aotgui.engine.half import Half
from aotgui.engine.pipeline import Pipeline
from aotgui.engine.stepping import StepSession
from aotgui.model.breakpoint import Breakpoint
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import (
    ReadValue,
    Request,
    Run,
    RunEnded,
    SetBreakpoints,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    SteppingEnded,
    StopReason,
)


class Driver:
    """Drives a session: sends a request, waits for the next stop, keeps what a window would know.

    Attributes:
        executed: statistics by graph, in the order of execution.
        errors: of the reference run, by graph and node.
        differences: to the unmodified run, by graph and node.
        logs: texts of log messages.
    """

    def __init__(self, halves: dict[GraphKind, Half], graph: GraphKind, options: dict[str, Any], **marks: Any) -> None:
        self.halves = halves
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.executed: dict[GraphKind, list[ValueStats]] = {}
        self.errors: dict[GraphKind, dict[int, Any]] = {}
        self.differences: dict[GraphKind, dict[int, Any]] = {}
        self.mutated: list[Any] = []
        self.logs: list[str] = []
        self.reasons: list[StopReason] = []
        marked = {GraphKind(kind): names for kind, names in marks.items()}
        request = StartStepping(session=5, region=0, graph=graph, breakpoints=marked, **options)
        self.session = StepSession(request, halves, self.events.put)

    @property
    def timeline(self) -> Any:
        return self.session._run.timeline

    def send(self, action: StepAction, node: str = "", graph: GraphKind | None = None, **fields: Any) -> None:
        self.session.handle(Step(session=5, action=action, node=node, graph=graph, **fields))

    def stop(self) -> Stepped:
        """The next stop; what was executed on the way is gathered."""
        while True:
            event = self.events.get(timeout=60)
            assert isinstance(event, Stepped), event
            self.reasons.append(event.reason)
            self._apply(event)
            if event.reason is not StopReason.RUNNING:
                return event

    def _apply(self, event: Stepped) -> None:
        kept = (self.errors, self.differences)
        if event.restarted:
            for known in (self.executed, *kept):
                known.clear()
        for kind, first in event.voided.items():
            self.executed[kind] = [stats for stats in self.executed.get(kind, []) if stats.node < first]
            for known in kept:
                known[kind] = {node: error for node, error in known.get(kind, {}).items() if node < first}
        for kind, stats in event.executed.items():
            self.executed.setdefault(kind, []).extend(stats)
        for known, news in zip(kept, (event.errors, event.differences), strict=True):
            for kind, errors in news.items():
                known.setdefault(kind, {}).update({error.node: error for error in errors})
        self.mutated += [write for writes in event.mutated.values() for write in writes]
        self.logs += [hit.text for hit in event.logs]

    def __call__(self, action: StepAction, node: str = "", graph: GraphKind | None = None, **fields: Any) -> Stepped:
        self.send(action, node, graph, **fields)
        return self.stop()

    def tell(self, kind: type[Request], **fields: Any) -> Stepped:
        """Sends another request that a stop answers."""
        self.session.handle(kind(session=5, **fields))
        return self.stop()

    def ask(self, kind: type[Request], **fields: Any) -> Any:
        """Sends a question and returns its answer."""
        self.session.handle(kind(request=1, session=5, **fields))
        return self.events.get(timeout=60)

    def mark(self, *points: Breakpoint) -> None:
        self.session.handle(SetBreakpoints(session=5, points=list(points)))

    def read(self, graph: GraphKind, node: int) -> Any:
        return self.ask(ReadValue, graph=graph, node=node).value

    def index(self, graph: GraphKind, name: str) -> int:
        return self.halves[graph].graph.index_of[name]

    def end(self) -> None:
        self.session.end()
        assert not self.session.is_alive
        last = None
        while not self.events.empty():
            last = self.events.get()
        assert isinstance(last, SteppingEnded)


@pytest.fixture
def drive() -> Iterator[Any]:
    drivers: list[Driver] = []

    def start(halves: dict[GraphKind, Half], graph: GraphKind, options: Any = None, **marks: Any) -> Driver:
        drivers.append(Driver(halves, graph, options or {}, **marks))
        return drivers[-1]

    yield start
    for driver in drivers:
        if driver.session.is_alive:
            driver.end()


@pytest.fixture
def mlp(make_halves):
    torch.manual_seed(1)
    return make_halves(nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4))


@pytest.fixture
def capture_script(tmp_path: Path) -> Any:
    """Runs a script through the pipeline, so that its nodes know lines and modules; returns the halves."""

    def capture(text: str, **settings: Any) -> dict[GraphKind, Half]:
        script = tmp_path / "script.py"
        script.write_text(text)
        events: list[Any] = []
        pipeline = Pipeline(events.append)
        pipeline.run(Run(run=1, source=str(script), settings=Settings(**settings), trusted=True))
        ended = next(event for event in events if isinstance(event, RunEnded))
        assert pipeline.regions, ended.problems
        return pipeline.regions[0].halves

    return capture
