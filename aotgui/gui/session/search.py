"""What is searched for, and what that finds in each graph of the region shown."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import compress

from PySide6.QtCore import QObject, Signal

from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.query import QueryError, parse_query
from aotgui.model.query_match import Finder
from aotgui.model.query_terms import Query


class Search(QObject):
    """A query over the session's graphs; views dim what it leaves out.

    Signals:
        changed: the query, or the graphs that it is about, changed.
        place_changed: another match is selected, or another graph is shown.
    """

    changed = Signal()
    place_changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._text = ""
        self._query: Query | None = None
        self._error: QueryError | None = None
        self._finders: dict[GraphKind, tuple[Graph, Finder]] = {}
        self._masks: dict[GraphKind, bytes] = {}
        session.capture_changed.connect(self._on_capture_changed)
        session.selection_changed.connect(self.place_changed)
        session.graph_shown_changed.connect(self.place_changed)

    @property
    def text(self) -> str:
        """The query as typed."""
        return self._text

    @property
    def error(self) -> QueryError | None:
        """Why the text is no query, or None."""
        return self._error

    @property
    def is_active(self) -> bool:
        """Whether there is something to find."""
        return self._query is not None

    def set_text(self, text: str) -> None:
        """Searches for something else; blank text for nothing."""
        if text == self._text:
            return
        self._text, self._query, self._error = text, None, None
        self._masks = {}
        try:
            self._query = parse_query(text) if text.strip() else None
        except QueryError as error:
            self._error = error
        self.changed.emit()

    def mask(self, kind: GraphKind) -> bytes | None:
        """One byte a node of a graph, 1 where it is found; None without a query or a graph."""
        graph = self._session.graph(kind)
        if self._query is None or graph is None:
            return None
        if kind not in self._masks:
            self._masks[kind] = self._finder(kind, graph).mask(self._query)
        return self._masks[kind]

    def matches(self, kind: GraphKind) -> list[int]:
        """Indexes of the nodes found in a graph, ascending."""
        mask = self.mask(kind)
        return list(compress(range(len(mask)), mask)) if mask else []

    @property
    def place(self) -> int:
        """Which match of the graph shown is selected, counted from 0; -1 for none."""
        kind = self._session.graph_shown
        current, matches = self._current(kind), self.matches(kind)
        place = bisect_left(matches, current)
        return place if current >= 0 and matches[place : place + 1] == [current] else -1

    def go_next(self) -> None:
        """Selects the match after the selected node in the graph shown, after the last one the first."""
        kind = self._session.graph_shown
        if matches := self.matches(kind):
            self._select(kind, matches[bisect_right(matches, self._current(kind)) % len(matches)])

    def go_previous(self) -> None:
        """Selects the match before the selected node in the graph shown, before the first one the last."""
        kind = self._session.graph_shown
        if matches := self.matches(kind):
            self._select(kind, matches[bisect_left(matches, self._current(kind)) - 1])

    def _select(self, kind: GraphKind, node: int) -> None:
        self._session.select(kind, [node], reveal=True)

    def _current(self, kind: GraphKind) -> int:
        return next(iter(self._session.selected_in(kind)), -1)

    def _finder(self, kind: GraphKind, graph: Graph) -> Finder:
        """Kept as long as the graph is shown: it remembers what queries share."""
        known = self._finders.get(kind)
        if known is None or known[0] is not graph:
            known = self._finders[kind] = (graph, Finder(graph))
        return known[1]

    def _on_capture_changed(self) -> None:
        self._finders, self._masks = {}, {}
        self.changed.emit()
