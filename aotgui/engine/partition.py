"""The partitioner, watched: the joint graph as traced, both halves, what is saved between them, and why.

``partition_fn`` is the one place where AOT Autograd has the joint graph and both halves at hand. Partitioners
change the joint graph that they are given, so its columns are taken first.

Reasons come from the min-cut network: torch builds a networkx graph whose edges carry ``reason``, and throws it
away. ``networkx.minimum_cut`` is wrapped while a partitioner runs. A torch that computes its cut in another way
gives no reasons, and nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any, Final

import msgspec
import networkx
import torch
from torch import fx
from torch._functorch import partitioners

from aotgui.engine.errors import fault
from aotgui.engine.fates import with_fates
from aotgui.engine.graphs import graph_of, hint, mark_origins, output_arguments, tensor_info
from aotgui.engine.names import Names
from aotgui.model.capture import SavedValue, Stage
from aotgui.model.graph import Graph, GraphKind, Output, OutputKind, Role, TensorInfo
from aotgui.model.settings import Settings

PartitionFn = Callable[..., tuple[fx.GraphModule, fx.GraphModule]]

_DEFAULT_RULE: Final = "the default partitioner saves every forward value that the backward reads"


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
        graphs: joint, forward and backward as columns, with fates.
        saved: what forward passes to backward.
    """

    forward: fx.GraphModule
    backward: fx.GraphModule
    graphs: dict[GraphKind, Graph]
    saved: list[SavedValue]


def partition(
    joint: fx.GraphModule,
    joint_graph: Graph,
    arguments: tuple[Any, ...],
    options: dict[str, Any],
    settings: Settings,
    names: Names,
    function: PartitionFn,
) -> Partition:
    """Run a partitioner on a joint graph.

    Args:
        joint: the joint graph; changed by the partitioner.
        joint_graph: its columns as traced.
        arguments: what torch passes beside the joint graph.
        options: what torch passes by keyword, ``num_fwd_outputs`` among it.
        settings: for the memory budget.
        names: human names.
        function: the partitioner.
    """
    mark_origins(joint)
    outputs_count = options["num_fwd_outputs"]
    with _memory_budget(settings.memory_budget), _watching_min_cut() as network:
        forward, backward = function(joint, *arguments, **options)
    forward_graph = graph_of(
        forward, GraphKind.FORWARD, names, outputs=_forward_outputs(forward, joint_graph.outputs, outputs_count)
    )
    backward_graph = graph_of(
        backward, GraphKind.BACKWARD, names, outputs=_backward_outputs(backward, joint_graph.outputs, outputs_count)
    )
    graphs = with_fates(joint_graph, forward_graph, backward_graph)
    saved = _saved_values(forward, graphs[1], outputs_count, _Reasons(network, settings))
    kinds = (GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD)
    return Partition(forward, backward, dict(zip(kinds, graphs, strict=True)), saved)


@contextmanager
def _memory_budget(budget: float) -> Iterator[None]:
    with ExitStack() as stack:
        if budget != 1.0:
            stack.enter_context(torch._functorch.config.patch(activation_memory_budget=budget))
        yield


@contextmanager
def _watching_min_cut() -> Iterator[list[Any]]:
    """Yields a list that gets torch's min-cut network, with ``reason`` on its edges."""
    networks: list[Any] = []
    original = networkx.minimum_cut

    def watched(network: Any, *args: Any, **kwargs: Any) -> Any:
        networks.append(network)
        return original(network, *args, **kwargs)

    networkx.minimum_cut = watched  # type: ignore[assignment] # a plain function for networkx's dispatcher
    try:
        yield networks
    finally:
        networkx.minimum_cut = original


class _Reasons:
    """Why a value is saved, in words, from the network of this very run."""

    def __init__(self, networks: list[Any], settings: Settings) -> None:
        self._network = networks[-1] if networks else None
        self._default = _DEFAULT_RULE if settings.partitioner == "default" else ""

    def of(self, name: str) -> str:
        """The reason, or empty where torch gives none."""
        if self._network is None:
            return self._default
        try:
            banned = self._network.get_edge_data("source", f"{name}_in") or {}
            capacity = (self._network.get_edge_data(f"{name}_in", f"{name}_out") or {}).get("capacity")
        except AttributeError:
            return ""
        if reason := banned.get("reason"):
            return str(reason)
        return "min-cut: saving it keeps fewer bytes than what recomputing it needs" if capacity else ""


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


def _saved_values(forward: fx.GraphModule, graph: Graph, outputs_count: int, reasons: _Reasons) -> list[SavedValue]:
    owners = _storage_owners(forward, graph)
    counted: set[Any] = set()
    passed = (node for node in output_arguments(forward)[outputs_count:] if isinstance(node, fx.Node))
    return [_saved_value(node, graph, owners, counted, reasons) for node in passed]


def _storage_owners(forward: fx.GraphModule, graph: Graph) -> dict[Any, Role]:
    """Storage to the role of the graph input that owns it."""
    owners = {}
    for node, role in zip(forward.graph.nodes, graph.roles, strict=False):
        if node.op == "placeholder" and (key := storage_key(node.meta.get("val"))) is not None:
            owners[key] = Role(role)
    return owners


def storage_key(value: Any) -> Any:
    """What is equal for values that share a storage; None for what has none."""
    if not isinstance(value, torch.Tensor) or value.layout is not torch.strided:
        return None
    try:
        return value.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def _saved_value(
    node: fx.Node, graph: Graph, owners: dict[Any, Role], counted: set[Any], reasons: _Reasons
) -> SavedValue:
    index = graph.index_of[node.name]
    info = tensor_info(node.meta.get("val"))
    key = storage_key(node.meta.get("val"))
    shared = key is not None and key in counted
    counted.add(key)
    frame = graph.source(index)
    return SavedValue(
        name=node.name,
        label=graph.label(index),
        tensor=info,
        size_bytes=info.size_bytes,
        storage_bytes=0 if shared else _storage_bytes(node.meta.get("val"), info),
        role=_saved_role(info.is_tensor, owners.get(key)),
        source=f"{frame.file}:{frame.line}" if frame else "",
        module=graph.module(index),
        reason=reasons.of(node.name),
    )


def _storage_bytes(value: Any, info: TensorInfo) -> int:
    """Bytes that a saved value keeps alive: a view keeps its whole storage."""
    return hint(value.untyped_storage().nbytes()) if storage_key(value) is not None else info.size_bytes


def _saved_role(is_tensor: bool, owner: Role | None) -> str:
    if not is_tensor:
        return Role.SYMBOLIC_SIZE.label
    if owner in (Role.PARAMETER, Role.BUFFER, Role.INPUT):
        return owner.label
    return "activation"
