"""Other partitions of a captured joint graph."""

from __future__ import annotations

import pytest

from aotgui.engine.flops import node_flops
from aotgui.engine.node_times import node_seconds
from aotgui.engine.repartition import PartitionDesk
from aotgui.model.decision import Decision
from aotgui.model.graph import Fate, GraphKind
from aotgui.model.partition import PartitionChoice
from aotgui.protocol.messages import Repartition, Repartitioned, RepartitionEnded


class Desk:
    """A desk over one run, and what it says."""

    def __init__(self, run):
        self.events = []
        pipeline = run.pipeline
        self.desk = PartitionDesk(self.events.append, lambda: pipeline.regions, lambda: pipeline.namespace)

    def ask(self, *choices, request=1, region=0, with_graphs=False):
        message = Repartition(request=request, region=region, choices=list(choices), with_graphs=with_graphs)
        self.desk.announce(message)
        self.desk.answer(message)
        return [event.result for event in self.events if isinstance(event, Repartitioned)]

    @property
    def ended(self):
        (ended,) = [event for event in self.events if isinstance(event, RepartitionEnded)]
        return ended


@pytest.fixture
def block(example):
    return example("transformer_block")


def test_choices_are_answered_in_order_and_less_budget_saves_less(block):
    desk = Desk(block)
    budgets = (1.0, 0.6, 0.3, 0.0)
    results = desk.ask(*(PartitionChoice(memory_budget=budget) for budget in budgets))
    assert [event.index for event in desk.events[:-1]] == [0, 1, 2, 3]
    assert desk.ended.finished
    saved = [result.saved_activation_bytes for result in results]
    assert saved == sorted(saved, reverse=True)
    assert saved[0] > saved[-1] == 0
    flops = [result.recomputed_flops for result in results]
    assert flops == sorted(flops)
    assert all(result.recomputed_seconds > 0 for result in results[1:])
    assert results[-1].forward_peak_bytes < results[0].forward_peak_bytes


def test_the_partition_that_ran_comes_out_again(block):
    (result,) = Desk(block).ask(PartitionChoice())
    assert result.fates == block.joint.fates
    assert result.saved_bytes == block.region.saved_bytes
    assert result.recomputed == [
        name for name in block.region.names_with(Fate.RECOMPUTED) if not name.startswith(("primals", "_tensor"))
    ]


@pytest.mark.parametrize(
    "choice", [PartitionChoice(partitioner="default"), PartitionChoice(memory_budget=0.3)], ids=str
)
def test_is_what_a_run_with_these_settings_captures(example, block, choice):
    (result,) = Desk(block).ask(choice, with_graphs=True)
    run = example("transformer_block", partitioner=choice.partitioner, memory_budget=choice.memory_budget)
    assert [value.name for value in result.region.saved] == [value.name for value in run.region.saved]
    assert [value.reason for value in result.region.saved] == [value.reason for value in run.region.saved]
    for kind in (GraphKind.FORWARD, GraphKind.BACKWARD):
        assert result.region.graphs[kind].names == run.region.graphs[kind].names
    assert result.fates == run.joint.fates


def test_partitioner_of_the_script(script):
    run = script(
        "import torch\n"
        "from functorch.compile import default_partition\n"
        "def mine(joint, inputs, **options):\n"
        "    return default_partition(joint, inputs, **options)\n"
        "def fn(x):\n"
        "    return x.sin().cos().sum()\n"
        "example_inputs = (torch.randn(4, requires_grad=True),)\n"
    )
    mine, default = Desk(run).ask(PartitionChoice(partitioner="mine"), PartitionChoice(partitioner="default"))
    assert mine.fates == default.fates


def test_unknown_partitioner_is_a_problem_of_its_own(block):
    desk = Desk(block)
    results = desk.ask(PartitionChoice(partitioner="nope"), PartitionChoice())
    assert results[0] is None
    assert "no partitioner 'nope'" in desk.events[0].problem.message
    assert results[1] is not None
    assert desk.ended.finished


def test_a_newer_request_takes_the_place_of_an_older_one(block):
    desk = Desk(block)
    old = Repartition(request=1, region=0, choices=[PartitionChoice()])
    desk.desk.announce(old)
    desk.desk.announce(Repartition(request=2, region=0, choices=[PartitionChoice()]))
    desk.desk.answer(old)
    assert desk.events == [RepartitionEnded(request=1, finished=False)]
    desk.desk.drop()
    assert desk.events[1:] == [RepartitionEnded(request=2, finished=False)]


