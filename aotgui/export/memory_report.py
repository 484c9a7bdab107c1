"""Memory over time for a terminal and for JSON: the peak of each graph and what is alive there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from aotgui.export.text_table import table_lines
from aotgui.model.capture import Region
from aotgui.model.graph import GraphKind
from aotgui.model.memory import MemoryKind, MemoryMap, StorageLife, memory_of
from aotgui.model.text import bytes_text, place_text

_SHOWN: Final = 12
_HALVES: Final = (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE)


def peaks_document(region: Region, memory: MemoryMap | None) -> dict[str, Any]:
    """For each graph that runs its peak and the node that stands there; empty where it is not known."""
    if memory is None:
        return {}
    return {str(kind): _peak(region, memory, kind) for kind in _HALVES if kind in region.graphs}


def _peak(region: Region, memory: MemoryMap, kind: GraphKind) -> dict[str, Any]:
    step = memory.peak(kind)
    node = region.graphs[kind].names[memory.place_of(step)[1]] if step >= 0 else ""
    return {"bytes": memory.peak_bytes(kind), "node": node}


class MemorySection(msgspec.Struct, frozen=True):
    """Memory over time of one region.

    Attributes:
        region: what was captured.
    """

    region: Region

    def document(self) -> dict[str, Any]:
        """``memory``: bytes by kind at each step, and what is alive at the peak of each graph."""
        memory = memory_of(self.region)
        if memory is None:
            return {"memory": None}
        return {
            "memory": {
                "region": self.region.name,
                "steps": [self._name(memory, step) for step in range(memory.steps)],
                "bytes": {kind.label: memory.curve(kind) for kind in MemoryKind},
                "total": memory.total,
                "peaks": {
                    str(kind): {
                        **_peak(self.region, memory, kind),
                        "alive": [self._life(memory, life) for life in memory.alive_at(memory.peak(kind))],
                    }
                    for kind in _HALVES
                    if memory.steps_of(kind) and kind in self.region.graphs
                },
            }
        }

    def lines(self) -> Iterator[str]:
        """For each graph its peak, what that is made of, and the largest storages alive there."""
        memory = memory_of(self.region)
        if memory is None:
            yield "Memory    This capture does not tell which values share memory, so it cannot be worked out."
            return
        for kind in _HALVES:
            if kind in self.region.graphs and memory.steps_of(kind):
                yield from self._lines_of(memory, kind)

    def _lines_of(self, memory: MemoryMap, kind: GraphKind) -> Iterator[str]:
        step = memory.peak(kind)
        graph, node = self.region.graphs[kind], memory.place_of(step)[1]
        frame = graph.source(node)
        place = f" ({place_text(frame.file, frame.line)})" if frame else ""
        yield f"Memory    The {kind} holds most at {graph.title(node)}{place}: {bytes_text(memory.total[step])}"
        parts = [(part.label, memory.curve(part)[step]) for part in MemoryKind]
        yield "  " + ", ".join(f"{label} {bytes_text(size)}" for label, size in parts if size)
        alive = memory.alive_at(step)
        yield from table_lines([self._cells(memory, life) for life in alive[:_SHOWN]], right={0})
        if len(alive) > _SHOWN:
            yield f"    and {len(alive) - _SHOWN} smaller ones; --json lists all"

    def _cells(self, memory: MemoryMap, life: StorageLife) -> list[str]:
        graph = self.region.graphs[life.graph]
        frame = graph.source(life.node)
        return [
            f"  {bytes_text(life.size_bytes)}",
            graph.title(life.node),
            life.kind.label,
            f"until {self._name(memory, life.last)}",
            graph.module(life.node),
            place_text(frame.file, frame.line) if frame else "",
        ]

    def _name(self, memory: MemoryMap, step: int) -> str:
        kind, node = memory.place_of(step)
        return f"{kind}:{self.region.graphs[kind].names[node]}"

    def _life(self, memory: MemoryMap, life: StorageLife) -> dict[str, Any]:
        graph = self.region.graphs[life.graph]
        return {
            "name": graph.names[life.node],
            "label": graph.label(life.node),
            "graph": str(life.graph),
            "kind": life.kind.label,
            "bytes": life.size_bytes,
            "first": self._name(memory, life.first),
            "last": self._name(memory, life.last),
        }
