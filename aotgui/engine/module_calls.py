"""The first outermost call of a module with gradients, remembered so that it can be captured later."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.targets import Target


@dataclass(frozen=True)
class ModuleCall:
    """A module and what it was called with.

    Attributes:
        module: the module itself.
        args: copies of the positional arguments.
        kwargs: copies of the keyword arguments.
        training: training flags of the module and those in it.
        namespace: of the script's ``__main__``.
    """

    module: torch.nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    training: list[tuple[torch.nn.Module, bool]]
    namespace: dict[str, Any]

    def target(self, source: str) -> Target:
        """The call as a target, with the training flags as they were and gradients enabled."""
        torch.set_grad_enabled(True)
        for module, flag in self.training:
            module.training = flag
        names = (name for name, value in self.namespace.items() if value is self.module)
        name = next(names, type(self.module).__name__)
        return Target(source, name, self.module, self.args, self.kwargs, self.namespace)


@contextmanager
def first_module_call(on_call: Callable[[ModuleCall], None]) -> Iterator[None]:
    """Tells of the first call of a module that has a parameter to differentiate, while gradients are enabled.

    ``nn.Module.__call__`` is patched until that call, or until the program uses ``torch.compile``: Dynamo must find
    modules as they are.
    """
    with mock.patch.object(torch.nn.Module, "__call__", torch.nn.Module.__call__) as original:
        watch = _Watch(original, on_call)
        torch.nn.Module.__call__ = watch.call  # type: ignore[method-assign] # put back by the mock, or by the watch
        with mock.patch.object(torch._dynamo, "optimize", watch.optimize(torch._dynamo.optimize)):
            yield


class _Watch:
    """What stands in for ``nn.Module.__call__``."""

    def __init__(self, original: Callable[..., Any], on_call: Callable[[ModuleCall], None]) -> None:
        self._original = original
        self._on_call = on_call

        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            if _has_gradients(module) and _are_plain((args, kwargs)):
                self._end()
                on_call(_remembered(module, args, kwargs))
            return original(module, *args, **kwargs)

        self.call = call

    def optimize(self, original: Callable[..., Any]) -> Callable[..., Any]:
        """Stands in for ``torch._dynamo.optimize``, which ``torch.compile`` calls."""

        def optimize(*args: Any, **kwargs: Any) -> Any:
            self._end()
            return original(*args, **kwargs)

        return optimize

    def _end(self) -> None:
        torch.nn.Module.__call__ = self._original  # type: ignore[method-assign] # as it was


def _has_gradients(module: torch.nn.Module) -> bool:
    return torch.is_grad_enabled() and any(parameter.requires_grad for parameter in module.parameters())


def _are_plain(tree: Any) -> bool:
    """Whether no tensor is one of a tracer's: then this is no call of the program's own."""
    tensors = (leaf for leaf in pytree.tree_leaves(tree) if isinstance(leaf, torch.Tensor))
    return all(type(tensor) in (torch.Tensor, torch.nn.Parameter) for tensor in tensors)


def _remembered(module: torch.nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ModuleCall:
    copied_args, copied_kwargs = pytree.tree_map_only(torch.Tensor, _copied, (args, kwargs))
    return ModuleCall(
        module=module,
        args=copied_args,
        kwargs=copied_kwargs,
        training=[(inner, inner.training) for inner in module.modules()],
        namespace=vars(sys.modules["__main__"]),
    )


def _copied(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)
