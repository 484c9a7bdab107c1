"""``aotgui capture --record``: a whole script in an engine of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aotgui.cli.command_line import main
from aotgui.export.capture_files import open_capture
from aotgui.model.capture import CheckStatus
from aotgui.model.graph import GraphKind

from .conftest import Aotgui

Script = Callable[..., str]

COMPILING = """
import sys
import torch
print("arguments", sys.argv[1:])
for power in range(1, 4):
    torch.compile(lambda x: x ** power, backend="eager", dynamic=False)(torch.ones(power + 1, requires_grad=True))
"""
WRONG = """
import torch
for backend in ("aot_eager", lambda module, inputs: lambda *args: [2 * value for value in module(*args)]):
    torch.compile(lambda x: x.sin(), backend=backend)(torch.ones(3, requires_grad=True))
"""
EAGER = """
import torch
net = torch.nn.Linear(3, 2)
net(torch.randn(4, 3)).sum().backward()
"""


def test_a_script_is_recorded_into_a_file(aotgui: Aotgui, script: Script, tmp_path: Path) -> None:
    done = aotgui("capture", script(COMPILING), "--record", "-o", "out.aotcap", "--", "--lr", "0.1", "-o", "x")
    assert done.returncode == 0, done.stderr
    assert "arguments ['--lr', '0.1', '-o', 'x']" in done.stderr
    captured = open_capture(tmp_path / "out.aotcap")
    assert [next(iter(region.graphs)) for region in captured.regions] == [GraphKind.JOINT] * 3
    assert captured.target == "script.py --lr 0.1 -o x"
    assert captured.check.status is CheckStatus.MATCH, captured.check.note
    assert "region 2: x" in [entry.name for entry in captured.check.gradients]
    report = aotgui("report", "out.aotcap")
    assert report.returncode == 0, report.stderr
    assert "region 2" in report.stdout.lower()
    assert "The first call of each region was made again" in report.stdout


def test_it_ends_after_the_regions_asked_for(aotgui: Aotgui, script: Script, tmp_path: Path) -> None:
    done = aotgui("capture", script(COMPILING), "--record", "--regions", "2", "-o", "out.aotcap")
    assert done.returncode == 0, done.stderr
    assert len(open_capture(tmp_path / "out.aotcap").regions) == 2


def test_a_region_that_is_not_eager_fails_and_says_which(aotgui: Aotgui, script: Script, tmp_path: Path) -> None:
    done = aotgui("capture", script(WRONG), "--record", "-o", "out.aotcap")
    assert done.returncode == 1
    report = aotgui("report", "out.aotcap")
    assert "DIFFERS from eager" in report.stdout
    assert "error: region 1: out[0] differs from eager by" in report.stdout


def test_without_a_file_the_report_is_printed(aotgui: Aotgui, script: Script) -> None:
    done = aotgui("capture", script(EAGER), "--record")
    assert done.returncode == 0, done.stderr
    assert "matches eager" in done.stdout


def test_a_script_with_nothing_to_capture(aotgui: Aotgui, script: Script, tmp_path: Path) -> None:
    done = aotgui("capture", script("x = 1\n"), "--record", "-o", "out.aotcap")
    assert done.returncode == 1
    assert done.stderr.startswith("script.py compiled nothing and called no module with gradients")
    assert not (tmp_path / "out.aotcap").exists()


def test_what_was_recorded_survives_a_crash(aotgui: Aotgui, script: Script, tmp_path: Path) -> None:
    done = aotgui("capture", script(COMPILING + "import os\nos.abort()\n"), "--record", "-o", "out.aotcap")
    assert done.returncode == 3
    assert len(open_capture(tmp_path / "out.aotcap").regions) == 3


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_the_script_and_keeps_what_there_is(script: Script, tmp_path: Path) -> None:
    endless = script(f"{EAGER}\nprint('ready', flush=True)\nwhile True:\n    pass\n")
    command = [sys.executable, "-m", "aotgui", "capture", endless, "--record", "-o", str(tmp_path / "out.aotcap")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    assert process.stderr is not None
    assert any("ready" in line for line in process.stderr)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert open_capture(tmp_path / "out.aotcap").target == "net"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["capture", "SRC"], "Say which file to write"),
        (["capture", "SRC", "-o", "x", "--", "a"], "Only a script that is recorded takes arguments"),
        (["capture", "SRC", "-o", "x", "--regions", "2"], "Only a script that is recorded takes arguments"),
        (["capture", "SRC", "-o", "x.other", "--regions", "2"], "Only a script that is recorded takes arguments"),
        (["capture", "SRC", "-o", "x.svg"], "write OUT.aotcap, or use aotgui export --format svg.\n"),
        (["capture", "SRC", "-o", "x.PT"], "aotgui export --format torchscript.\n"),
        (["capture", "SRC", "--record", "-o", "x.json"], "aotgui export --format json.\n"),
        (["capture", "SRC", "--record", "--regions", "-2"], "must be 1 or more"),
        (["capture", "SRC", "--record", "--input", "randn 2"], "takes neither --target nor --input"),
    ],
)
def test_wrong_use(words: list[str], sentence: str, script: Script, capsys: pytest.CaptureFixture[str]) -> None:
    source = script(EAGER)
    assert main([source if word == "SRC" else word for word in words]) == 2
    assert sentence in capsys.readouterr().err
