"""The Python interface: captures in the process of whoever asks."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from contextlib import nullcontext
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch

import aotgui
from aotgui.api import FOLDER_VARIABLE, dynamo_backend
from aotgui.export.capture_files import open_capture
from aotgui.model.capture import CheckStatus
from aotgui.model.graph import GraphKind

VOID = {"meta", "link", "br", "img"}


@pytest.fixture(autouse=True)
def nothing_collected():
    aotgui.clear_captures()
    torch._dynamo.reset()
    yield
    aotgui.clear_captures()
    torch._dynamo.reset()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)

    def forward(self, x, mask=None):
        x = self.norm(self.layer(x)).tanh()
        return x if mask is None else x * mask


def my_partitioner(joint, inputs, **options):
    from functorch.compile import default_partition

    return default_partition(joint, inputs, **options)


def test_a_module_with_positional_and_keyword_inputs():
    result = aotgui.capture(Net(), torch.randn(3, 4), mask=torch.ones(4))
    assert result.check.status is CheckStatus.MATCH
    assert set(result.region().graphs) == {GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD}
    joint = result.graph()
    assert joint.kind is GraphKind.JOINT
    assert result.graph("backward").kind is GraphKind.BACKWARD
    assert sum(map(len, result.fates().values())) == len(joint)
    assert result.saved_bytes() == sum(value.storage_bytes for value in result.saved()) > 0
    assert {"layer.weight", "args[0]", "kwargs['mask']"} <= {entry.label for entry in result.region().inputs}
    assert result.capture.source == __file__
    assert result.capture.target == "Net"
    assert "matches eager" in result.report()
    assert repr(result).startswith("<aotgui capture of Net: region 0 (")


def test_nothing_of_the_target_or_of_torch_changes():
    module, x = Net(), torch.randn(3, 4, requires_grad=True)
    module.layer.weight.grad = gradient = torch.ones(4, 4)
    before = {name: value.clone() for name, value in module.state_dict().items()}
    random, value = torch.get_rng_state(), x.detach().clone()
    aotgui.capture(module, x)
    assert all(torch.equal(value, before[name]) for name, value in module.state_dict().items())
    assert module.layer.weight.grad is gradient
    assert torch.equal(gradient, torch.ones(4, 4))
    assert x.grad is None
    assert torch.equal(x, value)
    assert torch.equal(torch.get_rng_state(), random)


def test_functions_closures_and_inference():
    head = torch.nn.Linear(4, 2)

    def fn(x):
        return head(x).sin()

    trained = aotgui.capture(fn, torch.randn(3, 4, requires_grad=True))
    assert trained.check.status is CheckStatus.MATCH
    assert any("weight" in comparison.name for comparison in trained.check.gradients)
    inferred = aotgui.capture(torch.sin, torch.randn(3))
    assert inferred.graph().kind is GraphKind.INFERENCE
    assert "inference" in repr(inferred)


def test_settings_may_name_functions_of_the_caller():
    result = aotgui.capture(
        Net(), torch.randn(3, 4), settings=aotgui.Settings(partitioner="my_partitioner", route="direct")
    )
    assert result.capture.settings.partitioner == "my_partitioner"
    assert result.check.status is CheckStatus.MATCH


def test_wrong_arguments():
    with pytest.raises(TypeError, match="a int cannot be captured"):
        aotgui.capture(3)
    with pytest.raises(ValueError, match="the settings cannot be used"):
        aotgui.capture(torch.sin, torch.ones(2), settings=aotgui.Settings(route="sideways"))
    result = aotgui.capture(torch.sin, torch.ones(2))
    with pytest.raises(KeyError, match="has no joint graph; it has: inference"):
        result.graph("joint")
    with pytest.raises(IndexError, match="no region 1: the capture has 1"):
        result.saved(1)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        aotgui.nothing  # noqa: B018 # the look-up is what is tested


def test_a_target_that_fails_says_where():
    def broken(x):
        return x @ torch.ones(7)

    with pytest.raises(aotgui.CaptureError) as caught:
        aotgui.capture(broken, torch.ones(2, 3, requires_grad=True))
    problem = caught.value.problem
    assert problem.file == __file__
    assert problem.line == broken.__code__.co_firstlineno + 1
    assert f"{__file__}:{problem.line}" in str(caught.value)
    assert "Traceback" in problem.details


def test_save_and_pictures(tmp_path):
    result = aotgui.capture(Net(), torch.randn(3, 4))
    result.save(tmp_path / "net.aotcap")
    assert open_capture(tmp_path / "net.aotcap") == result.capture
    with pytest.raises(OSError, match="Cannot write"):
        result.save(tmp_path / "nowhere" / "net.aotcap")
    for kind in ("", "joint", "forward", "backward"):
        assert ElementTree.fromstring(result.to_svg(kind)).tag.endswith("svg")
    assert result.to_svg("joint", dark=True) != result.to_svg("joint")


class Balance(HTMLParser):
    """Counts tags that are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def test_a_notebook_shows_a_table_and_the_picture(monkeypatch):
    result = aotgui.capture(Net(), torch.randn(3, 4))
    page = Balance()
    page.feed(result._repr_html_())
    assert page.open == []
    assert "Net" in page.text
    assert "saved" in page.text
    assert "<svg" in result._repr_html_()
    monkeypatch.setattr("aotgui.export.notebook.MAX_NODES", 3)
    assert "<svg" not in result._repr_html_()
    assert "too many to draw" in result._repr_html_()


