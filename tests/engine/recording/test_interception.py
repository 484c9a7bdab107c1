"""Regions that somebody else compiles are seen, and what they compute stays what it was."""

from __future__ import annotations

import shutil

import pytest
import torch
from functorch.compile import aot_function, aot_module, default_partition, memory_efficient_fusion, nop
from torch._functorch.partitioners import min_cut_rematerialization_partition

from aotgui.engine import interception
from aotgui.engine.dynamo_names import dynamo_label
from aotgui.engine.interception import EnoughRegionsError, InterceptionError, intercepting
from aotgui.engine.observer import RegionObserver, partitioner_name
from aotgui.model.graph import Fate, GraphKind, Op, Side

TRAINING = [GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD]
INDUCTOR = pytest.param(
    "inductor", marks=pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")
)


def own_backend(module, inputs):
    return module.forward


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 4), torch.nn.Linear(4, 2)])
        self.register_buffer("scale", torch.ones(2))

    def forward(self, x):
        x = torch.nn.functional.dropout(self.layers[0](x))
        return self.layers[1](x.tanh()) * self.scale


def watched(limit=0):
    observer = RegionObserver()
    return observer, intercepting(observer, min_cut_rematerialization_partition, limit)


def train(function, module, x):
    """Output and gradients of one step, with the same random numbers each time."""
    torch.manual_seed(3)
    module.zero_grad()
    output = function(x)
    output.square().sum().backward()
    return [output.detach(), *(parameter.grad.clone() for parameter in module.parameters())]


def labels(graph):
    return [graph.label(index) for index in range(len(graph)) if graph.ops[index] == Op.PLACEHOLDER]


@pytest.mark.parametrize("backend", ["aot_eager", "eager", own_backend, INDUCTOR])
def test_every_backend_is_seen_and_computes_the_same(backend):
    module, x = Net(), torch.randn(2, 3)
    expected = train(torch.compile(module, backend=backend), module, x)
    torch._dynamo.reset()
    observer, context = watched()
    with context:
        seen = train(torch.compile(module, backend=backend), module, x)
    assert all(torch.equal(*pair) for pair in zip(expected, seen, strict=True))
    (region,) = observer.regions
    assert observer.problems == []
    assert list(region.graphs) == TRAINING
    joint = region.graphs[GraphKind.JOINT]
    names = {"layers.0.weight", "layers.0.bias", "layers.1.weight", "layers.1.bias", "scale", "x"}
    assert names <= set(labels(joint))
    operators = [index for index in range(len(joint)) if joint.ops[index] == Op.CALL_FUNCTION]
    known = [index for index in operators if (frame := joint.source(index)) and frame.file == __file__]
    assert len(known) > 0.8 * len(operators)
    assert any(joint.sides[index] == Side.BACKWARD for index in known)


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # Dynamo looks at it itself
def test_each_graph_is_a_region_and_inference_has_one_graph():
    @torch.compile(backend="aot_eager")
    def step(x):
        y = x.sin()
        torch._dynamo.graph_break()
        return y.cos()

    observer, context = watched()
    with context:
        step(torch.randn(3, requires_grad=True)).sum().backward()
        with torch.no_grad():
            step(torch.randn(3))
    assert [list(region.graphs) for region in observer.regions] == [TRAINING] * 2 + [[GraphKind.INFERENCE]] * 2
    assert [region.name for region in observer.regions] == [f"region {i}" for i in range(4)]


def test_functions_have_names_lines_and_fates():
    def fn(a, b, scale=2.0):
        inner = (a * b["k"]).cos()
        return inner.cos() * scale

    observer, context = watched()
    with context:
        compiled = aot_function(fn, nop, partition_fn=min_cut_rematerialization_partition)
        compiled(torch.randn(3, requires_grad=True), {"k": torch.randn(3)}, scale=torch.tensor(3.0)).sum().backward()
    (region,) = observer.regions
    joint = region.graphs[GraphKind.JOINT]
    assert labels(joint)[:3] == ["a", "b['k']", "kwargs['scale']"]
    lines = {joint.source(index).line for index in range(len(joint)) if joint.ops[index] == Op.CALL_FUNCTION}
    first = fn.__code__.co_firstlineno
    assert lines == {first + 1, first + 2}
    assert joint.fate_counts()[Fate.RECOMPUTED]


def test_modules_have_parameter_names_and_module_paths():
    module = Net()
    observer, context = watched()
    with context:
        train(aot_module(module, nop, partition_fn=default_partition), module, torch.randn(2, 3))
    joint = observer.regions[0].graphs[GraphKind.JOINT]
    assert {"layers.0.weight", "scale", "args[0]"} <= set(labels(joint))
    assert "layers.1" in {joint.module(index) for index in range(len(joint))}


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        return gradient * 3 * x.square()


