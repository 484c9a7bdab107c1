"""Two captures that are compared: one session each, so that every view can show either, and what differs."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from aotgui.gui.session.background import Background
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture
from aotgui.model.diff import CaptureDiff, GraphDiff, RegionDiff, diff_captures
from aotgui.model.graph import GraphKind


class CapturePair(QObject):
    """The old capture and the new one.

    What is selected in one is selected in the other, as far as it is there.

    Signals:
        changed: ``diff`` is known, or another region is shown.

    Attributes:
        old: shows the capture before.
        new: shows the capture after; its ``graph_shown`` and region are those of both.
    """

    changed = Signal()

    def __init__(self, old: Capture, new: Capture, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.old, self.new = _session(old, self), _session(new, self)
        self._diff: CaptureDiff | None = None
        self._old_of: dict[tuple[int, GraphKind], dict[int, int]] = {}
        self._selecting = False
        self._work: Background[CaptureDiff] = Background(self)
        self._work.start(lambda: diff_captures(old, new), self._on_compared)
        self.old.selection_changed.connect(lambda: self._select(self.old, self.new))
        self.new.selection_changed.connect(lambda: self._select(self.new, self.old))

    @property
    def diff(self) -> CaptureDiff | None:
        """What differs; None while it is being worked out."""
        return self._diff

    @property
    def region(self) -> RegionDiff | None:
        """What differs in the region shown."""
        index = self.new.region_index
        return self._diff.regions[index] if self._diff and index < len(self._diff.regions) else None

    @property
    def region_names(self) -> list[str]:
        """Names of the regions that both captures have."""
        return [region.name for region in self._diff.regions] if self._diff else []

    def graph(self, kind: GraphKind) -> GraphDiff | None:
        """What differs in a graph of the region shown; None where not both have it."""
        return self.region.graphs.get(kind) if self.region else None

    def show_region(self, index: int) -> None:
        """Shows another region of both."""
        for session in (self.old, self.new):
            session.set_region_index(index)
        self.changed.emit()

    def to_new(self, kind: GraphKind, node: int) -> int | None:
        """The node of the new graph that is a node of the old one."""
        diff = self.graph(kind)
        return diff.new_of.get(node) if diff else None

    def to_old(self, kind: GraphKind, node: int) -> int | None:
        """The node of the old graph that is a node of the new one."""
        diff = self.graph(kind)
        if diff is None:
            return None
        place = (self.new.region_index, kind)
        if place not in self._old_of:
            self._old_of[place] = {new: old for old, new in diff.new_of.items()}
        return self._old_of[place].get(node)

    def close(self) -> None:
        """Waits for what is under way."""
        self._work.close()

    def _on_compared(self, result: CaptureDiff | Exception) -> None:
        if isinstance(result, Exception):
            raise result
        self._diff = result
        self.changed.emit()

    def _select(self, source: Session, other: Session) -> None:
        kind = source.selection.graph
        if self._selecting or kind is None:
            return
        translate = self.to_new if source is self.old else self.to_old
        found = (translate(kind, node) for node in source.selection.nodes)
        self._selecting = True
        other.select(kind, [node for node in found if node is not None])
        self._selecting = False


def _session(capture: Capture, parent: QObject) -> Session:
    session = Session(parent)
    session.set_source(capture.source, is_stored=True)
    session.set_capture(capture)
    return session
