"""The breakpoints of what is open: set by the canvas, the code, a list and a dialog, sent to the engine as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.model.breakpoint import Breakpoint, BreakpointHit, BreakpointKind

BUILT_IN: Final = (
    BreakpointKind.NONFINITE,
    BreakpointKind.OVERFLOW_FLOAT16,
    BreakpointKind.OVERFLOW_BFLOAT16,
    BreakpointKind.MISMATCH,
    BreakpointKind.ERROR_ABOVE,
)
"""Kinds of which there is one each, switched on and off; their id is their name."""


class Breakpoints(QObject):
    """All breakpoints, in the order in which they were set.

    A mismatch stops as long as nobody says otherwise, so a switched-off breakpoint of that kind is kept.

    Signals:
        changed: ``points`` changed.
        hits_changed: ``hits`` changed.
    """

    changed = Signal()
    hits_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._points: tuple[Breakpoint, ...] = ()
        self._hits: Counter[str] = Counter()

    @property
    def points(self) -> tuple[Breakpoint, ...]:
        """Everything that is sent to the engine."""
        return self._points

    @property
    def listed(self) -> tuple[Breakpoint, ...]:
        """Those that a person set one by one."""
        return tuple(point for point in self._points if point.id != point.kind.value)

    @property
    def hits(self) -> Counter[str]:
        """How often each stopped or said something since the (re)start, by id. Do not change."""
        return self._hits

    def named(self, name: str) -> Breakpoint | None:
        """The breakpoint with an id."""
        return next((point for point in self._points if point.id == name), None)

    def new_id(self) -> str:
        """An id that no breakpoint has."""
        taken = {point.id for point in self._points}
        return next(name for name in (f"b{number}" for number in range(1, len(taken) + 2)) if name not in taken)

    def set_points(self, points: Iterable[Breakpoint]) -> None:
        """Replaces all."""
        points = tuple(points)
        if points != self._points:
            self._points = points
            self.changed.emit()

    def put(self, point: Breakpoint) -> None:
        """Adds a breakpoint, or replaces the one with its id."""
        known = [other.id for other in self._points]
        if point.id in known:
            self.set_points(point if other.id == point.id else other for other in self._points)
        else:
            self.set_points((*self._points, point))

    def remove(self, names: Iterable[str]) -> None:
        """Removes those with these ids."""
        gone = set(names)
        self.set_points(point for point in self._points if point.id not in gone)

    def remove_all(self) -> None:
        """Removes those that a person set one by one."""
        self.remove(point.id for point in self.listed)

    def set_enabled(self, name: str, enabled: bool) -> None:
        """Switches one on or off."""
        if point := self.named(name):
            self.put(msgspec.structs.replace(point, enabled=enabled))

    # --- Built in ---------------------------------------------------------------------------------------------

    def stops_at(self, kind: BreakpointKind) -> bool:
        """Whether a built-in kind stops."""
        point = self.named(kind.value)
        return point.enabled if point else kind is BreakpointKind.MISMATCH

    def limit(self) -> float:
        """The relative error above which ``ERROR_ABOVE`` stops."""
        point = self.named(BreakpointKind.ERROR_ABOVE.value)
        return point.limit if point else Breakpoint(id="", kind=BreakpointKind.ERROR_ABOVE).limit

    def set_built_in(self, kind: BreakpointKind, enabled: bool, limit: float | None = None) -> None:
        """Switches a built-in kind on or off; ``limit`` is for ``ERROR_ABOVE``."""
        if limit is None:
            limit = self.limit()
        self.put(Breakpoint(id=kind.value, kind=kind, enabled=enabled, limit=limit))

    # --- From the engine --------------------------------------------------------------------------------------

    def count(self, hits: Iterable[BreakpointHit]) -> None:
        """These stopped the session or said something."""
        before = self._hits.total()
        self._hits.update(hit.id for hit in hits)
        if self._hits.total() != before:
            self.hits_changed.emit()

    def forget_hits(self) -> None:
        """A session begins, or begins again."""
        if self._hits:
            self._hits = Counter()
            self.hits_changed.emit()
