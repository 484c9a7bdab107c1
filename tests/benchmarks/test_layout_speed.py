"""Budgets of the layout (design, section 9), run with ``pytest --benchmark-only tests/benchmarks``.

Each benchmark asserts a ratio within its own run where a peer exists; the seconds are in the table that it prints.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import ModuleType

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from aotgui.layout.engine import lay_out
from aotgui.layout.options import LayoutOptions

_DOT_LIMIT_S = 60.0


def _helper(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / "layout" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"layout_{name}_for_benchmarks", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


graphs = _helper("graphs")
quality = _helper("quality")


@pytest.mark.parametrize("name", ["gpt2_12.joint", "llama_32.joint"])
def test_captured_joint_graph(benchmark: BenchmarkFixture, name: str) -> None:
    graph = graphs.real_graph(name)
    layout = benchmark(lay_out, graph)
    benchmark.extra_info["nodes"] = len(graph)
    assert len(layout.boxes) == len(graph)


@pytest.mark.timeout(0)
def test_resnet_50_forward_against_dot(benchmark: BenchmarkFixture) -> None:
    """At least 500 times faster than ``dot``, which draws the output node too and is stopped after a minute.

    Without that node, whose edges come from everywhere, ``dot`` needs about half a second.
    """
    if shutil.which("dot") is None:
        pytest.skip("needs Graphviz")
    graph = graphs.real_graph("resnet50.forward")
    layout = benchmark(lay_out, graph)
    started = time.perf_counter()
    try:
        quality.run_dot(quality.dot_source(layout, graph.outputs), timeout_s=_DOT_LIMIT_S)
    except subprocess.TimeoutExpired:
        benchmark.extra_info["dot"] = f"stopped after {_DOT_LIMIT_S:.0f} s"
    ratio = (time.perf_counter() - started) / benchmark.stats["min"]
    benchmark.extra_info["times_faster_than_dot"] = round(ratio)
    assert ratio >= 500


@pytest.mark.parametrize("nodes", [50_000, 200_000])
def test_large_joint_graph_grows_linearly(benchmark: BenchmarkFixture, nodes: int) -> None:
    """Seconds a node at most twice those of a graph of 10,000 nodes."""
    small, large = graphs.transformer_joint(10_000 // 43), graphs.transformer_joint(nodes // 43)
    started = time.perf_counter()
    lay_out(small)
    per_node = (time.perf_counter() - started) / len(small)
    layout = benchmark.pedantic(lay_out, args=(large, LayoutOptions()), rounds=1)
    assert len(layout.boxes) == len(large)
    assert benchmark.stats["min"] / len(large) <= 2 * per_node
