"""Unmodified scripts run as ``__main__``; what they compile is captured and what they compute stays."""

from __future__ import annotations

import json
import sys
import textwrap
import traceback
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

from aotgui.engine.errors import Stopped
from aotgui.engine.graph_breaks import GraphBreaks
from aotgui.engine.pipeline import Pipeline
from aotgui.model.capture import CheckStatus, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CaptureReady, Record, RegionRecorded, RunEnded, RunStatus, TargetsFound

pytestmark = [
    pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning"),  # Dynamo looks at it itself
]

TRAINING = """
import json, sys
import torch
from functorch.compile import aot_module, nop

class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        self.drop = torch.nn.Dropout(0.5)
    def forward(self, x):
        return self.drop(self.layer(x)).tanh()

def main(steps):
    torch.manual_seed(0)
    net = Net()
    compiled = {compiled}
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    losses = []
    for _ in range(steps):
        loss = compiled(torch.randn(8, 4)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses

if __name__ == "__main__":
    with open(sys.argv[2], "w") as stream:
        json.dump(main(int(sys.argv[1])), stream)
"""


class Recorded:
    """What one recording emitted."""

    def __init__(self, events: list[Any], pipeline: Pipeline) -> None:
        self.events = events
        self.pipeline = pipeline

    @property
    def ended(self) -> RunEnded:
        (ended,) = [event for event in self.events if isinstance(event, RunEnded)]
        assert self.events[-1] is ended
        return ended

    @property
    def regions(self) -> list[Any]:
        ready = [event.capture for event in self.events if isinstance(event, CaptureReady)]
        return ready[-1].regions if ready else []

    @property
    def errors(self) -> list[str]:
        return [problem.message for problem in self.ended.problems if problem.severity is Severity.ERROR]


@pytest.fixture
def record(tmp_path: Path) -> Callable[..., Recorded]:
    def run(text: str, *arguments: str, regions: int = 0, **settings: Any) -> Recorded:
        script = tmp_path / "train.py"
        script.write_text(textwrap.dedent(text))
        events: list[Any] = []
        pipeline = Pipeline(events.append)
        torch._dynamo.reset()
        pipeline.record(
            Record(run=7, source=str(script), arguments=list(arguments), regions=regions, settings=Settings(**settings))
        )
        torch._dynamo.reset()
        assert {event.run for event in events} == {7}
        return Recorded(events, pipeline)

    return run


def losses_of(path: Path) -> list[float]:
    return json.loads(path.read_text())


def plain_losses(compiled: str) -> list[float]:
    """What the script computes when nobody watches."""
    namespace: dict[str, Any] = {"__name__": "script"}
    torch._dynamo.reset()
    exec(compile(TRAINING.format(compiled=compiled), "plain", "exec"), namespace)
    return namespace["main"](3)


@pytest.mark.parametrize(
    "compiled",
    [
        "torch.compile(net, backend='aot_eager')",
        "torch.compile(net, backend='eager')",
        "torch.compile(net, backend=lambda gm, inputs: gm.forward)",
        "aot_module(net, nop)",
    ],
)
def test_a_training_script_is_captured_and_computes_the_same(record, tmp_path, compiled):
    recorded = record(TRAINING.format(compiled=compiled), "3", str(tmp_path / "losses"))
    assert losses_of(tmp_path / "losses") == plain_losses(compiled)
    assert recorded.ended.status is RunStatus.DONE, recorded.ended.problems
    (region,) = recorded.regions
    assert set(region.graphs) == {GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD}
    assert region.saved
    assert {"layer.weight", "layer.bias"} <= {entry.label for entry in region.inputs}
    assert recorded.ended.check.status is CheckStatus.MATCH
    assert {"layer.weight", "layer.bias"} <= {entry.name for entry in recorded.ended.check.gradients}
    (told,) = [event for event in recorded.events if isinstance(event, RegionRecorded)]
    assert (told.count, told.name, told.nodes) == (1, "region 0", region.main_graph.node_count)
    assert recorded.ended.target == f"train.py 3 {tmp_path / 'losses'}"


def test_a_script_that_compiles_nothing_has_its_first_module_call_captured(record, tmp_path):
    recorded = record(TRAINING.format(compiled="net"), "3", str(tmp_path / "losses"))
    assert losses_of(tmp_path / "losses") == plain_losses("net")
    assert recorded.ended.status is RunStatus.DONE, recorded.ended.problems
    assert recorded.ended.check.status is CheckStatus.MATCH
    assert recorded.ended.target == "Net"
    (region,) = recorded.regions
    assert "layer.weight" in {entry.label for entry in region.inputs}
    assert recorded.pipeline.regions[0].halves[GraphKind.FORWARD].recorded is not None


