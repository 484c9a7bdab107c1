"""Every compiler on real halves: the same outputs as the graph, and failures that name the node."""

from __future__ import annotations

import shutil
import tomllib
import warnings
from importlib.metadata import EntryPoint
from typing import Any

import pytest
import torch
from torch import nn
from torch._functorch import compilers as functorch_compilers
from torch._subclasses.fake_tensor import FakeTensorMode

from aotgui.engine import compilers
from aotgui.engine.assembly import compilation_of
from aotgui.engine.compilers import CompileFailed, builtin_compilers, resolve
from aotgui.engine.half import Half
from aotgui.engine.interpreter import NodeMismatchError
from aotgui.engine.torchscript import torchscript_warnings_ignored
from aotgui.model.artifact_links import links_of
from aotgui.model.graph import GraphKind
from aotgui.model.resources import resource_path

NAMES = [compiler.name for compiler in builtin_compilers()]
TORCHSCRIPT = [compiler.name for compiler in builtin_compilers() if compiler.makes_torchscript]


def mlp() -> tuple[Any, ...]:
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2)), torch.randn(3, 4)


def convolution() -> tuple[Any, ...]:
    torch.manual_seed(1)
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU()), torch.randn(2, 3, 8, 8)


def dropout() -> tuple[Any, ...]:
    return lambda x: nn.functional.dropout(x, 0.5).cos(), torch.randn(8, 8, requires_grad=True)


