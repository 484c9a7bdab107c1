"""A comparison of compilers as text, JSON, CSV and Markdown; keys of the JSON are a stable contract."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from aotgui.export.report import Document, check_document, problem_document
from aotgui.export.text_table import table_lines
from aotgui.model.capture import Capture, Problem
from aotgui.model.comparison import CompareRow, Culprit, Timing
from aotgui.model.decision import decisions_text
from aotgui.model.text import NONE_TEXT, bytes_text, number_text, percent_text, place_text, seconds_text

TITLES: Final = (
    "compiler", "partitioner", "verdict", "compile", "forward", "of eager", "backward", "of eager", "peak", "saved",
    "output error", "gradient error",
)  # fmt: skip
_LEFT_TITLES: Final = 3
COLUMNS: Final = (
    "compiler", "backward_compiler", "partitioner", "decompositions", "verdict", "compile_forward_s",
    "compile_backward_s", "forward_median_s", "forward_low_s", "forward_high_s", "backward_median_s", "backward_low_s",
    "backward_high_s", "eager_forward_median_s", "eager_backward_median_s", "samples", "peak_bytes",
    "eager_peak_bytes", "saved_bytes", "saved_activation_bytes", "output_error", "gradient_error", "eager_error",
    "problem",
)  # fmt: skip

Culprits = Mapping[int, Culprit]
"""By the position of the row whose compiler goes wrong there."""


def compare_document(
    capture: Capture, rows: Sequence[CompareRow], culprits: Culprits, problems: Sequence[Problem]
) -> Document:
    """The comparison as one JSON document."""
    return {
        "source": capture.source,
        "target": capture.target,
        "torch": capture.torch,
        "rows": [row_document(row, culprits.get(position)) for position, row in enumerate(rows)],
        "problems": [problem_document(problem) for problem in problems],
    }


def row_document(row: CompareRow, culprit: Culprit | None) -> Document:
    """One candidate; what was not measured is null."""
    return {
        "compiler": row.compiler,
        "backward_compiler": row.backward_compiler,
        "partitioner": row.partitioner,
        "decompositions": row.decompositions,
        "verdict": str(row.verdict),
        "compile_forward_s": row.compile_forward_s,
        "compile_backward_s": row.compile_backward_s,
        "forward": _timing_document(row.forward),
        "backward": _timing_document(row.backward),
        "eager_forward": _timing_document(row.eager_forward),
        "eager_backward": _timing_document(row.eager_backward),
        "peak_bytes": row.peak_bytes,
        "eager_peak_bytes": row.eager_peak_bytes,
        "saved_bytes": row.saved_bytes,
        "saved_activation_bytes": row.saved_activation_bytes,
        "output_error": row.output_error,
        "gradient_error": row.gradient_error,
        "check": check_document(row.check),
        "problem": problem_document(row.problem) if row.problem else None,
        "culprit": msgspec.to_builtins(culprit) if culprit else None,
    }


def _timing_document(timing: Timing | None) -> Document | None:
    return msgspec.structs.asdict(timing) if timing else None


def compare_text(
    capture: Capture, rows: Sequence[CompareRow], culprits: Culprits, problems: Sequence[Problem] = ()
) -> str:
    """The table as aligned columns, then what is wrong."""
    lines = [f"Source    {capture.source}" + (f": {capture.target}" if capture.target else "")]
    lines += [f"Captured  {capture.settings.entry_point}, route {capture.route}, torch {capture.torch}"]
    lines += [f"Decided   {decisions_text(capture.settings.decisions)}"] if capture.settings.decisions else []
    lines += [""]
    lines += table_lines([list(TITLES), *map(_cells, rows)], right=range(_LEFT_TITLES, len(TITLES)))
    lines += ["", *_notes(rows)]
    for text in dict.fromkeys("\n".join(culprit_lines(culprit)) for culprit in culprits.values()):
        lines += ["", text]
    return "\n".join(lines).rstrip() + "\n"


def compare_markdown(rows: Sequence[CompareRow], culprits: Culprits) -> str:
    """The table for an issue or a README, then what is wrong."""
    rule = ["---"] * _LEFT_TITLES + ["---:"] * (len(TITLES) - _LEFT_TITLES)
    table = [list(TITLES), rule, *([cell.replace("|", "\\|") for cell in _cells(row)] for row in rows)]
    lines = [f"| {' | '.join(cells)} |" for cells in table]
    lines += [f"\n{note}" for note in _notes(rows)]
    lines += dict.fromkeys(f"\n{culprit.message}" for culprit in culprits.values())
    return "\n".join(lines) + "\n"


def compare_csv(rows: Sequence[CompareRow]) -> str:
    """Plain numbers in seconds and bytes, one line a candidate; what was not measured is empty."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_flat(row) for row in rows)
    return stream.getvalue()


