"""Compilers compared on the target that is open, and the node at which one goes wrong."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.model.capture import Problem
from aotgui.model.comparison import Candidate, CompareRow, Culprit
from aotgui.protocol.messages import CulpritProgress


class TrialEntry(msgspec.Struct, frozen=True):
    """A compiler that is compared.

    Attributes:
        candidate: what is asked for.
        row: what was measured; None while that is to come, and where it was given up.
        doing: what is being done for it now, or empty.
    """

    candidate: Candidate
    row: CompareRow | None = None
    doing: str = ""


class CulpritSearch(msgspec.Struct, frozen=True):
    """A search for the node at which a compiler goes wrong.

    Attributes:
        compiler: its name; empty for that of the run.
        progress: how far it is; None before the first compilation.
        is_over: whether it ended.
        culprit: the node, or None.
        detail: one sentence about the outcome.
        problem: why it failed, or None.
    """

    compiler: str = ""
    progress: CulpritProgress | None = None
    is_over: bool = False
    culprit: Culprit | None = None
    detail: str = ""
    problem: Problem | None = None


class CompilerTrials(QObject):
    """What is known of other compilers for what is open.

    Signals:
        entries_changed: ``entries`` changed.
        search_changed: ``search`` changed.
    """

    entries_changed = Signal()
    search_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._entries: list[TrialEntry] = []
        self._search: CulpritSearch | None = None

    @property
    def entries(self) -> list[TrialEntry]:
        """What is compared, in the order asked for. Do not change."""
        return self._entries

    @property
    def rows(self) -> list[CompareRow]:
        """What was measured so far."""
        return [entry.row for entry in self._entries if entry.row is not None]

    @property
    def search(self) -> CulpritSearch | None:
        """The newest search for a node, or None."""
        return self._search

    def begin(self, candidates: Sequence[Candidate]) -> None:
        """These are compared; what was known before is gone."""
        self._entries = [TrialEntry(candidate) for candidate in candidates]
        self.entries_changed.emit()

    def set_entry(self, place: int, row: CompareRow | None, doing: str = "") -> None:
        """More is known of one."""
        if 0 <= place < len(self._entries):
            self._entries[place] = TrialEntry(self._entries[place].candidate, row, doing)
            self.entries_changed.emit()

    def settle(self) -> None:
        """Nothing more is measured."""
        self._entries = [msgspec.structs.replace(entry, doing="") for entry in self._entries]
        self.entries_changed.emit()

    def set_search(self, search: CulpritSearch | None) -> None:
        """A search began, is further, or ended."""
        if search != self._search:
            self._search = search
            self.search_changed.emit()

    def clear(self) -> None:
        """Something else is open."""
        self.begin(())
        self.set_search(None)
