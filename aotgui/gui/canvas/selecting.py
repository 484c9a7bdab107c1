"""Selecting more than was clicked, and looking at a selection alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu

from aotgui.gui.canvas import relations
from aotgui.gui.canvas.dimming import Dimming, Reason
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.model.graph import Graph


class Selecting(QObject):
    """Acts on the selected nodes of one view, by menu and by single keys.

    Signals:
        selection_requested: list of node indexes, the current one first.
        shown_elsewhere: a node whose copies in the other graphs should be shown.
        shown_again: nothing should be hidden, whatever hid it.
    """

    selection_requested = Signal(list)
    shown_elsewhere = Signal(int)
    shown_again = Signal()

    def __init__(self, view: GraphView, dimming: Dimming) -> None:
        super().__init__(view)
        self._view = view
        self._dimming = dimming
        for key, slot in (
            ("A", self.select_ancestors),
            ("D", self.select_descendants),
            ("P", self.select_path),
            ("I", lambda: self.conceal(others=True)),
            ("H", lambda: self.conceal(others=False)),
            ("Shift+H", self.show_all),
            ("Ctrl+C", self.copy_names),
        ):
            QShortcut(QKeySequence(key), view, slot, context=Qt.ShortcutContext.WidgetShortcut)

    def fill(self, menu: QMenu, node: int, elsewhere: str) -> None:
        """Adds what can be done with a node or with the selection it is part of.

        Args:
            menu: filled.
            node: the clicked one.
            elsewhere: names of other graphs that hold copies of it, or empty.
        """
        graph = self._graph
        if graph is None:
            return
        inputs, users = graph.inputs(node), graph.users(node)
        self._add(menu, "Select inputs", lambda: self.selection_requested.emit(inputs), bool(inputs))
        self._add(menu, "Select users", lambda: self.selection_requested.emit(users), bool(users))
        self._add(menu, "Select all ancestors\tA", lambda: self.select_ancestors([node]), bool(inputs))
        self._add(menu, "Select all descendants\tD", lambda: self.select_descendants([node]), bool(users))
        self._add(menu, "Select path between two\tP", self.select_path, len(self._selected()) == 2)
        if elsewhere:
            self._add(menu, f"Show in {elsewhere}", lambda: self.shown_elsewhere.emit(node))
        menu.addSeparator()
        self.fill_hiding(menu)
        menu.addSeparator()
        self._add(menu, "Copy name\tCtrl+C", lambda: _copy(graph.names[node]))
        if label := graph.label(node):
            self._add(menu, f"Copy \u201c{label}\u201d", lambda: _copy(label))

    def fill_hiding(self, menu: QMenu) -> None:
        """Adds what shows a selection alone, or all but that."""
        has_selection = bool(self._view.marks.selected)
        self._add(menu, "Isolate selection\tI", lambda: self.conceal(others=True), has_selection)
        self._add(menu, "Hide selection\tH", lambda: self.conceal(others=False), has_selection)
        self._add(menu, "Show everything again\tShift+H", self.show_all, self._dimming.hidden is not None)

    def select_ancestors(self, nodes: Iterable[int] | None = None) -> None:
        """Adds everything that some nodes, else the selected ones, are computed from."""
        self._extend(relations.ancestors, nodes)

    def select_descendants(self, nodes: Iterable[int] | None = None) -> None:
        """Adds everything that is computed from some nodes, else from the selected ones."""
        self._extend(relations.descendants, nodes)

    def select_path(self) -> None:
        """Selects all that lies between two selected nodes, if there are two and one depends on the other."""
        nodes = self._selected()
        if self._graph is not None and len(nodes) == 2 and (path := relations.between(self._graph, *nodes)):
            self.selection_requested.emit([nodes[0], *(node for node in path if node != nodes[0])])

    def conceal(self, *, others: bool) -> None:
        """Hides the selected nodes besides what is hidden already, or all others.

        What was hidden is selected no longer: it would be drawn all the same.
        """
        graph, nodes = self._graph, self._selected()
        if graph is not None and nodes:
            hidden = np.full(len(graph), others)
            hidden[nodes] = not others
            former = self._dimming.mask(Reason.ISOLATION)
            self._dimming.set(Reason.ISOLATION, hidden if others or former is None else hidden | former)
            if not others:
                self.selection_requested.emit([])

    def show_all(self) -> None:
        """Hides nothing any more."""
        self._dimming.set(Reason.ISOLATION, None)
        self.shown_again.emit()

    def copy_names(self) -> None:
        """Copies the names of the selected nodes, one a line."""
        if self._graph is not None and (nodes := self._selected()):
            _copy("\n".join(self._graph.names[node] for node in nodes))

    @property
    def _graph(self) -> Graph | None:
        return self._view.scene.graph if self._view.scene is not None else None

    def _selected(self) -> list[int]:
        return self._view.selected_nodes

    def _extend(self, related: Callable[[Graph, list[int]], list[int]], nodes: Iterable[int] | None) -> None:
        start = list(nodes) if nodes is not None else self._selected()
        if self._graph is not None and start:
            self.selection_requested.emit([*start, *related(self._graph, start)])

    def _add(self, menu: QMenu, text: str, slot: Callable[[], None], enabled: bool = True) -> None:
        menu.addAction(text, slot).setEnabled(enabled)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
