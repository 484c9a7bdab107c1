"""Search in 50,000 nodes for each key that is pressed, against reading every name once.

A ratio holds on any machine; it amounts to the budget of 50 ms where reading the names takes 1.5 ms.
"""

from __future__ import annotations

import time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Role, Side, TensorInfo
from aotgui.model.query import parse_query
from aotgui.model.query_match import Finder

NODES = 50_000
BLOCKS = 64
MOST = 32
"""Times as long as reading every name once."""


@pytest.fixture(scope="module")
def graph() -> Graph:
    """As varied as a captured one: a module and a stack for each block and line, a shape for each operator."""
    operators = [f"aten.{word}.default" for word in ("mm", "addmm", "relu", "mul", "add", "view", "t", "sum")]
    modules = [f"model.layers.{block}.{part}" for block in range(BLOCKS) for part in ("attn", "mlp", "norm")]
    sizes = [2**power for power in range(12)]
    return Graph(
        kind=GraphKind.JOINT,
        strings=[*operators, *modules],
        names=[f"{operators[node % 8].split('.')[1]}_{node}" for node in range(NODES)],
        ops=[Op.CALL_FUNCTION] * NODES,
        targets=[node % 8 for node in range(NODES)],
        roles=[Role.OPERATOR] * NODES,
        sides=[Side.FORWARD if node < NODES // 2 else Side.BACKWARD for node in range(NODES)],
        fates=[list(Fate)[node % 6] for node in range(NODES)],
        seq_nrs=list(range(NODES)),
        origins=list(range(NODES)),
        labels=[-1] * NODES,
        modules=[8 + node * len(modules) // NODES for node in range(NODES)],
        stacks=[node % 200 for node in range(NODES)],
        values=[[node % len(sizes)] for node in range(NODES)],
        arguments=[[] for _ in range(NODES)],
        edge_sources=[],
        edge_targets=[],
        stack_table=[[line] for line in range(200)],
        frame_table=[Frame("/home/ada/model.py", line + 1, "forward") for line in range(200)],
        tensor_table=[TensorInfo((size, 512), "bfloat16", (512, 1), "cpu", size * 1024) for size in sizes],
    )


@pytest.mark.parametrize(
    "text",
    [
        "m",
        "m*1",
        "op:*mm*",
        "module:layers.3",
        "shape:**x512",
        "source:model.py:10-20",
        "fate:saved bytes>1MB module:layers.3 dtype:bf16 (op:mm or op:add) not side:backward",
    ],
)
def test_a_key_pressed(benchmark: BenchmarkFixture, graph: Graph, text: str) -> None:
    finder = Finder(graph)
    finder.find(parse_query("warm"))
    benchmark(lambda: finder.find(parse_query(text)))
    ratio = benchmark.stats["min"] / _read_names(graph)
    benchmark.extra_info["times_reading_names"] = round(ratio, 1)
    assert ratio <= MOST


def test_the_first_key(benchmark: BenchmarkFixture, graph: Graph) -> None:
    """Nothing of the graph has been looked at before."""
    benchmark.pedantic(lambda: Finder(graph).find(parse_query("m dtype:bf16")), rounds=5)
    assert benchmark.stats["min"] / _read_names(graph) <= MOST


def _read_names(graph: Graph) -> float:
    """Seconds for a plain loop over all names, the best of five."""
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        sum("relu" in name for name in graph.names)
        seconds.append(time.perf_counter() - started)
    return min(seconds)
