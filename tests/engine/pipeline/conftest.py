"""Runs the pipeline on small scripts, in this process."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import torch

from aotgui.engine.pipeline import Pipeline
from aotgui.model.capture import Capture, Region
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded, StageEnded


@dataclass
class Outcome:
    """Everything that one run emitted."""

    events: list[Event] = field(default_factory=list)

    @property
    def ended(self) -> RunEnded:
        (ended,) = [event for event in self.events if isinstance(event, RunEnded)]
        return ended

    @property
    def capture(self) -> Capture:
        (ready,) = [event for event in self.events if isinstance(event, CaptureReady)]
        return ready.capture

    @property
    def last_capture(self) -> Capture:
        return [event.capture for event in self.events if isinstance(event, CaptureReady)][-1]

    @property
    def region(self) -> Region:
        (region,) = self.capture.regions
        return region

    @property
    def stages(self) -> list[str]:
        return [str(event.time.stage) for event in self.events if isinstance(event, StageEnded)]

    def graph(self, kind: GraphKind) -> Any:
        return self.region.graphs[kind]


class Runner:
    """A pipeline with the events of its last run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sink: list[Event] = []
        self.pipeline = Pipeline(lambda event: self._sink.append(event))

    def write(self, text: str, name: str = "script.py") -> Path:
        path = self._folder / name
        path.write_text(textwrap.dedent(text))
        return path

    def run(self, source: str | Path, *, target: str = "", **settings: Any) -> Outcome:
        self._sink.clear()
        request = Run(run=1, source=str(source), target=target, settings=Settings(**settings), trusted=True)
        self.pipeline.run(request)
        return Outcome(list(self._sink))

    def script(self, text: str, **settings: Any) -> Outcome:
        return self.run(self.write(text), **settings)


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    path, argv, dtype = list(sys.path), list(sys.argv), torch.get_default_dtype()
    yield Runner(tmp_path)
    sys.path[:], sys.argv[:] = path, argv
    torch.set_default_dtype(dtype)


@pytest.fixture
def examples() -> Callable[[str], Path]:
    from aotgui.model.resources import resource_path

    return lambda name: resource_path("examples", f"{name}.py")
