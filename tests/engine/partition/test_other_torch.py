"""A torch that computes its cut in another way: no reasons, and nothing else is different."""

from __future__ import annotations

import math

import networkx
import pytest

from aotgui.engine import min_cut
from aotgui.engine.repartition import repartitioned
from aotgui.model.cut_view import cut_view
from aotgui.model.ledger import ledger_of
from aotgui.model.memory import memory_of
from aotgui.model.partition import PartitionChoice
from aotgui.model.why import why_of

SCRIPT = (
    "import torch\n"
    "def fn(x, w):\n"
    "    return torch.tanh(x @ w).sin().sum()\n"
    "example_inputs = (torch.randn(4, 4), torch.randn(4, 4, requires_grad=True))\n"
)


def assert_everything_but_the_reasons(run, plain):
    assert run.ended.status == "done"
    assert run.ended.problems == []
    assert run.region.cut is None
    assert [value.name for value in run.region.saved] == [value.name for value in plain.region.saved]
    assert {value.reason for value in run.region.saved} == {""}
    assert len(ledger_of(run.region)) == len(run.region.saved)
    assert memory_of(run.region).total == memory_of(plain.region).total
    for node in range(len(run.joint)):
        why = why_of(run.region, node, run.capture.settings)
        assert not why.is_known
        assert "not known" in why.reasons[0].text
    assert cut_view(run.region, 0) is None
    again = repartitioned(run.trace.partition.joint, PartitionChoice(), {})
    assert [value.name for value in again.saved] == [value.name for value in plain.region.saved]


@pytest.fixture
def plain(script):
    return script(SCRIPT)


def test_without_networkx(script, plain, monkeypatch):
    """Torch would bring a solver of its own, which is played by networkx, out of our sight."""
    monkeypatch.setattr(min_cut, "networkx", None)
    assert_everything_but_the_reasons(script(SCRIPT), plain)


def test_a_network_of_another_form(script, plain, monkeypatch):
    """What torch hands to networkx is no graph that we can read, and what comes back is no pair of parts."""

    class Other:
        def __init__(self, network):
            self.network = network

    solve = networkx.minimum_cut
    monkeypatch.setattr(min_cut.max_flow, "minimum_cut", lambda network: None)

    def watched(made, watch, quickly):
        def minimum_cut(network, *args, **kwargs):
            watch.begun(Other(network))
            answer = solve(network, *args, **kwargs)
            watch.solved(answer)
            return answer

        return minimum_cut

    monkeypatch.setattr(min_cut, "_watched", watched)
    assert_everything_but_the_reasons(script(SCRIPT), plain)


def test_edges_without_reasons(script, plain, monkeypatch):
    """An older torch has the network but writes no reasons: the cut is known, the bans are only that they are there."""
    solve = networkx.minimum_cut

    def minimum_cut(network, *args, **kwargs):
        answer = solve(network, *args, **kwargs)
        for *_, data in network.edges(data=True):
            data.pop("reason", None)
        return answer

    monkeypatch.setattr(networkx, "minimum_cut", minimum_cut)
    run = script(SCRIPT)
    assert [value.name for value in run.region.saved] == [value.name for value in plain.region.saved]
    assert {value.reason for value in run.region.saved if "tanh" in value.name} == {"cannot recompute"}
    why = why_of(run.region, run.joint.index_of["tanh"], run.capture.settings)
    assert "does not say which" in why.reasons[0].text


def test_without_a_logger(script, plain, monkeypatch):
    """Which heuristic banned a node is only logged; without the logger the ban has no name."""
    taps = []
    monkeypatch.setattr(min_cut, "_LogTap", lambda log, heuristics: taps.append(log) or log)
    run = script(SCRIPT)
    assert taps
    assert [value.reason for value in run.region.saved] == [value.reason for value in plain.region.saved]


def test_conflict_names_its_nodes_and_leaves_no_files(script, monkeypatch, tmp_path):
    """A value that must neither be saved nor recomputed: torch would print a page and write into the folder."""
    monkeypatch.chdir(tmp_path)
    solve = networkx.minimum_cut

    def minimum_cut(network, *args, **kwargs):
        network.add_edge("source", "cos_in", capacity=math.inf, reason="cannot recompute: planted")
        network.add_edge("cos_in", "cos_out", capacity=math.inf, reason="cannot save: planted")
        return solve(network, *args, **kwargs)

    monkeypatch.setattr(networkx, "minimum_cut", minimum_cut)
    run = script(SCRIPT)
    problem = run.ended.problems[0]
    assert problem.stage == "partition"
    assert "neither be saved nor recomputed" in problem.message
    assert problem.path == ("cos", "mul")
    assert set(problem.path) <= set(run.joint.names)
    assert problem.graph == "joint"
    assert "planted" in problem.details
    assert [path.name for path in tmp_path.iterdir() if path.name != "script.py"] == []
