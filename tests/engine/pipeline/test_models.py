"""Real models from the transformers package, from small configurations, with random weights."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from aotgui.model.capture import CheckStatus
from aotgui.model.graph import Graph, GraphKind, Op, Side
from aotgui.model.settings import EntryPoint
from aotgui.protocol.messages import RunStatus

from ..partition_facts import TorchSays, assert_memory_as_counted, assert_told_as_torch_says
from .invariants import check_invariants

pytestmark = [
    pytest.mark.models,
    # What transformers and Dynamo warn of while these models are built and traced is theirs.
    pytest.mark.filterwarnings("ignore"),
]

TOKENS = "ids = torch.randint(0, 128, (2, 16))\nexample_inputs = dict(input_ids=ids, labels=ids{more})\n"
SMALL = "hidden_size=64, intermediate_size=128, num_attention_heads=4"
MODELS = {
    "gpt2": "model = GPT2LMHeadModel(GPT2Config(n_layer=2, n_embd=64, n_head=4, vocab_size=128, n_positions=64,"
    " bos_token_id=0, eos_token_id=0))\n" + TOKENS.format(more=", use_cache=False"),
    "bert": f"model = BertForMaskedLM(BertConfig({SMALL}, num_hidden_layers=2, vocab_size=128))\n"
    + TOKENS.format(more=""),
    "llama": f"model = LlamaForCausalLM(LlamaConfig({SMALL}, num_hidden_layers=2, vocab_size=128))\n"
    + TOKENS.format(more=", use_cache=False"),
    "vit": f"model = ViTForImageClassification(ViTConfig({SMALL}, num_hidden_layers=2, image_size=32, patch_size=8))\n"
    "example_inputs = torch.randn(2, 3, 32, 32)\n",
    "t5": "model = T5ForConditionalGeneration(T5Config(d_model=64, d_kv=16, d_ff=128, num_layers=2, num_heads=4,"
    " vocab_size=128, decoder_start_token_id=0, pad_token_id=0, dropout_rate=0.0))\n"
    + TOKENS.format(more=", use_cache=False"),
    "mixtral": f"model = MixtralForCausalLM(MixtralConfig({SMALL}, num_key_value_heads=2, num_hidden_layers=2,"
    " vocab_size=128, num_local_experts=4))\n" + TOKENS.format(more=", use_cache=False"),
    "unet": "from diffusers import UNet2DModel\nmodel = UNet2DModel(sample_size=16, layers_per_block=1,"
    " block_out_channels=(32, 64), norm_num_groups=8, down_block_types=('DownBlock2D', 'AttnDownBlock2D'),"
    " up_block_types=('AttnUpBlock2D', 'UpBlock2D'))\n"
    "example_inputs = (torch.randn(2, 3, 16, 16), torch.tensor([3, 7]))\n",
    "resnet": "model = ResNetForImageClassification(ResNetConfig(embedding_size=16, hidden_sizes=[16, 32, 64, 128],"
    " depths=[1, 1, 1, 1]))\nexample_inputs = torch.randn(2, 3, 32, 32)\n",
}


EXPLAINED = ("gpt2", "llama", "vit", "resnet")
"""What is saved, why, and how much is alive at each step are held against torch for these."""


@pytest.fixture
def model_script(runner) -> Callable[[str], object]:
    return lambda name: runner.write(
        f"import torch\nfrom transformers import *\ntorch.manual_seed(0)\n{MODELS[name]}", f"{name}.py"
    )


WAYS = [
    {"entry_point": EntryPoint.AOT_MODULE, "partitioner": "min_cut", "forward_compiler": "ts_compile"},
    {"entry_point": EntryPoint.AOT_FUNCTION, "partitioner": "default"},
    {"entry_point": EntryPoint.TORCH_COMPILE, "partitioner": "default"},
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: "-".join(map(str, way.values())))
@pytest.mark.parametrize("name", MODELS)
def test_captures_matches_compiles_and_knows_where_from(runner, model_script, name, way, monkeypatch):
    says = TorchSays(monkeypatch) if way["partitioner"] == "min_cut" and name in EXPLAINED else None
    outcome = runner.run(model_script(name), **way)
    assert outcome.ended.status is RunStatus.DONE, outcome.ended.problems
    assert outcome.ended.check.status is CheckStatus.MATCH, outcome.ended.check
    for region in outcome.last_capture.regions:
        check_invariants(*(region.graphs[kind] for kind in (GraphKind.JOINT, GraphKind.FORWARD, GraphKind.BACKWARD)))
    joint = outcome.last_capture.regions[0].graphs[GraphKind.JOINT]
    _backward_nodes_have_lines(joint)
    _parameters_have_names(joint)
    assert {path for path in joint.module_types if path} <= _modules_of(runner.pipeline.namespace["model"])
    if says is not None:
        assert_told_as_torch_says(runner.pipeline, outcome.last_capture, says)
        for trace, region in zip(runner.pipeline.regions, outcome.last_capture.regions, strict=True):
            assert_memory_as_counted(trace, region)


def _backward_nodes_have_lines(joint: Graph) -> None:
    backward = [
        index
        for index in range(len(joint))
        if joint.sides[index] == Side.BACKWARD and joint.ops[index] == Op.CALL_FUNCTION
    ]
    known = [index for index in backward if joint.source(index) is not None]
    assert len(known) > 0.95 * len(backward)


def _parameters_have_names(joint: Graph) -> None:
    labels = {joint.label(index) for index in range(len(joint)) if joint.ops[index] == Op.PLACEHOLDER}
    assert any(label.endswith(".weight") for label in labels)
    assert not any(label.startswith(("primals", "L.")) for label in labels)


def _modules_of(model: torch.nn.Module) -> set[str]:
    return {path for path, _ in model.named_modules()}
