"""Independent measurements of the cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from aotgui.model.graph import GraphKind

from .conftest import CASES

if TYPE_CHECKING:
    from .conftest import CaseRun

OTHER_JOINT = {
    7: "captured with dynamic shapes; measured through torch.compile, which breaks the graph",
    52: "captured without oneDNN, whose LSTM the runtime refuses",
}
DIFFERENT = OTHER_JOINT | {
    30: "captured directly, measured through torch.compile",
    71: "captured directly, measured through torch.compile",
}
WHOLE_STORAGES = (33, 36, 61, 81)
"""These save views of larger storages, of which the whole storage stays alive."""


def measured() -> dict[int, dict[str, Any]]:
    """What was measured of each case, by its number; nothing where the cases are not beside this checkout."""
    rows = json.loads((CASES / "measured.json").read_text()) if CASES.is_dir() else []
    return {int(row["file"][:2]): row for row in rows}


def assert_counts_as_measured(run: CaseRun) -> None:
    """Nodes of each graph, saved values and their bytes are those of the measurement."""
    number = int(run.path.name[:2])
    row = measured()[number]
    graphs = {kind: graph.node_count for kind, graph in run.region.graphs.items()}
    if row["n_joint"] is not None and number not in OTHER_JOINT:
        assert graphs[GraphKind.JOINT] == row["n_joint"]
    if number in DIFFERENT:
        return
    if row["n_joint"] is None:
        assert graphs == {GraphKind.INFERENCE: row["n_fw"]}
        return
    assert (graphs[GraphKind.FORWARD], graphs[GraphKind.BACKWARD]) == (row["n_fw"], row["n_bw"])
    assert len([value for value in run.region.saved if value.tensor.is_tensor]) == row["n_saved"]
    detail = row.get("min_cut_detail") or {}
    if number not in WHOLE_STORAGES and detail.get("saved_bytes"):
        assert run.region.saved_bytes == detail["saved_bytes"]
