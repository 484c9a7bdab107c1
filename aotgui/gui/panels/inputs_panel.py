"""How the target's inputs, parameters and buffers were flattened into placeholders."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.capture import InputEntry
from aotgui.model.text import bytes_text, count_text, exact_bytes_text, shape_text


class InputsPanel(TablePanel[InputEntry]):
    """One row a flat input."""

    noun = "input"
    rows_are_nodes = True
    fits_tightly = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[InputEntry](
                "#",
                lambda row: str(row.position),
                key=lambda row: row.position,
                numeric=True,
                hint="Flat position",
                width=3,
            ),
            Column[InputEntry]("Name", _names, tooltip=_names_tooltip, width=26),
            Column[InputEntry]("Shape", lambda row: shape_text(row.tensor.shape), width=14),
            Column[InputEntry]("Dtype", lambda row: row.tensor.dtype, width=9),
            Column[InputEntry](
                "Bytes",
                lambda row: bytes_text(row.tensor.size_bytes),
                key=lambda row: row.tensor.size_bytes,
                numeric=True,
                tooltip=lambda row: exact_bytes_text(row.tensor.size_bytes),
                width=9,
            ),
            Column[InputEntry]("Role", lambda row: row.role, width=12),
            Column[InputEntry]("Placeholder", lambda row: row.placeholder or "unused", width=14),
            Column[InputEntry](
                "Mutated",
                lambda row: "mutated" if row.mutated else "",
                hint="Whether the target writes to it.",
                width=9,
            ),
        )
        super().__init__(
            session,
            columns,
            empty_text="The flattened inputs, parameters and buffers appear here after a run.",
            parent=parent,
        )
        session.capture_changed.connect(self._on_capture_changed)
        self._on_capture_changed()

    def node_of(self, row: InputEntry) -> NodeRef | None:
        """The placeholder in the joint graph, or in the one of an inference region."""
        graph = self.session.region.main_graph if self.session.region else None
        index = graph.index_of.get(row.placeholder) if graph else None
        return None if graph is None or index is None else (graph.kind, index)

    def summary_text(self) -> str:
        """How many of each role."""
        region = self.session.region
        roles = [entry.role for entry in region.inputs] if region else []
        return ", ".join(count_text(roles.count(role), role) for role in dict.fromkeys(roles))

    def _on_capture_changed(self) -> None:
        region = self.session.region
        self.model.set_rows(region.inputs if region else [])


def _names(row: InputEntry) -> str:
    return f"{row.label} = {' = '.join(row.aliases)}" if row.aliases else row.label


def _names_tooltip(row: InputEntry) -> str:
    return f"{row.label}, tied to {', '.join(row.aliases)}" if row.aliases else row.label
