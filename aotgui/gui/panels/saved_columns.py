"""What the ledger of saved values says of a row and of a group."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from aotgui.gui.panels.tree_model import TreeColumn
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.ledger import LedgerRow
from aotgui.model.text import NONE_TEXT, bytes_text, count_text, exact_bytes_text, percent_text, place_text, shape_text
from aotgui.model.why import Why, why_of

KEPT: Final = "Merely kept"
"""Title of the group of values that exist anyway."""
NAMED_READERS: Final = 3
"""More readers than this are counted."""

GROUPINGS: Final[dict[str, Callable[[LedgerRow], str] | None]] = {
    "No groups": None,
    "By module": lambda row: row.value.module or "no module",
    "By line": lambda row: place_text(row.value.source) or "no line",
    "By dtype": lambda row: row.value.tensor.dtype,
    "By role": lambda row: row.value.role,
}


def kept_apart(row: LedgerRow) -> str:
    """The group of a row that stands apart, or empty."""
    return KEPT if row.is_kept else ""


def saved_columns(session: Session) -> tuple[TreeColumn[LedgerRow], ...]:
    """The columns; names of nodes come from the session's graphs."""
    words = _Words(session)
    return (
        TreeColumn[LedgerRow]("Value", lambda row: row.value.label or row.value.name, tooltip=_name_note, width=26),
        TreeColumn[LedgerRow](
            "Bytes",
            lambda row: bytes_text(row.value.size_bytes),
            key=lambda row: row.value.size_bytes,
            numeric=True,
            hint="Bytes of the value; a group counts each storage once.",
            tooltip=_storage_note,
            width=10,
            total=lambda rows: bytes_text(_added(rows)),
            total_key=lambda rows: _added(rows),
        ),
        TreeColumn[LedgerRow](
            "Share",
            _share,
            key=lambda row: row.value.storage_bytes,
            numeric=True,
            hint="Of all saved bytes; a storage that is shared counts once.",
            tooltip=_storage_note,
            width=8,
            total=lambda rows: percent_text(sum(row.share for row in rows), 1),
            total_key=lambda rows: _added(rows),
        ),
        TreeColumn[LedgerRow](
            "Role", lambda row: row.value.role, width=11, total=lambda rows: count_text(len(rows), "value")
        ),
        TreeColumn[LedgerRow]("Shape", lambda row: shape_text(row.value.tensor.shape), key=_elements, width=15),
        TreeColumn[LedgerRow]("Dtype", lambda row: row.value.tensor.dtype, width=9),
        TreeColumn[LedgerRow](
            "Line", lambda row: place_text(row.value.source), tooltip=lambda row: row.value.source, width=16
        ),
        TreeColumn[LedgerRow]("Module", lambda row: row.value.module, width=18),
        TreeColumn[LedgerRow]("Why", words.why, hint="The inspector says more.", tooltip=words.all_reasons, width=60),
        TreeColumn[LedgerRow](
            "Read by",
            words.readers,
            key=lambda row: len(row.consumers),
            hint="Nodes of the backward that read it.",
            tooltip=words.all_readers,
            width=20,
        ),
        TreeColumn[LedgerRow](
            "Lives",
            words.life,
            key=words.life_steps,
            hint="From the node that computes it to the last one that reads it; sorted by how many nodes that is.",
            tooltip=words.life_note,
            width=24,
        ),
        TreeColumn[LedgerRow]("Name", lambda row: row.value.name, hint="In the forward graph.", width=14),
    )


