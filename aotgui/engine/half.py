"""One half of a captured region: the pristine graph module, its columns, and the call that was recorded.

Everything that happens after tracing (compiling, stepping, exporting) works on a ``Half``. The graph module in it is
what the partitioner returned and is never changed: compilers mutate what they are given (``strip_overloads``), so
they get a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import torch
from torch import fx

from aotgui.engine.expectations import Expectations
from aotgui.engine.node_plan import GraphPlan, written_arguments
from aotgui.engine.writes import writes_of
from aotgui.model.capture import Problem
from aotgui.model.graph import Graph, GraphKind, Op

FlatCall = Callable[[list[Any]], Sequence[Any]]
"""Takes the flat arguments in a list, which it may clear, and returns the flat outputs."""


@dataclass(frozen=True)
class Step:
    """One step of a compiler.

    Attributes:
        name: what it does.
        seconds: how long it took.
        show: gives readable text of the graph after it.
        language: of the text, a Pygments alias.
    """

    name: str
    seconds: float
    show: Callable[[], str]
    language: str = "text"


@dataclass(frozen=True)
class Compiled:
    """What a compiler made of a half.

    Attributes:
        call: runs it; raises what the compiled code raises.
        script: the ScriptModule that can be saved, or None.
        show: gives readable text of what came out; asked only where somebody reads it.
        language: of the text, a Pygments alias.
        steps: what the compiler did, in order, where that can be told.
        seconds: how long it took.
        warnings: what it warned of, each once.
        problem: why the compiler that was chosen refused the graph, which runs uncompiled; None where it did not.
    """

    call: FlatCall
    script: torch.jit.ScriptModule | None = None
    show: Callable[[], str] = str
    language: str = "python"
    steps: tuple[Step, ...] = ()
    seconds: float = 0.0
    warnings: tuple[str, ...] = ()
    problem: Problem | None = None

    @cached_property
    def artifact(self) -> str:
        """Readable text of what came out, or empty."""
        return self.show()


@dataclass(frozen=True)
class RandomState:
    """State of torch's random generators.

    Attributes:
        cpu: of the CPU generator.
        cuda: of each CUDA device.
    """

    cpu: torch.Tensor
    cuda: list[torch.Tensor]

    @classmethod
    def now(cls) -> RandomState:
        """The state of this moment."""
        has_cuda = torch.cuda.is_initialized()  # type: ignore[no-untyped-call] # untyped in torch
        return cls(torch.get_rng_state(), torch.cuda.get_rng_state_all() if has_cuda else [])

    def equals(self, other: RandomState) -> bool:
        """Whether both give the same numbers."""
        return torch.equal(self.cpu, other.cpu) and all(map(torch.equal, self.cuda, other.cuda))

    def restore(self) -> None:
        """Makes the generators continue from here."""
        torch.set_rng_state(self.cpu)
        if self.cuda:
            torch.cuda.set_rng_state_all(self.cuda)


@dataclass
class Half:
    """One graph that AOT Autograd would hand to a compiler.

    Attributes:
        kind: forward, backward or inference.
        module: as partitioned; never mutated.
        example_inputs: one entry a placeholder: a fake tensor, a symbolic size, or a Python number.
        graph: the same graph as columns; node ``i`` of it is ``nodes[i]``.
        recorded: the flat arguments of the clean run, or None while there was none.
        random_state: of the generators when that call began.
        compiled: what the compiler made of it, or None.
    """

    kind: GraphKind
    module: fx.GraphModule
    example_inputs: list[Any]
    graph: Graph
    recorded: list[Any] | None = None
    random_state: RandomState | None = None
    compiled: Compiled | None = field(default=None, repr=False)

    @cached_property
    def nodes(self) -> list[fx.Node]:
        """The nodes without the output node, in order: index ``i`` is node ``i`` of ``graph``."""
        return [node for node in self.module.graph.nodes if node.op != "output"]

    @cached_property
    def plan(self) -> GraphPlan:
        """How its nodes are run one by one."""
        return GraphPlan.of(self.module)

    @cached_property
    def sizes(self) -> list[int]:
        """Bytes of each node's value, as traced."""
        return [self.graph.size_bytes(index) for index in range(len(self.graph))]

    @cached_property
    def expectations(self) -> Expectations:
        """What was traced of each node's value; bound to the arguments of a call before it is asked."""
        return Expectations(self.module.graph)

    @cached_property
    def mutated(self) -> frozenset[int]:
        """Positions of the arguments that running the graph may write to."""
        return frozenset(mutated_positions(self.module.graph))

    @cached_property
    def updated(self) -> frozenset[int]:
        """Positions of the arguments that AOT Autograd gives new values, outputs of the graph, once it has run."""
        names = set(writes_of(self.graph).by_output)
        placeholders = (index for index, op in enumerate(self.graph.ops) if op == Op.PLACEHOLDER)
        return frozenset(position for position, index in enumerate(placeholders) if self.graph.label(index) in names)

    def record(self, args: Sequence[Any]) -> None:
        """Remembers a call that is about to happen: its arguments, and the state of the random generator."""
        self.random_state = RandomState.now()
        self.recorded = _copied(args, self.mutated | self.updated)

    def fresh_args(self) -> list[Any]:
        """The recorded arguments, those copied that running the graph may write to.

        Raises:
            ValueError: nothing was recorded.
        """
        if self.recorded is None:
            raise ValueError(f"the {self.kind} graph has not been run yet")
        return self.protected(self.recorded)

    def protected(self, args: Sequence[Any]) -> list[Any]:
        """The arguments, with copies of those that running the graph may write to."""
        return _copied(args, self.mutated)

    def module_copy(self) -> fx.GraphModule:
        """A graph module that a compiler may change."""
        return copy_module(self.module)


def _copied(args: Sequence[Any], positions: frozenset[int]) -> list[Any]:
    return [
        arg.detach().clone() if position in positions and isinstance(arg, torch.Tensor) else arg
        for position, arg in enumerate(args)
    ]


def copy_module(module: fx.GraphModule) -> fx.GraphModule:
    """Copies the graph with its ``meta`` and the graphs of submodules; tensors are shared.

    WORKAROUND torch 2.13: ``copy.deepcopy`` raises under a fake mode as soon as the module holds a tensor constant
    ("Attempted to set the storage of a tensor on device "meta" ...").
    """
    graph = fx.Graph()
    copies: dict[fx.Node, fx.Node] = {}
    returned = graph.graph_copy(module.graph, copies)
    output = next(reversed(module.graph.nodes))
    graph.output(returned).meta = dict(output.meta)
    graph.set_codegen(module.graph._codegen)
    copied = fx.GraphModule(module, graph, class_name=type(module).__name__)
    copied.meta = dict(module.meta)
    for name, child in module.named_children():
        if isinstance(child, fx.GraphModule) and hasattr(copied, name):
            setattr(copied, name, copy_module(child))
    return copied


def mutated_positions(graph: fx.Graph) -> Iterator[int]:
    """Positions of the placeholders that reach an argument which an operator writes to."""
    written = {node for node in graph.nodes for node in written_arguments(node)}
    reached: set[fx.Node] = set()
    while written:
        node = written.pop()
        if node not in reached:
            reached.add(node)
            written.update(node.all_input_nodes)
    placeholders = graph.find_nodes(op="placeholder")
    return (position for position, node in enumerate(placeholders) if node in reached)
