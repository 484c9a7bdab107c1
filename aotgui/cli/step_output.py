"""How ``aotgui step`` prints: lines for a person, one JSON document, or one JSON object a line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Final

import msgspec

from aotgui.export.report import Document, json_text, problem_document
from aotgui.export.step_report import StepReport, cause_document, cause_lines
from aotgui.model.capture import Capture, Problem
from aotgui.model.cause import Cause
from aotgui.model.graph import Graph
from aotgui.model.stepping import NodeError
from aotgui.model.values import ValueStats
from aotgui.protocol.messages import Stepped, StopReason

_ON_THE_WAY: Final = (StopReason.ENTRY, StopReason.RUNNING, StopReason.REACHED)
"""Reasons of stops that the command makes by itself."""


class StepOutput:
    """Takes what happens and prints nothing; the others build on it."""

    def __init__(self, report: StepReport | None) -> None:
        """Takes who puts things into words; None where there is no graph."""
        self._report = report

    def stepped(self, stepped: Stepped) -> None:
        """Takes in a report of the session."""
        if self._report is None:
            return
        kind = self._report.graph.kind
        errors = {error.node: error for error in stepped.errors.get(kind, [])}
        for value in stepped.executed.get(kind, []):
            self._node(self._report, value, errors.get(value.node))
        for hit in stepped.logs:
            self._log(self._report, hit.text)
        if stepped.hits or (stepped.watches and stepped.reason not in _ON_THE_WAY):
            self._stop(self._report, stepped)

    def end(self, captured: Capture, problems: list[Problem], cause: Cause | None) -> None:
        """Takes in that it is over."""
        sys.stdout.flush()

    def _node(self, report: StepReport, value: ValueStats, error: NodeError | None) -> None: ...

    def _stop(self, report: StepReport, stepped: Stepped) -> None: ...

    def _log(self, report: StepReport, text: str) -> None: ...


class TextOutput(StepOutput):
    """Lines for a person."""

    def _node(self, report: StepReport, value: ValueStats, error: NodeError | None) -> None:
        print(report.node_line(value, error))

    def _stop(self, report: StepReport, stepped: Stepped) -> None:
        for line in report.stop_lines(stepped.hits, stepped.watches):
            print(line)

    def _log(self, report: StepReport, text: str) -> None:
        print(text)

    def end(self, captured: Capture, problems: list[Problem], cause: Cause | None) -> None:
        """Prints where a NaN or Inf comes from."""
        for line in cause_lines(cause) if cause else ():
            print(line)
        super().end(captured, problems, cause)


class JsonOutput(StepOutput):
    """One JSON document, at the end."""

    def __init__(self, report: StepReport | None) -> None:
        super().__init__(report)
        self._nodes: list[Document] = []
        self._stops: list[Document] = []
        self._logs: list[str] = []

    def _node(self, report: StepReport, value: ValueStats, error: NodeError | None) -> None:
        self._nodes.append(report.node_document(value, error))

    def _stop(self, report: StepReport, stepped: Stepped) -> None:
        self._stops.append(report.stop_document(stepped.hits, stepped.watches))

    def _log(self, report: StepReport, text: str) -> None:
        self._logs.append(text)

    def end(self, captured: Capture, problems: list[Problem], cause: Cause | None) -> None:
        """Prints the document."""
        document = _ending(captured, self._report.graph if self._report else None, problems, cause)
        document |= {"nodes": self._nodes, "stops": self._stops, "logs": self._logs}
        sys.stdout.write(json_text(document))
        super().end(captured, problems, cause)


class JsonLinesOutput(StepOutput):
    """One JSON object a line, each with an ``event``: node, stop, log, end."""

    def _node(self, report: StepReport, value: ValueStats, error: NodeError | None) -> None:
        _say("node", report.node_document(value, error))

    def _stop(self, report: StepReport, stepped: Stepped) -> None:
        _say("stop", report.stop_document(stepped.hits, stepped.watches))

    def _log(self, report: StepReport, text: str) -> None:
        _say("log", {"text": text})

    def end(self, captured: Capture, problems: list[Problem], cause: Cause | None) -> None:
        """Prints the last line."""
        _say("end", _ending(captured, self._report.graph if self._report else None, problems, cause))
        super().end(captured, problems, cause)


def output_of(arguments: argparse.Namespace, graph: Graph | None, points: Mapping[str, str]) -> StepOutput:
    """The output that the options ask for; ``points`` gives the text of each breakpoint by its id."""
    report = StepReport(graph, points) if graph is not None else None
    if arguments.json:
        return JsonOutput(report)
    return JsonLinesOutput(report) if arguments.json_lines else TextOutput(report)


def _say(event: str, document: Document) -> None:
    sys.stdout.write(msgspec.json.encode({"event": event, **document}).decode() + "\n")
    sys.stdout.flush()


def _ending(captured: Capture, graph: Graph | None, problems: list[Problem], cause: Cause | None) -> Document:
    return {
        "source": captured.source,
        "target": captured.target,
        "torch": captured.torch,
        "graph": str(graph.kind) if graph else "",
        "problems": [problem_document(problem) for problem in problems],
        "cause": cause_document(cause) if cause else None,
    }