@pytest.mark.parametrize("backend", ["aotgui", dynamo_backend])
def test_the_backend_collects_every_region_and_computes_the_same(backend):
    module, x = Net(), torch.randn(3, 4)
    compiled = torch.compile(module, backend=backend)
    module.eval()
    output = compiled(x)
    assert torch.allclose(output, module(x))
    with torch.no_grad():
        compiled(x)
    first, second = aotgui.captures()
    assert first.region().name != second.region().name
    assert first.region().is_training
    assert not second.region().is_training
    assert {"layer.weight", "x"} <= {entry.label for entry in first.region().inputs}
    assert first.capture.source == __file__
    output.sum().backward()
    assert module.layer.weight.grad is not None


def test_the_first_call_of_a_region_is_compared_with_eager(tmp_path, monkeypatch):
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    module, x = Net(), torch.randn(3, 4)
    torch.manual_seed(1)
    output = torch.compile(module, backend="aotgui")(x)
    after = torch.get_rng_state()
    (result,) = aotgui.captures()
    assert result.check.status is CheckStatus.MATCH, result.check.note
    assert {"layer.weight", "layer.bias"} <= {entry.name for entry in result.check.gradients}
    (path,) = tmp_path.iterdir()
    assert open_capture(path) == result.capture
    torch.manual_seed(1)
    assert torch.equal(module(x), output)
    assert torch.equal(torch.get_rng_state(), after)
    assert module.layer.weight.grad is None


@pytest.mark.parametrize(
    ("around", "options", "reason"),
    [
        (torch.autograd.graph.save_on_cpu, {}, "saved-tensor hooks"),
        (nullcontext, {"check": False}, "is not to be checked"),
    ],
)
def test_a_call_that_must_not_be_made_again_is_not_compared(around, options, reason):
    compiled = torch.compile(lambda x: x.sin(), backend="aotgui", options=options)
    with around():
        compiled(torch.randn(3, requires_grad=True)).sum().backward()
    (result,) = aotgui.captures()
    assert result.check.status is CheckStatus.NOT_RUN
    assert reason in result.check.note


def test_options_of_the_backend():
    def fn(x):
        return x.cos().cos()

    x = torch.randn(3, requires_grad=True)
    torch.compile(fn, backend="aotgui", options={"partitioner": "default"})(x)
    assert aotgui.captures()[0].fates()["recomputed"] == []
    torch._dynamo.reset()
    torch.compile(fn, backend="aotgui")(x)
    assert aotgui.captures()[1].fates()["recomputed"] != []
    for options in ({"colour": "red"}, {"partitioner": "sideways"}):
        torch._dynamo.reset()
        with pytest.raises(Exception, match=r"has no option 'colour'|There is no partitioner 'sideways'"):
            torch.compile(fn, backend="aotgui", options=options)(x)


def test_the_backend_writes_into_a_folder(tmp_path, monkeypatch):
    folder = tmp_path / "captures"
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    torch.compile(lambda x: x.sin(), backend="aotgui")(torch.randn(3, requires_grad=True))
    (path,) = folder.iterdir()
    assert path.suffix == ".aotcap"
    assert open_capture(path) == aotgui.captures()[0].capture


def test_a_folder_that_cannot_be_written_is_a_warning(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "file"))
    x = torch.randn(3, requires_grad=True)
    with pytest.warns(UserWarning, match=FOLDER_VARIABLE):
        output = torch.compile(lambda x: x.sin(), backend="aotgui")(x)
    assert torch.equal(output, x.sin())


def test_dynamo_finds_the_backend_in_a_fresh_process(tmp_path):
    """The entry point of the installed package; the folder is read from the environment."""
    script = tmp_path / "script.py"
    script.write_text(
        "import torch\n"
        "def fn(x):\n"
        "    return x.sin().cos()\n"
        "torch.compile(fn, backend='aotgui')(torch.ones(3, requires_grad=True)).sum().backward()\n"
    )
    environment = {"PATH": "", FOLDER_VARIABLE: str(tmp_path / "out"), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, script], check=True, env=environment, cwd=tmp_path)
    (path,) = (tmp_path / "out").iterdir()
    region = open_capture(path).regions[0]
    graph = region.graphs[GraphKind.JOINT]
    assert Path(graph.source(len(graph) - 1).file) == script


def test_importing_aotgui_imports_nothing_else():
    code = (
        "import sys, aotgui; aotgui.__version__; loaded = {name.partition('.')[0] for name in sys.modules};"
        "assert not loaded & {'torch', 'numpy', 'msgspec', 'PySide6'}, loaded;"
        "aotgui.capture; assert 'torch' in sys.modules; assert 'PySide6' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