def test_the_module_is_captured_as_it_was_called(record):
    """Keyword arguments, nested inputs and the training flag of that call, and the name of the variable."""
    recorded = record(
        """
        import torch
        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.drop = torch.nn.Dropout(0.5)
                self.weight = torch.nn.Parameter(torch.ones(3))
            def forward(self, x, *, extra):
                return self.drop(x * self.weight + extra["bias"])
        frozen = torch.nn.Linear(3, 3).requires_grad_(False)
        my_net = Net()
        with torch.no_grad():
            my_net(torch.ones(3), extra={"bias": torch.ones(1)})
        x = frozen(torch.ones(2, 3))
        my_net(x, extra={"bias": torch.zeros(3, requires_grad=True)}).sum().backward()
        my_net.eval()
        """
    )
    assert recorded.ended.target == "my_net"
    (region,) = recorded.regions
    assert {"weight", "args[0]", "kwargs['extra']['bias']"} <= {entry.label for entry in region.inputs}
    assert any("dropout" in name or "bernoulli" in name for name in region.graphs[GraphKind.JOINT].schemas)


def test_it_stops_after_some_regions(record):
    recorded = record(
        """
        import torch
        for power in range(1, 100):
            torch.compile(lambda x: x ** power, backend="aot_eager", dynamic=False)(
                torch.randn(power, requires_grad=True))
        raise AssertionError("not reached")
        """,
        regions=2,
    )
    assert recorded.ended.status is RunStatus.DONE, recorded.ended.problems
    assert len(recorded.regions) == 2


@pytest.mark.parametrize("finishing", [False, True])
def test_it_stops_when_told(record, monkeypatch, finishing):
    """The module call is captured when the recording is finished, not when it is stopped."""
    pipelines: list[Pipeline] = []
    monkeypatch.setattr(Pipeline, "record", _remembering(pipelines, Pipeline.record))

    def tell() -> None:
        if finishing:
            assert pipelines[0].finish_recording(7)
            assert not pipelines[0].finish_recording(8)
        raise Stopped

    monkeypatch.setattr("builtins.told_to_stop", tell, raising=False)
    recorded = record(
        """
        import torch
        net = torch.nn.Linear(2, 2)
        net(torch.ones(2)).sum().backward()
        try:
            told_to_stop()
        except Exception:
            pass
        raise AssertionError("not reached")
        """
    )
    assert recorded.ended.status is (RunStatus.DONE if finishing else RunStatus.STOPPED)
    assert len(recorded.regions) == int(finishing)


def _remembering(pipelines: list[Pipeline], original: Callable[..., None]) -> Callable[..., None]:
    def remembered(self: Pipeline, request: Record) -> None:
        pipelines.append(self)
        original(self, request)

    return remembered


def test_graph_breaks_are_listed_with_reason_and_line(record):
    recorded = record(
        """
        import torch
        @torch.compile(backend="aot_eager")
        def step(x):
            y = x.sin()
            torch._dynamo.graph_break()
            y = y.cos()
            if y.sum() > 100:
                return y
            return y * 2
        for _ in range(2):
            step(torch.randn(3, requires_grad=True)).sum().backward()
        """
    )
    assert len(recorded.regions) == 3
    breaks = [problem for problem in recorded.ended.problems if problem.message.startswith("Graph break: ")]
    assert [(problem.line, problem.severity) for problem in breaks] == [(6, Severity.WARNING), (8, Severity.WARNING)]
    assert all(problem.file.endswith("train.py") for problem in breaks)
    assert "the value of a tensor decides" in breaks[1].message
    assert recorded.ended.status is RunStatus.DONE


def test_a_script_that_fails_keeps_what_was_captured(record):
    recorded = record(
        """
        import torch
        torch.compile(torch.sin, backend="eager")(torch.ones(2, requires_grad=True))
        raise ValueError("no more data")
        """
    )
    assert recorded.ended.status is RunStatus.FAILED
    (problem,) = [problem for problem in recorded.ended.problems if problem.severity is Severity.ERROR]
    assert problem.message == "train.py fails: ValueError: no more data"
    assert problem.line == 4
    assert len(recorded.regions) == 1


