"""What a capture costs over plain AOT Autograd with the same partitioner and compilers; budget 1.15 x.

Both are called in turn in one process, and the smallest processor time of each counts: tracing is one thread's work,
and other load on the machine must not decide.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch
from functorch.compile import aot_function, min_cut_rematerialization_partition, nop

from aotgui.engine.calling import Harness
from aotgui.engine.execution import Execution
from aotgui.engine.leaves import Leaves, flatten_output
from aotgui.engine.stages import StageClock
from aotgui.engine.targets import Target
from aotgui.engine.tracing import Trace
from aotgui.model.capture import Stage
from aotgui.model.settings import Route, Settings

pytestmark = [pytest.mark.models, pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(1200)]

ROUNDS = 3
BUDGET = 1.15


def _bert(transformers: Any) -> torch.nn.Module:
    config = transformers.BertConfig(hidden_size=64, intermediate_size=128, num_attention_heads=4, vocab_size=128)
    return transformers.BertForMaskedLM(config)


def _gpt2(transformers: Any) -> torch.nn.Module:
    config = transformers.GPT2Config(n_layer=12, n_embd=64, n_head=4, vocab_size=128, n_positions=64)
    return transformers.GPT2LMHeadModel(config)


def _llama(transformers: Any) -> torch.nn.Module:
    config = transformers.LlamaConfig(
        num_hidden_layers=32, hidden_size=64, intermediate_size=128, num_attention_heads=4, vocab_size=128
    )
    return transformers.LlamaForCausalLM(config)


MODELS = {
    "bert-12 direct": (_bert, Route.DIRECT),
    "gpt2-12 torch.compile": (_gpt2, Route.COMPILE),
    "llama-32 torch.compile": (_llama, Route.COMPILE),
}


def _harness(build: Callable[[Any], torch.nn.Module]) -> Harness:
    transformers = pytest.importorskip("transformers")
    torch.manual_seed(0)
    ids = torch.randint(0, 128, (2, 16))
    model = build(transformers)
    model.config.use_cache = False
    return Harness(Target("benchmark", "model", model, (), {"input_ids": ids, "labels": ids}, {}))


def _plain(harness: Harness, route: Route) -> Callable[..., Any]:
    if route is Route.COMPILE:
        from torch._dynamo.backends.common import aot_autograd

        torch._dynamo.reset()
        backend = aot_autograd(fw_compiler=nop, bw_compiler=nop, partition_fn=min_cut_rematerialization_partition)
        return torch.compile(harness.target.call, backend=backend)
    names: list[str] = []

    def flat(state: Any, args: Any, kwargs: Any) -> list[Any]:
        output = torch.func.functional_call(harness.target.call, state, args, kwargs, tie_weights=True)
        leaves = flatten_output(output)
        names[:] = leaves
        return list(leaves.values())

    compiled = aot_function(flat, nop, nop, min_cut_rematerialization_partition)
    return lambda *args, **kwargs: Leaves(zip(names, compiled(harness.state, args, kwargs), strict=True))


def _ours(harness: Harness, route: Route) -> Callable[..., Any]:
    clock = StageClock(1, lambda event: None)
    clock.begin(Stage.TRACE)
    execution = Execution(Settings(), {}, clock, lambda: None)
    return Trace(harness, Settings(), route, clock, execution.call_half).function


def _seconds(harness: Harness, function: Callable[..., Any]) -> float:
    gc.collect()  # what the other one left behind is not ours to pay for
    began = time.process_time()
    harness.call(function, 0)
    return time.process_time() - began


@pytest.mark.parametrize("name", MODELS)
def test_capture_over_plain_aot_autograd(benchmark, name):
    build, route = MODELS[name]
    harness = _harness(build)
    for prepare in (_plain, _ours):  # imports and caches
        _seconds(harness, prepare(harness, route))
    plain, ours = [], []

    def one_round() -> None:
        plain.append(_seconds(harness, _plain(harness, route)))
        ours.append(_seconds(harness, _ours(harness, route)))

    benchmark.pedantic(one_round, rounds=ROUNDS, iterations=1)
    ratio = min(ours) / min(plain)
    benchmark.extra_info.update(plain_s=min(plain), ours_s=min(ours), ratio=ratio)
    print(f"\n{name}: plain {min(plain):.2f} s, ours {min(ours):.2f} s, ratio {ratio:.3f}")  # noqa: T201 # the figure
    assert ratio <= BUDGET
