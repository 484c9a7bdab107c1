"""A capture as plain text for a terminal: what ``aotgui report``, ``check`` and ``step`` print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from aotgui.export.section import Section
from aotgui.export.text_table import table_lines
from aotgui.model.capture import Capture, Check, CheckStatus, Comparison, Problem, Region
from aotgui.model.decision import decisions_text
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.ledger import LedgerRow, ledger_of
from aotgui.model.policy_audit import audit_of
from aotgui.model.text import bytes_text, count_text, number_text, place_text, seconds_text
from aotgui.model.values import ValueStats

ROLES: Final = ("activation", "parameter", "buffer", "input", "symbolic size", "other")
_STATUS_WORDS: Final = {
    CheckStatus.MATCH: "matches eager",
    CheckStatus.MISMATCH: "DIFFERS from eager",
    CheckStatus.NOT_RUN: "was not compared with eager",
}
_NAMES_SHOWN: Final = 12
_SAVED_SHOWN: Final = 20


def report_text(capture: Capture, more: Sequence[Section] = ()) -> str:
    """What was captured, saved and recomputed, whether it is right, what went wrong, and what else was asked for."""
    lines = list(_heading(capture))
    for region in capture.regions:
        lines += ["", *_region_lines(region)]
    lines += ["", *check_lines(capture.check)]
    if capture.problems:
        lines += ["", *problem_lines(capture.problems)]
    if capture.findings:
        lines += ["", *_finding_lines(capture)]
    for section in more:
        lines += ["", *section.lines()]
    if capture.stages:
        times = (f"{str(time.stage).replace('_', ' ')} {seconds_text(time.seconds)}" for time in capture.stages)
        lines += ["", f"Time      {', '.join(times)}"]
    return "\n".join(lines) + "\n"


def check_text(capture: Capture) -> str:
    """Every output and gradient against eager, worst first within its kind."""
    lines = [*_heading(capture), "", *check_lines(capture.check)]
    for title, entries in (("Outputs", capture.check.outputs), ("Gradients", capture.check.gradients)):
        if entries:
            lines += ["", title, *table_lines(_comparison_rows(entries), right={1, 2})]
    if capture.problems:
        lines += ["", *problem_lines(capture.problems)]
    return "\n".join(lines) + "\n"


def _heading(capture: Capture) -> Iterator[str]:
    settings = capture.settings
    yield f"Source    {capture.source}" + (f": {capture.target}" if capture.target else "")
    compilers = [settings.forward_compiler, settings.backward_compiler or settings.forward_compiler]
    yield f"Captured  {settings.entry_point}, route {capture.route}, torch {capture.torch}"
    yield f"Settings  partitioner {settings.partitioner}, compilers {' and '.join(dict.fromkeys(compilers))}"
    if settings.decisions:
        yield f"Decided   {decisions_text(settings.decisions)}"


def _region_lines(region: Region) -> Iterator[str]:
    yield f"{region.name.capitalize()} ({'training' if region.is_training else 'inference'})"
    sizes = [[str(kind), *_size_texts(region.graphs[kind])] for kind in GraphKind if kind in region.graphs]
    yield from table_lines(sizes, right={1, 2})
    graph = region.main_graph
    if graph is None or not region.is_training:
        return
    yield "  fates     " + ", ".join(f"{count} {fate.label}" for fate, count in graph.fate_counts().items() if count)
    yield from _saved_lines(region)
    yield from _name_lines(region, Fate.RECOMPUTED)
    yield from _name_lines(region, Fate.ELIMINATED)
    yield from _policy_lines(region)


def _size_texts(graph: Graph) -> tuple[str, str]:
    return count_text(graph.node_count, "node"), count_text(graph.edge_count, "edge")


def _saved_lines(region: Region) -> Iterator[str]:
    by_role = [(role, region.saved_bytes_of(role)) for role in ROLES]
    parts = ", ".join(f"{role} {bytes_text(size)}" for role, size in by_role if size)
    total = f"{count_text(len(region.saved), 'value')}, {bytes_text(region.saved_bytes)}"
    yield f"  saved     {total}" + (f" ({parts})" if parts else "")
    readers = {row.value.name: row for row in ledger_of(region)}
    rows = [
        [
            f"  {bytes_text(value.size_bytes)}",
            value.label or value.name,
            str(value.tensor),
            value.role,
            _short_place(value.source),
            *([_readers(region, readers[value.name])] if readers else []),
            value.reason,
        ]
        for value in sorted(region.saved, key=lambda value: -value.storage_bytes)[:_SAVED_SHOWN]
    ]
    yield from table_lines(rows, right={0})
    if len(region.saved) > _SAVED_SHOWN:
        yield f"    and {len(region.saved) - _SAVED_SHOWN} smaller ones; --json lists all"


def _readers(region: Region, row: LedgerRow) -> str:
    """Which node of the backward reads a saved value last, until when it is alive."""
    if not row.consumers:
        return ""
    last = region.graphs[GraphKind.BACKWARD].names[row.last_backward_use]
    others = f" and {len(row.consumers) - 1} more" if len(row.consumers) > 1 else ""
    return f"read by {last}{others}"


def _policy_lines(region: Region) -> Iterator[str]:
    entries = audit_of(region)
    broken = [entry for entry in entries if not entry.honoured]
    if not entries or (graph := region.main_graph) is None:
        return
    yield f"  policies  {len(entries) - len(broken)} honoured, {len(broken)} overridden"
    for entry in broken[:_NAMES_SHOWN]:
        yield f"    {graph.title(entry.node)}  {entry.policy or entry.used}: {entry.sentence}"
    if len(broken) > _NAMES_SHOWN:
        yield f"    and {len(broken) - _NAMES_SHOWN} more; --json lists all"


def _short_place(source: str) -> str:
    file, _, line = source.rpartition(":")
    return place_text(file, int(line)) if file and line.isdecimal() else source


def _name_lines(region: Region, fate: Fate) -> Iterator[str]:
    names = region.names_with(fate)
    if names:
        more = f" and {len(names) - _NAMES_SHOWN} more" if len(names) > _NAMES_SHOWN else ""
        yield f"  {fate.label:<10}  {', '.join(names[:_NAMES_SHOWN])}{more}"


def check_lines(check: Check) -> Iterator[str]:
    """The verdict in one line, and a note where there is one."""
    line = f"Check     The result {_STATUS_WORDS[check.status]}"
    if check.max_error is not None:
        line += f"; largest error {number_text(check.max_error, 3)}"
    if check.eager_error is not None:
        line += f", eager's own {number_text(check.eager_error, 3)}"
    yield line + "."
    if check.note:
        yield f"          {check.note[0].upper()}{check.note[1:].rstrip('.')}."


def _comparison_rows(entries: Sequence[Comparison]) -> list[list[str]]:
    head = ["name", "error", "eager's own", "verdict", ""]
    return [head, *(_comparison_row(entry) for entry in sorted(entries, key=_badness))]


def _comparison_row(entry: Comparison) -> list[str]:
    errors = (number_text(error, 3) for error in (entry.max_error, entry.eager_error))
    return [entry.name, *errors, str(entry.status).replace("_", " "), entry.note]


def _badness(entry: Comparison) -> tuple[bool, float]:
    return entry.status is not CheckStatus.MISMATCH, -(entry.max_error or 0.0)


def problem_lines(problems: Iterable[Problem]) -> Iterator[str]:
    """One line a problem."""
    yield "Problems"
    for problem in problems:
        node = f" [{problem.graph} node {problem.node}]" if problem.node and problem.graph else ""
        stage = problem.stage.replace("_", " ")
        yield f"  {problem.severity} in {stage}: {problem}{node}"


def _finding_lines(capture: Capture) -> Iterator[str]:
    yield "Findings"
    for finding in capture.findings:
        place = f" ({finding.file}:{finding.line})" if finding.line else ""
        yield f"  {finding.severity}: {capture.sentence_of(finding)}{place}"
        if finding.advice:
            yield f"      {finding.advice}"


class StepLines:
    """Lines for executed nodes, with columns wide enough for one graph."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._name_width = min(32, max(map(len, graph.names), default=0))
        self._op_width = min(44, max((len(graph.target(index)) for index in range(len(graph))), default=0))

    def line(self, value: ValueStats) -> str:
        """Name, operator, shape and type, and statistics of one executed node."""
        name, op = self._graph.names[value.node], self._graph.target(value.node)
        what = f"{name:<{self._name_width}}  {op:<{self._op_width}}  {value.tensor!s:<24}"
        return f"{what}  {_stats(value)}".rstrip()


def _stats(value: ValueStats) -> str:
    if not value.tensor.is_tensor:
        return value.text
    numbers = (("min", value.minimum), ("max", value.maximum), ("mean", value.mean))
    known = [f"{name} {number_text(number):<9} " for name, number in numbers if number is not None]
    return "".join(known) + f"nan {value.nans}  inf {value.infs}"
