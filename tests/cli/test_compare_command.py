"""``aotgui compare`` and the folders of ``aotgui export``, as real commands."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aotgui.cli.compare import candidates_of
from aotgui.cli.outcome import CommandError
from aotgui.model.comparison import Candidate

from .conftest import Aotgui

PLANTED = """\
import torch

def fn(x, w):
    return (x @ w).relu().sum(-1)

torch.manual_seed(0)
example_inputs = torch.randn(4, 8, requires_grad=True), torch.randn(8, 3, requires_grad=True)

def mine(module, inputs):
    '''Forgets the sign of the matrix product.'''
    for node in module.graph.nodes:
        if node.target is torch.ops.aten.relu.default:
            node.target = torch.ops.aten.abs.default
    module.recompile()
    return module.forward

def other(module, inputs):
    for node in module.graph.nodes:
        if node.target is torch.ops.aten.sum.dim_IntList:
            node.target = torch.ops.aten.mean.dim
    module.recompile()
    return module.forward
"""


def test_compare_finds_every_culprit_and_writes_a_repro_of_the_first(
    aotgui: Aotgui, script: Callable[[str], str], tmp_path: Path
) -> None:
    path = script(PLANTED)
    words = ["--compilers", "nop,mine,other", "--partitioners", "min_cut@0.5", "--culprit", "--repro", "repro.py"]
    done = aotgui("compare", path, *words, "--seconds", "0.05", "--json", "-o", "table.json")
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    document = json.loads((tmp_path / "table.json").read_text())
    right, wrong, last = document["rows"]
    verdicts = [(row["compiler"], row["verdict"]) for row in document["rows"]]
    assert verdicts == [("nop", "match"), ("mine", "mismatch"), ("other", "mismatch")]
    assert {row["partitioner"] for row in document["rows"]} == {"min_cut@0.5"}
    assert right["culprit"] is None
    culprit = wrong["culprit"]
    assert (culprit["node"], culprit["graph"], culprit["file"], culprit["line"]) == ("relu", "forward", path, 4)
    assert last["culprit"]["node"] == "sum_1"
    assert done.stderr.startswith("Wrote repro.py: 1 operator")
    repro = subprocess.run([sys.executable, str(tmp_path / "repro.py")], capture_output=True, text=True, check=False)
    assert (repro.returncode, repro.stdout[:11]) == (1, "FAILS wrong")


@pytest.mark.parametrize(
    ("compilers", "partitioners", "message"),
    [
        ("", "", "Say what to compare"),
        ("nop(", "", "names no compiler"),
        ("nop", "min_cut@2", "min_cut@2 is no partitioner; write min_cut@0.5"),
        ("nop", "@0.5", "is no partitioner"),
    ],
)
def test_wrong_usage(compilers: str, partitioners: str, message: str) -> None:
    with pytest.raises(CommandError, match=message) as caught:
        candidates_of(compilers, partitioners)
    assert caught.value.status == 2


def test_every_compiler_meets_every_partitioner() -> None:
    found = candidates_of("a, b(x=1, y=2)", "default,min_cut@0.5")
    assert [candidate.label for candidate in found] == [
        "a, default",
        "a, min_cut@0.5",
        "b(x=1, y=2), default",
        "b(x=1, y=2), min_cut@0.5",
    ]
    assert candidates_of("a", "") == [Candidate(compiler="a")]


def test_a_bundle_runs_in_its_folder(aotgui: Aotgui, example: Callable[[str], str], tmp_path: Path) -> None:
    done = aotgui("export", example("mlp.py"), "--format", "bundle", "-o", "out")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("forward.pt and backward.pt compiled by ts_compile")
    assert (tmp_path / "out" / "run.py").is_file()


def test_a_folder_does_not_go_to_standard_output(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("export", example("mlp.py"), "--format", "fx", "-o", "-")
    assert (done.returncode, done.stderr) == (2, "A folder cannot go to standard output; name one with -o.\n")
