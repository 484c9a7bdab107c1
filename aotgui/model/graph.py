"""A traced graph as columns with one string table.

A graph crosses the pipe, lives in the window, is laid out, painted and exported in this one form. Columns
of small integers decode ten times faster than one object a node, and the layout and the canvas read them
as arrays. ``Graph.node`` builds the readable view of a single node when a person asks for one.

Terms are those of the design: side, fate, role, provenance. The ``output`` node of ``torch.fx`` is not a
node here: each returned value is an ``Output`` that marks the node that computes it.
"""

from __future__ import annotations

from collections import Counter
from enum import IntEnum, StrEnum
from functools import cached_property

import msgspec


class GraphKind(StrEnum):
    """Which of a region's graphs."""

    JOINT = "joint"
    FORWARD = "forward"
    BACKWARD = "backward"
    INFERENCE = "inference"


class Op(IntEnum):
    """The ``torch.fx`` opcode of a node."""

    PLACEHOLDER = 0
    GET_ATTR = 1
    CALL_FUNCTION = 2
    CALL_METHOD = 3
    CALL_MODULE = 4


class Side(IntEnum):
    """On which side of the partition a node was traced."""

    FORWARD = 0
    BACKWARD = 1

    @property
    def label(self) -> str:
        """The word shown to people."""
        return self.name.lower()


class Fate(IntEnum):
    """What the partitioner made of a node of the joint graph.

    Attributes:
        SAVED: computed (or received) in forward and passed to backward.
        RECOMPUTED: runs in both halves.
        FORWARD_ONLY: runs in forward, is not passed on.
        BACKWARD_ONLY: traced in backward and runs there.
        MOVED: traced in forward, runs only in backward.
        ELIMINATED: in neither half.
    """

    SAVED = 0
    RECOMPUTED = 1
    FORWARD_ONLY = 2
    BACKWARD_ONLY = 3
    MOVED = 4
    ELIMINATED = 5

    @property
    def label(self) -> str:
        """The words shown to people, also the key in the JSON report."""
        return self.name.lower().replace("_", " ")


class Role(IntEnum):
    """What a node stands for."""

    OPERATOR = 0
    PARAMETER = 1
    BUFFER = 2
    INPUT = 3
    TANGENT = 4
    CONSTANT = 5
    SYMBOLIC_SIZE = 6
    RNG_STATE = 7
    SAVED_VALUE = 8
    EFFECT_TOKEN = 9

    @property
    def label(self) -> str:
        """The words shown to people."""
        return self.name.lower().replace("_", " ")


class OutputKind(IntEnum):
    """Why a value is returned."""

    OUTPUT = 0
    GRADIENT = 1
    SAVED = 2
    MUTATION = 3
    OTHER = 4

    @property
    def label(self) -> str:
        """The words shown to people."""
        return ("output", "gradient", "saved for backward", "updated input", "internal")[self]


class TensorInfo(msgspec.Struct, frozen=True, gc=False):
    """What is known of a value without computing it.

    Attributes:
        shape: sizes; a symbolic size is its expression as text.
        dtype: without the ``torch.`` prefix; for a value that is no tensor its Python type
            (``SymInt``, ``int``, ``Generator``).
        strides: in elements, of the same length as ``shape``; empty where the layout has none.
        device: ``cpu``, ``cuda:0``; empty for a value that is no tensor.
        size_bytes: number of elements times element size, symbolic sizes by their hint; 0 if no tensor.
        requires_grad: whether the traced value requires a gradient.
    """

    shape: tuple[int | str, ...]
    dtype: str
    strides: tuple[int | str, ...] = ()
    device: str = ""
    size_bytes: int = 0
    requires_grad: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether this describes a tensor."""
        return bool(self.device)

    def __str__(self) -> str:
        """``float32[4, 16]``, or the bare type of a value that is no tensor."""
        if not self.is_tensor:
            return self.dtype
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


class Frame(msgspec.Struct, frozen=True, gc=False):
    """One Python frame of the user's stack.

    Attributes:
        file: absolute path.
        line: 1-based.
        function: name of the function.
        is_user: False for an installed library (``transformers``); torch's own frames are never kept.
    """

    file: str
    line: int
    function: str
    is_user: bool = True


class Output(msgspec.Struct, frozen=True, gc=False):
    """One value that a graph returns.

    Attributes:
        node: index of the node that computes it; -1 where the graph returns a constant such as None.
        kind: why it is returned.
        label: the name a person would use: ``out[0]``, ``gradient of layers.0.weight``.
    """

    node: int
    kind: OutputKind
    label: str


class Node(msgspec.Struct, frozen=True):
    """A readable view of one node, built by ``Graph.node``.

    Attributes:
        index: position in the graph, which is also an execution order.
        name: unique in the graph, as torch prints it.
        op: the ``torch.fx`` opcode.
        target: ``aten.mm.default``, the attribute or the placeholder's name.
        schema: the operator's schema as text, or empty.
        label: human name of a placeholder or constant (``layers.0.weight``), or empty.
        role: what it stands for.
        side: forward or backward.
        fate: what the partitioner made of it.
        seq_nr: autograd sequence number that ties a backward node to its forward one; -1 without.
        module: path of the module that ran it (``layers.0.attn``), or empty.
        values: one entry for a tensor, several for an operator that returns a tuple.
        arguments: name and text of each argument; nodes are written ``%name``.
        inputs: indexes of the nodes it reads, in argument order, each once.
        users: indexes of the nodes that read it, in order.
        stack: frames from the outermost to the innermost; empty where nothing is known.
        outputs: why and under which name its value is returned.
        policy: the checkpoint policy that applies to it, or empty.
    """

    index: int
    name: str
    op: Op
    target: str
    schema: str
    label: str
    role: Role
    side: Side
    fate: Fate
    seq_nr: int
    module: str
    values: tuple[TensorInfo, ...]
    arguments: tuple[tuple[str, str], ...]
    inputs: tuple[int, ...]
    users: tuple[int, ...]
    stack: tuple[Frame, ...]
    outputs: tuple[Output, ...]
    policy: str = ""

    @property
    def size_bytes(self) -> int:
        """Bytes of the value; 0 for a tuple, whose items are nodes of their own."""
        return self.values[0].size_bytes if len(self.values) == 1 else 0

    @property
    def source(self) -> Frame | None:
        """The user's own innermost frame, else the innermost library frame, else None."""
        return user_frame(self.stack)

    @property
    def title(self) -> str:
        """The human name where there is one, else the node's name."""
        return self.label or self.name


