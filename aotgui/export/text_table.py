"""Aligned columns of plain text."""

from __future__ import annotations

from collections.abc import Collection, Iterator


def table_lines(rows: list[list[str]], right: Collection[int] = ()) -> Iterator[str]:
    """Aligned columns, indented by two; columns in ``right`` are right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(w) if i in right else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  " + "  ".join(cells).rstrip()