def test_no_such_region_and_no_backward(block, script):
    desk = Desk(block)
    desk.ask(PartitionChoice(), region=7)
    assert "run the target first" in desk.ended.problem.message
    inference = Desk(script("import torch\ndef fn(x):\n    return x.sin()\nexample_inputs = (torch.randn(4),)\n"))
    inference.ask(PartitionChoice())
    assert "no backward" in inference.ended.problem.message


def test_forced_recomputation_and_saving(example, block):
    """Computing the first norm again needs nothing but the input, so its bytes are saved; and the other way round."""
    plain, less = Desk(block).ask(
        PartitionChoice(), PartitionChoice(decisions={"getitem_1": Decision.RECOMPUTE}), with_graphs=True
    )
    assert "getitem_1" not in [value.name for value in less.region.saved]
    assert "native_layer_norm" in less.recomputed
    assert less.ignored == {}
    assert less.saved_activation_bytes < plain.saved_activation_bytes
    assert less.recomputed_flops > plain.recomputed_flops
    (more,) = Desk(example("cos_cos")).ask(PartitionChoice(decisions={"cos": Decision.SAVE}), with_graphs=True)
    assert more.recomputed == []
    assert "needs only what is computed from it" in more.ignored["cos"]  # its sine is saved


def test_a_decision_for_a_part_holds_for_its_operator(block):
    part = next(value.name for value in block.region.saved if value.name.startswith("getitem"))
    (result,) = Desk(block).ask(PartitionChoice(decisions={part: Decision.RECOMPUTE}))
    operator = block.joint.inputs(block.joint.index_of[part])[0]
    assert result.fates[operator] == Fate.RECOMPUTED
    assert result.ignored == {}


def test_decisions_that_mean_nothing_say_so(example):
    wanted = dict.fromkeys(("primals_1", "nowhere", "tanh_backward", "addmm_1"), Decision.SAVE)
    (result,) = Desk(example("mlp")).ask(PartitionChoice(decisions=wanted))
    assert "exists anyway" in result.ignored["primals_1"]
    assert "no such node" in result.ignored["nowhere"]
    assert "only the backward can compute it" in result.ignored["tanh_backward"]
    assert "does not need it" in result.ignored["addmm_1"]


def test_random_operator_draws_the_same_numbers_again(example):
    """Torch keeps the random state for an operator that is forced to run twice."""
    run = example("dropout")
    dropout = next(name for name in run.joint.names if name.startswith("native_dropout"))
    (result,) = Desk(run).ask(PartitionChoice(decisions={dropout: Decision.RECOMPUTE}), with_graphs=True)
    backward = result.region.graphs[GraphKind.BACKWARD]
    assert any("run_with_rng_state" in backward.target(node) for node in range(len(backward)))


def test_flops_of_products_views_and_elementwise(example):
    graph = example("mlp").trace.partition.joint.graph
    flops = {node.name: node_flops(node) for node in graph.nodes if node.op == "call_function"}
    assert flops["addmm"] == 2 * 32 * 64 * 128
    assert flops["tanh"] == 32 * 128
    assert flops["t"] == 0


def test_seconds_of_every_operator_that_ran(example):
    run = example("mlp")
    seconds = node_seconds(run.trace.halves)
    operators = {origin for half in run.trace.halves.values() for origin in half.graph.origins if origin >= 0}
    assert set(seconds) <= operators
    assert all(value > 0 for value in seconds.values())
    assert run.joint.index_of["tanh"] in seconds


def test_what_was_dropped_is_not_answered_twice(block):
    desk = Desk(block)
    request = Repartition(request=1, region=0, choices=[PartitionChoice()])
    desk.desk.announce(request)
    desk.desk.drop()
    desk.desk.answer(request)
    assert desk.events == [RepartitionEnded(request=1, finished=False)]


def test_a_fault_of_a_partitioner_of_the_script_is_told(script):
    run = script(
        "import torch\n"
        "def broken(joint, inputs, **options):\n"
        "    raise KeyError('nothing here')\n"
        "def fn(x):\n"
        "    return x.sin().sum()\n"
        "example_inputs = (torch.randn(4, requires_grad=True),)\n"
    )
    desk = Desk(run)
    assert desk.ask(PartitionChoice(partitioner="broken")) == [None]
    assert "The broken partition cannot be had" in desk.events[0].problem.message
    assert desk.events[0].problem.line == 3
