"""``aotgui step``: executes a graph node by node and prints one line for each."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import Final

import msgspec

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import capture, chosen_graph, chosen_region, engine, problems_of, status_of
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.export.report import json_text, problem_document, step_document
from aotgui.export.report_text import StepLines
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import place_text
from aotgui.model.values import ValueStats
from aotgui.protocol.client import EngineClient, EngineError
from aotgui.protocol.messages import StepAction, Stepped

NONFINITE: Final = "nonfinite"


class Plan(msgspec.Struct, frozen=True):
    """What to execute.

    Attributes:
        region: index of the region.
        graph: the graph.
        node: name of the last node to execute; empty for the first that gives NaN or Inf.
    """

    region: int
    graph: Graph
    node: str


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_source(parser)
    parser.add_argument(
        "--graph",
        choices=["forward", "backward", "inference"],
        help="which graph (default: forward, or inference)",
    )
    parser.add_argument(
        "--until", default="", metavar="NODE|nonfinite", help="last node to execute, or the first that gives NaN or Inf"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    add_settings(parser)


def step(arguments: argparse.Namespace) -> ExitStatus:
    """Prints each executed node; a NaN or Inf that was looked for and found is a failure, as is a step that fails."""
    with engine(arguments) as client:
        result = capture(client, arguments)
        if not result.capture.regions:
            return _give_up(arguments, result.capture, result.status)
        plan = _plan(arguments, result.capture)
        lines = StepLines(plan.graph)
        values, problems, status = [], [], ExitStatus.FINE
        try:
            for stepped in _execute(client, plan):
                new = stepped.executed.get(plan.graph.kind, [])
                values += new
                if not arguments.json:
                    sys.stdout.writelines(lines.line(value) + "\n" for value in new)
                problems += [stepped.problem] if stepped.problem else []
        except EngineError as error:
            problems, status = problems_of(error), status_of(error)
    if not problems and arguments.until == NONFINITE:
        problems = _nonfinite_problems(plan.graph, values)
    if arguments.json:
        sys.stdout.write(json_text(_document(result.capture, plan.graph, values, problems)))
    sys.stdout.flush()
    say_problems(problems)
    return max(status, ExitStatus.FAILED if problems else ExitStatus.FINE)


def _plan(arguments: argparse.Namespace, captured: Capture) -> Plan:
    region = chosen_region(captured, arguments.region)
    usual = GraphKind.FORWARD if region.is_training else GraphKind.INFERENCE
    graph = chosen_graph(region, GraphKind(arguments.graph or usual))
    if arguments.until == NONFINITE:
        return Plan(arguments.region, graph, "")
    if arguments.until and arguments.until not in graph.index_of:
        raise CommandError(f"The {graph.kind} graph has no node {arguments.until}.", ExitStatus.USAGE)
    return Plan(arguments.region, graph, arguments.until or (graph.names[-1] if graph.names else ""))


def _execute(client: EngineClient, plan: Plan) -> Iterator[Stepped]:
    """Runs up to the last node and then over it, so that nothing of another graph is executed."""
    kind = plan.graph.kind
    if not len(plan.graph):
        return
    stopped = client.start_stepping(plan.region, kind)
    yield stopped
    if not plan.node:
        yield from client.step(StepAction.RUN_TO_NONFINITE, kind)
        return
    last = plan.graph.index_of[plan.node]
    if last > 0 and stopped.problem is None:
        for stopped in client.step(StepAction.RUN_TO, kind, plan.node):
            yield stopped
    if (stopped.graph, stopped.node) == (kind, last) and stopped.problem is None:
        yield from client.step(StepAction.STEP, kind)


def _nonfinite_problems(graph: Graph, values: list[ValueStats]) -> list[Problem]:
    for value in values:
        if not value.is_finite:
            return [_nonfinite_problem(graph, value)]
    return []


def _nonfinite_problem(graph: Graph, value: ValueStats) -> Problem:
    name, source = graph.names[value.node], graph.source(value.node)
    return Problem(
        severity=Severity.ERROR,
        stage="step",
        message=f"{name} ({graph.target(value.node)}) is the first node with {value.nans} NaN and {value.infs} Inf.",
        file=source.file if source else "",
        line=source.line if source else 0,
        node=name,
        graph=graph.kind,
        details=f"Computed in {place_text(source.file, source.line)}." if source else "",
    )


def _give_up(arguments: argparse.Namespace, captured: Capture, status: ExitStatus) -> ExitStatus:
    if arguments.json:
        sys.stdout.write(json_text(_document(captured, None, [], captured.problems)))
        sys.stdout.flush()
    say_problems(captured.problems)
    return max(status, ExitStatus.FAILED)


def _document(
    captured: Capture, graph: Graph | None, values: list[ValueStats], problems: list[Problem]
) -> dict[str, object]:
    return {
        "source": captured.source,
        "target": captured.target,
        "torch": captured.torch,
        "graph": str(graph.kind) if graph else "",
        "nodes": [step_document(graph, value) for value in values] if graph else [],
        "problems": [problem_document(problem) for problem in problems],
    }
