"""A real model, with tensor constants and tied shapes, runs from its folders where aotgui is not."""

from __future__ import annotations

import pytest

from aotgui.engine.culprit_hunt import CulpritHunt
from aotgui.engine.exports import Exports
from aotgui.model.capture import CheckStatus
from aotgui.protocol.messages import Exported, ExportFolder, FolderForm

pytestmark = [
    pytest.mark.models,
    # What transformers warns of while the model is built and traced is its own.
    pytest.mark.filterwarnings("ignore"),
]

LLAMA = """
import torch
from transformers import LlamaConfig, LlamaForCausalLM

torch.manual_seed(0)
model = LlamaForCausalLM(
    LlamaConfig(hidden_size=32, intermediate_size=64, num_attention_heads=2, num_hidden_layers=2, vocab_size=64)
)
ids = torch.randint(0, 64, (2, 8))
example_inputs = dict(input_ids=ids, labels=ids, use_cache=False)
"""


def test_llama_runs_from_its_folders(new_workshop, tmp_path):
    workshop = new_workshop()
    ended = workshop.run(LLAMA, forward_compiler="ts_compile", backward_compiler="simple_ts_compile")
    assert ended.check.status is CheckStatus.MATCH
    exports = Exports(workshop.pipeline, CulpritHunt(workshop.pipeline, lambda event: None), workshop.events.append)
    for form in FolderForm:
        exports.answer(ExportFolder(request=1, region=0, form=form, path=str(tmp_path / str(form))))
        exported = workshop.last(Exported)
        assert exported.problem is None, exported.problem
    assert (tmp_path / "fx" / "joint.py").is_file()
    assert "compiled by ts_compile and simple_ts_compile" in workshop.all(Exported)[0].detail
