"""Partitions of one region side by side, for a terminal, CSV, Markdown and JSON."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any, Final

from aotgui.export.report import Document, problem_document
from aotgui.export.text_table import table_lines
from aotgui.model.capture import Capture, Problem
from aotgui.model.partition import PartitionResult
from aotgui.model.text import bytes_text, count_text, number_text, seconds_text

_HEAD: Final = ["partitioner", "saved", "activations", "recomputed", "FLOPs", "time", "forward peak", "backward peak"]
_RIGHT: Final = range(1, len(_HEAD))


def partitions_document(
    capture: Capture, region: str, results: Sequence[PartitionResult], problems: Sequence[Problem]
) -> Document:
    """One row a partition that could be had; times are None where nothing was run."""
    return {
        "source": capture.source,
        "target": capture.target,
        "torch": capture.torch,
        "region": region,
        "decisions": dict(capture.settings.decisions),
        "rows": [_row(result) for result in results],
        "problems": [problem_document(problem) for problem in problems],
    }


def _row(result: PartitionResult) -> dict[str, Any]:
    return {
        "partitioner": result.choice.partitioner,
        "memory_budget": result.choice.memory_budget,
        "saved_bytes": result.saved_bytes,
        "saved_activation_bytes": result.saved_activation_bytes,
        "saved": result.saved_count,
        "recomputed": result.recomputed,
        "recomputed_flops": result.recomputed_flops,
        "recomputed_s": result.recomputed_seconds,
        "forward_peak_bytes": result.forward_peak_bytes,
        "backward_peak_bytes": result.backward_peak_bytes,
        "partition_s": result.seconds,
    }


def partitions_text(region: str, results: Sequence[PartitionResult]) -> str:
    """An aligned table."""
    rows = [_HEAD, *(_cells(result) for result in results)]
    return "\n".join([f"Partitions of {region}", *table_lines(rows, right=_RIGHT)]) + "\n"


def partitions_markdown(results: Sequence[PartitionResult]) -> str:
    """A Markdown table."""
    rows = [_HEAD, ["---", *["---:"] * len(_RIGHT)], *(_cells(result) for result in results)]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def partitions_csv(results: Sequence[PartitionResult]) -> str:
    """Plain numbers: bytes and seconds; recomputed operators are counted."""
    stream = io.StringIO()
    writer: Any = None
    for row in map(_row, results):
        row["recomputed"] = len(row["recomputed"])
        if writer is None:
            writer = csv.DictWriter(stream, list(row), lineterminator="\n")
            writer.writeheader()
        writer.writerow(row)
    return stream.getvalue()


def _cells(result: PartitionResult) -> list[str]:
    seconds = result.recomputed_seconds
    return [
        str(result.choice),
        bytes_text(result.saved_bytes),
        bytes_text(result.saved_activation_bytes),
        count_text(len(result.recomputed), "operator"),
        number_text(float(result.recomputed_flops), 3),
        "" if seconds is None else seconds_text(seconds) if seconds else "0",
        bytes_text(result.forward_peak_bytes),
        bytes_text(result.backward_peak_bytes),
    ]
