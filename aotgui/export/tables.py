"""Tables as CSV: the nodes of a graph, what is saved, and the comparison with eager."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from aotgui.model.capture import Check, Region
from aotgui.model.graph import Fate, Graph, Role, Side
from aotgui.model.text import shape_text

Row = dict[str, str | int | float]

_PLACED: Final = ("source", "module")
NODE_COLUMNS: Final = (
    "index", "name", "op", "label", "role", "side", "fate", "seq_nr", "shape", "dtype", "bytes", *_PLACED, "returned_as"
)  # fmt: skip
SAVED_COLUMNS: Final = (
    "name",
    "label",
    "shape",
    "dtype",
    "bytes",
    "storage_bytes",
    "role",
    "source",
    "module",
    "reason",
)
CHECK_COLUMNS: Final = ("name", "kind", "status", "max_error", "eager_error", "note")


def node_rows(graph: Graph) -> Iterator[Row]:
    """What is known of each node, in order; unknown texts are empty."""
    for node, name in enumerate(graph.names):
        tensors, frame = graph.tensors(node), graph.source(node)
        yield {
            "index": node,
            "name": name,
            "op": graph.target(node),
            "label": graph.label(node),
            "role": Role(graph.roles[node]).label,
            "side": Side(graph.sides[node]).label,
            "fate": Fate(graph.fates[node]).label,
            "seq_nr": graph.seq_nrs[node],
            "shape": "; ".join(shape_text(tensor.shape) for tensor in tensors if tensor.is_tensor),
            "dtype": "; ".join(tensor.dtype for tensor in tensors),
            "bytes": graph.size_bytes(node),
            "source": f"{frame.file}:{frame.line}" if frame else "",
            "module": graph.module(node),
            "returned_as": "; ".join(output.label for output in graph.outputs_of(node)),
        }


def nodes_csv(graph: Graph) -> str:
    """One line a node."""
    return _csv(NODE_COLUMNS, node_rows(graph))


def saved_csv(region: Region) -> str:
    """One line a value that the forward passes to the backward, in order."""
    rows = (
        {
            **{column: getattr(value, column) for column in ("name", "label", "role", "source", "module", "reason")},
            "shape": shape_text(value.tensor.shape),
            "dtype": value.tensor.dtype,
            "bytes": value.size_bytes,
            "storage_bytes": value.storage_bytes,
        }
        for value in region.saved
    )
    return _csv(SAVED_COLUMNS, rows)


def check_csv(check: Check) -> str:
    """One line an output or gradient; an unknown error is empty."""
    rows = (
        {
            "name": entry.name,
            "kind": kind,
            "status": str(entry.status),
            "max_error": "" if entry.max_error is None else entry.max_error,
            "eager_error": "" if entry.eager_error is None else entry.eager_error,
            "note": entry.note,
        }
        for kind, entry in check.entries
    )
    return _csv(CHECK_COLUMNS, rows)


def _csv(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _plain(value) for key, value in row.items()} for row in rows)
    return stream.getvalue()


def _plain(value: object) -> object:
    """Text that no spreadsheet takes for a formula: names come from the captured script."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