class Graph(msgspec.Struct, frozen=True, kw_only=True, dict=True, weakref=True):
    """One graph as columns; every list but the tables and edges has one entry a node.

    Attributes:
        kind: joint, forward, backward or inference.
        strings: the string table; index -1 stands for "none" in every column.
        names: the nodes' names, unique.
        ops: ``Op`` values.
        targets: string indexes.
        roles: ``Role`` values.
        sides: ``Side`` values.
        fates: ``Fate`` values.
        seq_nrs: autograd sequence numbers or -1.
        origins: index of the joint graph's node that this one is a copy of, or -1; in the joint graph its own index.
        labels: string indexes of human names or -1.
        modules: string indexes of module paths or -1.
        stacks: indexes into ``stack_table`` or -1.
        values: for each node indexes into ``tensor_table``.
        arguments: for each node string indexes, name and text alternating.
        edge_sources: node indexes, edges sorted by target and then by argument order, no duplicates.
        edge_targets: node indexes, non-decreasing.
        outputs: what the graph returns, in order.
        stack_table: distinct stacks, each a list of indexes into ``frame_table``, outermost first.
        frame_table: distinct frames.
        tensor_table: distinct tensor descriptions.
        schemas: target to schema text.
        module_types: module path to class name.
        policies: string indexes of the checkpoint policy that tracing noted on a node (``MUST_SAVE``), or -1; empty
            where no node has one.
        storages: for each value of each node the index of its storage among the region's ``storage_bytes``, or -1;
            values that share memory have the same. Empty for a joint graph, whose nodes are never alive together.
        subgraphs: graphs that higher-order operators run (``cond``, ``while_loop``, checkpoint regions), by the target
            of the ``get_attr`` node that stands for them.
        code: the graph as Python source.
    """

    kind: GraphKind
    strings: list[str]
    names: list[str]
    ops: list[int]
    targets: list[int]
    roles: list[int]
    sides: list[int]
    fates: list[int]
    seq_nrs: list[int]
    origins: list[int]
    labels: list[int]
    modules: list[int]
    stacks: list[int]
    values: list[list[int]]
    arguments: list[list[int]]
    edge_sources: list[int]
    edge_targets: list[int]
    outputs: list[Output] = []
    stack_table: list[list[int]] = []
    frame_table: list[Frame] = []
    tensor_table: list[TensorInfo] = []
    schemas: dict[str, str] = {}
    module_types: dict[str, str] = {}
    policies: list[int] = []
    storages: list[list[int]] = []
    subgraphs: dict[str, Graph] = {}
    code: str = ""

    def __len__(self) -> int:
        """Number of nodes without the output node."""
        return len(self.names)

    @property
    def node_count(self) -> int:
        """Number of nodes as torch counts them: with the output node."""
        return len(self.names) + 1

    @property
    def edge_count(self) -> int:
        """Number of distinct node-to-node edges, the output node's included."""
        return len(self.edge_sources) + len({out.node for out in self.outputs if out.node >= 0})

    @cached_property
    def index_of(self) -> dict[str, int]:
        """Node name to index."""
        return {name: index for index, name in enumerate(self.names)}

    @cached_property
    def _inputs(self) -> list[list[int]]:
        inputs: list[list[int]] = [[] for _ in self.names]
        for source, target in zip(self.edge_sources, self.edge_targets, strict=True):
            inputs[target].append(source)
        return inputs

    @cached_property
    def _users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self.names]
        for source, target in zip(self.edge_sources, self.edge_targets, strict=True):
            users[source].append(target)
        return users

    @cached_property
    def _outputs_of(self) -> dict[int, list[Output]]:
        by_node: dict[int, list[Output]] = {}
        for output in self.outputs:
            by_node.setdefault(output.node, []).append(output)
        return by_node

    def string(self, index: int) -> str:
        """The string at ``index``; empty for -1."""
        return self.strings[index] if index >= 0 else ""

    def inputs(self, index: int) -> list[int]:
        """Indexes of the nodes that ``index`` reads, in argument order."""
        return self._inputs[index]

    def users(self, index: int) -> list[int]:
        """Indexes of the nodes that read ``index``, in order."""
        return self._users[index]

    def target(self, index: int) -> str:
        """The target of a node as text."""
        return self.strings[self.targets[index]]

    def label(self, index: int) -> str:
        """The human name of a node, or empty."""
        return self.string(self.labels[index])

    def title(self, index: int) -> str:
        """The human name of a node where it has one, else its name."""
        return self.string(self.labels[index]) or self.names[index]

    def module(self, index: int) -> str:
        """The module path of a node, or empty."""
        return self.string(self.modules[index])

    def tensors(self, index: int) -> list[TensorInfo]:
        """What is known of the node's value or values."""
        return [self.tensor_table[i] for i in self.values[index]]

    def policy(self, index: int) -> str:
        """The checkpoint policy that tracing noted on a node, or empty."""
        return self.string(self.policies[index]) if self.policies else ""

    def size_bytes(self, index: int) -> int:
        """Bytes of the node's value; 0 for tuples and non-tensors."""
        value = self.values[index]
        return self.tensor_table[value[0]].size_bytes if len(value) == 1 else 0

    def stack(self, index: int) -> list[Frame]:
        """Frames of a node from the outermost to the innermost."""
        stack = self.stacks[index]
        return [self.frame_table[i] for i in self.stack_table[stack]] if stack >= 0 else []

    def source(self, index: int) -> Frame | None:
        """The user's own innermost frame of a node, else the innermost library frame, else None."""
        return user_frame(self.stack(index))

    @cached_property
    def nodes_by_line(self) -> dict[tuple[str, int], list[int]]:
        """For each (file, line) the nodes whose stack contains it, in graph order."""
        stack_nodes: dict[int, list[int]] = {}
        for node, stack in enumerate(self.stacks):
            if stack >= 0:
                stack_nodes.setdefault(stack, []).append(node)
        by_line: dict[tuple[str, int], list[int]] = {}
        for stack, nodes in stack_nodes.items():
            places = {(self.frame_table[i].file, self.frame_table[i].line) for i in self.stack_table[stack]}
            for place in places:
                by_line.setdefault(place, []).extend(nodes)
        return {place: sorted(nodes) for place, nodes in by_line.items()}

    def outputs_of(self, index: int) -> list[Output]:
        """Under which names a node's value is returned."""
        return self._outputs_of.get(index, [])

    def fate_counts(self) -> dict[Fate, int]:
        """How many nodes have each fate, in the order of ``Fate``; absent fates are 0."""
        counts = Counter(self.fates)
        return {fate: counts[fate] for fate in Fate}

    def build_tables(self) -> None:
        """Builds what views look nodes up in, on whatever thread has the time."""
        _ = self.index_of, self.nodes_by_line, self._inputs, self._users

    def node(self, index: int) -> Node:
        """The readable view of one node.

        Raises:
            IndexError: there is no such node.
        """
        if not 0 <= index < len(self.names):
            raise IndexError(f"the {self.kind} graph has no node {index}")
        texts = [self.strings[i] for i in self.arguments[index]]
        target = self.target(index)
        return Node(
            index=index,
            name=self.names[index],
            op=Op(self.ops[index]),
            target=target,
            schema=self.schemas.get(target, ""),
            label=self.label(index),
            role=Role(self.roles[index]),
            side=Side(self.sides[index]),
            fate=Fate(self.fates[index]),
            seq_nr=self.seq_nrs[index],
            module=self.module(index),
            values=tuple(self.tensors(index)),
            arguments=tuple(zip(texts[::2], texts[1::2], strict=True)),
            inputs=tuple(self._inputs[index]),
            users=tuple(self._users[index]),
            stack=tuple(self.stack(index)),
            outputs=tuple(self.outputs_of(index)),
            policy=self.policy(index),
        )


def user_frame(stack: tuple[Frame, ...] | list[Frame]) -> Frame | None:
    """The innermost frame in the user's own files, else the innermost one, else None."""
    for frame in reversed(stack):
        if frame.is_user:
            return frame
    return stack[-1] if stack else None
