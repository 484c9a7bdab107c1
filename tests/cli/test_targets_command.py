"""Choosing targets, inputs and trust on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from .conftest import Aotgui

Script = Callable[..., str]

OFFERING = '''
import torch
class Net(torch.nn.Module):
    """A net."""
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 2)
    def forward(self, x, scale=1.0):
        return self.layer(x) * scale
def helper(x):
    return x.sin()
'''


def test_a_script_without_a_target_says_what_it_has(aotgui: Aotgui, script: Script) -> None:
    done = aotgui("report", script(OFFERING))
    assert done.returncode == 1
    first, *rest = done.stderr.splitlines()
    assert "It has Net, helper; choose one with --target." in first
    assert rest == ["  Net(x, scale = 1.0)  A net.", "  helper(x)"]


def test_target_and_inputs_are_chosen(aotgui: Aotgui, script: Script) -> None:
    done = aotgui("report", script(OFFERING), "--target", "Net", "--input", "randn 3x4; scale=2.0", "--json")
    assert done.returncode == 0, done.stderr
    document = json.loads(done.stdout)
    assert document["target"] == "Net"
    assert document["check"]["status"] == "match"


def test_wrong_inputs_are_shown_with_a_mark(aotgui: Aotgui, script: Script) -> None:
    done = aotgui("report", script(OFFERING), "--target", "helper", "--input", "randn 3x")
    assert done.returncode == 1
    assert done.stderr.splitlines()[1:] == ["randn 3x", "      ^"]


@pytest.mark.parametrize("trusted", [False, True])
def test_a_pickled_module_needs_trust(aotgui: Aotgui, tmp_path: Path, trusted: bool) -> None:
    torch.save(torch.nn.Linear(4, 2), tmp_path / "model.pt")
    done = aotgui("check", "model.pt", "--input", "randn 3x4", *(["--trust"] if trusted else []))
    assert done.returncode == (0 if trusted else 1), done.stderr
    assert ("--trust" in done.stderr) is not trusted


def test_a_package_of_torch(aotgui: Aotgui) -> None:
    done = aotgui("check", "torch.nn:Tanh", "--input", "randn 3x4 requires_grad")
    assert done.returncode == 0, done.stderr
