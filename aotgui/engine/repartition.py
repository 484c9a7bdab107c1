"""Partitions a captured joint graph in other ways, without tracing again, and works out what that would cost."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import msgspec
from torch.fx._lazy_graph_module import _use_lazy_graph_module

from aotgui.engine.decisions import ignored
from aotgui.engine.errors import Stopped, UserError, fault
from aotgui.engine.explain import deepest, explain
from aotgui.engine.flops import node_flops
from aotgui.engine.graphs import ORIGIN_META
from aotgui.engine.joint_copy import JointCopy, tracing_again
from aotgui.engine.node_times import node_seconds
from aotgui.engine.partition import Partition, partition_decided, partitioner_of
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Region, Stage
from aotgui.model.graph import Fate, GraphKind, Op
from aotgui.model.memory import memory_of
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.model.settings import Settings
from aotgui.protocol.messages import Event, Repartition, Repartitioned, RepartitionEnded


def repartitioned(
    kept: JointCopy, choice: PartitionChoice, namespace: Mapping[str, Any], *, with_code: bool = False
) -> Partition:
    """What a choice makes of a joint graph as traced.

    Args:
        kept: the joint graph.
        choice: how to partition it.
        namespace: names of the script, which may define partitioners.
        with_code: whether the graphs get their Python text.

    Raises:
        UserError: there is no such partitioner, or it cannot partition this graph.
    """
    settings = msgspec.structs.replace(Settings(), partitioner=choice.partitioner, memory_budget=choice.memory_budget)
    function = partitioner_of(settings, namespace)
    try:
        # Nobody runs these modules, so torch need not generate their code, which takes longer than partitioning.
        with tracing_again(kept.graph), _use_lazy_graph_module(True), _no_collection():
            return partition_decided(kept, kept.module(), settings, function, choice.decisions, again=not with_code)
    except Exception as error:
        if isinstance(error, UserError):
            raise
        message = f"The {choice} partition cannot be had: {explain(error)}"
        raise fault(Stage.PARTITION, message, error=deepest(error)) from error


@contextmanager
def _no_collection() -> Iterator[None]:
    """No garbage collection: looking through all that a large model left alive takes as long as partitioning it."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def region_of_partition(name: str, parts: Partition) -> Region:
    """A partition as a region that has not been run."""
    return Region(
        name=name,
        graphs=parts.graphs,
        saved=parts.saved,
        cut=parts.cut,
        policies_used=parts.policies_used,
        decided=parts.decided,
        storage_bytes=parts.storages.sizes,
    )


class Costs:
    """What the nodes of a region's joint graph cost, worked out once.

    Attributes:
        region: what was traced.
    """

    def __init__(self, region: RegionTrace) -> None:
        self.region = region

    @cached_property
    def flops(self) -> dict[int, int]:
        """Estimated floating-point operations by index in the joint graph."""
        assert self.region.partition is not None
        nodes = self.region.partition.joint.graph.nodes
        return {node.meta[ORIGIN_META]: node_flops(node) for node in nodes if node.op == "call_function"}

    @cached_property
    def seconds(self) -> dict[int, float] | None:
        """Measured seconds by index in the joint graph, or None where the region has not been run."""
        return node_seconds(self.region.halves)


def result_of(costs: Costs, choice: PartitionChoice, parts: Partition, seconds: float) -> PartitionResult:
    """The figures of a partition, without its region."""
    region = region_of_partition(costs.region.name, parts)
    joint, memory = parts.graphs[GraphKind.JOINT], memory_of(region)
    recomputed = [
        node for node, fate in enumerate(joint.fates) if fate == Fate.RECOMPUTED and joint.ops[node] == Op.CALL_FUNCTION
    ]
    return PartitionResult(
        choice=choice,
        saved_bytes=region.saved_bytes,
        saved_activation_bytes=region.saved_bytes_of("activation"),
        saved_count=len(region.saved),
        recomputed=[joint.names[node] for node in recomputed],
        recomputed_flops=sum(costs.flops.get(node, 0) for node in recomputed),
        recomputed_seconds=sum(costs.seconds.get(node, 0.0) for node in recomputed) if costs.seconds else None,
        forward_peak_bytes=memory.peak_bytes(GraphKind.FORWARD) if memory else 0,
        backward_peak_bytes=memory.peak_bytes(GraphKind.BACKWARD) if memory else 0,
        fates=joint.fates,
        seconds=seconds,
        ignored=ignored(joint, choice.decisions),
    )


class PartitionDesk:
    """Answers ``Repartition`` on the worker thread; a newer one ends an older one between two choices."""

    def __init__(
        self,
        emit: Callable[[Event], None],
        regions: Callable[[], Sequence[RegionTrace]],
        namespace: Callable[[], Mapping[str, Any]],
    ) -> None:
        """Makes a desk.

        Args:
            emit: sends an event; called from both threads.
            regions: the regions of the last run or recording.
            namespace: the names of its source.
        """
        self._emit = emit
        self._regions = regions
        self._namespace = namespace
        self._waiting: list[int] = []
        self._newest = -1
        self._costs: Costs | None = None

    def announce(self, request: Repartition) -> None:
        """A request has come and will be answered. The engine's main thread."""
        self._newest = request.request
        self._waiting.append(request.request)

    def drop(self) -> None:
        """The requests that wait will not be answered. The engine's main thread, once the worker's queue is empty."""
        while self._waiting:
            self._emit(RepartitionEnded(request=self._waiting.pop(0), finished=False))

    def answer(self, request: Repartition) -> None:
        """Answers a request. The worker thread."""
        finished, problem = False, None
        try:
            if request.request not in self._waiting:
                return  # dropped meanwhile
            self._waiting.remove(request.request)
            region = self._region(request.region)
            finished = all(self._answer_choice(request, index, region) for index in range(len(request.choices)))
        except Stopped:
            if request.request in self._waiting:
                return  # it had not begun, and is dropped
        except UserError as error:
            problem = error.problem
        except Exception as error:
            problem = fault(
                Stage.PARTITION, f"The partition cannot be worked out: {explain(error)}", error=error
            ).problem
        self._emit(RepartitionEnded(request=request.request, finished=finished, problem=problem))

    def _region(self, index: int) -> RegionTrace:
        regions = self._regions()
        if not 0 <= index < len(regions):
            raise fault(Stage.PARTITION, "There is nothing to partition yet: run the target first.")
        if regions[index].partition is None:
            message = f"{regions[index].name.capitalize()} has no backward, so there is nothing to partition."
            raise fault(Stage.PARTITION, message)
        return regions[index]

    def _answer_choice(self, request: Repartition, index: int, region: RegionTrace) -> bool:
        """Works out one choice; False where a newer request has come."""
        if request.request != self._newest:
            return False
        try:
            result = self._result(region, request.choices[index], request.with_graphs)
            self._emit(Repartitioned(request=request.request, index=index, result=result))
        except UserError as error:
            self._emit(Repartitioned(request=request.request, index=index, problem=error.problem))
        return True

    def _result(self, region: RegionTrace, choice: PartitionChoice, with_graphs: bool) -> PartitionResult:
        assert region.partition is not None
        if self._costs is None or self._costs.region is not region:
            self._costs = Costs(region)
        begin = time.perf_counter()
        parts = repartitioned(region.partition.joint, choice, self._namespace(), with_code=with_graphs)
        seconds = time.perf_counter() - begin
        result = result_of(self._costs, choice, parts, seconds)
        if not with_graphs:
            return result
        return msgspec.structs.replace(result, region=region_of_partition(region.name, parts))
