"""Budgets of opening a large model and of opening one of its modules, run with ``pytest --benchmark-only``.

Layout and everything that the canvas prepares from it, with processor time as in ``test_canvas_speed``.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from pytest_benchmark.fixture import BenchmarkFixture
from pytestqt.qtbot import QtBot

from aotgui.gui.canvas.arranging import Arrangement, Request, arrange
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.layout_runner import measured_options
from aotgui.layout import expansion
from aotgui.model.graph import Graph

SLACK = 1.25
OPENING_MS = 150
EXPANDING_MS = 50
pytestmark = pytest.mark.benchmark(timer=time.thread_time)


def _helper(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / "layout" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"layout_{name}_for_folding", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def llama() -> Graph:
    """The joint graph of 32 layers."""
    graph: Graph = _helper("graphs").real_graph("llama_32.joint")
    return graph


@pytest.fixture
def view(qtbot: QtBot) -> GraphView:
    widget = GraphView()
    qtbot.addWidget(widget)
    widget.resize(1600, 1000)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def show(view: GraphView, request: Request) -> Arrangement:
    """All that happens between a wish and the first picture."""
    arrangement = arrange(request, measured_options(), lambda: False)
    view.set_graph(arrangement.graph, arrangement.layout)
    view.paint_slice()
    return arrangement


def test_opening_a_large_model(benchmark: BenchmarkFixture, view: GraphView, llama: Graph) -> None:
    arrangement = benchmark(show, view, Request(llama, is_opening=True))
    assert len(arrangement.layout.boxes) <= 210
    assert 1000 * benchmark.stats["min"] <= OPENING_MS * SLACK


def test_opening_one_block(benchmark: BenchmarkFixture, view: GraphView, llama: Graph) -> None:
    known = show(view, Request(llama, is_opening=True))
    block = next(path for path in known.nesting.paths if path.endswith("layers.7"))
    wanted = expansion.toggled(known.expanded, block)
    arrangement = benchmark(show, view, Request(llama, wanted, known=known))
    assert block in {arrangement.layout.groups[group].path for group in arrangement.layout.frame_groups}
    assert 1000 * benchmark.stats["min"] <= EXPANDING_MS * SLACK
