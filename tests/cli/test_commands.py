"""The commands on real scripts with a real engine."""

from __future__ import annotations

import json
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest

from aotgui.export.graph_json import graph_of_json
from aotgui.model.resources import resource_path

from .conftest import Aotgui

SVG = "{http://www.w3.org/2000/svg}"
NAN_IN_BACKWARD = """\
import torch

def fn(x):
    y = x * 0
    return torch.sqrt(y).sum()

example_inputs = torch.ones(3, requires_grad=True)
"""
NOISY = """\
import os
import torch
print("{not json")
os.system("echo from a child process")

def fn(x):
    print("traced")
    return x.cos().cos()

example_inputs = torch.randn(4, requires_grad=True)
"""


def test_report_is_one_document_of_the_contract(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("report", example("mlp.py"), "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["source"] == example("mlp.py")
    assert document["target"] == "model"
    assert document["entry_point"] == "aot_module"
    [region] = document["regions"]
    assert region["kind"] == "training"
    assert region["saved_bytes"] == sum(value["storage_bytes"] for value in region["saved"])
    assert region["fates"]["saved"] >= 3
    assert any(value["source"].startswith(example("mlp.py")) for value in region["saved"])
    assert document["check"]["status"] == "match"
    assert [entry["name"] for entry in document["check"]["gradients"]] == [
        "hidden.weight",
        "hidden.bias",
        "classify.weight",
        "classify.bias",
    ]
    assert {"load", "trace", "partition"} <= set(document["seconds"])


def test_report_as_text_names_what_is_saved(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("report", example("cos_cos.py"))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert "Check     The result matches eager" in done.stdout
    assert "min_cut" in done.stdout


def test_what_the_script_prints_never_reaches_standard_output(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    done = aotgui("report", script(NOISY), "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["check"]["status"] == "match"
    for text in ("{not json", "from a child process", "traced"):
        assert text in done.stderr


def test_check_with_another_compiler(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("check", example("mlp.py"), "--compiler", "ts_compile", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["compilers"] == {"forward": "ts_compile", "backward": "ts_compile", "inference": "ts_compile"}
    assert document["check"]["status"] == "match"
    assert document["check"]["max_error"] < 1e-4


def test_a_number_among_the_inputs_needs_no_other_route(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    """AOT Autograd bakes it in and shows the compiler None, but passes the number when it runs."""
    path = script(
        "import torch\ndef fn(x, scale):\n    return (x * scale).cos()\n"
        "example_inputs = torch.randn(3, requires_grad=True), 2.0\n"
    )
    done = aotgui("check", path, "--compiler", "ts_compile", "--json")
    document = json.loads(done.stdout)
    assert (done.returncode, document["route"], document["problems"]) == (0, "direct", [])


def test_step_prints_a_line_for_each_node(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("step", example("cos_cos.py"), "--graph", "forward")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines][:2] == ["primals_1", "cos"]
    assert "aten.cos.default" in lines[1]
    assert "float32[4, 5]" in lines[1]
    assert "nan 0  inf 0" in lines[1]


def test_step_the_backward_up_to_a_node(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    everything = json.loads(aotgui("step", example("cos_cos.py"), "--graph", "backward", "--json").stdout)
    names = [node["name"] for node in everything["nodes"]]
    assert len(names) > 3
    assert all(node["shape"] == [4, 5] for node in everything["nodes"])
    part = aotgui("step", example("cos_cos.py"), "--graph", "backward", "--json", "--until", names[2])
    assert [node["name"] for node in json.loads(part.stdout)["nodes"]] == names[:3]


def test_step_to_a_node_that_does_not_exist(aotgui: Aotgui, example: Callable[[str], str]) -> None:
    done = aotgui("step", example("cos_cos.py"), "--until", "mm_77")
    assert done.returncode == 2
    assert done.stderr == "The forward graph has no node mm_77.\n"


def test_step_finds_the_first_nonfinite_value(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    path = script(NAN_IN_BACKWARD)
    done = aotgui("step", path, "--graph", "backward", "--until", "nonfinite", "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    last = document["nodes"][-1]
    assert last["nan"] + last["inf"] > 0
    assert all(node["nan"] + node["inf"] == 0 for node in document["nodes"][:-1])
    [problem] = document["problems"]
    assert problem["node"] == last["name"]
    assert (problem["file"], problem["line"]) == (path, 5)
    assert done.stderr.splitlines()[0] == f"{problem['message']} ({path}:5)"


def test_export_of_a_script(aotgui: Aotgui, example: Callable[[str], str], tmp_path: Path) -> None:
    done = aotgui("export", example("mlp.py"), "-o", "out.svg")
    assert done.returncode == 0, done.stderr
    root = ET.fromstring((tmp_path / "out.svg").read_text())
    assert root.findtext(f"{SVG}title") == "mlp.py: model, joint graph"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A capture of the perceptron, so that not every export needs an engine."""
    path = tmp_path_factory.mktemp("capture") / "mlp.aotcap"
    script = resource_path("examples", "mlp.py")
    subprocess.run([sys.executable, "-m", "aotgui", "capture", str(script), "-o", str(path)], check=True)
    return str(path)


@pytest.mark.parametrize("graph", ["joint", "forward", "backward"])
def test_export_svg(aotgui: Aotgui, recorded: str, tmp_path: Path, graph: str) -> None:
    done = aotgui("export", recorded, "--graph", graph, "-o", "out.svg")
    assert done.returncode == 0, done.stderr
    root = ET.fromstring((tmp_path / "out.svg").read_text())
    assert root.findtext(f"{SVG}title") == f"mlp.py: model, {graph} graph"
    assert len(root.findall(f"{SVG}g[@class='nodes']/{SVG}g")) > 5


def test_export_to_standard_output(aotgui: Aotgui, recorded: str) -> None:
    dot = aotgui("export", recorded, "--format", "dot", "-o", "-")
    assert dot.stdout.startswith("digraph joint {")
    graph = graph_of_json(aotgui("export", recorded, "--format", "json", "-o", "-").stdout)
    assert "tanh" in graph.names
    code = aotgui("export", recorded, "--format", "code", "--graph", "forward", "-o", "-").stdout
    compile(code, "code", "exec")
    assert "aten.tanh.default" in code


@pytest.mark.parametrize(("name", "start"), [("out.png", b"\x89PNG"), ("out.pdf", b"%PDF-")])
def test_export_a_picture(aotgui: Aotgui, recorded: str, tmp_path: Path, name: str, start: bytes) -> None:
    done = aotgui("export", recorded, "-o", name)
    assert done.returncode == 0, done.stderr
    content = (tmp_path / name).read_bytes()
    assert content.startswith(start)
    assert len(content) > 5_000


def test_export_torchscript_runs_elsewhere(aotgui: Aotgui, example: Callable[[str], str], tmp_path: Path) -> None:
    done = aotgui("export", example("mlp.py"), "--graph", "backward", "-o", "half.pt")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "half.pt").stat().st_size > 1000
    assert [path.name for path in tmp_path.iterdir()] == ["half.pt"]


def test_an_inference_has_one_graph(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    path = script("import torch\ndef fn(x):\n    return x.cos()\nexample_inputs = torch.randn(3)\n")
    document = json.loads(aotgui("report", path, "--json").stdout)
    [region] = document["regions"]
    assert region["kind"] == "inference"
    assert region["inference"]["nodes"] == 3
    done = aotgui("export", path, "--graph", "backward", "-o", "x.svg")
    assert done.returncode == 2
    assert done.stderr.startswith("Region 0 has no backward graph because nothing in it requires a gradient")
    steps = aotgui("step", path)
    assert (steps.returncode, [line.split()[0] for line in steps.stdout.splitlines()]) == (0, ["arg0_1", "cos"])


@pytest.mark.parametrize("command", ["report", "check"])
def test_what_a_capture_cannot_answer_is_wrong_usage(aotgui: Aotgui, recorded: str, command: str) -> None:
    """Neither another compiler nor a region that is not there may look as if it had been used."""
    other = aotgui(command, recorded, "--compiler", "ts_compile")
    assert other.returncode == 2
    assert other.stderr == f"{recorded} is a capture: the settings are those that it was made with.\n"
    none = aotgui(command, recorded, "--region", "7")
    assert none.returncode == 2
    assert none.stderr == "There is no region 7: the capture has 1, counted from 0.\n"


def test_a_file_that_cannot_be_written_is_one_sentence(aotgui: Aotgui, recorded: str) -> None:
    done = aotgui("export", recorded, "-o", "no/such/folder.svg")
    assert done.returncode == 1
    assert done.stderr == "Cannot write no/such/folder.svg: no such file or directory.\n"


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="the system has no device that is always full")
@pytest.mark.parametrize("words", [("report", "--json"), ("export", "--format", "svg", "-o", "-")])
def test_standard_output_without_room_is_one_sentence(recorded: str, words: tuple[str, ...]) -> None:
    command, *options = words
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "aotgui", command, recorded, *options],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
        )
    assert done.returncode == 1
    assert done.stderr == "Cannot write to standard output: no space left on device.\n"
