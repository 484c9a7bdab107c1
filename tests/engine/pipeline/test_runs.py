"""What a run keeps, repeats, and says when something fails."""

from __future__ import annotations

import pytest

from aotgui.model.capture import CheckStatus, Severity, Stage
from aotgui.model.graph import GraphKind, OutputKind
from aotgui.model.settings import EntryPoint, Route
from aotgui.protocol.messages import CaptureReady, RunStatus

MLP = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
example_inputs = (torch.randn(3, 4),)
"""


def test_another_compiler_keeps_the_trace(runner):
    source = runner.write(MLP)
    runner.run(source)
    trace = runner.pipeline.trace
    outcome = runner.run(source, forward_compiler="ts_compile", backward_compiler="nop")
    assert runner.pipeline.trace is trace
    assert [made.compiler for made in outcome.ended.compilations[0]] == ["ts_compile", "nop"]
    assert "trace" not in outcome.stages
    assert outcome.ended.check.status is CheckStatus.MATCH


def test_another_partitioner_traces_again(runner):
    source = runner.write(MLP)
    runner.run(source)
    trace = runner.pipeline.trace
    runner.run(source, partitioner="default")
    assert runner.pipeline.trace is not trace


def test_an_edited_script_is_loaded_again(runner):
    runner.script(MLP)
    outcome = runner.script(MLP.replace("Tanh", "ReLU"))
    assert any("relu" in target for target in outcome.graph(GraphKind.FORWARD).schemas)


@pytest.mark.parametrize("entry", [entry for entry in EntryPoint if entry is not EntryPoint.AUTO])
@pytest.mark.parametrize("dynamic", [False, True])
def test_entry_points(runner, entry, dynamic):
    outcome = runner.script(MLP, entry_point=entry, dynamic=dynamic)
    assert outcome.ended.status is RunStatus.DONE, outcome.ended.problems
    assert outcome.ended.check.status is CheckStatus.MATCH
    labels = {entry.label for entry in outcome.region.inputs}
    assert {"0.weight", "0.bias", "2.weight", "2.bias", "args[0]"} <= labels


def test_memory_efficient_fusion_is_a_preset(runner):
    settings = runner.script(MLP, entry_point=EntryPoint.MEMORY_EFFICIENT_FUSION).ended.settings
    assert (settings.partitioner, settings.forward_compiler, settings.decompositions) == (
        "min_cut",
        "ts_compile",
        "default",
    )


def test_tied_weights_are_one_parameter(runner):
    """pytorch#114743: aot_module raises on tied weights."""
    outcome = runner.script(
        """
        import torch
        class Tied(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding = torch.nn.Embedding(7, 4)
                self.head = torch.nn.Linear(4, 7, bias=False)
                self.head.weight = self.embedding.weight
            def forward(self, ids):
                return self.head(self.embedding(ids))
        model = Tied()
        example_inputs = torch.tensor([[1, 2, 3]])
        """
    )
    assert outcome.ended.check.status is CheckStatus.MATCH
    (weight,) = [entry for entry in outcome.region.inputs if entry.role == "parameter"]
    assert (weight.label, weight.aliases) == ("embedding.weight", ("head.weight",))


def test_buffers_are_updated_once_and_named(runner):
    """pytorch#84922: batch norm's running statistics are outputs of the forward."""
    outcome = runner.script(
        """
        import torch
        model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.BatchNorm2d(4))
        example_inputs = torch.randn(2, 3, 8, 8)
        """
    )
    assert outcome.ended.check.status is CheckStatus.MATCH
    updates = {out.label for out in outcome.graph(GraphKind.FORWARD).outputs if out.kind is OutputKind.MUTATION}
    assert updates == {"updated 1.running_mean", "updated 1.running_var", "updated 1.num_batches_tracked"}
    assert "1.running_mean after the call" in {item.name for item in outcome.ended.check.outputs}
    assert {entry.label for entry in outcome.region.inputs if entry.mutated} == {
        "1.running_mean",
        "1.running_var",
        "1.num_batches_tracked",
    }


def test_nothing_requires_a_gradient(runner):
    outcome = runner.script("import torch\nfn = lambda x: x.sin() + 1\nexample_inputs = torch.randn(3)\n")
    assert list(outcome.region.graphs) == [GraphKind.INFERENCE]
    assert not outcome.region.is_training
    assert outcome.ended.check.status is CheckStatus.MATCH


