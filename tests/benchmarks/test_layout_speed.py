"""Budgets of the layout (design, section 9), run with ``pytest --benchmark-only tests/benchmarks``.

Each benchmark asserts a ratio within its own run where a peer exists; the seconds are in the table that it prints.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from aotgui.layout.engine import lay_out
from aotgui.layout.groups import default_expansion
from aotgui.layout.nesting import nest
from aotgui.layout.options import LayoutOptions
from aotgui.layout.result import Layout

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


def test_opening_view_of_a_big_model(benchmark: BenchmarkFixture) -> None:
    """Everything from the bare graph to about 200 boxes, against the flat layout."""
    graph = graphs.real_graph("llama_32.joint")
    flat_s = _seconds(lambda: lay_out(graph))

    def open_view() -> Layout:
        nesting = nest(graph)
        return lay_out(graph, LayoutOptions(expanded=default_expansion(graph, nesting=nesting)), nesting=nesting)

    layout = benchmark(open_view)
    benchmark.extra_info["boxes"] = len(layout.boxes)
    assert benchmark.stats["min"] <= flat_s / 2


def test_expanding_one_block_of_a_big_model(benchmark: BenchmarkFixture) -> None:
    """With the nesting kept, as a view keeps it: a quarter of the flat layout at most."""
    graph = graphs.real_graph("llama_32.joint")
    flat_s = _seconds(lambda: lay_out(graph))
    nesting = nest(graph)
    block = next(path for path in nesting.paths if path.endswith("layers.7"))
    options = LayoutOptions(expanded=default_expansion(graph) | {block})
    layout = benchmark(lambda: lay_out(graph, options, nesting=nesting))
    assert block in {layout.groups[group].path for group in layout.frame_groups}
    assert benchmark.stats["min"] <= flat_s / 4


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
