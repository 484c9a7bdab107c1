"""Collects the graphs of regions that somebody else compiles.

The pipeline decides how a target is compiled. Here the user's own program does, and nothing that it computes may
change: its partitioner is called with the same arguments and its result is handed on as it is. Where looking at a
graph fails, the program goes on and the failure becomes a problem of the capture.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import torch
from torch import fx
from torch._functorch import partitioners
from torch.utils import _pytree as pytree

from aotgui.engine.dynamo_names import dynamo_label, example_of, source_of
from aotgui.engine.errors import error_text, one_line
from aotgui.engine.graphs import graph_of, symbols_of
from aotgui.engine.half import Half, copy_module
from aotgui.engine.names import Names
from aotgui.engine.partition import PartitionFn, partition
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Problem, Severity, Stage
from aotgui.model.graph import Graph, GraphKind, Role
from aotgui.model.settings import Settings

NO_NAMES: Final = Names([], [])


class RegionObserver:
    """Regions in the order in which they were compiled.

    Attributes:
        regions: what was seen.
        problems: where looking failed.
    """

    def __init__(self, on_region: Callable[[RegionTrace], None] = lambda region: None) -> None:
        """Makes an observer.

        Args:
            on_region: told of each region as soon as its graphs are known, on the thread that compiles.
        """
        self.regions: list[RegionTrace] = []
        self.problems: list[Problem] = []
        self._on_region = on_region

    def watched(self, function: PartitionFn, joint: fx.GraphModule | None, names: Names) -> PartitionFn:
        """A partitioner that does what ``function`` does and keeps what it made of the joint graph.

        Calls for other graphs (the parts of a higher-order operator) are passed on.

        Args:
            function: the partitioner of the program.
            joint: the joint graph where it is known already; None for the first one with tangents.
            names: of the region's inputs.
        """
        is_taken = False

        def watching(module: fx.GraphModule, *args: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
            nonlocal is_taken
            if is_taken or not (module is joint or _has_tangents(module)) or "num_fwd_outputs" not in options:
                return function(module, *args, **options)
            is_taken = True
            return self._training_region(function, module, args, options, names)

        return watching

    def _training_region(
        self, function: PartitionFn, joint: fx.GraphModule, args: tuple[Any, ...], options: dict[str, Any], names: Names
    ) -> tuple[fx.GraphModule, fx.GraphModule]:
        made: list[tuple[fx.GraphModule, fx.GraphModule]] = []
        began = False

        def kept(*inner: Any, **inner_options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
            nonlocal began
            began = True
            made.append(function(*inner, **inner_options))
            return made[-1]

        region = RegionTrace(self._next_name(), names)
        try:
            joint_graph = graph_of(joint, GraphKind.JOINT, names)
            settings = Settings(partitioner=partitioner_name(function))
            parts = partition(joint, joint_graph, args, options, settings, names, kept)
            region.know_partition(parts)
            region.symbols = symbols_of(parts.forward)
            for kind, module in ((GraphKind.FORWARD, parts.forward), (GraphKind.BACKWARD, parts.backward)):
                region.halves[kind] = _half(kind, module, parts.graphs[kind])
        except Exception as error:
            if began and not made:
                raise  # the program's own partitioner failed
            self._report(error)
            return made[0] if made else function(joint, *args, **options)
        self._add(region)
        return made[0]

    def inference_region(self, module: fx.GraphModule, names: Names) -> None:
        """Keeps the graph of a region in which nothing requires a gradient."""
        region = RegionTrace(self._next_name(), names)
        try:
            graph = region.storages.of(graph_of(module, GraphKind.INFERENCE, names), module)
            region.graphs[GraphKind.INFERENCE], region.symbols = graph, symbols_of(module)
            region.halves[GraphKind.INFERENCE] = _half(GraphKind.INFERENCE, module, graph)
        except Exception as error:
            self._report(error)
        else:
            self._add(region)

    def _next_name(self) -> str:
        return f"region {len(self.regions)}"

    def _add(self, region: RegionTrace) -> None:
        self.regions.append(region)
        self._on_region(region)

    def _report(self, error: Exception) -> None:
        message = f"{self._next_name().capitalize()} could not be looked at: {one_line(error)}"
        self.problems.append(
            Problem(severity=Severity.WARNING, stage=Stage.PARTITION, message=message, details=error_text(error))
        )


def _half(kind: GraphKind, module: fx.GraphModule, graph: Graph) -> Half:
    """A half of its own: the program's compilers change the module that they are given."""
    copied = copy_module(module)
    inputs = [node.meta.get("val") for node in copied.graph.nodes if node.op == "placeholder"]
    return Half(kind, copied, inputs, graph)


