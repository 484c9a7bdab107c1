"""The JSON report is a contract: its keys are written down here once more, on purpose."""

from __future__ import annotations

import json

import msgspec

from aotgui.export.graph_json import graph_json, graph_of_json
from aotgui.export.report import json_text, report_document, step_document
from aotgui.model.capture import Capture, Check, CheckStatus, Finding, Severity
from aotgui.model.graph import Graph, TensorInfo
from aotgui.model.values import ValueStats


def test_top_level(capture: Capture) -> None:
    document = report_document(capture)
    assert document["source"] == "/home/me/model.py"
    assert document["target"] == "model"
    assert document["torch"] == "2.13.0"
    assert document["entry_point"] == "aot_module"
    assert document["partitioner"] == "min_cut"
    assert document["compilers"] == {"forward": "nop", "backward": "ts_compile", "inference": "nop"}
    assert document["seconds"] == {"load": 0.5, "trace": 1.25}


def test_region(capture: Capture) -> None:
    [region] = report_document(capture)["regions"]
    assert region["name"] == "region 0"
    assert region["kind"] == "training"
    assert region["joint"] == {"nodes": 11, "edges": 12}  # with the output node and its two edges
    assert region["saved_bytes"] == 128
    assert region["saved_activation_bytes"] == 64
    assert region["recomputed"] == ["cos"]
    assert region["eliminated"] == ["alias"]
    assert region["fates"] == {
        "saved": 2,
        "recomputed": 1,
        "forward only": 2,
        "backward only": 3,
        "moved": 1,
        "eliminated": 1,
    }
    assert region["saved"][1] == {
        "name": "mm",
        "label": "",
        "shape": [4, 4],
        "dtype": "float32",
        "bytes": 64,
        "storage_bytes": 64,
        "role": "activation",
        "source": "/home/me/model.py:12",
        "module": "layer",
        "reason": "cannot recompute: not in recomputable allowlist",
    }


def test_check_and_problems(capture: Capture) -> None:
    document = report_document(capture)
    assert document["check"]["status"] == "mismatch"
    assert document["check"]["max_error"] == 0.5
    assert document["check"]["eager_error"] == 1e-7
    assert [entry["name"] for entry in document["check"]["gradients"]] == ["out[0]", "layer.weight"]
    [problem] = document["problems"]
    assert {key: problem[key] for key in ("severity", "stage", "message", "file", "line", "node")} == {
        "severity": "error",
        "stage": "check",
        "message": "The gradient of layer.weight differs.",
        "file": "/home/me/model.py",
        "line": 12,
        "node": "mm_1",
    }


def test_findings(capture: Capture) -> None:
    finding = Finding(id="random-op", severity=Severity.WARNING, message="Two masks.", node="cos", line=3)
    [document] = report_document(msgspec.structs.replace(capture, findings=[finding]))["findings"]
    assert {key: document[key] for key in ("id", "severity", "message", "node", "graph", "line")} == {
        "id": "random-op",
        "severity": "warning",
        "message": "Two masks.",
        "node": "cos",
        "graph": "",
        "line": 3,
    }


def test_numbers_that_json_has_not_become_null(capture: Capture) -> None:
    check = Check(status=CheckStatus.MISMATCH, max_error=float("nan"), eager_error=float("inf"))
    text = json_text(report_document(msgspec.structs.replace(capture, check=check)))
    parsed = json.loads(text, parse_constant=lambda constant: f"not JSON: {constant}")
    assert parsed["check"]["max_error"] is None
    assert parsed["check"]["eager_error"] is None
    assert text.endswith("}\n")


def test_step(graph: Graph) -> None:
    value = ValueStats(node=2, tensor=TensorInfo((4, 4), "float64", (4, 1), "cpu", 128), minimum=-1.0, nans=3, infs=1)
    document = step_document(graph, value)
    assert document["name"] == "mm"
    assert document["op"] == "aten.mm.default"
    assert document["dtype"] == "float64"
    assert (document["min"], document["max"], document["nan"], document["inf"]) == (-1.0, None, 3, 1)
    assert document["source"] == "/home/me/model.py:12"


def test_graph_document_reads_back(graph: Graph) -> None:
    assert graph_of_json(graph_json(graph)) == graph
