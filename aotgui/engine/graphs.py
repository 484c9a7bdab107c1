"""From ``torch.fx`` graphs to the columns that the window shows, with human names, sides and fates.

Identity across the partition: each node of the joint graph gets its index in ``node.meta[ORIGIN_META]`` before the
partitioner runs. Partitioners copy nodes together with their meta, so both halves tell which joint node theirs is
a copy of, whatever they renamed, merged or removed. Where a copy lost its meta, its name decides.

"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import torch
from torch import fx

from aotgui.engine.names import Names
from aotgui.engine.provenance import module_of, parse_stack
from aotgui.model.graph import Fate, Frame, Graph, GraphKind, Op, Output, Role, Side, TensorInfo

ORIGIN_META: Final = "aotgui_origin"

T = TypeVar("T")

_NODE_COLUMNS: Final = (
    "names",
    "ops",
    "targets",
    "roles",
    "seq_nrs",
    "labels",
    "modules",
    "stacks",
    "values",
    "arguments",
    "edge_sources",
    "edge_targets",
)

_OPS: Final = {
    "placeholder": Op.PLACEHOLDER,
    "get_attr": Op.GET_ATTR,
    "call_function": Op.CALL_FUNCTION,
    "call_method": Op.CALL_METHOD,
    "call_module": Op.CALL_MODULE,
}


@dataclass
class _Table(Generic[T]):
    """Distinct values and the index of each."""

    items: list[T] = field(default_factory=list)
    index_of: dict[Any, int] = field(default_factory=dict)

    def add(self, item: T, key: Any = None) -> int:
        key = item if key is None else key
        index = self.index_of.get(key)
        if index is None:
            index = self.index_of[key] = len(self.items)
            self.items.append(item)
        return index


def hint(size: Any) -> int:
    """A size as a number: a symbolic one by its hint, 0 where it has none (data-dependent sizes)."""
    if isinstance(size, int):
        return size
    node = getattr(size, "node", None)
    value = getattr(node, "hint", None) if node is not None and node.has_hint() else None
    return int(value) if value is not None else 0


def _plain_size(size: Any) -> int | str:
    return size if isinstance(size, int) else str(size)


def tensor_info(value: Any) -> TensorInfo:
    """What is known of a value, fake or real."""
    if not isinstance(value, torch.Tensor):
        return TensorInfo((), type(value).__name__)
    strided = value.layout is torch.strided and not value.is_nested
    shape = tuple(_plain_size(size) for size in value.shape)
    return TensorInfo(
        shape=shape,
        dtype=str(value.dtype).removeprefix("torch."),
        strides=tuple(_plain_size(stride) for stride in value.stride()) if strided else (),
        device=str(value.device),
        size_bytes=math.prod(hint(size) for size in value.shape) * value.element_size(),
        requires_grad=value.requires_grad,
    )


def values_of(node: fx.Node) -> list[Any]:
    """The node's traced value, the items of one that returns a tuple, or nothing where none is known."""
    value = node.meta.get("val")
    if isinstance(value, (tuple, list)):
        return list(value)
    return [] if value is None and node.op != "placeholder" else [value]


def target_text(node: fx.Node) -> str:
    """``aten.mm.default`` for an operator, ``getitem`` for a builtin, the name otherwise."""
    target = node.target
    if isinstance(target, str):
        return target
    if isinstance(target, torch._ops.OpOverload | torch._ops.HigherOrderOperator):
        return str(target)
    module = getattr(target, "__module__", "") or ""
    name = getattr(target, "__name__", None) or str(target)
    return name if module in ("_operator", "builtins", "math") else f"{module}.{name}"


def _argument_text(argument: Any) -> str:
    if isinstance(argument, fx.Node):
        return f"%{argument.name}"
    if isinstance(argument, (list, tuple)):
        return f"[{', '.join(map(_argument_text, argument))}]"
    if isinstance(argument, dict):
        return f"{{{', '.join(f'{key}: {_argument_text(value)}' for key, value in argument.items())}}}"
    if isinstance(argument, torch.dtype | torch.layout | torch.memory_format):
        return str(argument).removeprefix("torch.")
    return str(argument) if not isinstance(argument, str) else repr(argument)


