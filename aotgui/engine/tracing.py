"""Tracing a target through AOT Autograd, by one of three routes.

*direct*: ``aot_function`` over a flat function of (state, args, kwargs). Parameters are lifted with
``functional_call(tie_weights=True)``, which also takes models with tied weights that ``aot_module`` refuses.
*dynamic*: the same with symbolic shapes. *compile*: ``torch.compile`` with an AOT backend, one region for each
graph that Dynamo finds.

What AOT gets as compiled code are *slots*. It is the pipeline that compiles each half, outside AOT's fake mode,
so a half can be compiled again by another compiler without tracing, and stock compilers that fail under fake mode
(``ts_compile`` with tensor constants) work.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from typing import Any, cast

import torch
from torch import fx
from torch._decomp import core_aten_decompositions
from torch._functorch.aot_autograd import aot_function
from torch._functorch.compilers import default_decompositions

from aotgui.engine.calling import Harness
from aotgui.engine.dynamo_names import example_of, source_of
from aotgui.engine.errors import fault
from aotgui.engine.graphs import graph_of, symbols_of
from aotgui.engine.half import Half
from aotgui.engine.leaves import Leaves, flatten_output
from aotgui.engine.names import Names
from aotgui.engine.partition import Partition, PartitionFn, partition, partitioner_of
from aotgui.engine.provenance import plain_path, recording, recording_backward
from aotgui.engine.region_call import RegionCall
from aotgui.engine.stages import StageClock
from aotgui.engine.storages import Storages
from aotgui.engine.writes import writes_of
from aotgui.model.capture import InputEntry, SavedValue, Stage
from aotgui.model.decision import decisions_in, region_number
from aotgui.model.graph import Graph, GraphKind, Role, TensorInfo
from aotgui.model.settings import Route, Settings

CallHalf = Callable[["RegionTrace", Half, list[Any]], Sequence[Any]]


@dataclass
class RegionTrace:
    """What is known of one region while and after it is traced.

    Attributes:
        name: ``region 0``.
        names: human names of its inputs and outputs.
        graphs: by kind, filled as tracing goes on.
        halves: forward and backward, or inference.
        saved: what forward passes to backward.
        symbols: symbolic sizes with their values in the traced call.
        call: what it was called with first, where a program compiled it itself.
        partition: all that is known of the partition; None for an inference region.
        storages: which values share memory.
    """

    name: str
    names: Names
    graphs: dict[GraphKind, Graph] = field(default_factory=dict)
    halves: dict[GraphKind, Half] = field(default_factory=dict)
    saved: list[SavedValue] = field(default_factory=list)
    symbols: dict[str, int] = field(default_factory=dict)
    call: RegionCall | None = field(default=None, repr=False)
    partition: Partition | None = field(default=None, repr=False)
    storages: Storages = field(default_factory=Storages, repr=False)

    def know_partition(self, parts: Partition) -> None:
        """Takes what the partitioner made of the joint graph."""
        self.graphs, self.saved, self.partition, self.storages = parts.graphs, parts.saved, parts, parts.storages

    def inputs(self, aliases: Mapping[str, tuple[str, ...]]) -> list[InputEntry]:
        """The flat inputs as a table.

        Args:
            aliases: other names of a parameter, by its name.
        """
        graph = self.graphs.get(GraphKind.JOINT) or self.graphs.get(GraphKind.INFERENCE)
        if graph is None:
            return []
        by_output, in_place = writes_of(graph)
        written = {*by_output, *in_place}
        shown = (Role.PARAMETER, Role.BUFFER, Role.INPUT, Role.SYMBOLIC_SIZE)
        found = [index for index in range(len(graph)) if graph.ops[index] == 0 and graph.roles[index] in shown]
        return [
            InputEntry(
                position=position,
                placeholder=graph.names[index],
                label=graph.label(index),
                role=Role(graph.roles[index]).label,
                tensor=next(iter(graph.tensors(index)), TensorInfo((), "None")),
                mutated=graph.label(index) in written,
                aliases=aliases.get(graph.label(index), ()),
            )
            for position, index in enumerate(found)
        ]


def slot(trace: Trace, region: RegionTrace, half: Half) -> Callable[[list[Any]], Sequence[Any]]:
    """What AOT Autograd calls in place of compiled code: hands the call to the run under way."""

    def boxed(args: list[Any]) -> Sequence[Any]:
        owned = list(args)
        args.clear()
        return trace.call_half(region, half, owned)

    # A plain function: Dynamo wraps it with functools.wraps, which carries this mark along.
    boxed._boxed_call = True  # type: ignore[attr-defined] # torch's protocol for boxed calls
    return boxed


class RegionHooks:
    """The partition function and compilers that AOT Autograd is given for one region."""

    def __init__(self, trace: Trace, names: Names) -> None:
        self._trace = trace
        self._region = RegionTrace(f"region {len(trace.regions)}", names)

    def partition(self, joint: fx.GraphModule, *args: Any, **options: Any) -> tuple[fx.GraphModule, fx.GraphModule]:
        """A ``partition_fn`` that keeps the joint graph as traced and both halves."""
        region, trace = self._region, self._trace
        trace.regions.append(region)
        joint_graph = graph_of(joint, GraphKind.JOINT, region.names)
        region.graphs[GraphKind.JOINT] = joint_graph
        region.symbols = symbols_of(joint)
        if trace.clock.current is not Stage.TRACE:  # a later region of torch.compile
            trace.clock.begin(Stage.TRACE)
        trace.clock.switch(Stage.PARTITION, joint_graph.node_count)
        decisions = decisions_in(trace.settings.decisions, region_number(region.name))
        parts = partition(joint, joint_graph, args, options, trace.settings, region.names, trace.partitioner, decisions)
        region.know_partition(parts)
        region.halves = {
            GraphKind.FORWARD: _half(GraphKind.FORWARD, parts.forward, parts.graphs[GraphKind.FORWARD]),
            GraphKind.BACKWARD: _half(GraphKind.BACKWARD, parts.backward, parts.graphs[GraphKind.BACKWARD]),
        }
        trace.clock.end(joint_graph.node_count)
        return parts.forward, parts.backward

    def forward(self, gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[[list[Any]], Sequence[Any]]:
        """A ``fw_compiler``."""
        return self._slot(GraphKind.FORWARD, gm, example_inputs)

    def backward(self, gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[[list[Any]], Sequence[Any]]:
        """A ``bw_compiler``."""
        return self._slot(GraphKind.BACKWARD, gm, example_inputs)

    def inference(self, gm: fx.GraphModule, example_inputs: Sequence[Any]) -> Callable[[list[Any]], Sequence[Any]]:
        """An ``inference_compiler``."""
        region = self._region
        self._trace.regions.append(region)
        graph = region.storages.of(graph_of(gm, GraphKind.INFERENCE, region.names), gm)
        region.symbols = symbols_of(gm)
        region.graphs[GraphKind.INFERENCE] = graph
        region.halves[GraphKind.INFERENCE] = _half(GraphKind.INFERENCE, gm, graph)
        return self._slot(GraphKind.INFERENCE, gm, example_inputs)

    def _slot(
        self, kind: GraphKind, module: fx.GraphModule, example_inputs: Sequence[Any]
    ) -> Callable[[list[Any]], Sequence[Any]]:
        half = self._region.halves[kind]
        if [node.name for node in module.graph.nodes] != [node.name for node in half.module.graph.nodes]:
            # AOT changed the half after the partition (effect tokens, RNG functionalization); what it compiles counts.
            graph = self._region.storages.of(graph_of(module, kind, self._region.names), module)
            self._region.graphs[kind] = graph
            half = self._region.halves[kind] = _half(kind, module, graph)
        return slot(self._trace, self._region, half)


def _half(kind: GraphKind, module: fx.GraphModule, graph: Graph) -> Half:
    placeholders = [node for node in module.graph.nodes if node.op == "placeholder"]
    return Half(kind, module, [node.meta.get("val") for node in placeholders], graph)


class Trace:
    """One way of calling a target through AOT Autograd; the first call traces.

    Attributes:
        route: direct, dynamic or compile.
        settings: what was chosen.
        clock: the stages of the run that is at work.
        call_half: compiles a half once and runs it; that of the run under way.
        regions: what was traced so far.
        later: what further calls of the script, with other inputs, had to trace anew.
        partitioner: the partition function.
    """

    def __init__(
        self, harness: Harness, settings: Settings, route: Route, clock: StageClock, call_half: CallHalf
    ) -> None:
        self.route = route
        self.settings = settings
        self.clock = clock
        self.call_half = call_half
        self.regions: list[RegionTrace] = []
        self.later: list[RegionTrace] = []
        self.partitioner: PartitionFn = partitioner_of(settings, harness.target.namespace)
        self._harness = harness
        self.function = self._compiled() if route is Route.COMPILE else self._direct(route is Route.DYNAMIC)

    @property
    def all_regions(self) -> list[RegionTrace]:
        """What was traced for the first call and for later ones."""
        return [*self.regions, *self.later]

    def _direct(self, dynamic: bool) -> Callable[..., Leaves]:
        target, state = self._harness.target, self._harness.state
        module, output_names = target.module, []  # type: tuple[torch.nn.Module | None, list[str]]
        constants: dict[str, Any] = {}  # outputs that AOT cannot carry
        entries = self._harness.flat_inputs()
        hooks = RegionHooks(
            self, Names([entry.label for entry in entries], [entry.role for entry in entries], output_names)
        )

        def flat(state: dict[str, torch.Tensor], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
            with recording(module):
                if module is None:
                    output = target.call(*args, **kwargs)
                else:
                    output = torch.func.functional_call(module, state, args, kwargs, tie_weights=True)
            leaves = flatten_output(output)
            constants.update((name, value) for name, value in leaves.items() if isinstance(value, str | complex))
            output_names[:] = [name for name in leaves if name not in constants]
            return [leaves[name] for name in output_names]

        traced = aot_function(
            flat,
            hooks.forward,
            hooks.backward,
            hooks.partition,
            decompositions=decompositions_of(self.settings, target.namespace),
            keep_inference_input_mutations=self.settings.keep_inference_input_mutations,
            inference_compiler=hooks.inference,
            dynamic=dynamic or self.settings.dynamic,
            disable_functionalization=self.settings.disable_functionalization,
        )

        def call(*args: Any, **kwargs: Any) -> Leaves:
            with nullcontext() if self.regions else recording_backward():
                values = traced(state, args, kwargs)
            return Leaves({**dict(zip(output_names, values, strict=True)), **constants})

        return call

    def _compiled(self) -> Callable[..., Any]:
        from torch._dynamo.backends.common import aot_autograd

        torch._dynamo.reset()
        namer = _DynamoNamer(self._harness)

        def backend(module: fx.GraphModule, inputs: list[Any]) -> Any:
            hooks = RegionHooks(self, namer.names_of(module))
            compile_region = aot_autograd(
                fw_compiler=hooks.forward,
                bw_compiler=hooks.backward,
                inference_compiler=hooks.inference,
                partition_fn=hooks.partition,
                decompositions=decompositions_of(self.settings, self._harness.target.namespace),
                keep_inference_input_mutations=self.settings.keep_inference_input_mutations,
            )
            return compile_region(module, inputs)

        return torch.compile(self._harness.target.call, backend=backend, dynamic=self.settings.dynamic or None)


def decompositions_of(settings: Settings, namespace: Mapping[str, Any]) -> dict[Any, Callable[..., Any]] | None:
    """The decomposition table that the settings name: none, torch's, core ATen, or a dict of the user's file.

    Raises:
        UserError: there is no such table.
    """
    if settings.decompositions == "none":
        return None
    if settings.decompositions == "default":
        return dict(cast(Mapping[Any, Any], default_decompositions))
    if settings.decompositions == "core":
        return dict(core_aten_decompositions())
    own = namespace.get(settings.decompositions)
    if not isinstance(own, Mapping):
        raise fault(
            Stage.TRACE,
            f"There is no decomposition table {settings.decompositions!r}: choose none, default, core or a dict of the "
            "script.",
        )
    for operator, function in own.items():
        if not isinstance(operator, torch._ops.OperatorBase | torch._ops.OpOverloadPacket) or not callable(function):
            message = f"The decomposition table {settings.decompositions} maps {operator!r} to {function!r}"
            raise fault(Stage.TRACE, f"{message}; it has to map operators (torch.ops.aten...) to functions.")
    return dict(own)


class _DynamoNamer:
    """Human names for the placeholders of a graph that Dynamo made.

    A tensor is recognised by identity: it is a parameter, a buffer or an example input. Anything else (a size, an
    attribute) is named by the source expression that Dynamo notes on it, relative to a tensor or argument it names.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._roles = {entry.label: entry.role for entry in harness.flat_inputs()}
        module = harness.target.module
        self._modules = frozenset(path for path, _ in module.named_modules()) if module is not None else frozenset()
        self._arguments = {f"L['{name}']": label for name, label in _argument_labels(harness).items()}

    def names_of(self, module: fx.GraphModule) -> Names:
        """Names and roles by flat position."""
        nodes = [node for node in module.graph.nodes if node.op == "placeholder"]
        known = self._harness.names_of_tensors()
        labels = [known.get(id(example_of(node)), "") for node in nodes]
        expressions = {source_of(node): label for node, label in zip(nodes, labels, strict=True) if label}
        bases = {**self._arguments, **expressions}
        labels = [
            label or _relative_label(source_of(node), bases) or str(node.target)
            for node, label in zip(nodes, labels, strict=True)
        ]
        return Names(labels, [self._roles.get(label, Role.INPUT) for label in labels], modules=self._modules)


def _relative_label(expression: str, bases: Mapping[str, str]) -> str:
    """``args[0].size()[1]`` from ``L['x'].size()[1]`` where ``L['x']`` is known as ``args[0]``."""
    known = [base for base in bases if base and expression.startswith(base)]
    if not known:
        return plain_path(expression)
    base = max(known, key=len)
    return f"{bases[base]}{expression.removeprefix(base)}"


def _argument_labels(harness: Harness) -> dict[str, str]:
    """Parameter name of the target's function to ``args[0]`` or ``kwargs['mask']``."""
    target = harness.target
    function = target.module.forward if target.module is not None else target.call
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return {}
    labels = {"args": "args", "kwargs": "kwargs"}  # what wrappers around the target call them
    for position, parameter in enumerate(parameters):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
            labels[parameter.name] = "args"
        elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
            labels[parameter.name] = "kwargs"
        elif position < len(target.args):
            labels[parameter.name] = f"args[{position}]"
        else:
            labels[parameter.name] = f"kwargs['{parameter.name}']"
    return labels