def test_a_script_that_fails_after_a_module_call_says_both(record):
    recorded = record(
        """
        import torch
        torch.nn.Linear(2, 2)(torch.ones(2)).sum().backward()
        raise ValueError("no more data")
        """
    )
    assert recorded.errors == ["train.py fails: ValueError: no more data"]
    assert len(recorded.regions) == 1
    assert recorded.ended.check.status is CheckStatus.MATCH


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "train.py compiled nothing and called no module with gradients"),
        ("import sys\nsys.exit(3)\n", "train.py called sys.exit(3)"),
        ("def broken(:\n", "train.py is not valid Python"),
        ("raise KeyboardInterrupt\n", "train.py fails: KeyboardInterrupt"),
    ],
)
def test_nothing_to_capture_is_said(record, text, message):
    recorded = record(text)
    assert recorded.ended.status is RunStatus.FAILED
    assert any(message in error for error in recorded.errors)
    assert not [event for event in recorded.events if isinstance(event, CaptureReady | TargetsFound)]


def test_sys_exit_with_success_is_an_end(record):
    recorded = record(
        """
        import sys, torch
        torch.compile(torch.sin, backend="eager")(torch.ones(2, requires_grad=True))
        sys.exit()
        """
    )
    assert recorded.ended.status is RunStatus.DONE


def test_the_interpreter_is_as_it_was(record, tmp_path):
    def state() -> tuple[Any, ...]:
        return sys.modules["__main__"], sys.argv, list(sys.path), torch.nn.Module.__call__, torch._dynamo.optimize

    (tmp_path / "beside.py").write_text("value = 5\n")
    before = state()
    recorded = record(
        """
        import pickle, sys, torch, beside
        class Mine:
            pass
        assert sys.argv[1:] == ["--lr", "0.1"], sys.argv
        assert __name__ == "__main__" and sys.modules["__main__"].Mine is Mine
        pickle.loads(pickle.dumps(Mine()))
        assert beside.value == 5
        sys.path.append("somewhere")
        torch.compile(torch.sin, backend="eager")(torch.ones(2, requires_grad=True))
        """,
        "--lr",
        "0.1",
    )
    assert recorded.errors == []
    assert state() == before


def test_a_compiling_script_is_not_disturbed_by_the_watch_for_modules(record):
    """Dynamo finds ``nn.Module.__call__`` as it is, so that modules are inlined without a graph break."""
    recorded = record(
        """
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
        torch.compile(net, backend="aot_eager", fullgraph=True)(torch.ones(2)).sum().backward()
        """
    )
    assert len(recorded.regions) == 1
    assert recorded.ended.problems == []


def test_other_threads_are_seen(record):
    recorded = record(
        """
        import threading, torch
        def work():
            torch.compile(torch.sin, backend="aot_eager")(torch.ones(2, requires_grad=True))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        """
    )
    assert len(recorded.regions) == 1


def test_a_break_inside_a_library_names_its_line(monkeypatch):
    library = traceback.FrameSummary("/usr/lib/site-packages/nets.py", 12, "forward", lookup_line=False)
    torch_frame = traceback.FrameSummary(torch.nn.Module.forward.__code__.co_filename, 5, "call", lookup_line=False)
    reasons = [
        SimpleNamespace(reason="call to print\n  Explanation: ...", user_stack=[library, torch_frame]),
        SimpleNamespace(reason="call to print\n  again", user_stack=[library, torch_frame]),
        SimpleNamespace(reason="", user_stack=[]),
    ]
    monkeypatch.setattr("torch._dynamo.utils.graph_break_reasons", [])
    breaks = GraphBreaks()
    with breaks.counted():
        torch._dynamo.utils.graph_break_reasons.extend(reasons)
    first, second = breaks.problems()
    assert (first.message, first.file, first.line) == ("Graph break: call to print.", library.filename, 12)
    assert first.details.endswith("...")
    assert (second.message, second.line) == ("Graph break: unknown reason.", 0)


def test_reasons_of_breaks_say_what_the_line_does(record):
    recorded = record(
        """
        import torch
        @torch.compile(backend="eager")
        def step(x):
            if x.sum() > 0:
                x = x + 1
            print("done")
            return x * 2
        step(torch.ones(2))
        """
    )
    breaks = [(p.line, p.message) for p in recorded.ended.problems if p.message.startswith("Graph break")]
    assert [line for line, _ in breaks] == [5, 7]
    assert breaks[0][1] == "Graph break: the value of a tensor decides which code runs next."
    assert "builtin operator `print`" in breaks[1][1]
