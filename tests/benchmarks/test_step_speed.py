"""What stepping costs over ``fx.Interpreter``: budget 1.2 x without a stop and without statistics, 2.5 x with them.

Each runs the forward and the backward of the same halves in turn in one process, and the smallest processor time of
each counts, on one thread of torch: other load on the machine must not decide. Going back is measured on the same
session.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from functorch.compile import aot_function, make_boxed_func, min_cut_rematerialization_partition
from torch import fx

from aotgui.engine.graphs import graph_of
from aotgui.engine.half import Half
from aotgui.engine.names import Names
from aotgui.engine.stepping import StepSession
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StartStepping, Step, StepAction, Stepped, StopReason

pytestmark = [pytest.mark.models, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]

ROUNDS = 5
PLAIN_BUDGET, STATISTICS_BUDGET = 1.2, 2.5
BACK_SECONDS = 0.1
FORWARD, BACKWARD = GraphKind.FORWARD, GraphKind.BACKWARD


def _resnet50() -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.ResNetConfig()  # ResNet-50 with its usual widths
    return transformers.ResNetModel(config), (torch.randn(1, 3, 224, 224),)


def _gpt2() -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    transformers = pytest.importorskip("transformers")
    config = transformers.GPT2Config(n_layer=12, vocab_size=512, use_cache=False, bos_token_id=0, eos_token_id=0)
    return transformers.GPT2Model(config).h, (torch.randn(1, 64, 768),)


def _functional(model: torch.nn.Module) -> tuple[Callable[..., Any], list[torch.Tensor]]:
    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}

    def call(*flat: Any) -> Any:
        arguments = dict(zip(state, flat, strict=False)), flat[len(state) :]
        return _output(torch.func.functional_call(_Chain(model), _prefixed(arguments[0]), arguments[1]))

    return call, list(state.values())


class _Chain(torch.nn.Module):
    """Runs a list of blocks one after the other, and a single model as it is."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: torch.Tensor) -> Any:
        if not isinstance(self.inner, torch.nn.ModuleList):
            return self.inner(x)
        for block in self.inner:
            x = _output(block(x))
        return x


def _prefixed(state: dict[str, Any]) -> dict[str, Any]:
    return {f"inner.{name}": value for name, value in state.items()}


def _output(result: Any) -> torch.Tensor:
    while not isinstance(result, torch.Tensor):
        result = result[0]
    return result


def _halves(build: Callable[[], tuple[torch.nn.Module, tuple[torch.Tensor, ...]]]) -> dict[GraphKind, Half]:
    torch.manual_seed(0)
    model, inputs = build()
    function, state = _functional(model)
    halves: dict[GraphKind, Half] = {}

    def slot(kind: GraphKind) -> Callable[..., Any]:
        def compile_half(module: fx.GraphModule, examples: list[Any]) -> Any:
            half = halves[kind] = Half(kind, module, list(examples), graph_of(module, kind, Names(), with_code=False))

            def call(*flat: Any) -> Any:
                half.record(list(flat))
                return module(*flat)

            return make_boxed_func(call)

        return compile_half

    compiled = aot_function(function, slot(FORWARD), slot(BACKWARD), min_cut_rematerialization_partition)
    compiled(*state, *inputs).sum().backward()
    return halves


def _plain_seconds(halves: dict[GraphKind, Half]) -> float:
    began = time.process_time()
    with torch.no_grad():
        for half in halves.values():
            fx.Interpreter(half.module, garbage_collect_values=False).run(*half.fresh_args())
    return time.process_time() - began


class _Stepper:
    def __init__(self, halves: dict[GraphKind, Half], statistics: bool) -> None:
        self.events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        request = StartStepping(session=1, region=0, graph=FORWARD, statistics=statistics)
        self.session = StepSession(request, halves, self.events.put)
        self._stop()

    def seconds(self, action: StepAction, reason: StopReason | None = None, **fields: Any) -> float:
        began = time.process_time()
        self.session.handle(Step(session=1, action=action, **fields))
        stop = self._stop()
        assert reason in (None, stop.reason), stop.problem
        return time.process_time() - began

    def run_seconds(self) -> float:
        self.seconds(StepAction.RESTART, StopReason.ENTRY)
        return self.seconds(StepAction.CONTINUE, StopReason.FINISHED)

    def _stop(self) -> Stepped:
        while (event := self.events.get(timeout=600)).reason is StopReason.RUNNING:
            pass
        return event


@pytest.fixture
def one_thread() -> Iterator[None]:
    count = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(count)


@pytest.mark.usefixtures("one_thread")
@pytest.mark.parametrize("build", [_resnet50, _gpt2], ids=["resnet-50", "gpt2-12"])
def test_stepping_over_plain_interpreter(benchmark, build):
    halves = _halves(build)
    quick, thorough = _Stepper(halves, statistics=False), _Stepper(halves, statistics=True)
    runs: dict[str, Callable[[], float]] = {
        "plain": lambda: _plain_seconds(halves),
        "stepper": quick.run_seconds,
        "with statistics": thorough.run_seconds,
    }
    taken: dict[str, list[float]] = {name: [run()][:0] for name, run in runs.items()}

    def one_round() -> None:
        for name, run in runs.items():
            taken[name].append(run())

    benchmark.pedantic(one_round, rounds=ROUNDS, iterations=1)
    best = {name: min(seconds) for name, seconds in taken.items()}
    last = len(halves[BACKWARD].nodes) - 1
    back = thorough.seconds(
        StepAction.GO_TO, StopReason.REACHED, node=halves[BACKWARD].nodes[max(0, last - 1000)].name, graph=BACKWARD
    )
    for stepper in (quick, thorough):
        stepper.session.end()
    nodes = sum(len(half.nodes) for half in halves.values())
    ratios = {name: seconds / best["plain"] for name, seconds in best.items()}
    benchmark.extra_info.update(nodes=nodes, back_s=back, **best)
    print(f"\n{nodes} nodes, plain {best['plain'] * 1e3:.0f} ms, {ratios}, back {back * 1e3:.1f} ms")  # noqa: T201 # the figure
    assert ratios["stepper"] <= PLAIN_BUDGET
    assert ratios["with statistics"] <= STATISTICS_BUDGET
    assert back <= BACK_SECONDS
