"""What is captured when a source does not say it by convention."""

from __future__ import annotations

import sys

import pytest
import torch

from aotgui.engine.errors import UserError
from aotgui.engine.pipeline import Pipeline
from aotgui.engine.targets import TargetNeededError, load_target
from aotgui.model.capture import CheckStatus
from aotgui.model.targets import TargetKind
from aotgui.protocol.messages import CaptureReady, Run, RunEnded, RunStatus, TargetsFound

OFFERING = '''
import functools
import math
import torch
from torch import nn
from torch.nn.functional import relu

class Net(nn.Module):
    """A small net.

    More about it.
    """
    def __init__(self, width=4):
        super().__init__()
        self.linear = nn.Linear(width, 2)
    def forward(self, x: torch.Tensor, *, scale: float = 1.0):
        return self.linear(x) * scale

class NeedsWidth(nn.Module):
    def __init__(self, width):
        super().__init__()

net = Net()
layers = [nn.Linear(2, 2)]

def distance(a, b=None, *rest):
    """Euclid."""
    return (a * a).sum().sqrt()

def make_net() -> nn.Module:
    return Net()

def plain_factory():
    return Net()

def nothing():
    return 3

def _private(x):
    return x

wrapped = functools.wraps(distance)(lambda *args: distance(*args))
constant = 3
'''


def test_modules_functions_and_classes_are_offered(write, events_of):
    events = events_of(write(OFFERING))
    found = next(event for event in events if isinstance(event, TargetsFound))
    assert [(target.name, target.kind) for target in found.targets] == [
        ("Net", TargetKind.MODULE_CLASS),
        ("net", TargetKind.MODULE),
        ("distance", TargetKind.FUNCTION),
        ("make_net", TargetKind.FUNCTION),
        ("plain_factory", TargetKind.FUNCTION),
        ("nothing", TargetKind.FUNCTION),
        ("wrapped", TargetKind.FUNCTION),
    ]
    assert found.chosen == ""
    by_name = {target.name: target for target in found.targets}
    assert [str(p) for p in by_name["net"].parameters] == ["x: torch.Tensor", "scale: float = 1.0"]
    assert by_name["Net"].parameters == by_name["net"].parameters
    assert [str(p) for p in by_name["distance"].parameters] == ["a", "b = None", "*rest"]
    assert [p.required for p in by_name["distance"].parameters] == [True, False, False]
    assert by_name["net"].type_name == "Net"
    assert by_name["net"].summary == "A small net."
    assert by_name["distance"].summary == "Euclid."
    assert by_name["distance"].line == OFFERING.splitlines().index("def distance(a, b=None, *rest):") + 1
    ended = events[-1]
    assert isinstance(ended, RunEnded)
    assert ended.status is RunStatus.FAILED
    assert "It has Net, net, distance, make_net, plain_factory; choose one" in ended.problems[0].message


def test_a_target_without_inputs_is_named(write, events_of):
    events = events_of(write("import torch\nmodel = torch.nn.Linear(2, 2)\n"))
    found = next(event for event in events if isinstance(event, TargetsFound))
    assert found.chosen == "model"
    assert "defines no example_inputs for 'model'" in events[-1].problems[0].message


@pytest.mark.parametrize("name", ["net", "Net", "make_net", "plain_factory", "distance", "net.linear"])
def test_a_chosen_target_is_captured_with_the_given_inputs(write, events_of, name):
    events = events_of(write(OFFERING), target=name, inputs="randn 3x4 requires_grad")
    ended = events[-1]
    assert ended.status is RunStatus.DONE, ended.problems
    assert ended.check.status is CheckStatus.MATCH
    assert ended.target == name
    (ready,) = [event for event in events if isinstance(event, CaptureReady)]
    labels = {entry.label for entry in ready.capture.regions[0].inputs}
    assert "args[0]" in labels
    assert ("linear.weight" in labels) == (name not in ("distance", "net.linear"))


def test_given_inputs_replace_example_inputs(write):
    script = write("import torch\nmodel = torch.nn.Linear(4, 2)\nexample_inputs = torch.randn(1, 4)\n")
    target = load_target(str(script), inputs="randn 5x4")
    assert [tuple(arg.shape) for arg in target.args] == [(5, 4)]


def test_inputs_follow_the_seed_and_leave_torchs_generator_alone(write):
    script = str(write("def fn(x): return x\n"))
    state = torch.get_rng_state()
    first, second = (load_target(script, inputs="randn 8", seed=1).args[0] for _ in range(2))
    other = load_target(script, inputs="randn 8", seed=2).args[0]
    assert torch.equal(first, second)
    assert not torch.equal(first, other)
    assert torch.equal(torch.get_rng_state(), state)


