"""``aotgui compare SRC --partitioners``: other partitions of what was captured, without tracing again."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from aotgui.cli.capturing import capture, chosen_region, engine, problems_of, status_of, without_graphs
from aotgui.cli.export import write_output
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.export.partitions_report import (
    partitions_csv,
    partitions_document,
    partitions_markdown,
    partitions_text,
)
from aotgui.export.report import json_text
from aotgui.model.capture import Capture, Problem
from aotgui.model.partition import PartitionChoice, PartitionResult
from aotgui.protocol.client import EngineClient, EngineError
from aotgui.protocol.messages import Repartition


def compare_partitioners(arguments: argparse.Namespace, choices: Sequence[PartitionChoice]) -> ExitStatus:
    """Prints one row a partition; one that cannot be had is a failure.

    Args:
        arguments: of ``aotgui compare``; ``output_format`` and ``output`` say what to print where.
        choices: what to compare, in the order of the rows.
    """
    results: list[PartitionResult] = []
    with engine(arguments) as client:
        done = capture(client, arguments)
        if not done.capture.regions:
            return without_graphs(done)
        region = chosen_region(done.capture, arguments.region).name
        request = Repartition(request=1, region=arguments.region, choices=list(choices))
        problems, status = _ask(client, request, results)
    if not results and arguments.output_format != "json":
        say_problems(problems)
        return max(status, ExitStatus.FAILED)
    text = _text(arguments.output_format, done.capture, region, results, problems)
    write_output(arguments.output, text.encode())
    sys.stdout.flush()
    say_problems(problems)
    return max(status, ExitStatus.FAILED if problems else ExitStatus.FINE)


def _ask(
    client: EngineClient, request: Repartition, results: list[PartitionResult]
) -> tuple[list[Problem], ExitStatus]:
    """Collects the results; what went wrong, and the status because of it."""
    problems = []
    try:
        for answer in client.repartition(request):
            results += [answer.result] if answer.result else []
            problems += [answer.problem] if answer.problem else []
    except EngineError as error:
        return [*problems, *problems_of(error)], status_of(error)
    return problems, ExitStatus.FINE


def _text(form: str, captured: Capture, region: str, results: list[PartitionResult], problems: list[Problem]) -> str:
    match form:
        case "json":
            return json_text(partitions_document(captured, region, results, problems))
        case "csv":
            return partitions_csv(results)
        case "markdown":
            return partitions_markdown(results)
        case "text":
            return partitions_text(region, results)
    raise CommandError(f"There is no form {form}.", ExitStatus.USAGE)
