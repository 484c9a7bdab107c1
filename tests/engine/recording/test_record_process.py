"""A recording in an engine process of its own, and what can be done with it afterwards."""

from __future__ import annotations

from pathlib import Path

from aotgui.model.graph import GraphKind
from aotgui.protocol.client import EngineClient
from aotgui.protocol.messages import Record, Run, StepAction, StopReason

SCRIPT = """
import torch
from functorch.compile import aot_function, nop

def square(x):
    return (x * x).sum()

compiled = aot_function(square, nop)
for _ in range(3):
    x = torch.randn(4, requires_grad=True)
    compiled(x).backward()
    assert torch.equal(x.grad, 2 * x), "wrong gradient"

fn = square
example_inputs = torch.randn(2, requires_grad=True)
"""


def test_recorded_graphs_are_stepped_through_and_a_run_follows(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    with EngineClient(timeout_s=120) as client:
        recorded = client.record(Record(run=1, source=str(script)))
        assert recorded.problems == []
        assert recorded.route == "recorded"
        assert [entry.label for entry in recorded.regions[0].inputs] == ["x"]
        client.start_stepping(0, GraphKind.FORWARD)
        *_, last = client.step(StepAction.CONTINUE, GraphKind.FORWARD)
        assert last.reason is StopReason.FINISHED
        assert last.problem is None
        run = client.run(Run(run=2, source=str(script)))
        assert run.target == "fn"
        assert not run.failed
