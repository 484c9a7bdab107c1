"""The partitioner, watched: the joint graph as traced, both halves, what is saved between them, and why.

``partition_fn`` is the one place where AOT Autograd has the joint graph and both halves at hand. Partitioners
change the joint graph that they are given, so its columns and a copy of it are taken first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any

import msgspec
import torch
from torch import fx
from torch._functorch import partitioners

from aotgui.engine.decisions import tag
from aotgui.engine.errors import UserError, fault
from aotgui.engine.explain import explain
from aotgui.engine.fates import with_fates
from aotgui.engine.graphs import ORIGIN_META, graph_of, output_arguments
from aotgui.engine.joint_copy import JointCopy
from aotgui.engine.min_cut import UnsatisfiableError, names_of, watching_min_cut
from aotgui.engine.names import Names
from aotgui.engine.saved import DEFAULT_RULE, SavedTable
from aotgui.engine.storages import Storages
from aotgui.model.capture import Problem, SavedValue, Stage
from aotgui.model.cut_network import CutNetwork
from aotgui.model.decision import Decision
from aotgui.model.graph import Graph, GraphKind, Output, OutputKind
from aotgui.model.settings import Settings
from aotgui.model.why import conflict_words

PartitionFn = Callable[..., tuple[fx.GraphModule, fx.GraphModule]]


def partitioner_of(settings: Settings, namespace: Mapping[str, Any]) -> PartitionFn:
    """The partition function that the settings name: torch's, or one from the user's file.

    Raises:
        UserError: there is no such function.
    """
    if not 0.0 <= settings.memory_budget <= 1.0:
        raise fault(Stage.PARTITION, f"A memory budget of {settings.memory_budget:g} is outside of 0 to 1.")
    if settings.partitioner == "default":
        return partitioners.default_partition
    if settings.partitioner == "min_cut":
        return partitioners.min_cut_rematerialization_partition
    own = namespace.get(settings.partitioner)
    if not callable(own):
        raise fault(
            Stage.PARTITION,
            f"There is no partitioner {settings.partitioner!r}: choose default, min_cut or a function of the script.",
        )
    function: PartitionFn = own
    return function


class Partition(msgspec.Struct, frozen=True):
    """What a partitioner made of one joint graph.

    Attributes:
        forward: the forward half as torch will compile it.
        backward: the backward half.
        graphs: joint, forward and backward as columns, with fates and storages.
        saved: what forward passes to backward.
        cut: the min-cut network that decided, or None.
        policies_used: checkpoint policies that the partitioner changed or added, by name of the joint graph's node.
        storages: of both halves.
        joint: the joint graph as traced, to be partitioned again.
        decided: the decisions that the partitioner was given, by name of the joint graph's node.
        refusal: why the decisions for single nodes were dropped altogether; None where they were not.
    """

    forward: fx.GraphModule
    backward: fx.GraphModule
    graphs: dict[GraphKind, Graph]
    saved: list[SavedValue]
    cut: CutNetwork | None
    policies_used: dict[str, str]
    storages: Storages
    joint: JointCopy
    decided: dict[str, Decision] = {}
    refusal: Problem | None = None


def partition(
    joint: fx.GraphModule,
    joint_graph: Graph,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    settings: Settings,
    names: Names,
    function: PartitionFn,
    decisions: Mapping[str, Decision] | None = None,
) -> Partition:
    """Run a partitioner on a joint graph.

    Where it cannot be partitioned with decisions, it is partitioned without them, and the result says why.

    Args:
        joint: the joint graph; changed by the partitioner.
        joint_graph: its columns as traced.
        arguments: what torch passes beside the joint graph.
        options: what torch passes by keyword, ``num_fwd_outputs`` among it.
        settings: for the memory budget.
        names: human names.
        function: the partitioner.
        decisions: name of a node to what is wanted for it.

    Raises:
        UserError: a value that the backward needs can neither be saved nor recomputed.
    """
    kept = JointCopy.of(joint, joint_graph, arguments, options, names)
    if not decisions:
        return _partition(kept, joint, settings, function)
    try:
        return partition_decided(kept, joint, settings, function, decisions)
    except Exception as error:
        parts = _partition(kept, kept.module(), settings, function)
        return msgspec.structs.replace(parts, refusal=_refusal(error))


def partition_decided(
    kept: JointCopy,
    joint: fx.GraphModule,
    settings: Settings,
    function: PartitionFn,
    decisions: Mapping[str, Decision],
    *,
    again: bool = False,
) -> Partition:
    """Run a partitioner with decisions on a joint module that is, or was made from, a kept one.

    Args:
        kept: the joint graph as traced.
        joint: changed by the partitioner.
        settings: for the memory budget.
        function: the partitioner.
        decisions: name of a node to what is wanted for it.
        again: quickly, and without the Python text of the halves.

    Raises:
        UserError: it cannot be partitioned so, or torch's runtime would fail on what came of it.
    """
    decided = tag(joint, kept.columns, decisions)
    parts = _partition(kept, joint, settings, function, again=again)
    _require_savable(parts, kept)
    return msgspec.structs.replace(parts, decided=decided)


def _partition(
    kept: JointCopy, joint: fx.GraphModule, settings: Settings, function: PartitionFn, *, again: bool = False
) -> Partition:
    try:
        with memory_budget(settings.memory_budget), watching_min_cut(again) as watch:
            forward, backward = function(joint, *kept.arguments, **kept.options)
    except UnsatisfiableError as conflict:
        raise _unsatisfiable(conflict, kept.columns) from None
    count, storages, known = kept.options["num_fwd_outputs"], Storages(kept.graph), kept.columns.outputs
    forward_graph, backward_graph = (
        graph_of(half, kind, kept.names, outputs=outputs, with_code=not again)
        for half, kind, outputs in (
            (forward, GraphKind.FORWARD, _forward_outputs(forward, known, count)),
            (backward, GraphKind.BACKWARD, _backward_outputs(backward, known, count)),
        )
    )
    graphs = with_fates(kept.columns, *storages.of_halves(forward_graph, forward, backward_graph, backward))
    cut = watch.network(names_of(joint, ORIGIN_META))
    rule = DEFAULT_RULE if settings.partitioner == "default" else ""
    return Partition(
        forward,
        backward,
        dict(zip((GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD), graphs, strict=True)),
        SavedTable(forward, graphs[1], cut, rule).rows(count),
        cut,
        _policies_used(joint, kept.columns),
        storages,
        kept,
    )


def _require_savable(parts: Partition, kept: JointCopy) -> None:
    """Refuses a partition that hands a whole tuple to the backward, on which AOT Autograd's runtime fails.

    Torch 2.13 makes one where a budget below 1 leaves nothing to choose but operators marked MUST_SAVE, of which one
    returns a tuple (``return node_info.inputs + must_save_nodes`` in ``choose_saved_values_set``).

    Raises:
        UserError: it does.
    """
    for value in output_arguments(parts.forward)[kept.options["num_fwd_outputs"] :]:
        if isinstance(value, fx.Node) and isinstance(value.meta.get("val"), tuple | list):
            message = f"Torch would save the whole tuple {value.name}, of which only the parts can be saved"
            raise fault(Stage.PARTITION, f"{message}: choose a memory budget of 1, or decide otherwise for it.")


def _refusal(error: Exception) -> Problem:
    return (
        error.problem if isinstance(error, UserError) else fault(Stage.PARTITION, explain(error), error=error).problem
    )


@contextmanager
def memory_budget(budget: float) -> Iterator[None]:
    """Torch's activation memory budget, for the time of one partition."""
    with ExitStack() as stack:
        if budget != 1.0:
            stack.enter_context(torch._functorch.config.patch(activation_memory_budget=budget))
        yield