def _flat(row: CompareRow) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(row, name) for name in COLUMNS if hasattr(row, name)}
    for kind in ("forward", "backward", "eager_forward", "eager_backward"):
        timing: Timing | None = getattr(row, kind)
        for field in ("median_s", "low_s", "high_s"):
            if f"{kind}_{field}" in COLUMNS:
                values[f"{kind}_{field}"] = getattr(timing, field) if timing else None
    return {
        **values,
        "verdict": str(row.verdict),
        "samples": row.forward.samples if row.forward else None,
        "eager_error": row.check.eager_error,
        "problem": row.problem.message if row.problem else "",
    }


def _cells(row: CompareRow) -> list[str]:
    compilers = [row.compiler, row.backward_compiler if row.candidate.backward_compiler else ""]
    compile_s = [seconds for seconds in (row.compile_forward_s, row.compile_backward_s) if seconds is not None]
    return [
        "/".join(filter(None, compilers)),
        row.partitioner,
        str(row.verdict),
        seconds_text(sum(compile_s)) if compile_s else NONE_TEXT,
        *_timing_cells(row.forward, row.eager_forward),
        *_timing_cells(row.backward, row.eager_backward),
        _bytes_cell(row.peak_bytes),
        _bytes_cell(row.saved_bytes),
        number_text(row.output_error, 3),
        number_text(row.gradient_error, 3),
    ]


def _timing_cells(timing: Timing | None, eager: Timing | None) -> tuple[str, str]:
    """``1.2 ms ±5 %`` with half the distance of the quartiles, and the share of eager's time."""
    if timing is None or eager is None:
        return NONE_TEXT, NONE_TEXT
    spread = percent_text(timing.spread / 2, 1) if timing.spread else "0 %"
    return f"{seconds_text(timing.median_s)} ±{spread}", f"{timing.median_s / (eager.median_s or 1e-9):.2f} x"


def _bytes_cell(size_bytes: int | None) -> str:
    return NONE_TEXT if size_bytes is None else bytes_text(size_bytes)


def _notes(rows: Sequence[CompareRow]) -> list[str]:
    notes = []
    measured = [row for row in rows if row.eager_peak_bytes is not None]
    if measured:
        error = number_text(measured[0].check.eager_error, 3)
        notes.append(f"Eager: peak {bytes_text(measured[0].eager_peak_bytes or 0)}, largest error {error}.")
    notes += list(dict.fromkeys(f"Check: {row.check.note}." for row in rows if row.check.note))
    notes += [f"{row.candidate.label or row.compiler}: {row.problem}" for row in rows if row.problem]
    return notes


def culprit_lines(culprit: Culprit) -> list[str]:
    """The node at which a compiler goes wrong, with what it was given and what came out."""
    places = [f"{culprit.graph} graph", place_text(culprit.file, culprit.line), culprit.module]
    lines = [f"Culprit   {culprit.message}", f"  where     {', '.join(filter(None, places))}"]
    lines += [f"  input     {value.name}: {value.stats.tensor}" for value in culprit.inputs]
    for name, stats in (("expected", culprit.expected), ("compiled", culprit.actual)):
        if stats is not None:
            bounds = (("min", stats.minimum), ("max", stats.maximum), ("mean", stats.mean))
            numbers = "  ".join(f"{word} {number_text(number)}" for word, number in bounds)
            lines.append(f"  {name}  {stats.tensor}  {numbers}  nan {stats.nans}  inf {stats.infs}")
    for element in culprit.worst[:1]:
        index = ", ".join(map(str, element.index))
        lines.append(f"  worst     [{index}]: {_element(element.expected)}, compiled {_element(element.actual)}")
    lines.append(f"  found by  {culprit.compilations} compilations of parts of {culprit.nodes} operators")
    return lines


def _element(value: float | str) -> str:
    return value if isinstance(value, str) else number_text(value, 6)