@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor:UserWarning")  # Dynamo looks at it itself
def test_data_dependent_control_flow_takes_another_route_and_says_why(runner):
    """pytorch#96529."""
    script = """
    import torch
    def fn(x):
        s = (x * x).sum()
        if s.item() > 0:
            return x / s.sqrt()
        return x
    example_inputs = torch.randn(6, requires_grad=True)
    """
    outcome = runner.script(script)
    assert outcome.ended.check.status is CheckStatus.MATCH
    assert outcome.capture.route == Route.COMPILE
    assert len(outcome.capture.regions) == 2
    hint, broken = outcome.ended.problems
    assert hint.severity is Severity.WARNING
    assert "Captured with torch.compile" in hint.message
    assert hint.line == broken.line == 5
    assert broken.message.startswith("Graph break")
    refused = runner.script(script, route=Route.DIRECT)
    assert refused.ended.status is RunStatus.FAILED
    assert refused.ended.problems[0].line == 5
    assert not [event for event in refused.events if isinstance(event, CaptureReady)]


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("def broken(:\n", "is not valid Python", 1),
        ("x = 1\nraise ValueError('no good')\n", "fails while it is loaded: ValueError: no good", 2),
        ("import sys\n\nsys.exit(3)\n", "called sys.exit(3)", 3),
        ("x = 1\n", "defines no target", 0),
        ("import torch\nfn = torch.sin\n", "defines no example_inputs", 0),
        ("import torch\ndef helper(x): return x\nexample_inputs = 1\n", "It has helper", 0),
        (
            "import torch\ndef fn(x):\n    return x @ x\nexample_inputs = torch.randn(2, 3)\n",
            "fails in eager with its example inputs: RuntimeError",
            3,
        ),
        (
            "import torch\ndef fn(x):\n    raise SystemExit(4)\nexample_inputs = torch.randn(2, 3)\n",
            "called sys.exit(4)",
            3,
        ),
    ],
)
def test_bad_scripts_give_one_sentence_with_the_line(runner, text, message, line):
    path = runner.write(text)
    ended = runner.run(path).ended
    (problem,) = ended.problems
    assert ended.status is RunStatus.FAILED
    assert message in problem.message
    assert problem.file == str(path)
    assert problem.line == line


def test_missing_and_foreign_files(runner, tmp_path):
    assert "There is no file" in runner.run(tmp_path / "nowhere.py").ended.problems[0].message
    (tmp_path / "weights.bin").write_bytes(b"\0\1")
    assert "no Python script" in runner.run(tmp_path / "weights.bin").ended.problems[0].message
    (tmp_path / "binary.py").write_bytes(b"\0\1\2")
    assert "not valid Python" in runner.run(tmp_path / "binary.py").ended.problems[0].message


def test_a_compiler_that_fails_keeps_the_graphs(runner):
    outcome = runner.script(
        MLP + "def broken(gm, inputs):\n    raise RuntimeError('cannot')\n", forward_compiler="broken"
    )
    assert outcome.ended.status is RunStatus.FAILED
    assert set(outcome.region.graphs) == {GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD}
    assert {problem.stage for problem in outcome.ended.problems} == {Stage.COMPILE_FORWARD, Stage.COMPILE_BACKWARD}
    assert "cannot" in outcome.ended.problems[0].message


FAILS_WHEN_RUN = """
def refuses(gm, inputs):
    def run(*args):
        raise RuntimeError('cannot run')
    return run
def forgets(gm, inputs):
    return lambda *args: list(gm(*args))[:-1]
"""


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"forward_compiler": "refuses"}, "The forward graph fails when run as compiled by refuses"),
        ({"backward_compiler": "refuses"}, "The backward graph fails when run as compiled by refuses"),
        ({"forward_compiler": "forgets"}, "What forgets made of the forward graph returns"),
    ],
)
def test_compiled_code_that_fails_is_not_traced_by_other_ways(runner, settings, message):
    outcome = runner.script(MLP + FAILS_WHEN_RUN, **settings)
    (problem,) = outcome.ended.problems
    assert message in problem.message
    assert outcome.capture.route == Route.DIRECT
    assert outcome.stages.count(Stage.TRACE) == 1


def test_a_wrong_compiler_is_found_out(runner):
    outcome = runner.script(
        MLP
        + """
def wrong(gm, inputs):
    def run(*args):
        outputs = list(gm(*args))
        outputs[0] = outputs[0].to(torch.bfloat16).to(outputs[0].dtype)
        return outputs
    return run
""",
        forward_compiler="wrong",
        backward_compiler="nop",
    )
    check = outcome.ended.check
    assert check.status is CheckStatus.MISMATCH
    assert check.outputs[0].status is CheckStatus.MISMATCH
    assert check.max_error > 100 * check.eager_error


def test_a_missing_gradient_is_not_a_zero_gradient(runner):
    """pytorch#151884."""
    outcome = runner.script(
        """
        import torch
        def fn(a, b):
            return a.expand_as(b) * 2
        example_inputs = (torch.randn(1, 3, requires_grad=True), torch.randn(4, 3, requires_grad=True))
        """
    )
    assert [item.name for item in outcome.ended.check.gradients] == ["args[0]", "args[1]"]
    assert outcome.ended.check.status is CheckStatus.MATCH


def test_module_state_survives_a_run(runner):
    source = runner.write(
        """
        import torch
        model = torch.nn.BatchNorm1d(3)
        example_inputs = torch.randn(5, 3)
        """
    )
    first, second = runner.run(source), runner.run(source, partitioner="default")
    assert first.ended.check.status is second.ended.check.status is CheckStatus.MATCH
    model = runner.pipeline.namespace["model"]
    assert model.num_batches_tracked.item() == 0
    assert model.weight.grad is None


