"""The first call of a region that a program compiled itself, kept so that it can be made again.

The code that was compiled and what was made of it take the same flat arguments. With copies of those, and the random
numbers and modes of that moment, either can be run afterwards, which is what a comparison with eager needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import torch
from torch.utils import _pytree as pytree

from aotgui.engine.call_mode import CallMode
from aotgui.engine.calling import copy_tensors
from aotgui.engine.errors import one_line
from aotgui.engine.half import RandomState
from aotgui.engine.names import Names

WATCHED_META: Final = "aotgui_watched"
"""Mark in the ``meta`` of a graph of Dynamo that is watched already."""


class Budget:
    """How much memory copies may still take.

    Attributes:
        total: in bytes.
        left: in bytes.
    """

    def __init__(self, total: int) -> None:
        self.total = self.left = total

    def take(self, size: int) -> bool:
        """Takes so many bytes, if there are as many; a negative number gives back."""
        if size > self.left:
            return False
        self.left -= size
        return True


@dataclass
class RegionCall:
    """A compiled piece of a program with the first call of it.

    Attributes:
        eager: the code as it was before it was compiled; takes the flat arguments, one by one.
        compiled: what the program runs in its place; takes the same.
        names: of the flat arguments.
        is_direct: whether it was traced without Dynamo, so that ``eager`` is the program's own Python code.
        module: what ``aot_module`` was given, or None.
        args: copies of the flat arguments, or None while there was no call, or none that could be kept.
        random_state: of the generators when the call began.
        mode: gradients and autocast of the call.
        reason: why there are no arguments.
    """

    eager: Callable[..., Any]
    compiled: Callable[..., Any]
    names: Names
    is_direct: bool
    module: torch.nn.Module | None = None
    args: tuple[Any, ...] | None = None
    random_state: RandomState | None = None
    mode: CallMode = field(default_factory=CallMode)
    reason: str = "it was compiled, but not called"

    def record(self, args: Sequence[Any], budget: Budget) -> None:
        """Keeps a call that is about to be made; what cannot be copied leaves the reason."""
        size = bytes_of(args)
        if not budget.take(size):
            self.reason = f"copies of its arguments would take more than the {budget.total >> 20} MiB kept for them"
            return
        try:
            with torch.inference_mode(False), torch.enable_grad():
                self.args = tuple(copy_tensors(list(args)))
        except Exception as error:
            budget.take(-size)
            self.reason = f"its arguments cannot be copied ({one_line(error, 120)})"
            return
        self.random_state, self.mode = RandomState.now(), CallMode.now()


def bytes_of(values: Sequence[Any]) -> int:
    """Bytes of all tensors among some values."""
    leaves = pytree.tree_leaves(list(values))
    return sum(leaf.nbytes for leaf in leaves if isinstance(leaf, torch.Tensor) and not leaf.is_sparse)
