"""Scripts that are broken in every way: one sentence, the right status, and nobody waits for ever."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import aotgui as aotgui_package

from .conftest import Aotgui

Script = Callable[[str], str]
OURS = Path(aotgui_package.__file__).parent

CASES = {
    "no python": ("this is no python\n", 1, 1),
    "raises on import": ("import torch\n\nraise RuntimeError('not today')\n", 1, 3),
    "no target": ("import torch\nx = 3\n", 1, 0),
    "no inputs": ("import torch\nmodel = torch.nn.Linear(2, 2)\n", 1, 0),
    "inputs that do not fit": (
        "import torch\n\ndef fn(x, w):\n    return x @ w\n\nexample_inputs = (torch.ones(2, 3), torch.ones(4, 5))\n",
        1,
        4,
    ),
    "forward raises": (
        "import torch\n\ndef fn(x):\n    raise ValueError('no')\n\nexample_inputs = torch.ones(2)\n",
        1,
        4,
    ),
    "segmentation fault": ("import ctypes\nctypes.string_at(0)\n", 3, 2),
    "os._exit": ("import os\nos._exit(7)\n", 3, 2),
    "os._exit in a child": ("import os\nif not os.fork():\n    os._exit(0)\nos.wait()\nx = 1 / 0\n", 1, 5),
    "killed": ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", 3, 0),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_scripts(aotgui: Aotgui, script: Script, case: str) -> None:
    text, status, line = CASES[case]
    path = script(text)
    done = aotgui("report", path, "--json")
    assert done.returncode == status, done.stderr
    document = json.loads(done.stdout)
    problem = next(problem for problem in document["problems"] if problem["severity"] == "error")
    assert problem["message"]
    assert "\n" not in problem["message"]
    assert problem["message"] in done.stderr.splitlines()[0]
    if line:
        assert (problem["file"], problem["line"]) == (path, line)
        assert done.stderr.splitlines()[0].endswith(f"({path}:{line})")
    if status == 1:
        assert f"{OURS}/" not in problem["details"], "a traceback of ours for a fault of theirs"


@pytest.mark.parametrize("ending", ["import sys; sys.exit(5)", "exit()", "raise SystemExit"])
def test_a_script_that_exits_says_so(aotgui: Aotgui, script: Script, ending: str) -> None:
    done = aotgui("check", script(f"import torch\n{ending}\n"))
    assert done.returncode in (1, 3)
    assert "exit" in done.stderr.splitlines()[0].lower()


def test_a_segmentation_fault_is_named_and_explained(aotgui: Aotgui, script: Script) -> None:
    done = aotgui("step", script(CASES["segmentation fault"][0]))
    assert done.returncode == 3
    first, *details = done.stderr.splitlines()
    assert "segmentation fault" in first
    assert details[0] == "Fatal Python error: Segmentation fault"
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import torch\nwhile True: pass\n", 2),
        ("import torch\n\ndef fn(x):\n    while True: x = x + 0\n\nexample_inputs = torch.ones(2)\n", 4),
        ("import time\ntry:\n    time.sleep(600)\nexcept BaseException:\n    time.sleep(600)\n", 0),
    ],
    ids=["on import", "in the function", "that will not be stopped"],
)
def test_a_script_without_end_is_given_up(aotgui: Aotgui, script: Script, text: str, line: int) -> None:
    path = script(text)
    started = time.monotonic()
    done = aotgui("report", path, "--timeout", "8", "--json")
    assert done.returncode == 1
    assert done.stderr.startswith("Stopped after 8 s while")
    [problem] = json.loads(done.stdout)["problems"]
    assert (problem["severity"], problem["line"]) == ("error", line)
    assert problem["file"] == (path if line else "")
    assert time.monotonic() - started < 60


def test_a_script_that_prints_without_measure(script: Script) -> None:
    """200 MB on both streams neither fill a buffer nor reach the document."""
    path = script(
        "import sys, torch\nline = 'x' * 1_000_000\n"
        "for _ in range(100):\n    print(line)\n    print(line, file=sys.stderr)\n"
        "def fn(x):\n    return x.cos()\nexample_inputs = torch.ones(2, requires_grad=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "aotgui", "report", path, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=120,
        check=True,
    )
    assert json.loads(done.stdout)["check"]["status"] == "match"


@pytest.mark.usefixtures("hears_ctrl_c")
def test_interrupting_ends_the_engine_and_its_children(script: Script, tmp_path: Path) -> None:
    told = tmp_path / "pids"
    path = script(
        "import os, subprocess\n"
        "child = subprocess.Popen(['sleep', '600'])\n"
        f"open({str(told)!r} + '.new', 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(told)!r} + '.new', {str(told)!r})\n"
        "while True:\n    pass\n"
    )
    command = [sys.executable, "-m", "aotgui", "report", path]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        _wait_for(told.exists)
        pids = [int(pid) for pid in told.read_text().split()]
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert running.returncode == 130
    assert errors.splitlines()[-1] == "Interrupted."
    _wait_for(lambda: not any(map(_is_alive, pids)))


@pytest.mark.usefixtures("hears_ctrl_c")
def test_interrupting_an_export_leaves_no_half_of_a_folder(script: Script, tmp_path: Path) -> None:
    path = script("import torch\ndef fn(x):\n    return x.sin()\nexample_inputs = torch.ones(2, requires_grad=True)\n")
    target = tmp_path / "out"
    target.mkdir()
    (target / "manifest.json").write_text('{"writer": "aotgui"}')
    command = [sys.executable, "-m", "aotgui", "export", path, "--format", "fx", "-o", str(target)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        _wait_for(lambda: any(tmp_path.glob(".out.*/run.py")))
        running.send_signal(signal.SIGINT)
        _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (130, "Interrupted.\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "script.py"]
    assert [path.name for path in target.iterdir()] == ["manifest.json"]


def _is_alive(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _wait_for(condition: Callable[[], bool], timeout_s: float = 60) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        os.sched_yield()


@pytest.mark.parametrize("name", ["cuda.py", "profile.py", "numpy.py"])
def test_files_beside_the_script_do_not_take_the_place_of_modules(
    aotgui: Aotgui, script: Script, tmp_path: Path, name: str
) -> None:
    """The working directory is no place from which torch may import."""
    (tmp_path / name).write_text("raise RuntimeError('not the one that torch means')\n")
    path = script("import torch\ndef fn(x):\n    return x.cos()\nexample_inputs = torch.ones(2, requires_grad=True)\n")
    done = aotgui("report", path)
    assert (done.returncode, done.stderr) == (0, "")
