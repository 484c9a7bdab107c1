"""``aotgui step``: executes a graph node by node and prints one line for each."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

import msgspec

from aotgui.cli.arguments import add_settings, add_source
from aotgui.cli.capturing import capture, chosen_graph, chosen_region, engine, errors_of, problems_of, status_of
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.cli.step_output import StepOutput, output_of
from aotgui.model.breakpoint import Breakpoint
from aotgui.model.breakpoint_text import SYNTAX, BreakpointTextError, breakpoint_text, parse_breakpoint
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.cause import Cause
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import place_text
from aotgui.model.values import ValueStats
from aotgui.protocol.client import EngineClient, EngineError
from aotgui.protocol.messages import StepAction, Stepped, StopReason

NONFINITE: Final = "nonfinite"


class Plan(msgspec.Struct, frozen=True):
    """What to execute.

    Attributes:
        region: index of the region.
        graph: the graph.
        node: name of the last node to execute; empty for the first that gives NaN or Inf.
        points: where to stop, say what is there, and go on.
        watches: expressions that each stop evaluates.
        reference: whether to run in float64 beside it.
    """

    region: int
    graph: Graph
    node: str
    points: list[Breakpoint] = []
    watches: list[str] = []
    reference: bool = False


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
    parser.add_argument(
        "--break",
        dest="breaks",
        action="append",
        default=[],
        metavar="WHERE",
        help=f"stop there, say what is there, and go on; may be repeated: {SYNTAX}",
    )
    parser.add_argument(
        "--watch",
        dest="watches",
        action="append",
        default=[],
        metavar="EXPRESSION",
        help="Python over values of nodes by name, evaluated at each stop and at the end; may be repeated",
    )
    parser.add_argument(
        "--reference", action="store_true", help="also run in float64 and print the error of each node against it"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--json-lines", action="store_true", help="print one JSON object a line, while it runs")
    add_settings(parser)


def step(arguments: argparse.Namespace) -> ExitStatus:
    """Prints each executed node; a NaN or Inf that was looked for and found is a failure, as is a step that fails."""
    points = _points(arguments.breaks)
    with engine(arguments) as client:
        result = capture(client, arguments)
        if not result.capture.regions:
            return _give_up(arguments, result.capture, result.status)
        plan = _plan(arguments, result.capture, points)
        texts = {point.id: breakpoint_text(point) for point in points}
        output = output_of(arguments, plan.graph, texts)
        failed = errors_of(result.capture)
        problems, cause, status = _run(client, plan, output, arguments.until == NONFINITE, failed)
    output.end(result.capture, problems, cause)
    say_problems(problems)
    return max(status, ExitStatus.FAILED if problems else ExitStatus.FINE)


def _run(
    client: EngineClient, plan: Plan, output: StepOutput, wants_finite: bool, failed: list[Problem]
) -> tuple[list[Problem], Cause | None, ExitStatus]:
    """Executes and prints; returns what went wrong, where that comes from, and what to exit with.

    A run that ``failed`` before the graph was called leaves nothing to step through: then its problems are the reason.
    """
    has_begun = False
    problems: list[Problem] = []
    bad: ValueStats | None = None
    try:
        for stepped in _execute(client, plan):
            has_begun = True
            new = stepped.executed.get(plan.graph.kind, [])
            bad = bad or next((value for value in new if not value.is_finite), None)
            output.stepped(stepped)
            problems += [stepped.problem] if stepped.problem else []
        if problems or not wants_finite or bad is None:
            return problems, None, ExitStatus.FINE
        cause = client.find_cause(plan.graph.kind, bad.node)
    except EngineError as error:
        status = status_of(error)
        reasons = failed if status is ExitStatus.FAILED and not has_begun else []
        return reasons or problems_of(error), None, status
    return [_nonfinite_problem(plan.graph, bad)], cause, ExitStatus.FINE


def _points(texts: list[str]) -> list[Breakpoint]:
    try:
        return [parse_breakpoint(text, str(number)) for number, text in enumerate(texts)]
    except BreakpointTextError as error:
        raise CommandError(str(error), ExitStatus.USAGE) from error


def _plan(arguments: argparse.Namespace, captured: Capture, points: list[Breakpoint]) -> Plan:
    region = chosen_region(captured, arguments.region)
    usual = GraphKind.FORWARD if region.is_training else GraphKind.INFERENCE
    graph = chosen_graph(region, GraphKind(arguments.graph or usual))
    node = arguments.until
    if node == NONFINITE:
        node = ""
    elif node and node not in graph.index_of:
        raise CommandError(f"The {graph.kind} graph has no node {node}.", ExitStatus.USAGE)
    elif not node and graph.names:
        node = graph.names[-1]
    return Plan(arguments.region, graph, node, points, arguments.watches, arguments.reference)


def _execute(client: EngineClient, plan: Plan) -> Iterator[Stepped]:
    """Runs up to the last node and then over it, so that nothing of another graph is executed."""
    kind = plan.graph.kind
    if not len(plan.graph):
        return
    stopped = client.start_stepping(
        plan.region, kind, points=plan.points, watches=plan.watches, reference=plan.reference
    )
    yield stopped
    if not plan.node:
        yield from _past_stops(client, StepAction.RUN_TO_NONFINITE, kind)
        return
    last = plan.graph.index_of[plan.node]
    if last > 0 and stopped.problem is None:
        for stopped in _past_stops(client, StepAction.RUN_TO, kind, plan.node):
            yield stopped
    if (stopped.graph, stopped.node) == (kind, last) and stopped.problem is None:
        yield from client.step(StepAction.STEP, kind)


def _past_stops(client: EngineClient, action: StepAction, kind: GraphKind, node: str = "") -> Iterator[Stepped]:
    """Carries out an action again and again until no breakpoint ends it."""
    while True:
        for stepped in client.step(action, kind, node):
            yield stepped
        if not stepped.hits or stepped.reason not in (StopReason.BREAKPOINT, StopReason.NONFINITE):
            return


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
    output_of(arguments, None, {}).end(captured, captured.problems, None)
    say_problems(captured.problems)
    return max(status, ExitStatus.FAILED)
