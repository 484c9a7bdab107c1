"""A list of what differs between two graphs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec
from PySide6.QtWidgets import QWidget

from aotgui.gui.panels.row_model import Column
from aotgui.gui.panels.table_panel import TablePanel
from aotgui.gui.session.capture_pair import CapturePair
from aotgui.model.diff import GraphDiff
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import bytes_text, count_text

COMPARING: Final = "Comparing…"
SAME: Final = "These graphs are the same, node by node."
ONE_ONLY: Final = "Only one of the captures has this graph."


class Difference(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        sort: ``added``, ``removed``, ``changed`` or ``other fate``.
        old: node of the old graph, -1 where it has none.
        new: node of the new graph, -1 where it has none.
        name: what the node is called, in the new graph where it is there.
        operator: its target.
        what: what differs, in words.
        module: path of its module.
        size_bytes: of its value.
    """

    sort: str
    old: int
    new: int
    name: str
    operator: str
    what: str
    module: str
    size_bytes: int


COLUMNS: Final[tuple[Column[Difference], ...]] = (
    Column[Difference]("Difference", lambda row: row.sort.capitalize(), width=12),
    Column[Difference]("Node", lambda row: row.name, width=18),
    Column[Difference]("Operator", lambda row: row.operator, width=20),
    Column[Difference]("What", lambda row: row.what, width=40),
    Column[Difference](
        "Bytes", lambda row: bytes_text(row.size_bytes), lambda row: row.size_bytes, numeric=True, width=8
    ),
    Column[Difference]("Module", lambda row: row.module, width=24),
)


class DifferencePanel(TablePanel[Difference]):
    """The differences of the graph shown; choosing rows selects their nodes in both graphs."""

    noun = "difference"

    def __init__(self, pair: CapturePair, parent: QWidget | None = None) -> None:
        super().__init__(pair.new, COLUMNS, empty_text=COMPARING, parent=parent)
        self._pair = pair
        pair.changed.connect(self.refresh)
        pair.new.graph_shown_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Lists the differences of the graph shown."""
        kind = self._pair.new.graph_shown
        diff = self._pair.graph(kind)
        old, new = self._pair.old.graph(kind), self._pair.new.graph(kind)
        if diff is None or old is None or new is None:
            self.set_empty_text(COMPARING if self._pair.diff is None else ONE_ONLY)
            self.model.set_rows([])
        else:
            self.set_empty_text(SAME)
            self.model.set_rows(list(differences(old, new, diff)))

    def summary_text(self) -> str:
        """How many there are of each sort."""
        counts: dict[str, int] = {}
        for row in self.model.shown:
            counts[row.sort] = counts.get(row.sort, 0) + 1
        parts = [f"{count:,} {sort}" for sort, count in counts.items()]
        return f"{count_text(len(self.model.shown), self.noun)}: {', '.join(parts)}" if parts else ""

    def _on_view_selection_changed(self) -> None:
        rows = self.selected_rows()
        if not rows or self._syncing:
            return
        kind = self._pair.new.graph_shown
        _choose(self._pair, kind, rows)


def differences(old: Graph, new: Graph, diff: GraphDiff) -> Iterator[Difference]:
    """The rows of two graphs: another fate first, then added, removed and changed nodes."""
    for moved in diff.moved:
        what = f"{moved.old_fate.label} → {moved.new_fate.label}"
        yield _row("other fate", moved.old, moved.new, new, moved.new, what)
    for node in diff.added:
        yield _row("added", -1, node, new, node, "")
    for node in diff.removed:
        yield _row("removed", node, -1, old, node, "")
    for change in diff.changed:
        yield _row("changed", change.old, change.new, new, change.new, "; ".join(change.what).replace("->", "→"))


def _row(sort: str, old: int, new: int, graph: Graph, node: int, what: str) -> Difference:
    return Difference(
        sort, old, new, graph.title(node), graph.target(node), what, graph.module(node), graph.size_bytes(node)
    )


def _choose(pair: CapturePair, kind: GraphKind, rows: list[Difference]) -> None:
    """Selects the rows' nodes where they are; each side shows its own."""
    olds, news = [row.old for row in rows if row.old >= 0], [row.new for row in rows if row.new >= 0]
    if news:
        pair.new.select(kind, news, reveal=True)
    else:
        pair.old.select(kind, olds, reveal=True)
    for session, nodes in ((pair.old, olds), (pair.new, news)):
        if nodes:
            session.reveal(kind, nodes[0])
