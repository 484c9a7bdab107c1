"""Budget of the SVG (design, section 9): a captured Llama of 32 layers with known layout within 0.2 s."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

from pytest_benchmark.fixture import BenchmarkFixture

from aotgui.export.svg import svg_of
from aotgui.layout.engine import lay_out

BUDGET_S = 0.2


def _graphs() -> ModuleType:
    path = Path(__file__).parents[1] / "layout" / "graphs.py"
    spec = importlib.util.spec_from_file_location("layout_graphs_for_svg", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_svg_of_llama(benchmark: BenchmarkFixture) -> None:
    graph = _graphs().real_graph("llama_32.joint")
    layout = lay_out(graph)
    svg = benchmark(svg_of, graph, layout, title="llama")
    benchmark.extra_info["nodes"] = len(graph)
    benchmark.extra_info["bytes"] = len(svg)
    assert len(graph) > 7000
    assert len(svg) < 4_000_000
    assert benchmark.stats is None or benchmark.stats.stats.min < BUDGET_S