def _has_tangents(module: fx.GraphModule) -> bool:
    placeholders = (node for node in module.graph.nodes if node.op == "placeholder")
    return any(type(node.meta.get("desc")).__name__ == "TangentAOTInput" for node in placeholders)


def partitioner_name(function: PartitionFn) -> str:
    """``default``, ``min_cut``, or the name of the program's own function."""
    while isinstance(function, functools.partial):
        function = function.func
    known = {
        partitioners.default_partition: "default",
        partitioners.min_cut_rematerialization_partition: "min_cut",
    }
    return known.get(function) or str(getattr(function, "__name__", type(function).__name__))


# --- Names of inputs -----------------------------------------------------------------------------------------------


def names_of_dynamo_graph(module: fx.GraphModule) -> Names:
    """Names and roles of the placeholders of a graph that Dynamo made, from the expressions that it notes on them."""
    labels, roles = [], []
    for node in module.graph.nodes:
        if node.op == "placeholder":
            expression = source_of(node)
            labels.append(dynamo_label(expression) or str(node.target))
            roles.append(_role_of(expression, example_of(node)))
    return Names(labels, roles)


def _role_of(expression: str, example: Any) -> Role:
    if isinstance(example, torch.nn.Parameter):
        return Role.PARAMETER
    return Role.BUFFER if "._buffers[" in expression else Role.INPUT


def names_of_flat_function(function: Callable[..., Any]) -> Names:
    """Names and roles of the inputs of what ``aot_function`` flattened.

    Its closure holds the nesting of the arguments and the function as written; ``aot_module`` passes parameters and
    buffers in front of the arguments. A torch that arranges this in another way gives no names.
    """
    closure = closure_of(function)
    spec, inner = closure.get("tensor_args_spec"), closure.get("fn")
    if not isinstance(spec, pytree.TreeSpec):
        return NO_NAMES
    tree = pytree.tree_unflatten(list(range(spec.num_leaves)), spec)
    paths = [path for path, _ in pytree.tree_flatten_with_path(tree)[0]]
    lifted = 2 if module_of_flat_function(function) is not None else 0
    parameters = _parameter_names(inner)[: len(tree[0])] if not lifted else []
    named = [_named_input(path, lifted, parameters) for path in paths]
    return Names([label for label, _ in named], [role for _, role in named])


def module_of_flat_function(function: Callable[..., Any]) -> torch.nn.Module | None:
    """The module that ``aot_module`` was given, where the flat function comes from it."""
    inner = closure_of(function).get("fn")
    found = closure_of(inner).get("mod") if "aot_module" in getattr(inner, "__qualname__", "") else None
    return found if isinstance(found, torch.nn.Module) else None


def closure_of(function: Any) -> Mapping[str, Any]:
    """The variables that a function closes over, by name."""
    try:
        return inspect.getclosurevars(function).nonlocals
    except (TypeError, ValueError):
        return {}


def _parameter_names(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return list(_positional_names(parameters))


def _positional_names(parameters: Any) -> Iterator[str]:
    for parameter in parameters:
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return
        yield parameter.name


def _named_input(path: Sequence[Any], lifted: int, parameters: Sequence[str]) -> tuple[str, Role]:
    """Label and role from a path into (args, kwargs)."""
    is_keyword, rest = path[0].idx == 1, tuple(path[1:])
    if is_keyword:
        return f"kwargs{pytree.keystr(rest)}", Role.INPUT
    position = rest[0].idx
    if position < lifted:
        return str(rest[1].key), (Role.PARAMETER, Role.BUFFER)[position]
    inner = pytree.keystr(rest[1:])
    if position < len(parameters):
        return f"{parameters[position]}{inner}", Role.INPUT
    return f"args[{position - lifted}]{inner}", Role.INPUT
