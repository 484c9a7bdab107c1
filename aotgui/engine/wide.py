"""A graph beside itself in float64, to tell a compiler's error from the rounding that eager has as well.

Every operator runs twice: as it is, and on float64 copies of its inputs with its dtype arguments widened. Where
that cannot be done (a random operator would draw other numbers, a kernel has no float64, a bit pattern is read) the
wide value is the narrow one, widened; what follows is then judged from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from torch import fx
from torch.utils import _pytree as pytree

_WIDE: Final = {
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float32: torch.float64,
    torch.complex32: torch.complex128,
    torch.complex64: torch.complex128,
}


def run_both(module: fx.GraphModule, args: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Runs a graph that returns a flat tuple.

    Args:
        module: the graph.
        args: flat arguments, which it may write to.

    Returns:
        What it returns, and the same as computed in float64.

    Raises:
        Exception: what an operator raises.
    """
    interpreter = _Both(module)
    with torch.no_grad():
        narrow = list(interpreter.run(*args))
    return narrow, interpreter.wide_outputs


class _Both(fx.Interpreter):
    """Keeps a wide value beside each narrow one, as long as it is needed."""

    def __init__(self, module: fx.GraphModule) -> None:
        super().__init__(module)
        self.wide_outputs: list[Any] = []
        self._wide: dict[fx.Node, Any] = {}

    def run_node(self, n: fx.Node) -> Any:  # signature of torch
        # The wide value comes first: the operator may write to its arguments.
        if n.op == "call_function" and not _is_random(n):
            wide, done = self._widely(n)
        else:
            wide, done = None, False
        narrow = super().run_node(n)
        self._wide[n] = wide if done and _same_shapes(wide, narrow) else _widened(narrow)
        if n.op == "output":
            outputs: Any = fx.map_arg(n.args[0], self._wide.__getitem__)
            self.wide_outputs = list(outputs)
        for unused in self.user_to_last_uses.get(n, []):
            self._wide.pop(unused, None)
        return narrow

    def _widely(self, node: fx.Node) -> tuple[Any, bool]:
        args, kwargs = fx.map_arg((node.args, node.kwargs), self._wide.__getitem__)
        args, kwargs = pytree.tree_map_only(torch.dtype, lambda dtype: _WIDE.get(dtype, dtype), (args, kwargs))
        try:
            return node.target(*args, **kwargs), True  # type: ignore[operator] # of a call_function it is a function
        except Exception:
            return None, False


def _is_random(node: fx.Node) -> bool:
    tags = getattr(node.target, "tags", ())
    return torch.Tag.nondeterministic_seeded in tags or isinstance(node.target, torch._ops.HigherOrderOperator)


def _widened(value: Any) -> Any:
    """A copy in float64; what is no floating-point number is copied as it is."""
    return pytree.tree_map_only(
        torch.Tensor, lambda tensor: tensor.detach().to(_WIDE.get(tensor.dtype, tensor.dtype), copy=True), value
    )


def _same_shapes(wide: Any, narrow: Any) -> bool:
    """Whether the wide value is the narrow one in shape and, but for its width, in dtype."""
    ours, theirs = pytree.tree_leaves(wide), pytree.tree_leaves(narrow)
    return len(ours) == len(theirs) and all(map(_same_shape, ours, theirs))


def _same_shape(wide: Any, narrow: Any) -> bool:
    if not isinstance(narrow, torch.Tensor) or not isinstance(wide, torch.Tensor):
        return type(wide) is type(narrow)
    return wide.shape == narrow.shape and wide.dtype == _WIDE.get(narrow.dtype, narrow.dtype)
