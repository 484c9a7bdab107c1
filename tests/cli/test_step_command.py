"""``aotgui step`` with breakpoints, watches, a reference and the cause of NaN."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Callable

Aotgui = Callable[..., "subprocess.CompletedProcess[str]"]

ROOT_OF_ZERO = """import torch


def fn(x):
    y = x.sqrt()
    return torch.where(x > 0, y, torch.zeros_like(x)).sum()


example_inputs = torch.tensor([0.0, 4.0], requires_grad=True)
"""


def test_stops_watches_and_errors_as_lines(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    words = ["--break", "aten.sqrt if value.max() > 1", "--break", "line:6", "--watch", "sqrt.max()", "--reference"]
    done = aotgui("step", script(ROOT_OF_ZERO), *words, "--json-lines")
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events[:3]] == ["node", "node", "stop"]
    stops = [event for event in events if event["event"] == "stop"]
    (hit,) = stops[0]["breakpoints"]
    assert (hit["breakpoint"], hit["node"], hit["after"]) == ("aten.sqrt if value.max() > 1", "sqrt", True)
    assert stops[0]["watches"] == [{"expression": "sqrt.max()", "text": "2.0", "failed": False}]
    assert any(hit["breakpoint"] == "line:6" and not hit["after"] for stop in stops for hit in stop["breakpoints"])
    assert all(event["error"] < 1e-6 for event in events if event["event"] == "node")
    assert events[-1]["event"] == "end"
    assert events[-1]["problems"] == []


def test_nonfinite_is_led_back_to_its_cause(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    done = aotgui("step", script(ROOT_OF_ZERO), "--graph", "backward", "--until", "nonfinite")
    assert done.returncode == 1
    assert "div (aten.div.Tensor) in script.py:5: div makes 1 NaN of finite inputs." in done.stdout
    assert "derivative of sqrt" in done.stdout
    assert "is the first node with 1 NaN" in done.stderr


def test_a_text_that_is_no_breakpoint(aotgui: Aotgui, script: Callable[[str], str]) -> None:
    done = aotgui("step", script(ROOT_OF_ZERO), "--break", "line:x")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("The breakpoint 'line:x' names no line")


def test_a_run_that_failed_is_the_reason_why_there_is_nothing_to_step_through_or_export(
    aotgui: Aotgui, script: Callable[[str], str]
) -> None:
    fewer = "\n\ndef fewer(module, inputs):\n    return lambda *values: list(module(*values))[1:]\n"
    done = aotgui("step", script(ROOT_OF_ZERO + fewer), "--compiler", "fewer", "--graph", "backward")
    assert (done.returncode, done.stdout) == (1, "")
    assert re.match(r"What fewer made of the forward graph returns \d values instead of \d\.\n", done.stderr)
    folder = aotgui("export", script(ROOT_OF_ZERO + fewer), "--compiler", "fewer", "--format", "fx", "-o", "out")
    assert (folder.returncode, folder.stdout) == (1, "")
    assert re.match(r"What fewer made of the forward graph returns \d values instead of \d\.\n", folder.stderr)


def test_the_forward_of_a_region_whose_backward_never_ran_can_be_stepped(
    aotgui: Aotgui, script: Callable[[str], str]
) -> None:
    source = script(
        """
import torch


class Split(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.first(x).relu()
        print("a graph break")
        if y.sum().item() > -1e9:
            z = self.second(y).tanh()
        return z.detach().sum() + 0 * y.sum()


model = Split()
example_inputs = torch.randn(2, 4)
"""
    )
    done = aotgui("step", source, "--region", "1")
    assert done.returncode == 0, done.stderr
    assert "aten.sum.default" in done.stdout
    done = aotgui("step", source, "--region", "1", "--graph", "backward")
    assert done.returncode == 1
    assert "The backward graph has not been run" in done.stderr
