"""The words on a node's box: the same on the canvas and in exported pictures."""

from __future__ import annotations

from typing import Final

from aotgui.model.graph import Graph, Role, TensorInfo

SHORT_DTYPES: Final = {
    "float64": "f64", "float32": "f32", "float16": "f16", "bfloat16": "bf16", "int64": "i64", "int32": "i32",
    "int16": "i16", "int8": "i8", "uint8": "u8", "bool": "b8", "complex64": "c64", "complex128": "c128",
}  # fmt: skip


def short_type(info: TensorInfo) -> str:
    """``f32[4, 16]``, as torch's generated code writes it."""
    dtype = SHORT_DTYPES.get(info.dtype, info.dtype)
    return f"{dtype}[{', '.join(map(str, info.shape))}]" if info.is_tensor else dtype


def short_operator(target: str) -> str:
    """``aten.native_layer_norm.default`` as ``native_layer_norm``, ``<built-in function getitem>`` as ``getitem``."""
    parts = target.removeprefix("<built-in function ").removesuffix(">").split(".")
    return parts[-2] if len(parts) > 2 else parts[-1]


def node_subtitle(graph: Graph, node: int) -> str:
    """Role or operator, where the name does not say it already, and the type of the value."""
    values = graph.values[node]
    value = short_type(graph.tensor_table[values[0]]) if len(values) == 1 else f"{len(values)} values" if values else ""
    role = Role(graph.roles[node])
    word = role.label if role is not Role.OPERATOR else short_operator(graph.target(node))
    stem = graph.names[node].rstrip("0123456789").rstrip("_")
    return value if word.strip("_") == stem.strip("_") and value else f"{word} {value}".strip()
