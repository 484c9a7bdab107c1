"""``aotgui report --why`` and ``--memory`` on a capture file, and ``aotgui compare --partitioners``."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from aotgui.cli import main

from .conftest import ROOT, Aotgui

EXAMPLE = str(ROOT / "resources" / "examples" / "mlp.py")


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("captures") / "mlp.aotcap"
    subprocess.run([sys.executable, "-m", "aotgui", "capture", EXAMPLE, "-o", path], check=True, capture_output=True)
    return str(path)


def test_ledger_of_the_json_report(captured: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", captured, "--json"]) == 0
    (region,) = json.loads(capsys.readouterr().out)["regions"]
    saved = {value["name"]: value for value in region["saved"]}
    tanh = saved["tanh"]
    assert (tanh["consumers"], tanh["is_kept"]) == (["mm_1", "detach"], False)
    assert (tanh["last_forward_use"], tanh["last_backward_use"]) == ("addmm_1", "detach")
    assert sum(value["share"] for value in region["saved"]) == pytest.approx(1)
    assert saved["primals_5"]["is_kept"]
    assert region["peaks"]["forward"]["node"] == "tanh"
    assert region["peaks"]["backward"]["bytes"] > region["peaks"]["forward"]["bytes"]
    assert region["policies"] == []


def test_why_and_memory_as_text(captured: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", captured, "--why", "tanh", "--why", "hidden.weight", "--memory"]) == 0
    text = capsys.readouterr().out
    assert "Why       tanh (16.0 KiB) is computed in the forward and saved for the backward." in text
    assert "Torch's words: cannot recompute: materialized in backward" in text
    assert "Why       hidden.weight (32.0 KiB) is only needed in the forward." in text
    assert "Memory    The forward holds most at tanh (mlp.py:14):" in text
    assert "Memory    The backward holds most at" in text


def test_why_and_memory_as_json(captured: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", captured, "--why", "tanh", "--memory", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (why,) = document["why"]
    assert why["node"] == "tanh"
    assert why["path"] == ["tanh", "mm_1"]
    assert why["torch"] == ["cannot recompute: materialized in backward"]
    memory = document["memory"]
    assert len(memory["steps"]) == len(memory["total"]) == len(memory["bytes"]["saved"])
    assert memory["peaks"]["forward"]["bytes"] == max(memory["total"][: memory["steps"].index("backward:primals_5")])
    assert sum(life["bytes"] for life in memory["peaks"]["backward"]["alive"]) == memory["peaks"]["backward"]["bytes"]


def test_a_node_that_is_not_there(captured: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", captured, "--why", "tahn"]) == 2
    assert capsys.readouterr().err == "The joint graph has no node tahn; did you mean tanh?\n"


def test_partitioners_side_by_side(aotgui: Aotgui, tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    script = str(ROOT / "resources" / "examples" / "transformer_block.py")
    done = aotgui("compare", script, "--partitioners", "default,min_cut,min_cut@0.2", "--csv", "-o", str(out))
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(out.read_text())))
    assert [(row["partitioner"], row["memory_budget"]) for row in rows] == [
        ("default", "1.0"),
        ("min_cut", "1.0"),
        ("min_cut", "0.2"),
    ]
    saved = [int(row["saved_activation_bytes"]) for row in rows]
    assert saved[2] < saved[1] <= saved[0]
    assert int(rows[0]["recomputed"]) == 0 < int(rows[2]["recomputed"])
    assert float(rows[2]["recomputed_s"]) > 0
    assert int(rows[2]["forward_peak_bytes"]) < int(rows[1]["forward_peak_bytes"])


def test_a_partitioner_that_is_not_there_fails_beside_the_others(aotgui: Aotgui) -> None:
    done = aotgui("compare", EXAMPLE, "--partitioners", "min_cut,nope")
    assert done.returncode == 1
    assert "Partitions of region 0" in done.stdout
    assert "no partitioner 'nope'" in done.stderr


@pytest.fixture(scope="module")
def decided(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A capture of a run with decisions, one of them for a node that there is not."""
    path = tmp_path_factory.mktemp("captures") / "decided.aotcap"
    command = [sys.executable, "-m", "aotgui", "capture", EXAMPLE, "--recompute", "tanh", "--save", "tahn", "-o", path]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "The decision to save tahn has no effect. The joint graph has no such node." in done.stderr
    return str(path)


def test_a_run_with_decisions_is_captured_and_explained(decided: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", decided, "--why", "tanh"]) == 0
    text = capsys.readouterr().out
    assert "Decided   save tahn; recompute tanh" in text
    assert "this run was told to recompute it" in text
    assert main(["check", decided, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["settings"]["decisions"] == {"tahn": "save", "tanh": "recompute"}
    assert document["check"]["status"] == "match"
    assert document["regions"][0]["recomputed"] == ["tanh"]


def test_a_capture_keeps_the_decisions_that_it_was_made_with(decided: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", decided, "--save", "mm"]) == 2
    assert "those that it was made with" in capsys.readouterr().err


def test_partitioners_and_halves_are_those_of_the_decisions(aotgui: Aotgui) -> None:
    compared = aotgui("compare", EXAMPLE, "--partitioners", "min_cut,default", "--recompute", "tanh", "--json")
    document = json.loads(compared.stdout)
    assert document["decisions"] == {"tanh": "recompute"}
    assert [row["recomputed"] for row in document["rows"]] == [["tanh"], ["tanh"]]
    stepped = aotgui("step", EXAMPLE, "--graph", "backward", "--recompute", "tanh")
    assert [line for line in stepped.stdout.splitlines() if line.startswith("tanh ")]
    exported = aotgui("export", EXAMPLE, "--graph", "backward", "--recompute", "tanh", "--format", "code", "-o", "-")
    assert "torch.ops.aten.tanh.default(" in exported.stdout
