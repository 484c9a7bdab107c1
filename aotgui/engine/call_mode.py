"""What a program set around a call that changes what operators do: gradients and autocast."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

import torch

_DEVICES: Final = ("cpu", "cuda")


@dataclass(frozen=True)
class CallMode:
    """The modes of one call.

    Attributes:
        grad: whether gradients are enabled.
        inference: whether it is in inference mode.
        autocast: dtype of the autocast of each device type that has one.
    """

    grad: bool = True
    inference: bool = False
    autocast: tuple[tuple[str, torch.dtype], ...] = ()

    @classmethod
    def now(cls) -> CallMode:
        """The modes of this moment, on this thread."""
        devices = [device for device in _DEVICES if torch.is_autocast_enabled(device)]
        return cls(
            grad=torch.is_grad_enabled(),
            inference=torch.is_inference_mode_enabled(),
            autocast=tuple((device, torch.get_autocast_dtype(device)) for device in devices),
        )

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The same modes again, on this thread."""
        with ExitStack() as stack:
            stack.enter_context(torch.inference_mode(self.inference))
            stack.enter_context(torch.set_grad_enabled(self.grad))
            wanted = dict(self.autocast)
            for device in _DEVICES:
                if device in wanted or torch.is_autocast_enabled(device):
                    stack.enter_context(torch.autocast(device, wanted.get(device), enabled=device in wanted))
            yield


def surroundings() -> str:
    """What around this moment would take part in a second call and be disturbed by it, in words; or empty.

    Private API: the stack of saved-tensor hooks; where it is missing nothing is said. Dynamo compiles nothing under a
    dispatch mode.
    """
    hooks = getattr(torch._C._autograd, "_top_saved_tensors_default_hooks", lambda _ignored: None)
    return "saved-tensor hooks, for example those of a checkpoint, are active around its call" if hooks(False) else ""
