"""Graphs as Python source that needs torch alone.

Two forms: a class whose ``forward`` reads like the generated code, for people; and the construction of the graph node
by node, for compilers, which see the same node names as in the original.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final

import torch
from torch import fx

_KNOWN: Final = {
    "inf": "from math import inf",
    "nan": "from math import nan",
    "device": "from torch import device",
    "NoneType": "NoneType = type(None)",
    "fx_pytree": "import torch.fx._pytree as fx_pytree",
    "pytree": "import torch.utils._pytree as pytree",
    "torch": "",
}
"""Names that generated code uses without importing them."""


class UnwritableError(Exception):
    """A graph cannot be written as source; the text is one sentence without a full stop."""


@dataclass(frozen=True)
class Source:
    """A graph as source.

    Attributes:
        imports: lines that it needs, ``import torch`` apart.
        text: the definition.
        constants: tensors that it reads from ``constants``, by name; dicts of such for the graphs inside it.
    """

    imports: tuple[str, ...]
    text: str
    constants: dict[str, Any]


def class_source(module: fx.GraphModule, name: str) -> Source:
    """A ``torch.nn.Module`` class whose constructor takes a dict of its constants.

    Raises:
        UnwritableError: the graph calls what no import can name.
    """
    code = module.graph.python_code("self")
    body = "\n".join(f"    {line}" if line else "" for line in code.src.strip("\n").splitlines())
    inner = {key: class_source(graph, f"{name}_{key}") for key, graph in _inner_graphs(module).items()}
    constants = _all_constants(module, inner)
    lines = [f"class {name}(torch.nn.Module):", "    def __init__(self, constants):", "        super().__init__()"]
    lines += [f"        self.{key} = {_held(key, f'{name}_{key}' if key in inner else '')}" for key in constants]
    used = {key: value for key, value in code.globals.items() if re.search(rf"\b{re.escape(key)}\b", code.src)}
    return _source("\n".join(lines) + "\n\n" + body.rstrip(), used, constants, inner)


def _inner_graphs(module: fx.GraphModule) -> dict[str, fx.GraphModule]:
    """The graphs that higher-order operators of a graph run, by name."""
    names = [str(node.target) for node in module.graph.find_nodes(op="get_attr")]
    held = {name: getattr(module, name, None) for name in names}
    return {key: value for key, value in held.items() if isinstance(value, fx.GraphModule)}


def _held(key: str, inner: str) -> str:
    return f"{inner}(constants[{key!r}])" if inner else f"constants[{key!r}]"


def graph_source(module: fx.GraphModule, name: str) -> Source:
    """A function that builds the graph module node by node from a dict of its constants.

    Raises:
        UnwritableError: the graph calls what no import can name, or holds what has no source.
    """
    names = {node: f"n{position}" for position, node in enumerate(module.graph.nodes)}
    inner = {key: graph_source(graph, f"{name}_{key}") for key, graph in _inner_graphs(module).items()}
    constants = _all_constants(module, inner)
    globals_used: dict[str, Any] = {}
    lines = [f"def {name}(constants):", "    graph = torch.fx.Graph()"]
    lines += [f"    {_node_source(node, names, globals_used)}" for node in module.graph.nodes]
    built = "".join(f", {key!r}: {name}_{key}(constants[{key!r}])" for key in inner)
    lines.append(f"    return torch.fx.GraphModule({f'{{**constants{built}}}' if built else 'constants'}, graph)")
    return _source("\n".join(lines), globals_used, constants, inner)


def _source(text: str, globals_used: dict[str, Any], constants: dict[str, Any], inner: dict[str, Source]) -> Source:
    """A definition, after those of the graphs inside it.

    Raises:
        UnwritableError: it uses a name that cannot be imported.
    """
    imports = [*_imports(globals_used), *(line for source in inner.values() for line in source.imports)]
    texts = [*(source.text for source in inner.values()), text]
    return Source(tuple(dict.fromkeys(imports)), "\n\n\n".join(texts), constants)


def _all_constants(module: fx.GraphModule, inner: dict[str, Source]) -> dict[str, Any]:
    """The tensors that a graph holds, and those of the graphs inside it in dicts of their own."""
    return {**constants_of(module, inner), **{key: source.constants for key, source in inner.items()}}


def constants_of(module: fx.GraphModule, known: Collection[str] = ()) -> dict[str, Any]:
    """The tensors that a graph holds.

    Args:
        module: the graph.
        known: names of what it holds besides.

    Raises:
        UnwritableError: it holds something else.
    """
    found: dict[str, Any] = {}
    for node in module.graph.find_nodes(op="get_attr"):
        if node.target in known:
            continue
        value = getattr(module, str(node.target), None)
        if not isinstance(value, torch.Tensor):
            raise UnwritableError(f"{node.name} is {type(value).__name__}, which cannot be written as source")
        found[str(node.target)] = value.detach()
    return found


def _node_source(node: fx.Node, names: dict[fx.Node, str], globals_used: dict[str, Any]) -> str:
    if node.op == "output":
        return f"graph.output({_text(node.args[0], names)})"
    if node.op == "placeholder":
        return f"{names[node]} = graph.placeholder({node.name!r})"
    target = repr(node.target) if isinstance(node.target, str) else _target(node.target, globals_used)
    args = f"{_text(tuple(node.args), names)}, {_text(dict(node.kwargs), names)}"
    return f"{names[node]} = graph.create_node({node.op!r}, {target}, {args}, {node.name!r})"


def _target(target: Any, globals_used: dict[str, Any]) -> str:
    if isinstance(target, torch._ops.OpOverload):
        return f"torch.ops.{target}"
    if isinstance(target, torch._ops.HigherOrderOperator) and hasattr(torch.ops.higher_order, str(target)):
        return f"torch.ops.higher_order.{target}"
    module, name = getattr(target, "__module__", ""), getattr(target, "__qualname__", "")
    if isinstance(target, torch._ops.HigherOrderOperator) or not module or "<" in name or module == "__main__":
        raise UnwritableError(f"{target} cannot be written as source")
    module = module.lstrip("_") if module == "_operator" else module
    globals_used[f"import {module}"] = None
    return f"{module}.{name}"


def _text(value: Any, names: dict[fx.Node, str]) -> str:
    """An argument as source."""
    if isinstance(value, fx.Node):
        return names[value]
    if isinstance(value, tuple | list):
        items = [_text(item, names) for item in value]
        if isinstance(value, list):
            return f"[{', '.join(items)}]"
        return f"({', '.join(items)}{',' if len(items) == 1 else ''})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_text(item, names)}' for key, item in value.items())}}}"
    if isinstance(value, float) and value != value:
        return "float('nan')"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return f"float('{value}')"
    if isinstance(value, torch.device):
        return f"torch.device({str(value)!r})"
    if isinstance(value, slice):
        return f"slice({_text(value.start, names)}, {_text(value.stop, names)}, {_text(value.step, names)})"
    if value is None or isinstance(value, bool | int | float | complex | str | torch.dtype | torch.layout):
        return repr(value)
    if isinstance(value, torch.memory_format):
        return str(value)
    raise UnwritableError(f"an argument of type {type(value).__name__} cannot be written as source")


def _imports(globals_used: dict[str, Any]) -> Iterator[str]:
    """Lines that make the names of generated code known.

    Raises:
        UnwritableError: a name stands for something that cannot be imported.
    """
    for name, value in globals_used.items():
        if name in _KNOWN:
            if _KNOWN[name]:
                yield _KNOWN[name]
        elif name.startswith("import "):
            if name != "import torch":
                yield name
        elif type(value).__name__ == "module":
            yield f"import {value.__name__}"
        else:
            yield _import_of(name, value)


def _import_of(name: str, value: Any) -> str:
    module, attribute = getattr(value, "__module__", ""), getattr(value, "__qualname__", "")
    if not module or not attribute or "<" in attribute or "." in attribute or module == "__main__":
        raise UnwritableError(f"{name} ({value}) cannot be imported by a script")
    return f"from {module} import {attribute}" + ("" if attribute == name else f" as {name}")