class _Words:
    """What is said of the nodes that compute and read a value."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._reasons: dict[int, str] = {}
        session.capture_changed.connect(self._reasons.clear)

    def why(self, row: LedgerRow) -> str:
        """The first reason, remembered: the filter looks at it with every letter."""
        if row.node not in self._reasons:
            why = self._why(row)
            self._reasons[row.node] = why.reasons[0].text if why and why.is_known and why.reasons else row.value.reason
        return self._reasons[row.node] or NONE_TEXT

    def all_reasons(self, row: LedgerRow) -> str:
        """Every reason, what it would take to change it, and what torch calls it."""
        why = self._why(row)
        reasons = [reason.text for reason in why.reasons] if why else []
        change = [f"To change it: {why.change}"] if why and why.change else []
        return "\n".join([*reasons, *change, *([f"In torch's words: {row.value.reason}"] if row.value.reason else [])])

    def _why(self, row: LedgerRow) -> Why | None:
        region, forward, capture = self._session.region, self._graph(GraphKind.FORWARD), self._session.capture
        if region is None or forward is None or capture is None or region.main_graph is None:
            return None
        origin = forward.origins[row.node]
        return why_of(region, origin, capture.settings) if 0 <= origin < len(region.main_graph) else None

    def readers(self, row: LedgerRow) -> str:
        """A few by name, more by number."""
        count = len(row.consumers)
        return self._names(row) if 0 < count <= NAMED_READERS else count_text(count, "node") if count else NONE_TEXT

    def all_readers(self, row: LedgerRow) -> str:
        """Every reader, or why there is none."""
        return self._names(row) or "The backward gets it and no node of it reads it."

    def life(self, row: LedgerRow) -> str:
        """``relu → mm_4``."""
        _, last = self._ends(row)
        return f"{row.value.name} → {last}" if last else row.value.name

    def life_steps(self, row: LedgerRow) -> int | None:
        """How many nodes run while it is alive."""
        forward = self._graph(GraphKind.FORWARD)
        if forward is None or row.last_backward_use < 0:
            return None
        return len(forward) - row.node + row.last_backward_use + 1

    def life_note(self, row: LedgerRow) -> str:
        """The whole life in words."""
        last_forward, last = self._ends(row)
        steps = self.life_steps(row)
        if steps is None:
            return "No node of the backward reads it."
        used = f", read last in the forward by {last_forward}" if last_forward != row.value.name else ""
        kept = " It is an output as well, so the caller may keep it longer." if row.is_returned else ""
        return (
            f"Computed by {row.value.name}{used}, read last in the backward by {last}: alive while "
            f"{count_text(steps, 'node')} run.{kept}"
        )

    def _ends(self, row: LedgerRow) -> tuple[str, str]:
        forward, backward = self._graph(GraphKind.FORWARD), self._graph(GraphKind.BACKWARD)
        last = backward.names[row.last_backward_use] if backward and row.last_backward_use >= 0 else ""
        return forward.names[row.last_forward_use] if forward else "", last

    def _names(self, row: LedgerRow) -> str:
        backward = self._graph(GraphKind.BACKWARD)
        return ", ".join(backward.names[node] for node in row.consumers) if backward else ""

    def _graph(self, kind: GraphKind) -> Graph | None:
        return self._session.graph(kind)


def _added(rows: Sequence[LedgerRow]) -> int:
    return sum(row.value.storage_bytes for row in rows)


def _share(row: LedgerRow) -> str:
    if row.value.size_bytes and not row.counts:
        return "shared"
    return percent_text(row.share, 1)


def _elements(row: LedgerRow) -> tuple[int, str]:
    product = 1
    for size in row.value.tensor.shape:
        product *= size if isinstance(size, int) else 1
    return product, str(row.value.tensor.shape)


def _name_note(row: LedgerRow) -> str:
    return f"{row.value.label}, {row.value.name} in the forward graph" if row.value.label else row.value.name


def _storage_note(row: LedgerRow) -> str:
    size = exact_bytes_text(row.value.size_bytes)
    others = ", ".join(row.same_storage)
    if row.value.size_bytes and not row.counts:
        shared = others or "a value saved before it"
        return f"{size}. Shares its storage with {shared}, so it adds nothing to the total."
    also = f" {others} lie in it too." if others else ""
    if row.value.storage_bytes != row.value.size_bytes:
        return f"{size}. Keeps a storage of {exact_bytes_text(row.value.storage_bytes)} alive.{also}"
    return f"{size}.{also}" if also else size