def _unsatisfiable(conflict: UnsatisfiableError, joint: Graph) -> UserError:
    """The conflict as a problem that names its nodes."""
    path = tuple(name for name in conflict.names if name in joint.index_of)
    places = [frame for name in path if (frame := joint.source(joint.index_of[name]))]
    error = fault(
        Stage.PARTITION,
        conflict_words(len(path)),
        node=path[0] if path else "",
        graph=GraphKind.JOINT,
        file=places[0].file if places else "",
        line=places[0].line if places else 0,
        details="\n".join([f"Path: {' -> '.join(conflict.names)}", *conflict.reasons]),
    )
    return UserError(msgspec.structs.replace(error.problem, path=path))


def _policies_used(joint: fx.GraphModule, columns: Graph) -> dict[str, str]:
    """Checkpoint policies that differ from those that tracing noted."""
    used = {}
    for node in joint.graph.nodes:
        policy, origin = getattr(node.meta.get("recompute"), "name", ""), node.meta.get(ORIGIN_META, -1)
        if policy and origin >= 0 and policy != columns.policy(origin):
            used[columns.names[origin]] = policy
    return used


def _forward_outputs(forward: fx.GraphModule, joint: list[Output], count: int) -> list[Output]:
    return _outputs(forward, joint[:count], OutputKind.SAVED, "saved for backward")


def _backward_outputs(backward: fx.GraphModule, joint: list[Output], count: int) -> list[Output]:
    return _outputs(backward, joint[count:], OutputKind.OTHER, "internal")


def _outputs(module: fx.GraphModule, known: list[Output], kind: OutputKind, label: str) -> list[Output]:
    """What a half returns: labels of the joint graph's outputs, then values of ``kind``."""
    index_of = {node: index for index, node in enumerate(module.graph.nodes)}
    found = []
    for position, value in enumerate(output_arguments(module)):
        node = index_of[value] if isinstance(value, fx.Node) else -1
        if position < len(known):
            found.append(Output(node, known[position].kind, known[position].label))
        else:
            found.append(Output(node, kind, label))
    return found
