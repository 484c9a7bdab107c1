"""The graph that Dynamo hands to a backend, run in eager as the program's own code would run.

WORKAROUND torch 2.13: run operator by operator, ``tag_activation_checkpoint`` recomputes with other random numbers
than it computed with (``preserve_rng_state`` is off for the sake of tracing), so that gradients behind a dropout are
wrong. Its body is run without a checkpoint instead, which gives the same numbers and keeps more in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._higher_order_ops import wrap

from aotgui.engine.half import copy_module

_IMPLEMENTATION = "tag_activation_checkpoint_impl"


class DynamoCode(torch.nn.Module):
    """A copy of Dynamo's graph, taken before a backend changes it."""

    def __init__(self, module: fx.GraphModule) -> None:
        super().__init__()
        self.code = copy_module(module)

    @property
    def communicates(self) -> bool:
        """Whether it exchanges data with other processes."""
        return any("c10d" in str(node.target) for node in self.code.graph.nodes if node.op == "call_function")

    def forward(self, *args: Any) -> Any:
        """Runs it operator by operator."""
        if not hasattr(wrap, _IMPLEMENTATION):
            return self.code(*args)
        with mock.patch.object(wrap, _IMPLEMENTATION, _without_checkpoint):
            return self.code(*args)


def _without_checkpoint(body: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    _, own = wrap.TagActivationCheckpoint.divide_kwargs(kwargs)  # type: ignore[no-untyped-call] # untyped in torch
    return body(*args, **own)
