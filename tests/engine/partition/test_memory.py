"""Memory over time, predicted from lifetimes, against storages counted while the halves run."""

from __future__ import annotations

import pytest

from aotgui.model.graph import GraphKind
from aotgui.model.memory import MemoryKind, memory_of

from ..partition_facts import assert_memory_as_counted

WAYS = [
    ("cos_cos", {}),
    ("mlp", {"partitioner": "default"}),
    ("dropout", {}),
    ("conv_batchnorm", {}),
    ("conv_batchnorm", {"partitioner": "default"}),
    ("transformer_block", {}),
    ("transformer_block", {"memory_budget": 0.3}),
]


@pytest.mark.parametrize(("name", "settings"), WAYS, ids=str)
def test_predicted_bytes_are_counted_at_every_step(example, name, settings):
    run = example(name, **settings)
    assert_memory_as_counted(run.trace, run.region)


def test_merged_values_that_are_viewed(script):
    """Min-cut merges the two equal products; the view of the second becomes one of the first."""
    run = script(
        "import torch\n"
        "def fn(x):\n"
        "    a, b = x * 2, x * 2\n"
        "    return (a.unsqueeze(0).sin() * b.unsqueeze(1).cos()).sum()\n"
        "example_inputs = (torch.randn(8, requires_grad=True),)\n"
    )
    assert_memory_as_counted(run.trace, run.region)


def test_saved_view_keeps_its_whole_storage(script):
    run = script(
        "import torch\n"
        "def fn(x):\n"
        "    big = x.exp()\n"
        "    return big[:1].sin().sum()\n"
        "example_inputs = (torch.randn(1000, requires_grad=True),)\n",
        partitioner="default",
    )
    memory = memory_of(run.region)
    step = memory.peak(GraphKind.BACKWARD)
    saved = [life for life in memory.alive_at(step) if life.kind is MemoryKind.SAVED]
    assert [life.size_bytes for life in saved] == [4000]
    assert_memory_as_counted(run.trace, run.region)


@pytest.mark.parametrize(
    "body",
    ["Same.apply(x)", "x.tanh()", "x.tanh().view(2, 4)", "x.exp().t()"],
    ids=["view of the input", "saved output", "saved view", "transposed"],
)
def test_incoming_gradient_of_an_output_that_is_kept(script, body):
    """Tracing takes the incoming gradient for a view of the output; it has memory of its own."""
    run = script(
        "import torch\n"
        "class Same(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x.view_as(x)\n"
        "    @staticmethod\n"
        "    def backward(ctx, gradient):\n"
        "        return gradient\n"
        "def fn(x):\n"
        f"    return {body}\n"
        "example_inputs = (torch.randn(2, 4, requires_grad=True),)\n"
    )
    assert_memory_as_counted(run.trace, run.region)
