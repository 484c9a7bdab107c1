"""``aotgui compare``: compilers and partitioners side by side, and the node at which one goes wrong."""

from __future__ import annotations

import argparse
import sys
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from aotgui.cli.arguments import add_settings, add_source, settings_of
from aotgui.cli.capturing import capture, chosen_region, engine, problems_of, show_progress, status_of, without_graphs
from aotgui.cli.compare_partitioners import compare_partitioners
from aotgui.cli.export import write_output
from aotgui.cli.outcome import CommandError, ExitStatus, say_problems
from aotgui.export.compare_report import compare_csv, compare_document, compare_markdown, compare_text
from aotgui.export.report import json_text
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.comparison import Candidate, CompareRow, Culprit, Verdict
from aotgui.model.compiler_choice import ChoiceError, parse_choice, split_choices
from aotgui.model.decision import Decision, decisions_in
from aotgui.model.graph import GraphKind
from aotgui.model.partition import PartitionChoice
from aotgui.protocol.client import EngineClient, EngineError
from aotgui.protocol.messages import Compare, CompareProgress, CompareRowReady, CulpritFound, FindCulprit, WriteRepro

_REPRO_SECONDS: Final = 30.0


class Comparison(NamedTuple):
    """What was compared.

    Attributes:
        rows: one a candidate that was measured.
        culprits: by the position of the row.
        problems: what went wrong besides.
    """

    rows: list[CompareRow]
    culprits: dict[int, Culprit]
    problems: list[Problem]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    add_source(parser)
    group = parser.add_argument_group("what to compare")
    group.add_argument("--compilers", default="", metavar="A,B,C", help="compilers or presets")
    group.add_argument("--partitioners", default="", metavar="A,B,C", help="default,min_cut,min_cut@0.5")
    group.add_argument(
        "--seconds", type=float, default=1.0, metavar="S", help="about how long to time each row (default: 1)"
    )
    group.add_argument(
        "--culprit",
        action="store_true",
        help="find the first node at which a compiler goes wrong",
    )
    group.add_argument(
        "--graph", choices=["forward", "backward", "inference"], help="where to look for a culprit (default: in each)"
    )
    group.add_argument("--repro", metavar="OUT.py", help="write the smallest script that fails in the same way")
    result = parser.add_argument_group("result").add_mutually_exclusive_group()
    for form, words in (("json", "one JSON document"), ("csv", "a table as CSV"), ("markdown", "a table as Markdown")):
        result.add_argument(f"--{form}", dest="output_format", action="store_const", const=form, help=f"print {words}")
    parser.set_defaults(output_format="text")
    parser.add_argument("-o", "--output", default="-", metavar="OUT", help="file to write instead of standard output")
    add_settings(parser)


def compare(arguments: argparse.Namespace) -> ExitStatus:
    """Prints the table; a candidate that is wrong or fails is a failure."""
    candidates = candidates_of(arguments.compilers, arguments.partitioners)
    if not (arguments.compilers or arguments.culprit or arguments.repro):
        decisions = decisions_in(settings_of(arguments).decisions, arguments.region)
        return compare_partitioners(arguments, [_partition_choice(candidate, decisions) for candidate in candidates])
    with engine(arguments) as client:
        result = capture(client, arguments)
        if not result.capture.regions:
            return without_graphs(result)
        chosen_region(result.capture, arguments.region)
        done = Comparison([], {}, [])
        status = ExitStatus.FINE
        try:
            _measure(client, candidates, arguments.seconds, done)
            if arguments.culprit or arguments.repro:
                _find_culprits(client, arguments, done)
        except EngineError as error:
            done.problems.extend(problems_of(error))
            status = status_of(error)
        finally:
            show_progress("")
    write_output(arguments.output, _text(arguments.output_format, result.capture, done).encode())
    sys.stdout.flush()
    say_problems(done.problems)
    wrong = any(row.verdict is not Verdict.MATCH for row in done.rows)
    failed = wrong or any(problem.severity is Severity.ERROR for problem in done.problems)
    return max(status, ExitStatus.FAILED if failed else ExitStatus.FINE)


