"""Runs the scripts distilled from public reports, which lie in ``shared/cases`` beside the checkout."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from aotgui.engine.pipeline import Pipeline
from aotgui.model.capture import Capture, Finding, Region
from aotgui.model.graph import Graph, GraphKind, Op
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CaptureReady, Event, Run, RunEnded

CASES = Path(__file__).parents[3].parent / "shared" / "cases"


class CaseRun:
    """One case run through the pipeline."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self.path = path
        self.events: list[Event] = []
        self.pipeline = Pipeline(self.events.append)
        self.pipeline.run(Run(run=1, source=str(path), settings=Settings(**settings), trusted=True))

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
    def joint(self) -> Graph:
        return self.region.graphs[GraphKind.JOINT]

    @property
    def forward(self) -> Graph:
        return self.region.graphs[GraphKind.FORWARD]

    @property
    def backward(self) -> Graph:
        return self.region.graphs[GraphKind.BACKWARD]

    @property
    def status(self) -> str:
        return str(self.ended.check.status)

    @property
    def messages(self) -> str:
        return "\n".join(str(problem) for problem in self.ended.problems)

    def findings(self, identifier: str) -> list[Finding]:
        return [finding for finding in self.ended.findings if finding.id == identifier]

    def line_of(self, text: str) -> int:
        lines = self.path.read_text().splitlines()
        return next(number for number, line in enumerate(lines, 1) if text in line and not line.startswith("#"))

    def nodes(self, graph: Graph, target: str) -> list[int]:
        return [i for i in range(len(graph)) if graph.ops[i] == Op.CALL_FUNCTION and target in graph.target(i)]


@pytest.fixture
def case() -> Iterator[Callable[..., CaseRun]]:
    if not CASES.is_dir():
        pytest.skip("the cases are not beside this checkout")
    path, argv, modules = list(sys.path), list(sys.argv), set(sys.modules)

    def run(number: int, **settings: Any) -> CaseRun:
        (script,) = CASES.glob(f"{number:02}_*.py")
        return CaseRun(script, **settings)

    # A script may set global options; the program gives each source an engine of its own.
    options, grad = torch._functorch.config.save_config(), torch.is_grad_enabled()
    yield run
    torch._functorch.config.load_config(options)
    torch.set_grad_enabled(grad)
    sys.path[:], sys.argv[:] = path, argv
    for name in set(sys.modules) - modules:
        if name.startswith("aotgui_target_"):
            del sys.modules[name]
    torch._dynamo.reset()
