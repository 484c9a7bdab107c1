"""What torch itself says of a partition, and that what we tell of it is the same."""

from __future__ import annotations

import ast
import logging
import math
import re
from typing import Any

import networkx
from torch._functorch import partitioners

from aotgui.engine.graphs import hint, output_arguments
from aotgui.engine.pipeline import Pipeline
from aotgui.engine.repartition import repartitioned
from aotgui.engine.storages import storage_key
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Capture, Region, SavedValue
from aotgui.model.graph import GraphKind
from aotgui.model.memory import memory_of
from aotgui.model.partition import PartitionChoice
from aotgui.model.why import why_of

from .memory_count import counted_bytes


class TorchSays(logging.Handler):
    """Torch's partitioner debug log (``AOT_PARTITIONER_DEBUG``) and the networks that it cuts.

    Attributes:
        sizes: for each partition by min-cut the saved values with their bytes, as logged.
        networks: each network with its cut.
    """

    def __init__(self, monkeypatch: Any) -> None:
        super().__init__(logging.INFO)
        self.sizes: list[list[tuple[int, str]]] = []
        self.networks: list[Any] = []
        monkeypatch.setattr(partitioners, "AOT_PARTITIONER_DEBUG", True)
        monkeypatch.setattr(networkx, "minimum_cut", self._cutting(networkx.minimum_cut))
        log = logging.getLogger(partitioners.__name__)
        monkeypatch.setattr(log, "level", logging.INFO)
        monkeypatch.setattr(log, "handlers", [self])
        monkeypatch.setattr(log, "propagate", False)

    def emit(self, record: logging.LogRecord) -> None:
        if "Theoretical Per Activation Storage Sizes" in str(record.msg):
            self.sizes.append(ast.literal_eval(re.sub(r"^[^\[]*", "", record.getMessage())))

    def _cutting(self, solve: Any) -> Any:
        def minimum_cut(network: Any, *args: Any, **kwargs: Any) -> Any:
            answer = solve(network, *args, **kwargs)
            self.networks.append((network, answer))
            return answer

        return minimum_cut


def assert_told_as_torch_says(pipeline: Pipeline, capture: Capture, says: TorchSays) -> None:
    """Saved values, bytes and reasons are those of torch, and partitioning again gives the same."""
    trained = [(trace, region) for trace, region in zip(pipeline.regions, capture.regions, strict=True)]
    trained = [(trace, region) for trace, region in trained if trace.partition is not None]
    for trace, region in trained:
        _saved_is_what_forward_returns(trace, region)
        _reasons_are_those_of_a_network(region, says)
    if says.sizes:  # the last run of a case is the one whose regions are kept
        logged = [
            _tensors(sizes, region) for sizes, (_, region) in zip(says.sizes[-len(trained) :], trained, strict=True)
        ]
        assert logged == [_told(region) for _, region in trained]
    for trace, region in trained:
        _every_node_has_a_why(region, capture)
        _partitions_the_same_again(trace, region, pipeline)


def _tensors(sizes: list[tuple[int, str]], region: Region) -> list[tuple[int, str]]:
    """As logged, but for sizes that are only known once computed: torch takes 4096 for them, we do not guess."""
    told = {value.name: value for value in region.saved}
    return sorted((size if _is_known(told[name]) else told[name].size_bytes, name) for size, name in sizes)


def _is_known(value: SavedValue) -> bool:
    return not any(isinstance(size, str) and size.startswith("u") for size in value.tensor.shape)


def _told(region: Region) -> list[tuple[int, str]]:
    return sorted((value.size_bytes, value.name) for value in region.saved if value.tensor.is_tensor)


def _saved_is_what_forward_returns(trace: RegionTrace, region: Region) -> None:
    assert trace.partition is not None
    count = trace.partition.joint.options["num_fwd_outputs"]
    returned = [node for node in output_arguments(trace.partition.forward)[count:] if hasattr(node, "meta")]
    assert [value.name for value in region.saved] == [node.name for node in returned]
    storages = {storage_key(node.meta.get("val")): node.meta["val"] for node in returned}
    storages.pop(None, None)
    plain = sum(hint(value.untyped_storage().nbytes()) for value in storages.values())
    others = [value.size_bytes for value, node in zip(region.saved, returned, strict=True) if not _has_storage(node)]
    assert region.saved_bytes == plain + sum(others)


def _has_storage(node: Any) -> bool:
    return storage_key(node.meta.get("val")) is not None


def _reasons_are_those_of_a_network(region: Region, says: TorchSays) -> None:
    """The kept network is one that torch cut, with its reasons, and its cut is the saved set."""
    cut, joint = region.cut, region.graphs[GraphKind.JOINT]
    if cut is None:
        assert not says.networks or region.saved is not None
        return
    assert cut.cut_value in [answer[0] for _, answer in says.networks]
    network = next(network for network, answer in reversed(says.networks) if answer[0] == cut.cut_value)
    for position, node in enumerate(cut.nodes):
        name = joint.names[node]
        banned = network.get_edge_data("source", f"{name}_in") or {}
        reason = banned.get("reason", "")
        assert cut.ban(position) == reason or (reason == "cannot recompute" and cut.ban(position).startswith(reason))
    crossing = [p for p in range(len(cut)) if cut.sides[p] == 1]
    assert math.isclose(sum(cut.capacities[p] for p in crossing), cut.cut_value)
    for value in region.saved:
        index = joint.index_of.get(value.name)
        position = cut.position_of.get(index, -1) if index is not None else -1
        if position >= 0 and cut.ban(position):
            assert value.reason == cut.ban(position)


def _every_node_has_a_why(region: Region, capture: Capture) -> None:
    joint = region.graphs[GraphKind.JOINT]
    for node in range(len(joint)):
        why = why_of(region, node, capture.settings)
        assert why.headline
        assert why.reasons
        if region.cut is not None and why.frontier and "in its place" in why.reasons[0].text:
            _frontier_costs_no_less(region, node, why.frontier)


def _frontier_costs_no_less(region: Region, node: int, frontier: tuple[int, ...]) -> None:
    """Otherwise the cut would not be the smallest."""
    cut = region.cut
    assert cut is not None
    extra = [cut.position_of[other] for other in frontier if cut.sides[cut.position_of[other]] != 1]
    assert sum(cut.capacities[position] for position in extra) >= cut.capacities[cut.position_of[node]]


def _partitions_the_same_again(trace: RegionTrace, region: Region, pipeline: Pipeline) -> None:
    settings = pipeline.settings
    choice = PartitionChoice(partitioner=settings.partitioner, memory_budget=settings.memory_budget)
    assert trace.partition is not None
    again = repartitioned(trace.partition.joint, choice, pipeline.namespace)
    assert [value.name for value in again.saved] == [value.name for value in trace.partition.saved]
    assert [value.reason for value in again.saved] == [value.reason for value in trace.partition.saved]
    for kind in (GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD):
        assert again.graphs[kind].names == trace.partition.graphs[kind].names
        assert again.graphs[kind].fates == trace.partition.graphs[kind].fates


def assert_memory_as_counted(trace: RegionTrace, region: Region) -> None:
    """The predicted live bytes equal the counted ones at every step."""
    memory = memory_of(region)
    assert memory is not None
    assert memory.total == counted_bytes(trace.halves)
