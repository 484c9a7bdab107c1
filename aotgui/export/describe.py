"""Nodes in words, for the boxes and tooltips of pictures."""

from __future__ import annotations

from typing import Final

from aotgui.model.graph import Fate, Graph, OutputKind, Role, Side, user_frame
from aotgui.model.text import bytes_text

MARK_WORDS: Final = {OutputKind.OUTPUT: "out", OutputKind.GRADIENT: "grad", OutputKind.MUTATION: "upd"}
_ROLES: Final = [role.label for role in Role]
_SIDES: Final = [side.label for side in Side]
_FATES: Final = [fate.label for fate in Fate]


class Words:
    """Words about the nodes of one graph; what many nodes share is worked out once."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._types = [str(tensor) for tensor in graph.tensor_table]
        self._places = [_place(graph, stack) for stack in graph.stack_table]

    def tooltip(self, index: int) -> str:
        """Name, operator, shape and bytes, fate, module, source line and what it is returned as, a line each."""
        graph = self._graph
        label, role, stack = graph.label(index), graph.roles[index], graph.stacks[index]
        lines = [f"{graph.names[index]}: {label}" if label else graph.names[index]]
        lines.append(graph.target(index) if role == Role.OPERATOR else _ROLES[role])
        if value := self._value(index):
            lines.append(value)
        lines.append(f"{_SIDES[graph.sides[index]]} side, {_FATES[graph.fates[index]]}")
        if module := graph.module(index):
            lines.append(f"in {module}")
        if stack >= 0 and self._places[stack]:
            lines.append(self._places[stack])
        lines += [f"returned as {output.kind.label} {output.label}".rstrip() for output in graph.outputs_of(index)]
        return "\n".join(lines)

    def mark(self, index: int) -> str:
        """The word on the tab of a value that leaves the graph towards the caller, or empty."""
        words = [MARK_WORDS[output.kind] for output in self._graph.outputs_of(index) if output.kind in MARK_WORDS]
        return words[0] if words else ""

    def _value(self, index: int) -> str:
        value = ", ".join([self._types[tensor] for tensor in self._graph.values[index]])
        size = self._graph.size_bytes(index)
        return f"{value}, {bytes_text(size)}" if size else value


def _place(graph: Graph, stack: list[int]) -> str:
    frame = user_frame([graph.frame_table[index] for index in stack])
    return f"{frame.file}:{frame.line}" if frame else ""