OWN_CHOICES = (
    MLP
    + """
from torch._decomp import get_decompositions
from functorch.compile import default_partition
table = get_decompositions([torch.ops.aten.t])
def mine(joint, inputs, **options):
    return default_partition(joint, inputs, **options)
def theirs(gm, inputs):
    return gm
"""
)


def test_partitioner_decompositions_and_compiler_of_the_script(runner):
    source = runner.write(OWN_CHOICES)
    outcome = runner.run(source, partitioner="mine", decompositions="table", forward_compiler="theirs")
    assert outcome.ended.status is RunStatus.DONE, outcome.ended.problems
    assert outcome.ended.check.status is CheckStatus.MATCH
    targets = set(outcome.graph(GraphKind.JOINT).schemas)
    assert "aten.t.default" not in targets
    assert "aten.t.default" in set(runner.run(source).graph(GraphKind.JOINT).schemas)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"partitioner": "nonsense"}, "no partitioner 'nonsense'"),
        ({"decompositions": "nonsense"}, "no decomposition table 'nonsense'"),
        ({"forward_compiler": "nonsense"}, "no compiler 'nonsense'"),
        ({"memory_budget": 2.0}, "outside of 0 to 1"),
        ({"device": "nonsense"}, "device 'nonsense' cannot be used here"),
    ],
)
def test_choices_that_do_not_exist(runner, settings, message):
    ended = runner.script(MLP, **settings).ended
    assert ended.status is RunStatus.FAILED
    assert message in ended.problems[0].message


@pytest.mark.parametrize("decompositions", ["none", "default", "core"])
@pytest.mark.parametrize("disable_functionalization", [False, True])
def test_decompositions_and_functionalization(runner, decompositions, disable_functionalization):
    outcome = runner.script(
        MLP, decompositions=decompositions, disable_functionalization=disable_functionalization, memory_budget=0.5
    )
    assert outcome.ended.check.status is CheckStatus.MATCH, outcome.ended.problems


HIGHER_ORDER = """import torch
from torch import nn
from torch._higher_order_ops.map import map as map_over


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x):
        hidden = self.inner(x)
        chosen = torch.cond(
            hidden.sum() > 0,
            lambda t: t.sin() * 2,
            lambda t: t.cos(),
            (hidden,),
        )
        return map_over(lambda row: row.relu(), chosen)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()

    def forward(self, x):
        return self.gate(x).sum()


model, example_inputs = Net(), torch.randn(3, 4)
"""


@pytest.mark.filterwarnings("ignore:The .grad attribute:UserWarning")  # Dynamo looks whether the operands have one
def test_operators_over_graphs_are_traced_directly_with_their_lines(runner):
    outcome = runner.script(HIGHER_ORDER)
    assert outcome.ended.check.status is CheckStatus.MATCH, outcome.ended.problems
    assert (outcome.capture.route, list(outcome.ended.problems)) == (Route.DIRECT, [])
    graphs = outcome.capture.regions[0].graphs
    joint, inside = graphs[GraphKind.JOINT], graphs[GraphKind.FORWARD].subgraphs.values()
    lines = HIGHER_ORDER.splitlines()

    def places(graph, name):
        nodes = [node for node in range(len(graph)) if graph.names[node].startswith(name)]
        return {(lines[graph.source(node).line - 1].strip(), graph.module(node)) for node in nodes}

    assert places(joint, "cond") == {("chosen = torch.cond(", "gate")}
    assert places(joint, "map_impl") == {("return map_over(lambda row: row.relu(), chosen)", "gate")}
    assert places(joint, "addmm") == {("hidden = self.inner(x)", "gate.inner")}
    assert {place for graph in inside for place, _ in places(graph, "sin")} == {"lambda t: t.sin() * 2,"}
    assert {place for graph in inside for place, _ in places(graph, "cos")} == {"lambda t: t.cos(),"}


def test_an_interrupt_in_the_target_is_its_fault(runner):
    ended = runner.script(
        "import torch\ndef fn(x):\n    raise KeyboardInterrupt\nexample_inputs = torch.randn(2)\n"
    ).ended
    assert ended.status is RunStatus.FAILED
    assert "KeyboardInterrupt" in ended.problems[0].message


def test_an_output_without_leaves_is_told(runner):
    ended = runner.script(
        "import torch\ndef fn(x):\n    return (y for y in [x])\nexample_inputs = torch.randn(2)\n"
    ).ended
    assert "returns nothing that AOT Autograd can capture" in ended.problems[0].message


def test_another_device_loads_the_source_anew(runner):
    source = runner.write(MLP)
    runner.run(source)
    first = runner.pipeline.namespace["model"]
    outcome = runner.run(source, device="meta")
    assert outcome.ended.problems or outcome.ended.check
    assert runner.pipeline.namespace["model"] is not first
    assert runner.run(source).ended.check.status is CheckStatus.MATCH
