"""The storages that are alive after a node, the largest first."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.graph import GraphKind
from aotgui.model.memory import MemoryMap, StorageLife
from aotgui.model.text import bytes_text, count_text, exact_bytes_text, percent_text, place_text, shape_text

NOTHING: Final = "Click into the plot to list what is alive there."


class AliveTable(TablePanel[StorageLife]):
    """One row a storage; the row's node is the one that brings it."""

    noun = "storage"
    rows_are_nodes = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        self._memory: MemoryMap | None = None
        self._step = -1
        columns = (
            Column[StorageLife]("Value", self._title, tooltip=self._name, width=20),
            Column[StorageLife](
                "Bytes",
                lambda life: bytes_text(life.size_bytes),
                key=lambda life: life.size_bytes,
                numeric=True,
                hint="Of the whole storage, however many values lie in it.",
                tooltip=lambda life: exact_bytes_text(life.size_bytes),
                width=10,
            ),
            Column[StorageLife]("Share", self._share, key=lambda life: life.size_bytes, numeric=True, width=8),
            Column[StorageLife]("Part", lambda life: life.kind.label, width=11),
            Column[StorageLife]("Shape", self._shape, width=14),
            Column[StorageLife](
                "Until", self._until, key=lambda life: life.last, hint="The last node that keeps it alive.", width=18
            ),
            Column[StorageLife]("Line", self._line, tooltip=self._line_note, width=15),
        )
        super().__init__(session, columns, empty_text=NOTHING, parent=parent)

    def show_step(self, memory: MemoryMap | None, step: int) -> None:
        """Lists what is alive after a step; -1 for nothing."""
        self._memory, self._step = memory, step
        self.model.set_rows(memory.alive_at(step) if memory is not None and step >= 0 else [])

    def node_of(self, row: StorageLife) -> NodeRef | None:
        """The node that brings the storage."""
        return row.graph, row.node

    def summary_text(self) -> str:
        """Where this is, and how much it is."""
        if self._memory is None or self._step < 0:
            return ""
        kind, node = self._memory.place_of(self._step)
        graph = self.session.graph(kind)
        name = graph.title(node) if graph else ""
        most = " (the peak)" if self._memory.total[self._step] == self._memory.peak_bytes() else ""
        size = bytes_text(self._memory.total[self._step])
        return f"After {name} in {kind}{most}: {size} in {count_text(self.model.total, 'storage')}"

    def _title(self, life: StorageLife) -> str:
        graph = self.session.graph(life.graph)
        return graph.title(life.node) if graph else ""

    def _name(self, life: StorageLife) -> str:
        graph = self.session.graph(life.graph)
        return f"{graph.names[life.node]} in {life.graph}, {graph.target(life.node)}" if graph else ""

    def _share(self, life: StorageLife) -> str:
        return percent_text(life.size_bytes, self._memory.total[self._step] if self._memory else 0)

    def _shape(self, life: StorageLife) -> str:
        graph = self.session.graph(life.graph)
        tensors = graph.tensors(life.node) if graph else []
        return shape_text(tensors[0].shape) if len(tensors) == 1 else ""

    def _until(self, life: StorageLife) -> str:
        assert self._memory is not None
        if life.last >= self._memory.steps - 1:
            return "the end"
        kind, node = self._memory.place_of(life.last)
        graph = self.session.graph(kind)
        place = "" if kind is life.graph else f" in {GraphKind(kind)}"
        return f"{graph.names[node]}{place}" if graph else ""

    def _line(self, life: StorageLife) -> str:
        graph = self.session.graph(life.graph)
        frame = graph.source(life.node) if graph else None
        return place_text(frame.file, frame.line) if frame else ""

    def _line_note(self, life: StorageLife) -> str:
        graph = self.session.graph(life.graph)
        frame = graph.source(life.node) if graph else None
        return f"{frame.file}:{frame.line}" if frame else ""