def _argument_pairs(node: fx.Node) -> Iterable[tuple[str, str]]:
    schema = getattr(node.target, "_schema", None)
    names = [argument.name for argument in schema.arguments] if schema is not None else []
    for position, argument in enumerate(node.args):
        yield names[position] if position < len(names) else f"{position}", _argument_text(argument)
    for name, argument in node.kwargs.items():
        yield name, _argument_text(argument)


class _Columns:
    """Fills the columns of one graph, node by node."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self.strings: _Table[str] = _Table()
        self.frames: _Table[Frame] = _Table()
        self.stacks: _Table[list[int]] = _Table()
        self.tensors: _Table[TensorInfo] = _Table()
        self.schemas: dict[str, str] = {}
        self.module_types: dict[str, str] = {}
        self.columns: dict[str, list[Any]] = {name: [] for name in _NODE_COLUMNS}
        self.index_of: dict[fx.Node, int] = {}

    def add(self, node: fx.Node) -> None:
        columns = self.columns
        index = self.index_of[node] = len(columns["names"])
        label, role = self._label_and_role(node)
        target = target_text(node)
        self._add_schema(target, node)
        columns["names"].append(node.name)
        columns["ops"].append(int(_OPS[node.op]))
        columns["targets"].append(self.strings.add(target))
        columns["roles"].append(int(role))
        columns["seq_nrs"].append(node.meta.get("seq_nr", -1))
        columns["labels"].append(self.strings.add(label) if label else -1)
        columns["modules"].append(self._module(node))
        columns["stacks"].append(self._stack(node))
        columns["values"].append([self.tensors.add(tensor_info(value)) for value in values_of(node)])
        columns["arguments"].append([self.strings.add(text) for pair in _argument_pairs(node) for text in pair])
        for source in node.all_input_nodes:
            columns["edge_sources"].append(self.index_of[source])
            columns["edge_targets"].append(index)

    def _label_and_role(self, node: fx.Node) -> tuple[str, Role]:
        if node.op == "get_attr":
            return str(node.target), Role.CONSTANT
        if node.op != "placeholder":
            symbolic = isinstance(node.meta.get("val"), torch.SymInt)
            return "", Role.SYMBOLIC_SIZE if symbolic else Role.OPERATOR
        desc = node.meta.get("desc")
        label, role = self._names.of_input(desc) if desc is not None else ("", Role.SAVED_VALUE)
        if isinstance(node.meta.get("val"), torch.SymInt):
            role = Role.SYMBOLIC_SIZE
        return label, role

    def _add_schema(self, target: str, node: fx.Node) -> None:
        if target not in self.schemas and (schema := getattr(node.target, "_schema", None)) is not None:
            self.schemas[target] = str(schema)

    def _module(self, node: fx.Node) -> int:
        path, kind = module_of(node.meta)
        if not path:
            return -1
        path = self._names.of_module(path)
        self.module_types.setdefault(path, kind)
        return self.strings.add(path)

    def _stack(self, node: fx.Node) -> int:
        text = node.meta.get("stack_trace")
        if not text:
            return -1
        known = self.stacks.index_of.get(text)
        if known is not None:
            return known
        frames = parse_stack(text)
        return self.stacks.add([self.frames.add(frame) for frame in frames], key=text) if frames else -1


def graph_of(
    module: fx.GraphModule,
    kind: GraphKind,
    names: Names,
    *,
    outputs: Sequence[Output] | None = None,
    with_code: bool = True,
) -> Graph:
    """The columns of a graph; fates are still to be set where there is a partition (``with_fates``).

    Args:
        module: the graph; node ``i`` of the result is its ``i``-th node that is not the output.
        kind: which graph of a region it is.
        names: human names.
        outputs: what it returns, where the caller knows better than the output node's descriptors.
        with_code: whether to generate the Python text, which takes as long as everything else.
    """
    columns = _Columns(names)
    nodes = [node for node in module.graph.nodes if node.op != "output"]
    for node in nodes:
        columns.add(node)
    sides = _sides(nodes, kind)
    alone = Fate.FORWARD_ONLY if kind is not GraphKind.BACKWARD else Fate.BACKWARD_ONLY
    return Graph(
        kind=kind,
        strings=columns.strings.items,
        sides=[int(side) for side in sides],
        fates=[int(alone)] * len(nodes),
        origins=_origins(nodes, kind),
        outputs=list(outputs) if outputs is not None else _outputs(module, columns.index_of, names),
        stack_table=columns.stacks.items,
        frame_table=columns.frames.items,
        tensor_table=columns.tensors.items,
        schemas=columns.schemas,
        module_types=columns.module_types,
        policies=_policies(nodes, columns.strings),
        subgraphs=_subgraphs(module, kind),
        code=code_of(module) if with_code else "",
        **columns.columns,
    )


def _policies(nodes: Sequence[fx.Node], strings: _Table[str]) -> list[int]:
    """Checkpoint policies by node; empty where no node has one."""
    names = [getattr(node.meta.get("recompute"), "name", "") for node in nodes]
    return [strings.add(name) if name else -1 for name in names] if any(names) else []


def symbols_of(module: fx.GraphModule) -> dict[str, int]:
    """The symbols in the sizes of a graph's inputs, each with its value in the traced call."""
    symbols: dict[str, int] = {}
    for node in module.graph.find_nodes(op="placeholder"):
        value = node.meta.get("val")
        sizes = value.shape if isinstance(value, torch.Tensor) else (value,)
        symbols.update((str(size), hint(size)) for size in sizes if isinstance(size, torch.SymInt))
    return symbols


