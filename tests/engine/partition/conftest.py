"""Captures that the tests of this folder share: each is made once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from aotgui.engine.pipeline import Pipeline
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.resources import resource_path
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded


class Captured:
    """A script that was run in this process.

    Attributes:
        pipeline: that ran it.
        events: what it said.
    """

    def __init__(self, source: Path, **settings: Any) -> None:
        self.events: list[Event] = []
        self.pipeline = Pipeline(self.events.append)
        self.pipeline.run(Run(run=1, source=str(source), settings=Settings(**settings), trusted=True))

    @property
    def ended(self) -> RunEnded:
        (ended,) = [event for event in self.events if isinstance(event, RunEnded)]
        return ended

    @property
    def capture(self) -> Capture:
        return [event.capture for event in self.events if isinstance(event, CaptureReady)][-1]

    @property
    def region(self) -> Region:
        return self.capture.regions[0]

    @property
    def trace(self) -> RegionTrace:
        return self.pipeline.regions[0]

    @property
    def joint(self) -> Graph:
        return self.region.graphs[GraphKind.JOINT]


@pytest.fixture(scope="session")
def example() -> Callable[..., Captured]:
    """An example of ours by name and settings; the same object for the same request."""

    @cache
    def run(name: str, **settings: Any) -> Captured:
        return Captured(resource_path("examples", f"{name}.py"), **settings)

    return run


@pytest.fixture
def script(tmp_path: Path) -> Callable[..., Captured]:
    def run(text: str, **settings: Any) -> Captured:
        path = tmp_path / "script.py"
        path.write_text(text)
        return Captured(path, **settings)

    return run
