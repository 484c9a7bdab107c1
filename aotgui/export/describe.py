"""A node in words, for tooltips of pictures."""

from __future__ import annotations

from typing import Final

from aotgui.model.graph import Fate, Graph, OutputKind, Role, Side
from aotgui.model.text import bytes_text

MARK_WORDS: Final = {OutputKind.OUTPUT: "out", OutputKind.GRADIENT: "grad", OutputKind.MUTATION: "upd"}


def tooltip(graph: Graph, index: int) -> str:
    """Name, operator, shape and bytes, fate, module, source line and what it is returned as, a line each."""
    target, label = graph.target(index), graph.label(index)
    lines = [f"{graph.names[index]}: {label}" if label else graph.names[index]]
    role = Role(graph.roles[index])
    lines.append(target if role is Role.OPERATOR else role.label)
    tensors = graph.tensors(index)
    if tensors:
        size = graph.size_bytes(index)
        value = ", ".join(map(str, tensors))
        lines.append(f"{value}, {bytes_text(size)}" if size else value)
    lines.append(f"{Side(graph.sides[index]).label} side, {Fate(graph.fates[index]).label}")
    if module := graph.module(index):
        lines.append(f"in {module}")
    if source := graph.source(index):
        lines.append(f"{source.file}:{source.line}")
    lines += [f"returned as {output.kind.label} {output.label}".rstrip() for output in graph.outputs_of(index)]
    return "\n".join(lines)


def subtitle(graph: Graph, index: int) -> str:
    """The type of a node's value."""
    tensors = graph.tensors(index)
    return str(tensors[0]) if len(tensors) == 1 else f"{len(tensors)} values" if tensors else ""


def mark(graph: Graph, index: int) -> str:
    """The word on the tab of a value that leaves the graph towards the caller, or empty."""
    words = [MARK_WORDS[output.kind] for output in graph.outputs_of(index) if output.kind in MARK_WORDS]
    return words[0] if words else ""
