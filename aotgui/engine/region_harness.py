"""Makes the first call of a region that a program compiled itself as often as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.calling import CallResult, FlatInput, Harness
from aotgui.engine.region_call import RegionCall
from aotgui.engine.targets import Target
from aotgui.model.graph import Role


class RegionHarness(Harness):
    """The first call of a region, ready to be made again; inputs have the names of the region's."""

    def __init__(self, call: RegionCall, target: Target) -> None:
        self._call = call
        self._paths = [path for path, _ in pytree.tree_flatten_with_path((target.args, target.kwargs))[0]]
        super().__init__(target)

    def _found_modules(self) -> list[tuple[str, torch.nn.Module]]:
        # Parameters are arguments here; only a graph of Dynamo may hold constants of its own.
        return [("", self.target.module)] if self.target.module is not None else []

    @property
    def modules(self) -> list[tuple[str, torch.nn.Module]]:
        """The module that ``aot_module`` was given; its parameters are inputs here."""
        return [("", self._call.module)] if self._call.module is not None else super().modules

    def of(self, target: Target) -> Harness:
        """The same call with other values."""
        return RegionHarness(self._call, target)

    def call(self, function: Callable[..., Any], seed: int) -> CallResult:
        """Makes the call in the modes of the recorded one."""

        def in_mode(*args: Any) -> Any:
            with self._call.mode.entered():
                return function(*args)

        return super().call(in_mode, seed)

    def flat_inputs(self) -> list[FlatInput]:
        """The flat arguments with the names and roles of the region's inputs."""
        return [
            FlatInput(self._label(path), self._role(position, value), value)
            for position, (path, value) in enumerate(zip(self._paths, self.target.args, strict=True))
        ]

    @contextmanager
    def restoring(self, seed: int) -> Iterator[None]:
        """As for any target, with the random numbers of the recorded call."""
        with super().restoring(seed):
            if self._call.random_state is not None:
                self._call.random_state.restore()
            yield

    def _label(self, path: Sequence[Any]) -> str:
        position, names = path[1].idx, self._call.names.inputs
        known = names[position] if position < len(names) else ""
        return f"{known}{pytree.keystr(tuple(path[2:]))}" if known else super()._label(path)

    def _role(self, position: int, value: Any) -> Role:
        if not self._call.is_direct and not isinstance(value, torch.Tensor):
            return Role.SYMBOLIC_SIZE  # Dynamo passes numbers only where they may vary
        roles = self._call.names.roles
        return roles[position] if position < len(roles) else Role.INPUT

    def _watched(self, args: Any, kwargs: Any) -> dict[str, torch.Tensor]:
        return super()._watched(args, kwargs) if self._call.mode.grad else {}
