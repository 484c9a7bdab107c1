"""The terminal report, compared as the text that a person reads."""

from __future__ import annotations

from aotgui.export.report_text import StepLines, check_text, report_text
from aotgui.model.capture import Capture
from aotgui.model.graph import Graph, TensorInfo
from aotgui.model.values import ValueStats

REPORT = """\
Source    /home/me/model.py: model
Captured  aot_module, route direct, torch 2.13.0
Settings  partitioner min_cut, compilers nop and ts_compile

Region 0 (training)
  joint  11 nodes  12 edges
  fates     2 saved, 1 recomputed, 2 forward only, 3 backward only, 1 moved, 1 eliminated
  saved     2 values, 128 B (activation 64 B, parameter 64 B)
    64 B  layer.weight  float32[4, 4]  parameter
    64 B  mm            float32[4, 4]  activation  model.py:12  cannot recompute: not in recomputable allowlist
  recomputed  cos
  eliminated  alias

Check     The result DIFFERS from eager; largest error 0.5, eager's own 1e-07.

Problems
  error in check: The gradient of layer.weight differs. (/home/me/model.py:12) [joint node mm_1]

Time      load 500 ms, trace 1.25 s
"""


def test_report(capture: Capture) -> None:
    assert report_text(capture) == REPORT


def test_check_puts_the_worst_first(capture: Capture) -> None:
    lines = check_text(capture).splitlines()
    gradients = lines[lines.index("Gradients") + 1 :]
    assert [line.split() for line in gradients[:3]] == [
        ["name", "error", "eager's", "own", "verdict"],
        ["layer.weight", "0.5", "1e-07", "mismatch"],
        ["out[0]", "2e-07", "1e-07", "match"],
    ]


def test_long_numbers_do_not_touch_the_next_word(graph: Graph) -> None:
    tensor = TensorInfo((4, 4), "float32", (4, 1), "cpu", 64)
    value = ValueStats(node=2, tensor=tensor, minimum=-0.00072984, maximum=0.0, mean=-1.295e-11)
    assert " min -0.0007298 max 0         mean -1.295e-11 nan 0" in StepLines(graph).line(value)


def test_step_lines_are_aligned(graph: Graph) -> None:
    lines = StepLines(graph)
    tensor = TensorInfo((4, 4), "float32", (4, 1), "cpu", 64)
    long = lines.line(ValueStats(node=7, tensor=tensor, minimum=-1.0, maximum=2.0, mean=0.5))
    short = lines.line(ValueStats(node=2, tensor=tensor, minimum=-1.5, maximum=2.0, mean=0.5, nans=2))
    assert long.index("float32") == short.index("float32")
    assert long.index("nan 0") == short.index("nan 2")
    words = "mm aten.mm.default float32[4, 4] min -1.5 max 2 mean 0.5 nan 2 inf 0"
    assert " ".join(short.split()) == words


def test_a_value_that_is_no_tensor_is_printed(graph: Graph) -> None:
    line = StepLines(graph).line(ValueStats(node=2, tensor=TensorInfo((), "int"), text="7"))
    assert line.endswith("7")
