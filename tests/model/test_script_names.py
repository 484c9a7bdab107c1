"""A script's own partitioners, tables and compilers, from its text."""

from __future__ import annotations

import pytest

from aotgui.model.script_names import script_names

SCRIPT = """
import torch
from torch import fx

def split(joint, inputs, *, num_fwd_outputs, **options): ...
def cut(joint_module, inputs, **options): ...
def compile_it(gm, inputs): ...
def build(graph: fx.GraphModule, example_inputs): ...
def fn(x, w): ...
def nothing(): ...

table = {torch.ops.aten.silu.default: fn}
more: dict = {aten.mm: fn, **table}
all_of_it = torch._decomp.get_decompositions([aten.silu])
config = {"lr": 0.1}
example_inputs = (1, 2)
"""


@pytest.mark.parametrize(
    ("field", "names"),
    [
        ("partitioner", ["split", "cut"]),
        ("decompositions", ["table", "more", "all_of_it"]),
        ("forward_compiler", ["compile_it", "build"]),
        ("inference_compiler", ["compile_it", "build"]),
        ("device", []),
    ],
)
def test_what_a_setting_may_name(field: str, names: list[str]) -> None:
    assert script_names(field, SCRIPT) == names


@pytest.mark.parametrize("text", ["", "def (", "\0"])
def test_text_that_is_no_script_defines_nothing(text: str) -> None:
    assert script_names("partitioner", text) == []
