"""What ``aotgui step`` says: a line or a document for each executed node, each stop and each log message."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from aotgui.export.report import Document, step_document
from aotgui.export.report_text import StepLines
from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.cause import Cause
from aotgui.model.graph import Graph
from aotgui.model.stepping import NodeError, WatchValue
from aotgui.model.text import place_text
from aotgui.model.values import ValueStats

_INDENT = "    "


class StepReport:
    """Says what happens in one graph.

    Attributes:
        graph: that is stepped through.
    """

    def __init__(self, graph: Graph, points: Mapping[str, str]) -> None:
        """Takes the graph, and the text of each breakpoint by its id."""
        self.graph = graph
        self._points = points
        self._lines = StepLines(graph)

    def node_line(self, value: ValueStats, error: NodeError | None) -> str:
        """One executed node, with its error against float64 where that is known."""
        line = self._lines.line(value)
        if error is None:
            return line
        return f"{line}  error {error.relative:.3g}" + (f" ({error.text})" if error.text else "")

    def stop_lines(self, hits: list[BreakpointHit], watches: list[WatchValue]) -> Iterator[str]:
        """A stop: which breakpoints, where, and what the watch expressions give."""
        for hit in hits:
            yield f"Breakpoint {self._points.get(hit.id, hit.id)}: {self._where(hit)}"
        for watch in watches:
            yield f"{_INDENT}{watch.expression} {'fails: ' if watch.failed else '= '}{watch.text}"

    def node_document(self, value: ValueStats, error: NodeError | None) -> Document:
        """One executed node; with ``error`` and ``error_note`` where there is a run in float64."""
        document = step_document(self.graph, value)
        if error is not None:
            document |= {"error": error.relative, "max_abs_error": error.max_abs, "error_note": error.text}
        return document

    def stop_document(self, hits: list[BreakpointHit], watches: list[WatchValue]) -> Document:
        """A stop."""
        return {
            "breakpoints": [self._hit_document(hit) for hit in hits],
            "watches": [{"expression": w.expression, "text": w.text, "failed": w.failed} for w in watches],
        }

    def _hit_document(self, hit: BreakpointHit) -> Document:
        return {
            "breakpoint": self._points.get(hit.id, hit.id),
            "node": self.graph.names[hit.node],
            "after": hit.after,
            "text": hit.text,
            "failed": hit.failed,
        }

    def _where(self, hit: BreakpointHit) -> str:
        frame = self.graph.source(hit.node)
        place = f" ({place_text(frame.file, frame.line)})" if frame else ""
        said = f": {hit.text}" if hit.text else ""
        return f"{'after' if hit.after else 'before'} {self.graph.names[hit.node]}{place}{said}"


def cause_document(cause: Cause) -> Document:
    """The chain from a bad value back to where it comes from."""
    return {
        "text": cause.text,
        "origin": cause.origin,
        "steps": [
            {
                "graph": str(step.graph),
                "node": step.name,
                "op": step.target,
                "text": step.text,
                "source": f"{step.file}:{step.line}" if step.file else "",
                "forward": step.partner.name if step.partner else "",
            }
            for step in cause.steps
        ],
    }


def cause_lines(cause: Cause) -> Iterator[str]:
    """The sentence, and the way back node by node."""
    if cause.text:
        yield cause.text
    for step in cause.steps:
        where = f" ({place_text(step.file, step.line)})" if step.file else ""
        yield f"  {step.graph} {step.name}{where}: {step.text}"