def test_lines_of_a_backward_of_ones_own():
    observer, context = watched()
    with context:
        aot_function(Cube.apply, nop)(torch.randn(3, requires_grad=True)).sum().backward()
    joint = observer.regions[0].graphs[GraphKind.JOINT]
    backward = [i for i in range(len(joint)) if joint.ops[i] == Op.CALL_FUNCTION and joint.sides[i] == Side.BACKWARD]
    assert {joint.source(index).line for index in backward} == {Cube.backward.__code__.co_firstlineno + 3}


def test_symbolic_sizes_are_known():
    observer, context = watched()
    with context:
        torch.compile(lambda x: x.sin(), backend="aot_eager", dynamic=True)(torch.randn(7, requires_grad=True))
    assert list(observer.regions[0].symbols.values()) == [7]


def test_the_programs_own_partitioner_is_the_one_that_is_called():
    calls = []

    def mine(joint, inputs, **options):
        calls.append(joint)
        return default_partition(joint, inputs, **options)

    observer, context = watched()
    with context:
        aot_function(lambda x: x.sin().sin(), nop, partition_fn=mine)(torch.randn(3, requires_grad=True))
    assert len(calls) == len(observer.regions) == 1
    assert partitioner_name(mine) == "mine"


def test_a_partitioner_that_fails_fails_as_before():
    def broken(joint, inputs, **options):
        raise ZeroDivisionError("mine")

    observer, context = watched()
    with context, pytest.raises(ZeroDivisionError, match="mine"):
        aot_function(lambda x: x.sin(), nop, partition_fn=broken)(torch.randn(3, requires_grad=True))
    assert observer.regions == observer.problems == []


def test_a_graph_that_cannot_be_looked_at_is_a_problem_of_the_capture_only(monkeypatch):
    def blind(*args, **options):
        raise RuntimeError("too dark")

    monkeypatch.setattr("aotgui.engine.observer.graph_of", blind)
    observer, context = watched()
    x = torch.randn(3, requires_grad=True)
    with context:
        output = aot_function(lambda x: x.sin(), nop)(x)
        aot_function(lambda x: x.sin(), nop)(torch.randn(3))
    assert torch.equal(output, x.sin())
    assert observer.regions == []
    assert [problem.message for problem in observer.problems] == [
        "Region 0 could not be looked at: RuntimeError: too dark"
    ] * 2


def test_compilers_of_the_program_get_graphs_of_their_own():
    """A compiler that changes its graph module does not change the captured half."""

    def vandal(module, inputs):
        for node in list(module.graph.nodes):
            if node.op == "call_function":
                node.meta.clear()
        return module

    observer, context = watched()
    with context:
        aot_function(lambda x: x.sin().cos(), vandal)(torch.randn(3, requires_grad=True))
    half = observer.regions[0].halves[GraphKind.FORWARD]
    assert all("val" in node.meta for node in half.nodes)


@pytest.mark.filterwarnings("ignore:The TorchScript type system:UserWarning")  # of ts_compile, in torch
def test_fused_modules():
    module = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
    observer, context = watched()
    with context:
        memory_efficient_fusion(module)(torch.randn(2, 3)).sum().backward()
    assert list(observer.regions[0].graphs) == TRAINING


def test_it_ends_when_there_are_enough():
    @torch.compile(backend="aot_eager")
    def first(x):
        return x.sin()

    observer, context = watched(limit=1)
    with context, pytest.raises(EnoughRegionsError):
        first(torch.randn(3, requires_grad=True))
    assert len(observer.regions) == 1
    assert torch.equal(first(torch.zeros(3)), torch.zeros(3))


def test_nothing_stays_patched():
    from torch._dynamo.output_graph import OutputGraph
    from torch._functorch import aot_autograd, config

    def state():
        return (
            aot_autograd.aot_stage1_graph_capture,
            aot_autograd.aot_stage2_compile,
            OutputGraph.call_user_compiler,
            config.enable_autograd_cache,
        )

    before = state()
    _, context = watched()
    with pytest.raises(KeyError), context:
        raise KeyError
    assert state() == before


def test_another_torch_is_refused(monkeypatch):
    monkeypatch.setattr(interception, "_STAGES", ("aot_stage9",))
    _, context = watched()
    with pytest.raises(InterceptionError, match="offers no place"), context:
        pass


@pytest.mark.parametrize(
    ("expression", "label"),
    [
        ("L['self']._modules['0']._parameters['weight']", "0.weight"),
        ("L['self']._modules['net']._modules['layers']._modules['3']._buffers['b']", "net.layers.3.b"),
        ("L['fn']._modules['0']._parameters['bias']", "0.bias"),
        ("G['model']._modules['head']._parameters['weight']", "model.head.weight"),
        ("L['x']", "x"),
        ("L['args'][0]", "args[0]"),
        ("L['x'].size()[0]", "x.size()[0]"),
        ("something else", "something else"),
        ("", ""),
    ],
)
def test_expressions_of_dynamo_become_names(expression, label):
    assert dynamo_label(expression) == label