def attention() -> tuple[Any, ...]:
    """A causal attention; mask and scale are tensors of the graph."""

    def call(query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        mask = torch.tensor([[0.0, float("-inf")], [0.0, 0.0]])
        scale = torch.tensor([[0.5, 1.0], [0.5, 0.5]])
        return (query @ key.transpose(-1, -2) * scale + mask).softmax(-1) @ key

    return call, torch.randn(2, 2, 4, requires_grad=True), torch.randn(2, 2, 4, requires_grad=True)


def several_outputs() -> tuple[Any, ...]:
    return lambda x, y: (x * 2, y + 1, (x @ y).sum()), torch.randn(3, 3, requires_grad=True), torch.randn(3, 3)


def python_numbers() -> tuple[Any, ...]:
    def call(x: torch.Tensor, k: int, f: float, flag: bool, nothing: None) -> torch.Tensor:
        return x * k + f if flag else x

    return call, torch.randn(3, requires_grad=True), 3, 0.5, True, None


def concatenated_with_nothing() -> tuple[Any, ...]:
    """As GPT-2's cache does; what Inductor makes of it has other strides, which neither view nor backward expect."""

    def call(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        joined = torch.cat([torch.tensor([]), x.transpose(0, 1)], -2)
        return joined.view(-1).sin(), joined

    return call, torch.randn(3, 4, requires_grad=True)


CASES = [mlp, convolution, dropout, attention, several_outputs, python_numbers, concatenated_with_nothing]


def run(half: Half, call: Any) -> list[Any]:
    half.random_state.restore()
    with torch.no_grad():
        return list(call(half.fresh_args()))


def kind_of(value: Any) -> type:
    return torch.Tensor if isinstance(value, torch.Tensor) else type(value)


def assert_same_as_graph(half: Half, compiled: Any) -> None:
    expected = run(half, lambda args: half.module(*args))
    actual = run(half, compiled.call)
    assert [kind_of(value) for value in actual] == [kind_of(value) for value in expected]
    torch.testing.assert_close(actual, expected, check_stride=True)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("name", [name for name in NAMES if name != "inductor"])
def test_runs_as_the_graph_does(name, case, make_halves):
    for half in make_halves(*case()).values():
        pristine = half.module.code
        compiled = resolve(name).compile_half(half)
        assert_same_as_graph(half, compiled)
        assert compiled.artifact
        assert half.module.code == pristine


@pytest.mark.skipif(bool(resolve("inductor").unavailable()), reason="no C++ compiler")
@pytest.mark.parametrize("case", [case for case in CASES if case is not convolution], ids=lambda case: case.__name__)
def test_inductor_runs_as_the_graph_does(case, make_halves):
    for half in make_halves(*case()).values():
        compiled = resolve("inductor").compile_half(half)
        assert_same_as_graph(half, compiled)
        assert "def call" in compiled.artifact


@pytest.mark.parametrize("name", [name for name in NAMES if name != "print_compile"])
def test_symbolic_sizes(name, make_halves):
    def function(x: torch.Tensor, k: int) -> tuple[Any, ...]:
        return (x.sin() * k).sum(0).view(-1) * x.shape[0], x.reshape(-1)

    for half in make_halves(function, torch.randn(4, 3, requires_grad=True), 3, dynamic=True).values():
        assert_same_as_graph(half, resolve(name).compile_half(half))


def test_inference_graph(make_halves):
    halves = make_halves(lambda x: x.exp(), torch.randn(3))
    assert list(halves) == [GraphKind.INFERENCE]
    assert_same_as_graph(halves[GraphKind.INFERENCE], resolve("ts_compile").compile_half(halves[GraphKind.INFERENCE]))


@pytest.mark.parametrize("name", TORCHSCRIPT)
def test_script_is_kept(name, make_halves, tmp_path):
    half = make_halves(*attention())[GraphKind.FORWARD]
    script = resolve(name).compile_half(half).script
    torch.jit.save(script, tmp_path / "half.pt")
    loaded = torch.jit.load(tmp_path / "half.pt")
    torch.testing.assert_close(loaded(*half.fresh_args()), script(*half.fresh_args()))


def test_stock_ts_compile_fails_on_a_tensor_constant_under_fake_mode(make_halves):
    """The fault that ``unset_fake_temporarily`` works around."""
    half = make_halves(*attention())[GraphKind.FORWARD]
    failure = pytest.raises(Exception, match="Please convert all Tensors to FakeTensors first")
    with FakeTensorMode(), torchscript_warnings_ignored(), failure:
        functorch_compilers.ts_compile(half.module_copy(), half.example_inputs)
    with FakeTensorMode():
        assert resolve("ts_compile").compile_half(half).script is not None


def test_stock_debug_nop_fails_on_every_graph(make_halves):
    """The fault that ``CheckedInterpreter`` works around."""
    half = make_halves(*mlp())[GraphKind.FORWARD]
    stock = functorch_compilers.debug_nop(half.module_copy(), half.example_inputs)
    with pytest.raises(AssertionError, match=r"gm\.shape_env must not be None"):
        stock(half.fresh_args())


def test_debug_nop_says_what_was_expected(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    args = half.fresh_args()
    args[0] = args[0].double()
    compiled = resolve("debug_nop").compile_half(half)
    with pytest.raises(NodeMismatchError, match=r"primals_1: expected float32\[8, 4\], got float64\[8, 4\]"):
        compiled.call(args)


def test_unsupported_argument_names_the_node(make_halves):
    half = make_halves(lambda x: torch.sym_max(x.shape[0], 7) * x, torch.randn(4, 3, requires_grad=True), dynamic=True)
    with pytest.raises(CompileFailed) as caught:
        resolve("ts_compile").compile_half(half[GraphKind.FORWARD])
    assert caught.value.node == "sym_max"
    message = "TorchScript cannot compile torch.sym_max (node sym_max): Unknown builtin op: aten::sym_max"
    assert caught.value.message == message
    assert "Traceback" in caught.value.details


def test_cond_is_not_supported(make_halves):
    def function(x: torch.Tensor) -> Any:
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    half = make_halves(function, torch.randn(3))[GraphKind.INFERENCE]
    with pytest.raises(CompileFailed, match="cond is not supported in TorchScript") as caught:
        resolve("simple_ts_compile").compile_half(half)
    assert caught.value.node == "cond"
    assert_same_as_graph(half, resolve("nop").compile_half(half))


def test_function_of_the_script(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    seen = []

    def mine(module, inputs):
        """My own compiler.

        More about it.
        """
        seen.append([tuple(value.shape) for value in inputs])
        return module.forward

    compiler = resolve("mine", {"mine": mine})
    assert_same_as_graph(half, compiler.compile_half(half))
    assert compiler.description == "My own compiler."
    assert seen == [[(8, 4), (8,), (2, 8), (2,), (3, 4)]]


def test_function_of_the_script_may_return_torchscript(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]

    def mine(module, inputs):
        with torchscript_warnings_ignored():
            return functorch_compilers.simple_ts_compile.__wrapped__(module, inputs)

    compiled = resolve("mine", {"mine": mine}).compile_half(half)
    assert isinstance(compiled.script, torch.jit.ScriptModule)
    assert_same_as_graph(half, compiled)


def test_boxed_function_of_the_script(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    compiled = resolve("boxed", {"boxed": functorch_compilers.nop}).compile_half(half)
    assert_same_as_graph(half, compiled)


def test_function_that_raises_blames_its_line(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]

    def broken(module, inputs):
        raise RuntimeError("no such luck")

    with pytest.raises(CompileFailed, match="broken raised RuntimeError: no such luck") as caught:
        resolve("broken", {"broken": broken}).compile_half(half)
    assert caught.value.file == __file__
    assert caught.value.line == broken.__code__.co_firstlineno + 1


def test_function_that_returns_nothing(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    with pytest.raises(CompileFailed, match="mine returned NoneType, not something that can be called"):
        resolve("mine", {"mine": lambda module, inputs: None}).compile_half(half)


def test_unknown_name():
    with pytest.raises(CompileFailed, match="There is no compiler 'nonsense'"):
        resolve("nonsense", {})


@torch._inductor.config.patch({"cpp.cxx": ("no-such-compiler",)})
def test_unavailable_compiler_says_why(make_halves):
    inductor = resolve("inductor")
    assert inductor.unavailable() == "it needs a C++ compiler, and neither g++ nor clang++ was found"
    with pytest.raises(CompileFailed, match="inductor is not available: it needs a C"):
        inductor.compile_half(make_halves(*mlp())[GraphKind.FORWARD])


def test_installed_compilers(make_halves, monkeypatch):
    good = EntryPoint("theirs", "torch._functorch.compilers:nop", "aotgui.compilers")
    bad = EntryPoint("absent", "no_such_package_of_anyone:nop", "aotgui.compilers")
    monkeypatch.setattr(compilers, "entry_points", lambda group: [good, bad] if group == "aotgui.compilers" else [])
    half = make_halves(*mlp())[GraphKind.FORWARD]
    assert_same_as_graph(half, resolve("theirs").compile_half(half))
    with pytest.raises(CompileFailed, match=r"absent .* cannot be imported"):
        resolve("absent").compile_half(half)


def test_the_steps_of_ts_compile_are_those_of_torch(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    compiled = resolve("ts_compile").compile_half(half)
    assert [step.name for step in compiled.steps] == [
        "strip overloads",
        "normalise _to_copy and devices, lint",
        "script",
        "remove mutation",
        "freeze",
        "optimize for inference",
    ]
    texts = [step.show() for step in compiled.steps]
    assert "torch.ops.aten.addmm(" in texts[0]
    assert "aten::addmm" in texts[2]
    assert texts[-1].split("(")[0] == compiled.artifact.split("(")[0]
    with FakeTensorMode(), torchscript_warnings_ignored():
        stock = functorch_compilers.ts_compile.__wrapped__(half.module_copy(), half.example_inputs)
    assert _operators(compiled.script) == _operators(stock)


def _operators(script: torch.jit.ScriptModule) -> list[str]:
    return [node.kind() for node in script.graph.nodes()]


def test_a_step_that_changes_nothing_has_no_text(make_halves):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    shown = compilation_of("ts_compile", GraphKind.FORWARD, resolve("ts_compile").compile_half(half))
    assert [bool(step.text) for step in shown.steps] == [True, False, True, False, True, False]
    assert shown.seconds >= sum(step.seconds for step in shown.steps) > 0


def test_warnings_of_a_compiler_are_kept(make_halves):
    def mine(module, inputs):
        for _ in range(2):
            warnings.warn("slow path", UserWarning, stacklevel=1)
        return module.forward

    compiled = resolve("mine", {"mine": mine}).compile_half(make_halves(*mlp())[GraphKind.FORWARD])
    assert compiled.warnings == ("UserWarning: slow path",)
    assert compiled.seconds > 0


def test_draw_graph_compile_draws_where_it_is_told(make_halves, tmp_path, capsys):
    half = make_halves(*mlp())[GraphKind.FORWARD]
    compiled = resolve(f"draw_graph_compile(file={tmp_path / 'graph.dot'})").compile_half(half)
    assert_same_as_graph(half, compiled)
    assert (tmp_path / "graph.dot").read_text() == compiled.artifact
    assert compiled.artifact.startswith("digraph")
    assert links_of(compiled.artifact, compiled.language, half.graph.index_of)
    assert "torch.ops.aten.addmm.default" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("dot") is None, reason="no Graphviz")
def test_draw_graph_compile_makes_a_picture(make_halves, tmp_path):
    resolve(f"draw_graph_compile(file={tmp_path / 'graph.svg'})").compile_half(make_halves(*mlp())[GraphKind.FORWARD])
    assert "<svg" in (tmp_path / "graph.svg").read_text()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nop(fast=true)", "nop has no option fast: it has none"),
        ("draw_graph_compile(file=x.txt)", "draw_graph_compile draws to .dot, .gv, .svg, .png, .pdf, not .txt"),
        ("draw_graph_compile(file=/no/such/folder/x.dot)", "Cannot write /no/such/folder/x.dot: no such file"),
        ("inductor(no_such=1)", "inductor has no setting no_such"),
        ("nop(", "nop( names no compiler; write name or name(option=value)."),
        ("memory_efficient_fusion", "memory_efficient_fusion is a preset of several settings"),
    ],
)
def test_wrong_choices_are_said(make_halves, text, message):
    with pytest.raises(CompileFailed) as caught:
        resolve(text).compile_half(make_halves(*mlp())[GraphKind.FORWARD])
    assert caught.value.message.startswith(message)


def test_inductor_takes_its_own_settings():
    chosen = resolve("inductor(max_autotune=true, cpp.simdlen=256)")
    assert chosen.script_source().endswith(
        "{'force_disable_caches': True, 'fallback_random': True, 'max_autotune': True, 'cpp.simdlen': 256})"
    )


def test_the_example_plug_in_is_found_when_it_is_installed(make_halves, monkeypatch, tmp_path):
    """As pip would lay it out: the module and its metadata on the import path."""
    example = resource_path("plugin")
    project = tomllib.loads((example / "pyproject.toml").read_text())["project"]
    (tmp_path / "aotgui_rounding.py").write_bytes((example / "aotgui_rounding.py").read_bytes())
    metadata = tmp_path / "aotgui_rounding-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: 1.0\n")
    points = project["entry-points"]["aotgui.compilers"]
    lines = ["[aotgui.compilers]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    monkeypatch.syspath_prepend(str(tmp_path))
    [found] = [compiler for compiler in compilers.installed_compilers() if compiler.name == "bfloat16_matmul"]
    assert found.origin == "aotgui-rounding"
    half = make_halves(*mlp())[GraphKind.FORWARD]
    compiled = resolve("bfloat16_matmul").compile_half(half)
    expected, actual = run(half, lambda args: half.module(*args)), run(half, compiled.call)
    torch.testing.assert_close(actual[0], expected[0], rtol=0.05, atol=0.05)
    assert not torch.equal(actual[0], expected[0])
