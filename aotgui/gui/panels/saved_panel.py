"""The ledger of what the forward keeps for the backward."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import NodeRef, TablePanel
from aotgui.gui.session.session import Session
from aotgui.model.capture import Region, SavedValue
from aotgui.model.graph import GraphKind
from aotgui.model.text import bytes_text, exact_bytes_text, percent_text, place_text, shape_text

NO_CAPTURE = "What the forward saves for the backward appears here after a run."
NO_BACKWARD = "Nothing is saved: no input or parameter requires a gradient, so there is no backward."
NOTHING_SAVED = "Nothing is saved: the backward needs no value of the forward."


class SavedPanel(TablePanel[SavedValue]):
    """One row a saved value, with what it costs and why it is saved.

    Signals:
        source_requested: (file, line) that computes the value: its row was double-clicked or Enter was pressed on it.
    """

    source_requested = Signal(str, int)
    noun = "saved value"
    rows_are_nodes = True

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        columns = (
            Column[SavedValue]("Value", _title, tooltip=lambda row: row.name, width=20),
            Column[SavedValue](
                "Bytes",
                lambda row: bytes_text(row.size_bytes),
                key=lambda row: row.size_bytes,
                numeric=True,
                tooltip=_storage_note,
                width=9,
            ),
            Column[SavedValue](
                "Share",
                self._share,
                key=lambda row: row.storage_bytes,
                numeric=True,
                hint="Of all saved bytes; a storage that is shared counts once.",
                tooltip=_storage_note,
                width=8,
            ),
            Column[SavedValue]("Role", lambda row: row.role, width=12),
            Column[SavedValue]("Shape", lambda row: shape_text(row.tensor.shape), key=_elements, width=14),
            Column[SavedValue]("Dtype", lambda row: row.tensor.dtype, width=9),
            Column[SavedValue]("Line", lambda row: place_text(row.source), tooltip=lambda row: row.source, width=15),
            Column[SavedValue]("Module", lambda row: row.module, width=16),
            Column[SavedValue]("Why", lambda row: row.reason, hint="From the min-cut network.", width=40),
            Column[SavedValue]("Name", lambda row: row.name, hint="In the forward graph.", width=14),
        )
        super().__init__(session, columns, empty_text=NO_CAPTURE, parent=parent)
        self.row_activated.connect(self._on_row_activated)
        session.capture_changed.connect(self._on_capture_changed)
        self._on_capture_changed()

    def node_of(self, row: SavedValue) -> NodeRef | None:
        """The saved node in the forward graph."""
        graph = self.session.graph(GraphKind.FORWARD)
        index = graph.index_of.get(row.name) if graph else None
        return None if index is None else (GraphKind.FORWARD, index)

    def summary_text(self) -> str:
        """Totals of distinct storages: activations apart from what exists anyway."""
        region = self.session.region
        if region is None:
            return ""
        activations = region.saved_bytes_of("activation")
        others = region.saved_bytes - activations
        return (
            f"{super().summary_text()}: {bytes_text(activations)} of activations, "
            f"{bytes_text(others)} of parameters and inputs"
        )

    def _share(self, row: SavedValue) -> str:
        region = self.session.region
        if row.size_bytes and not row.storage_bytes:
            return "shared"
        return percent_text(row.storage_bytes, region.saved_bytes if region else 0)

    def _on_row_activated(self, row: SavedValue) -> None:
        file, _, line = row.source.rpartition(":")
        if file:
            self.source_requested.emit(file, int(line))

    def _on_capture_changed(self) -> None:
        region = self.session.region
        self.set_empty_text(_empty_text(region))
        self.model.set_rows(region.saved if region else [])


def _title(row: SavedValue) -> str:
    return row.label or row.name


def _elements(row: SavedValue) -> tuple[int, str]:
    sizes = [size for size in row.tensor.shape if isinstance(size, int)]
    product = 1
    for size in sizes:
        product *= size
    return product, str(row.tensor.shape)


def _storage_note(row: SavedValue) -> str:
    size = exact_bytes_text(row.size_bytes)
    if row.size_bytes and not row.storage_bytes:
        return f"{size}. Shares its storage with a value saved before it, so it adds nothing to the total."
    if row.storage_bytes != row.size_bytes:
        return f"{size}. Keeps a storage of {exact_bytes_text(row.storage_bytes)} alive."
    return size


def _empty_text(region: Region | None) -> str:
    if region is None:
        return NO_CAPTURE
    return NOTHING_SAVED if region.is_training else NO_BACKWARD
