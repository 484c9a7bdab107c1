"""What the checks look at, and what a check is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from aotgui.engine.calling import CallResult, Harness
from aotgui.engine.half import Half
from aotgui.engine.observing import Use
from aotgui.engine.tracing import RegionTrace
from aotgui.model.capture import Check, Finding, Severity
from aotgui.model.graph import Graph, Op
from aotgui.model.settings import EntryPoint


@dataclass(frozen=True)
class Evidence:
    """What one run found out.

    Attributes:
        harness: the target.
        regions: what was captured of it.
        is_direct: whether it was traced without Dynamo.
        eager: what it gave in eager.
        compiled: what it gave compiled.
        check: the judgement.
        uses: autograd features that eager used.
        lost_effects: names of Python values that every eager call changes and the compiled one does not.
        entry_point: how it was captured.
        first: index of the first region among all of the capture, where the target is a piece of a program; else -1.
    """

    harness: Harness
    regions: Sequence[RegionTrace]
    is_direct: bool
    eager: CallResult
    compiled: CallResult
    check: Check
    uses: tuple[Use, ...] = ()
    lost_effects: frozenset[str] = frozenset()
    entry_point: str = str(EntryPoint.AOT_FUNCTION)
    first: int = -1

    def numbered(self) -> Iterator[tuple[int, RegionTrace]]:
        """Every region with its index."""
        return enumerate(self.regions, start=max(self.first, 0))

    def halves(self) -> Iterator[tuple[int, Half]]:
        """Every half with the index of its region."""
        for index, region in self.numbered():
            for half in region.halves.values():
                yield index, half


class FindingCheck(ABC):
    """One check.

    Attributes:
        id: stable name.
    """

    id: str

    @abstractmethod
    def find(self, evidence: Evidence) -> Iterator[Finding]:
        """Yields what is found."""

    def finding(self, severity: Severity, message: str, advice: str = "", **place: Any) -> Finding:
        """A finding of this check."""
        return Finding(id=self.id, severity=severity, message=message, advice=advice, **place)


def place_of(region: int, graph: Graph, index: int) -> dict[str, Any]:
    """Where a node is, as the fields of a finding."""
    frame = graph.source(index)
    return {
        "region": region,
        "graph": graph.kind,
        "node": graph.names[index],
        "file": frame.file if frame else "",
        "line": frame.line if frame else 0,
    }


def placeholders(graph: Graph) -> list[int]:
    """Indexes of a graph's inputs."""
    return [index for index, op in enumerate(graph.ops) if op == Op.PLACEHOLDER]


def script_of(harness: Harness) -> tuple[str, str]:
    """Path and text of the script that the target comes from; empty where it cannot be read."""
    file = harness.target.file
    try:
        return file, Path(file).read_text(encoding="utf-8", errors="replace") if file else ""
    except OSError:
        return file, ""
