"""A capture as one JSON document: the stable contract of ``aotgui report --json`` and ``aotgui check --json``.

Keys are never renamed or removed within a major version; new ones may be added. Names of graphs, fates and stages
are those of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from aotgui.export.memory_report import peaks_document
from aotgui.export.section import Section
from aotgui.export.why_report import policy_document
from aotgui.model.capture import Capture, Check, Comparison, Finding, Problem, Region, SavedValue
from aotgui.model.graph import Fate, Graph, GraphKind
from aotgui.model.ledger import LedgerRow, ledger_of
from aotgui.model.memory import memory_of
from aotgui.model.policy_audit import audit_of
from aotgui.model.settings import Settings
from aotgui.model.values import ValueStats

Document = dict[str, Any]


def report_document(capture: Capture, more: Sequence[Section] = ()) -> Document:
    """What was captured, saved and recomputed, whether it is right, and what went wrong.

    Args:
        capture: what was captured.
        more: what was asked for beside it; each adds keys of its own.
    """
    settings = capture.settings
    return {
        "source": capture.source,
        "target": capture.target,
        "torch": capture.torch,
        "entry_point": str(settings.entry_point),
        "route": capture.route,
        "partitioner": settings.partitioner,
        "compilers": compilers_document(settings),
        "settings": msgspec.to_builtins(settings),
        "regions": [region_document(region) for region in capture.regions],
        "check": check_document(capture.check),
        "problems": [problem_document(problem) for problem in capture.problems],
        "findings": [finding_document(finding) for finding in capture.findings],
        "seconds": {str(stage.stage): stage.seconds for stage in capture.stages},
        **{key: value for section in more for key, value in section.document().items()},
    }


def compilers_document(settings: Settings) -> Document:
    """The compilers as used; the forward's stands in where none was chosen."""
    return {
        "forward": settings.forward_compiler,
        "backward": settings.backward_compiler or settings.forward_compiler,
        "inference": settings.inference_compiler or settings.forward_compiler,
    }


def region_document(region: Region) -> Document:
    """One region; it has a key for each graph that exists."""
    graph = region.main_graph
    fates = graph.fate_counts() if graph else dict.fromkeys(Fate, 0)
    return {
        "name": region.name,
        "kind": "training" if region.is_training else "inference",
        **{str(kind): _size(region.graphs[kind]) for kind in GraphKind if kind in region.graphs},
        "saved": _saved_documents(region),
        "saved_bytes": region.saved_bytes,
        "saved_activation_bytes": region.saved_bytes_of("activation"),
        "recomputed": region.names_with(Fate.RECOMPUTED),
        "eliminated": region.names_with(Fate.ELIMINATED),
        "fates": {fate.label: count for fate, count in fates.items()},
        "peaks": peaks_document(region, memory_of(region)),
        "policies": [policy_document(graph, entry) for entry in audit_of(region)] if graph else [],
    }


def _size(graph: Graph) -> Document:
    return {"nodes": graph.node_count, "edges": graph.edge_count}


def _saved_documents(region: Region) -> list[Document]:
    forward, backward = region.graphs.get(GraphKind.FORWARD), region.graphs.get(GraphKind.BACKWARD)
    if forward is None or backward is None:
        return [saved_document(value) for value in region.saved]
    return [saved_document(row.value) | _life_document(row, forward, backward) for row in ledger_of(region)]


def _life_document(row: LedgerRow, forward: Graph, backward: Graph) -> Document:
    """How long a saved value lives; names of nodes, empty where there is none."""
    return {
        "share": row.share,
        "is_kept": row.is_kept,
        "same_storage": list(row.same_storage),
        "consumers": [backward.names[node] for node in row.consumers],
        "last_forward_use": forward.names[row.last_forward_use] if row.last_forward_use >= 0 else "",
        "first_backward_use": backward.names[row.consumers[0]] if row.consumers else "",
        "last_backward_use": backward.names[row.consumers[-1]] if row.consumers else "",
    }


def saved_document(value: SavedValue) -> Document:
    """One value passed from forward to backward."""
    return {
        "name": value.name,
        "label": value.label,
        "shape": list(value.tensor.shape),
        "dtype": value.tensor.dtype,
        "bytes": value.size_bytes,
        "storage_bytes": value.storage_bytes,
        "role": value.role,
        "source": value.source,
        "module": value.module,
        "reason": value.reason,
    }


def check_document(check: Check) -> Document:
    """Compiled against eager."""
    return {
        "status": str(check.status),
        "outputs": [_comparison_document(entry) for entry in check.outputs],
        "gradients": [_comparison_document(entry) for entry in check.gradients],
        "max_error": check.max_error,
        "eager_error": check.eager_error,
        "note": check.note,
    }


def _comparison_document(entry: Comparison) -> Document:
    return {
        "name": entry.name,
        "status": str(entry.status),
        "max_error": entry.max_error,
        "eager_error": entry.eager_error,
        "note": entry.note,
    }


def problem_document(problem: Problem) -> Document:
    """One problem; unknown places are empty, an unknown line is 0."""
    return {
        "severity": str(problem.severity),
        "stage": problem.stage,
        "message": problem.message,
        "file": problem.file,
        "line": problem.line,
        "node": problem.node,
        "graph": str(problem.graph or ""),
        "details": problem.details,
    }


def finding_document(finding: Finding) -> Document:
    """Something to know before trusting the capture; unknown places are empty, an unknown region is -1."""
    return {
        "id": finding.id,
        "severity": str(finding.severity),
        "message": finding.message,
        "advice": finding.advice,
        "region": finding.region,
        "graph": str(finding.graph or ""),
        "node": finding.node,
        "file": finding.file,
        "line": finding.line,
    }


def step_document(graph: Graph, value: ValueStats) -> Document:
    """One executed node."""
    source = graph.source(value.node)
    return {
        "name": graph.names[value.node],
        "op": graph.target(value.node),
        "shape": list(value.tensor.shape),
        "dtype": value.tensor.dtype,
        "min": value.minimum,
        "max": value.maximum,
        "mean": value.mean,
        "std": value.std,
        "nan": value.nans,
        "inf": value.infs,
        "ms": value.ms,
        "source": f"{source.file}:{source.line}" if source else "",
        "module": graph.module(value.node),
    }


def json_text(document: Document) -> str:
    """The document as indented JSON with a final newline; NaN and Inf, which JSON has not, become null."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