def _subgraphs(module: fx.GraphModule, kind: GraphKind) -> dict[str, Graph]:
    """The graphs that higher-order operators of this graph run, by the name of the attribute that holds them."""
    wanted = dict.fromkeys(str(node.target) for node in module.graph.find_nodes(op="get_attr"))
    found = {name: getattr(module, name, None) for name in wanted}
    return {name: graph_of(inner, kind, Names()) for name, inner in found.items() if isinstance(inner, fx.GraphModule)}


def code_of(module: fx.GraphModule) -> str:
    """The graph as readable Python with types; empty where torch cannot print it."""
    try:
        return module.print_readable(print_output=False)
    except Exception:
        return module.code if isinstance(module.code, str) else ""


def output_arguments(module: fx.GraphModule) -> list[Any]:
    """What the output node returns, flat."""
    output = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    values = output.args[0]
    return list(values) if isinstance(values, (list, tuple)) else [values]


def output_descriptors(module: fx.GraphModule) -> list[Any]:
    """The descriptors of what the output node returns; empty where torch gave none."""
    output = next(node for node in reversed(module.graph.nodes) if node.op == "output")
    descriptors = output.meta.get("desc")
    return list(descriptors) if isinstance(descriptors, (list, tuple)) else []


def _outputs(module: fx.GraphModule, index_of: dict[fx.Node, int], names: Names) -> list[Output]:
    values, descriptors = output_arguments(module), output_descriptors(module)
    descriptors += [None] * (len(values) - len(descriptors))
    found = []
    for position, (value, desc) in enumerate(zip(values, descriptors, strict=False)):
        label, kind = names.of_output(desc)
        if desc is None and value is not None:
            label = f"output {position}"
        found.append(Output(index_of[value] if isinstance(value, fx.Node) else -1, kind, label))
    return found


def _origins(nodes: Sequence[fx.Node], kind: GraphKind) -> list[int]:
    if kind in (GraphKind.JOINT, GraphKind.INFERENCE):
        return list(range(len(nodes)))
    return [node.meta.get(ORIGIN_META, -1) for node in nodes]


def mark_origins(module: fx.GraphModule) -> None:
    """Write into each node of a joint graph which one it is."""
    for index, node in enumerate(node for node in module.graph.nodes if node.op != "output"):
        node.meta[ORIGIN_META] = index


def _sides(nodes: Sequence[fx.Node], kind: GraphKind) -> list[Side]:
    """Backward is what torch tagged so, and all that depends on a tangent."""
    backward: set[fx.Node] = set()
    for node in nodes:
        tagged = node.meta.get("partitioner_tag") in ("is_backward", "must_be_in_backward")
        tangent = type(node.meta.get("desc")).__name__ == "TangentAOTInput"
        if tagged or tangent or any(source in backward for source in node.all_input_nodes):
            backward.add(node)
    if kind is GraphKind.INFERENCE:
        return [Side.FORWARD] * len(nodes)
    return [Side.BACKWARD if node in backward else Side.FORWARD for node in nodes]
