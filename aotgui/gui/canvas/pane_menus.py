"""The context menus of a graph: for a node, for a group, for the ground between them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QMenu

from aotgui.gui.canvas.nested_graphs import graphs_of
from aotgui.gui.canvas.selecting import Selecting
from aotgui.gui.session.breakpoint_places import has_breakpoint, toggle_node
from aotgui.gui.session.partitions import decidable_names
from aotgui.gui.session.session import Session
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind

if TYPE_CHECKING:
    from aotgui.gui.canvas.canvas_pane import CanvasPane


class PaneMenus:
    """Builds the menus of one pane; each deletes itself when closed."""

    def __init__(self, pane: CanvasPane, session: Session, selecting: Selecting) -> None:
        self._pane = pane
        self._session = session
        self._selecting = selecting

    def for_node(self, node: int) -> QMenu:
        """The actions for a node, or for the ground where ``node`` is -1."""
        pane, menu = self._pane, self._menu()
        graph = pane.view.scene.graph if pane.view.scene is not None else None
        if node >= 0 and graph is not None:
            self._add_graphs(menu, graphs_of(graph, node))
            if pane.is_current:
                self._add_stepping(menu, graph.names[node], node)
                selected = pane.view.selected_nodes
                self._add_partitioning(menu, selected if node in selected else [node])
            other = self.other_graph_of(node)
            self._selecting.fill(menu, node, f"the {other.value} graph" if other else "")
            menu.addSeparator()
        menu.addAction("Fit graph", pane.view.fit)
        fit_selection = menu.addAction("Fit selection", pane.view.fit_selection)
        fit_selection.setEnabled(bool(pane.view.marks.selected))
        return menu

    def for_group(self, number: int, at: QPointF) -> QMenu:
        """The actions for a group, which should stay at a place in the view."""
        pane, menu = self._pane, self._menu()
        if pane.view.scene is None:
            return menu
        group, folds = pane.view.scene.layout.groups[number], pane.folds
        is_open = group.path in (folds.expanded or ())
        menu.addAction("Collapse" if is_open else "Expand", lambda: folds.toggle(group.path, group.side, at))
        menu.addAction("Expand everything inside", lambda: folds.open_within(group.path, group.side, at))
        menu.addSeparator()
        menu.addAction("Select what is inside", lambda: pane.select(group.nodes.tolist()))
        if pane.is_current:
            menu.addSeparator()
            self._add_partitioning(menu, group.nodes.tolist(), " what is inside")
        self._selecting.fill_hiding(menu)
        menu.addSeparator()
        menu.addAction("Fit graph", pane.view.fit)
        return menu

    def for_graphs(self, names: list[str]) -> QMenu:
        """The graphs that a node runs, to choose from."""
        menu = self._menu()
        self._add_graphs(menu, names)
        return menu

    def other_graph_of(self, node: int) -> GraphKind | None:
        """The first other graph that holds a copy of a node."""
        region, kind = self._session.region, self._pane.kind
        if region is None or not self._pane.is_current:
            return None
        others = region.counterparts(kind, node).items()
        return next((other for other, copies in others if other is not kind and copies), None)

    def _menu(self) -> QMenu:
        menu = QMenu(self._pane)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _add_graphs(self, menu: QMenu, names: list[str]) -> None:
        for name in names:
            menu.addAction(f"Open {name}", partial(self._pane.enter, name))
        if names:
            menu.addSeparator()

    def _add_partitioning(self, menu: QMenu, nodes: Iterable[int], what: str = "") -> None:
        """What to try for some nodes, where an engine can work it out; ``what`` names them where it is not clear."""
        session, pane = self._session, self._pane
        names = decidable_names(session, pane.kind, nodes)
        if not names or session.engine_obstacle:
            return
        wanted = [session.partitions.decisions.get(name) for name in names]
        for text, decision in (("Force save", Decision.SAVE), ("Force recompute", Decision.RECOMPUTE)):
            action = menu.addAction(f"{text}{what}", partial(pane.decision_requested.emit, names, decision))
            action.setEnabled(any(other is not decision for other in wanted))
        if any(wanted):
            menu.addAction(f"Leave{what} to the partitioner", partial(pane.decision_requested.emit, names, None))
        menu.addSeparator()

    def _add_stepping(self, menu: QMenu, name: str, node: int) -> None:
        pane, session = self._pane, self._session
        is_set = has_breakpoint(session, pane.kind, name)
        for text, wanted in (("Run to", pane.run_to_requested), ("Go to", pane.go_to_requested)):
            action = menu.addAction(f"{text} {name}", partial(wanted.emit, pane.kind, node))
            action.setEnabled(not session.engine_obstacle)
        menu.addAction("Remove breakpoint" if is_set else "Set breakpoint",
                       lambda: toggle_node(session, pane.kind, name))  # fmt: skip
        menu.addAction("Breakpoint with condition…", lambda: pane.breakpoint_requested.emit(pane.kind, node))
        menu.addActions(pane.value_actions)
        menu.addSeparator()