def test_every_maker_and_keyword_arguments(write):
    script = write("def fn(*args, **kwargs): return args\n")
    spec = (
        "rand 2 float64; zeros 2 int64; ones 1x2 bool; full 2.5 3; randint 3..5 100 int32; "
        "[1, (ones 1,)]; 'text'; mask=randn 2 bfloat16 requires_grad; flag=None"
    )
    target = load_target(str(script), inputs=spec)
    rand, zeros, ones, full, ints, nested, text = target.args
    assert (rand.dtype, zeros.dtype, ones.dtype, ints.dtype) == (torch.float64, torch.int64, torch.bool, torch.int32)
    assert (full == 2.5).all()
    assert set(ints.tolist()) == {3, 4}
    assert isinstance(nested[1], tuple)
    assert text == "text"
    assert target.kwargs["mask"].requires_grad
    assert target.kwargs["flag"] is None


@pytest.mark.parametrize(
    ("name", "inputs", "message"),
    [
        ("distance", "randn 2x", "cannot be read at character 7"),
        ("distance", "randn 99999999999x99999999", "cannot be made"),
        ("distance", "x=ones 2", "distance(a, b, rest) cannot be called with these inputs"),
        ("NeedsWidth", "ones 2", "NeedsWidth cannot be built without arguments: TypeError"),
        ("nothing", "ones 2", "nothing takes no such inputs, and what it returns is a int, no module"),
        ("constant", "ones 2", "is of type int, no module or function"),
        ("nowhere", "ones 2", "defines no 'nowhere'"),
        ("net.nowhere", "ones 2", "defines no 'net.nowhere'"),
    ],
)
def test_what_cannot_be_chosen_is_said_in_a_sentence(write, name, inputs, message):
    with pytest.raises(UserError) as caught:
        load_target(str(write(OFFERING)), name, inputs)
    assert message in caught.value.problem.message


def test_a_module_of_torch(events_of):
    ended = events_of("torch.nn:Tanh", inputs="randn 4x4 requires_grad")[-1]
    assert ended.check.status is CheckStatus.MATCH
    assert ended.target == "Tanh"


def test_a_factory_in_a_package_that_re_exports_it(write, tmp_path, events_of):
    """``torchvision.models:resnet18`` without torchvision: a package whose ``__init__`` re-exports factories."""
    write("from .nets import small_net, Small\nfrom torch import sin\n", "offered/__init__.py")
    write(
        """
        from typing import Any
        import torch
        class Small(torch.nn.Module):
            def __init__(self, classes: int = 3):
                super().__init__()
                self.head = torch.nn.Linear(4, classes)
            def forward(self, x):
                return self.head(x)
        def small_net(*, weights: "Unknown | None" = None, progress: bool = True, **kwargs: Any) -> Small:
            return Small(**kwargs)
        """,
        "offered/nets.py",
    )
    sys.path.insert(0, str(tmp_path))
    ended = events_of("offered:small_net", inputs="randn 2x4")[-1]
    assert ended.check.status is CheckStatus.MATCH
    first, second = (load_target("offered:small_net", inputs="randn 2x4", seed=3).call for _ in range(2))
    assert torch.equal(first.head.weight, second.head.weight)
    with pytest.raises(TargetNeededError) as caught:
        load_target("offered")
    assert [target.name for target in caught.value.targets] == ["small_net", "Small"]


def test_a_source_is_opened_once_while_targets_are_chosen(write, tmp_path):
    """A script that registers an operator cannot run twice in one process."""
    log = tmp_path / "opened"
    script = write(f"with open({str(log)!r}, 'a') as log: log.write('opened\\n')\n{OFFERING}")
    sink = []
    pipeline = Pipeline(sink.append)
    for target, inputs in [("", ""), ("net", "randn 3x4"), ("distance", "ones 2 requires_grad")]:
        pipeline.run(Run(run=1, source=str(script), target=target, inputs=inputs))
    assert log.read_text() == "opened\n"
    assert sink[-1].status is RunStatus.DONE


def test_a_long_list_is_cut_in_words_and_whole_in_the_event():
    with pytest.raises(TargetNeededError) as caught:
        load_target("torch.nn")
    error = caught.value
    assert {"Tanh", "ReLU", "Sequential"} <= {target.name for target in error.targets}
    assert "Linear" not in {target.name for target in error.targets}
    assert error.problem.details.splitlines()[-1] == f"  and {len(error.targets) - 40} more"
