"""Follows the debugger into the graph inside of a node (``cond``, ``invoke_subgraph``), and out again."""

from __future__ import annotations

from PySide6.QtCore import QObject

from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.session.debug_state import InnerNode
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph


class NestedFollowing(QObject):
    """Shows the inner graph that stepping stands in, with what ran of it, in the pane of the graph around it."""

    def __init__(self, session: Session, pane: CanvasPane) -> None:
        super().__init__(pane)
        self._session = session
        self._pane = pane
        self._is_inside = False
        session.stepping_changed.connect(self._follow)
        session.debug.stop_changed.connect(self._follow)
        pane.folds.arranged.connect(self._follow)
        pane.inner_selected.connect(self._on_inner_selected)

    def _follow(self) -> None:
        path = self._path()
        if not path:
            if self._is_inside:
                self._is_inside = False
                self._pane.leave_to(0)
            return
        graphs = self._graphs(path)
        if len(graphs) <= len(path) or self._session.stepping.running or self._pane.is_laying_out:
            return
        depth = self._depth(graphs)
        if depth == len(path):
            self._mark()
        elif depth >= 0:
            self._is_inside = True
            self._pane.enter(path[depth])
        else:  # inside of another graph
            self._pane.leave_to(0)

    def _path(self) -> list[str]:
        """Names of the graphs that it stands in, from the outermost on."""
        stepping = self._session.stepping
        is_here = stepping.active and stepping.graph is self._pane.kind
        return [frame.subgraph for frame in self._session.debug.stop.frames] if is_here else []

    def _graphs(self, path: list[str]) -> list[Graph]:
        """The graph of the pane and those inside along a path, as far as they are known."""
        graph = self._session.graph(self._pane.kind)
        graphs = [graph] if graph is not None else []
        for name in path:
            if not graphs or name not in graphs[-1].subgraphs:
                break
            graphs.append(graphs[-1].subgraphs[name])
        return graphs

    def _depth(self, graphs: list[Graph]) -> int:
        """Which of the graphs along the path is shown; -1 for another one."""
        shown = self._pane.view.scene.graph if self._pane.view.scene is not None else None
        # By identity: two branches of a ``cond`` may be equal.
        return next((depth for depth, graph in enumerate(graphs) if graph is shown), -1)

    def _mark(self) -> None:
        """Where it stands, what ran, and the value that the last step gave."""
        view, frames = self._pane.view, self._session.debug.stop.frames
        node = frames[-1].node
        view.set_executed(range(node))
        view.set_step_marker(node)
        view.reveal(node)
        if frames[-1].executed:
            self._pane.select([frames[-1].executed[-1].node])

    def _on_inner_selected(self, nodes: list[int]) -> None:
        """What is selected in a graph that it stands in is what the value's numbers are shown of."""
        depth = self._depth(self._graphs(self._path()))
        is_known = depth > 0 and nodes
        self._session.debug.set_inner(InnerNode(self._pane.kind, depth, nodes[0]) if is_known else None)
