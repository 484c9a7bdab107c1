"""Which modules of the graph in a view are open: lays out again when that changes, with what was clicked in place."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, Signal

from aotgui.gui.canvas.arranging import Arrange, Arrangement, Request, arrange
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.gui.canvas.layout_runner import LayoutRunner
from aotgui.layout import expansion
from aotgui.layout.expansion import Expanded
from aotgui.model.graph import Graph


@dataclass(frozen=True, slots=True)
class _Anchor:
    """What stays in its place while everything around it moves.

    Attributes:
        place: view pixels.
        path: of a group, or empty for a node.
        side: of the group.
        node: index, where there is no group.
    """

    place: QPointF
    path: str = ""
    side: int = 0
    node: int = -1


class FoldControl(QObject):
    """The groups of one view.

    Signals:
        arranged: an ``Arrangement`` to be shown, and whether it shows the graph of before, folded otherwise.
        placed: an arrangement of the graph of before is shown and in its place.
        failed: graph and what went wrong.
        slow: a layout has been at work for a while.
    """

    arranged = Signal(object, bool)
    placed = Signal()
    failed = Signal(object, str)
    slow = Signal()

    def __init__(self, view: GraphView, work: Arrange = arrange) -> None:
        super().__init__(view)
        self._view = view
        self._runner = LayoutRunner(self, work)
        self._shown: Arrangement | None = None
        self._wanted: Expanded = None
        self._anchor: _Anchor | None = None
        self._to_reveal = -1
        self._opens_view = False
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(self._on_failed)
        self._runner.slow.connect(self.slow)
        view.group_toggled.connect(self.toggle)

    @property
    def is_running(self) -> bool:
        """Whether a layout is at work."""
        return self._runner.is_running

    @property
    def shown(self) -> Arrangement | None:
        """What was arranged last."""
        return self._shown

    @property
    def expanded(self) -> Expanded:
        """Paths of the open groups, also where their layout is still at work; None where the graph is flat."""
        return self._wanted

    @property
    def has_groups(self) -> bool:
        """Whether there is anything to open or close."""
        return self._shown is not None and bool(self._shown.nesting.paths)

    def open(self, graph: Graph, expanded: Expanded = None, *, is_opening: bool = True) -> None:
        """Shows a graph: with some groups open, or as is best for a first look."""
        self._anchor, self._to_reveal, self._opens_view = None, -1, False
        self._runner.start(Request(graph, expanded, is_opening))

    def show(self, arrangement: Arrangement) -> None:
        """Shows at once what was arranged before."""
        self._runner.cancel()
        self._shown, self._wanted = arrangement, arrangement.expanded
        self.arranged.emit(arrangement, False)

    def clear(self) -> None:
        """Shows nothing."""
        self._runner.cancel()
        self._shown, self._wanted = None, None

    def close(self) -> None:
        """Gives up a layout at work and waits until it noticed."""
        self._runner.close()

    # --- Opening and closing ----------------------------------------------------------------------------------

    def toggle(self, path: str, side: int, place: QPointF) -> None:
        """Opens or closes the group whose box or title is at a place in the view."""
        if self._shown is not None:
            self._fold(expansion.toggled(self._wanted, path), _Anchor(place, path, side))

    def open_within(self, path: str, side: int, place: QPointF) -> None:
        """Opens a group with everything in it."""
        if self._shown is not None:
            self._fold(expansion.within(self._shown.nesting, self._wanted, path), _Anchor(place, path, side))

    def open_level(self) -> None:
        """Opens every group that is seen."""
        if self._shown is not None:
            self._fold(expansion.deeper(self._shown.nesting, self._wanted), self._anchor_of_middle())

    def close_level(self) -> None:
        """Closes the innermost open groups."""
        if self._shown is not None:
            self._fold(expansion.shallower(self._shown.nesting, self._wanted), self._anchor_of_middle())

    def open_all(self) -> None:
        """Opens every group."""
        if self._shown is not None:
            self._fold(expansion.everything(self._shown.nesting), self._anchor_of_middle())

    def close_all(self) -> None:
        """Closes every group; the little that is left is shown as at first."""
        if self._shown is not None:
            self._fold(frozenset(), None)
            self._opens_view = True

    def set_flat(self, is_flat: bool) -> None:
        """Shows no groups at all, or those that a first look would open."""
        if self._shown is not None:
            nesting = self._shown.nesting
            opened = None if is_flat else expansion.opening(self._shown.graph, nesting)
            if opened is None and not is_flat:
                opened = expansion.everything(nesting)
            self._fold(opened, self._anchor_of_middle())

    def reveal(self, node: int) -> bool:
        """Opens what hides a node and brings it into view when that is done; False where nothing hides it."""
        if self._shown is None:
            return False
        expanded = expansion.showing(self._shown.nesting, self._wanted, [node])
        if expanded == self._wanted:
            return False
        self._fold(expanded, None)
        self._to_reveal = node
        return True

    def _fold(self, expanded: Expanded, anchor: _Anchor | None) -> None:
        assert self._shown is not None
        if expanded == self._wanted and not self._runner.is_running:
            return
        self._wanted = expanded
        self._anchor, self._to_reveal, self._opens_view = anchor, -1, False
        self._runner.start(Request(self._shown.graph, expanded, known=self._shown))

    # --- Keeping things in place ------------------------------------------------------------------------------

    def _anchor_of_middle(self) -> _Anchor | None:
        """The current box, else the one nearest to the middle of the view."""
        view = self._view
        if view.scene is None or not len(view.scene):
            return None
        item = next((item for item in view.marks.selected if view.shows(item)), -1)
        item = item if item >= 0 else view.nearest_to_middle()
        if item < 0:
            return None
        place = view.camera.rect_to_view(*view.scene.box(item)).center()
        return _Anchor(place, node=view.scene.nodes_of([item])[0])

    def _on_finished(self, arrangement: Arrangement) -> None:
        is_same = self._shown is not None and self._shown.graph is arrangement.graph
        self._shown, self._wanted = arrangement, arrangement.expanded
        before = self._view.moment() if is_same and self._anchor is not None else None
        self.arranged.emit(arrangement, is_same)
        if is_same:
            self._put_in_place()
            if before is not None:
                self._view.move_from(before)
            self.placed.emit()

    def _put_in_place(self) -> None:
        view, anchor, node, opens = self._view, self._anchor, self._to_reveal, self._opens_view
        self._anchor, self._to_reveal, self._opens_view = None, -1, False
        scene = view.scene
        if opens:
            view.open_view()
        elif node >= 0:
            view.reveal(node)
        elif anchor is not None and scene is not None:
            centre = scene.group_place(anchor.path, anchor.side) if anchor.path else scene.centre_of(anchor.node)
            if centre is not None:
                view.keep_at(centre, anchor.place)
        # What is seen first is crisp: an empty moment between two pictures would be a flash.
        view.paint_slice()

    def _on_failed(self, graph: Graph, reason: str) -> None:
        self._shown = None
        self.failed.emit(graph, reason)