def _partition_choice(candidate: Candidate, decisions: dict[str, Decision]) -> PartitionChoice:
    budget = 1.0 if candidate.memory_budget is None else candidate.memory_budget
    return PartitionChoice(partitioner=candidate.partitioner, memory_budget=budget, decisions=decisions)


def candidates_of(compilers: str, partitioners: str) -> list[Candidate]:
    """Every compiler with every partitioner.

    Raises:
        CommandError: nothing is named, or something that is no choice.
    """
    named, parted = split_choices(compilers), [_partitioner(text) for text in split_choices(partitioners)]
    if not named and not parted:
        raise CommandError("Say what to compare: --compilers or --partitioners.", ExitStatus.USAGE)
    for name in named:
        try:
            parse_choice(name)
        except ChoiceError as error:
            raise CommandError(str(error), ExitStatus.USAGE) from error
    return [
        Candidate(compiler=compiler, partitioner=partitioner, memory_budget=budget)
        for compiler, (partitioner, budget) in product(named or [""], parted or [("", None)])
    ]


def _partitioner(text: str) -> tuple[str, float | None]:
    """``min_cut@0.5`` as name and memory budget; without ``@`` torch's own budget is meant.

    Raises:
        CommandError: the budget is not between 0 and 1.
    """
    name, at, share = text.partition("@")
    try:
        budget = float(share) if at else 1.0
    except ValueError:
        budget = -1.0
    if not name or not 0.0 <= budget <= 1.0:
        raise CommandError(f"{text} is no partitioner; write min_cut@0.5 with a budget from 0 to 1.", ExitStatus.USAGE)
    return name, budget


def _measure(client: EngineClient, candidates: list[Candidate], seconds: float, done: Comparison) -> None:
    for event in client.compare(Compare(request=1, candidates=candidates, seconds=seconds)):
        match event:
            case CompareRowReady(row=row):
                done.rows.append(row)
            case CompareProgress(index=index, total=total, doing=doing):
                show_progress(f"{index + 1} of {total}, {candidates[index].label}: {doing} ...")


def _find_culprits(client: EngineClient, arguments: argparse.Namespace, done: Comparison) -> None:
    """Searches the graphs of the run, once for each compiler that is wrong or fails."""
    graph = GraphKind(arguments.graph) if arguments.graph else None
    answers: dict[str, CulpritFound] = {}
    for position, row in enumerate(done.rows):
        if row.verdict is Verdict.MATCH:
            continue
        name = row.compiler
        if name not in answers:
            show_progress(f"{name}: looking for the node ...")
            answers[name] = client.find_culprit(FindCulprit(request=position, compiler=name, graph=graph))
            done.problems.extend(_problems_of_search(answers[name]))
        if (culprit := answers[name].culprit) is not None:
            done.culprits[position] = culprit
            if arguments.repro and len(done.culprits) == 1:  # the engine writes what it found last
                _write_repro(client, arguments.repro, done)
            if not arguments.culprit:
                return


def _problems_of_search(answer: CulpritFound) -> list[Problem]:
    if answer.problem is not None:
        return [answer.problem]
    if answer.culprit is None:
        return [Problem(severity=Severity.WARNING, stage="culprit", message=answer.detail)]
    return []


def _write_repro(client: EngineClient, path: str, done: Comparison) -> None:
    show_progress(f"{path}: looking for the smallest script ...")
    exported = client.export(WriteRepro(request=1, path=str(Path(path).absolute()), seconds=_REPRO_SECONDS))
    if exported.problem is not None:
        done.problems.append(exported.problem)
    else:
        sys.stderr.write(f"Wrote {exported.detail}\n")


def _text(form: str, captured: Capture, done: Comparison) -> str:
    match form:
        case "json":
            return json_text(compare_document(captured, done.rows, done.culprits, done.problems))
        case "csv":
            return compare_csv(done.rows)
        case "markdown":
            return compare_markdown(done.rows, done.culprits)
    return compare_text(captured, done.rows, done.culprits)
