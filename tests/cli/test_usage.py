"""Wrong usage: status 2, one sentence first, how to use it after. Needs no engine."""

from __future__ import annotations

import pytest

from aotgui import __version__
from aotgui.model.settings import OPTIONS

from .conftest import Aotgui


def test_version(aotgui: Aotgui) -> None:
    assert aotgui("--version").stdout == f"aotgui {__version__}\n"


def test_help_names_commands_and_exit_status(aotgui: Aotgui) -> None:
    done = aotgui("--help")
    assert done.returncode == 0
    for word in ("report", "export", "check", "step", "exit status", "the engine process died"):
        assert word in done.stdout


@pytest.mark.parametrize("command", ["report", "export", "check", "step", "window"])
def test_help_of_a_command_lists_every_setting(aotgui: Aotgui, command: str) -> None:
    text = aotgui(command, "--help").stdout
    assert all(option.flag in text for option in OPTIONS)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["report"], "aotgui report: the following arguments are required: SRC."),
        (["report", "nowhere.py"], "There is no file nowhere.py."),
        (["nowhere.py"], "There is no file nowhere.py."),
        (["reprot", "x.py"], "There is no command reprot; did you mean report?"),
        (["zip", "x.py"], "There is no command zip; there are window, report, capture, export, check, step"),
        (["check", "nowhere/at_all"], "There is no file nowhere/at_all."),
        (["report", "."], ". is a folder, not a script."),
        (
            ["report", "x.py", "--memory-budget", "2"],
            "aotgui report: argument --memory-budget: 2 is not between 0 and 1.",
        ),
        (["report", "x.py", "--seed", "many"], "aotgui report: argument --seed: invalid int value: 'many'."),
        (
            ["report", "x.py", "--timeout", "-1"],
            "aotgui report: argument --timeout: -1 is no positive number of seconds.",
        ),
        (["report", "x.py", "--region", "-1"], "aotgui report: argument --region: -1 is no number from 0 on."),
        (
            ["report", "x.py", "--entry", "jit"],
            "aotgui report: argument --entry: invalid choice: 'jit' (choose from 'auto'",
        ),
        (
            ["report", "x.py", "--partitioner", "min-cut"],
            "aotgui report: argument --partitioner: no function can be called 'min-cut'; did you mean min_cut?",
        ),
        (
            ["check", "x.py", "--partitioner", "@"],
            "aotgui check: argument --partitioner: no function can be called '@'; there are default, min_cut, or a",
        ),
        (["step", "x.py", "--graph", "joint"], "aotgui step: argument --graph: invalid choice: 'joint'"),
        (
            ["export", "x.py", "-o", "x.bmp"],
            "Say what to write with --format: svg, png, pdf, dot, graphml, json, csv, code, html",
        ),
        (
            ["export", "x.py", "--format", "torchscript", "-o", "-"],
            "TorchScript is checked in a file, so it cannot go to standard output.",
        ),
        (
            ["export", "x.py", "--graph", "joint", "-o", "x.pt"],
            "The joint graph is never compiled; choose --graph forward or backward.",
        ),
    ],
)
def test_wrong_usage_is_one_sentence(aotgui: Aotgui, words: list[str], sentence: str) -> None:
    done = aotgui(*words)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines()[0].startswith(sentence)
    assert "Traceback" not in done.stderr


def test_no_screen_is_one_sentence(aotgui: Aotgui, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    done = aotgui()
    assert done.returncode == 1
    assert done.stderr.startswith("There is no screen to open the window on")
