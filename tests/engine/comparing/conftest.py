"""A small network whose compilers are planted with faults, captured once."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from aotgui.engine.pipeline import Pipeline
from aotgui.model.settings import Settings
from aotgui.protocol.messages import Event, Run, RunEnded

E = TypeVar("E", bound=Event)

SCRIPT = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(16, 16) for _ in range(3)])
        self.norm = nn.LayerNorm(16)

    def forward(self, x):
        for layer in self.layers:
            x = self.norm(torch.relu(layer(x))) + x
        return x.tanh().sum()


torch.manual_seed(0)
model = Net()
example_inputs = torch.randn(4, 16)


def found(module, name):
    return [node for node in module.graph.nodes if node.op == "call_function" and node.name == name]


def rounded(module, node):
    with module.graph.inserting_after(node):
        cast = module.graph.call_function(torch.ops.aten.to.dtype, (node, torch.bfloat16))
    with module.graph.inserting_after(cast):
        back = module.graph.call_function(torch.ops.aten.to.dtype, (cast, torch.float32))
    node.replace_all_uses_with(back, delete_user_cb=lambda user: user is not cast)


def rounds_forward(module, inputs):
    for node in found(module, "addmm_1"):
        rounded(module, node)
    module.recompile()
    return module.forward


def rounds_backward(module, inputs):
    for node in found(module, "mm_3"):
        rounded(module, node)
    module.recompile()
    return module.forward


def drops_bias(module, inputs):
    for node in found(module, "addmm_2"):
        node.target, node.args = torch.ops.aten.mm.default, node.args[1:]
    module.recompile()
    return module.forward


def swaps_arguments(module, inputs):
    for node in found(module, "threshold_backward_1"):
        gradient, value, threshold = node.args
        node.args = (value, gradient, threshold)
    module.recompile()
    return module.forward


def refuses(module, inputs):
    if any(node.target is torch.ops.aten.tanh_backward.default for node in module.graph.nodes):
        raise NotImplementedError("tanh_backward is not supported")
    return module.forward


def fails_when_run(module, inputs):
    for node in found(module, "tanh"):
        node.target = torch.ops.aten.linalg_cholesky.default
    module.recompile()
    return module.forward


def fuses_wrong(module, inputs):
    for node in found(module, "relu_1"):
        if node.args[0].op == "call_function":  # only together with the operator before it
            node.target = torch.ops.aten.gelu.default
    module.recompile()
    return module.forward
"""


@dataclass
class Workshop:
    """A pipeline and what it and those who work on it emit."""

    folder: Path
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.pipeline = Pipeline(self.events.append)

    def run(self, text: str, **settings: Any) -> RunEnded:
        path = self.folder / "script.py"
        path.write_text(textwrap.dedent(text))
        self.pipeline.run(Run(run=1, source=str(path), settings=Settings(**settings), trusted=True))
        return self.last(RunEnded)

    def all(self, kind: type[E]) -> list[E]:
        return [event for event in self.events if isinstance(event, kind)]

    def last(self, kind: type[E]) -> E:
        return self.all(kind)[-1]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The network with its planted compilers, captured with ``nop``."""
    made = Workshop(tmp_path_factory.mktemp("workshop"))
    made.run(SCRIPT)
    return made


@pytest.fixture
def new_workshop(tmp_path: Path) -> Callable[[], Workshop]:
    return lambda: Workshop(tmp_path)
