"""The same graph in float64, beside a run in the types that were traced.

Arguments, constants and the floating dtypes that nodes name are promoted. What is integer or boolean goes its own way.
A node takes the value of the ordinary run, promoted, where float64 would tell nothing: where it draws random numbers
(another type draws others), and where its kernel refuses float64.
"""

from __future__ import annotations

from typing import Any, Final

import torch
from torch.fx.node import map_aggregate
from torch.utils import _pytree as pytree

from aotgui.engine.cursor import Cursor
from aotgui.engine.errors import one_line
from aotgui.engine.half import Half
from aotgui.engine.node_plan import NodePlan

_WIDE: Final = {
    torch.float32: torch.float64,
    torch.float16: torch.float64,
    torch.bfloat16: torch.float64,
    torch.float8_e4m3fn: torch.float64,
    torch.float8_e5m2: torch.float64,
    torch.complex64: torch.complex128,
    torch.complex32: torch.complex128,
}

_aten = torch.ops.aten

_HALF_TO_FLOAT: Final = frozenset({_aten._softmax.default, _aten._log_softmax.default})
"""Their last argument asks for float32 from a float16 input."""


def promoted(value: Any) -> Any:
    """A value with its floating tensors in float64."""
    return pytree.tree_map_only(torch.Tensor, _promoted_tensor, value)


class ReferenceCursor(Cursor):
    """Executes a half in float64.

    Attributes:
        notes: for nodes that took the ordinary run's value: why.
    """

    def __init__(self, half: Half, args: list[Any], ordinary: Cursor, limit_bytes: int) -> None:
        super().__init__(half, [promoted(arg) for arg in args], limit_bytes)
        self.notes: dict[int, str] = {}
        self._ordinary = ordinary

    def execute(self) -> Any:
        """Runs the next node; the ordinary cursor must have run it. See ``Cursor.execute``; raises no mismatch."""
        plan, index = self.plans[self.position], self.position
        if plan.writes:
            self._writes.before(index, [self.value(source) for source in plan.writes])
        return self.accept(self._wide(index, self._registers))

    def go_back(self, index: int) -> None:
        """See ``Cursor.go_back``."""
        self.notes = {node: note for node, note in self.notes.items() if node < index}
        super().go_back(index)

    def _check(self, node: Any, value: Any) -> None:
        """Types differ from the traced ones on purpose."""

    def _replay(self, index: int) -> Any:
        value = self._wide(index, self._registers_of(self.plans[index], index))
        edit = self.edits.get(index)
        return value if edit is None else edit(value)

    def _wide(self, index: int, registers: list[Any]) -> Any:
        plan = self.plans[index]
        if plan.position >= 0:
            return self._args[plan.position]
        if index in self._ordinary.drew:
            return self._drawn(plan, registers)
        if plan.is_given:
            return promoted(self._ordinary.value(index))
        try:
            value = _call(plan, registers)
        except Exception as error:
            return self._taken(index, f"float64 is not possible here ({one_line(error, 120)})")
        if _shapes(value) != _shapes(self._ordinary.value(index)):
            return self._taken(index, "float64 gives another shape here")
        return value

    def _drawn(self, plan: NodePlan, registers: list[Any]) -> Any:
        """The value of a node that draws random numbers: with those of the ordinary run."""
        index = self._ordinary.half.graph.index_of[plan.node.name]
        if plan.node.target is _aten.native_dropout.default:
            (x, probability, _), _ = plan.arguments(registers)
            mask = self._ordinary.value(index)[1]
            return x * mask * (1.0 / (1.0 - probability) if probability < 1.0 else 0.0), mask
        return self._taken(index, "random numbers, taken from the ordinary run")

    def _taken(self, index: int, why: str) -> Any:
        self.notes[index] = f"{why}; goes on from the ordinary value."
        return promoted(self._ordinary.value(index, index + 1))


def _call(plan: NodePlan, registers: list[Any]) -> Any:
    args, kwargs = plan.arguments(registers)
    target = plan.node.target
    if target is _aten.view.dtype:
        raise TypeError("the bits are read as another type")
    if target in _HALF_TO_FLOAT:
        args = (*args[:2], False)
    args, kwargs = _wide_dtypes(args), _wide_dtypes(kwargs)
    if plan.node.op == "call_method":
        return getattr(args[0], str(target))(*args[1:], **kwargs)
    if not callable(target):
        raise TypeError("a module of its own")
    return target(*args, **kwargs)


def _wide_dtypes(arguments: Any) -> Any:
    return map_aggregate(arguments, lambda a: _WIDE.get(a, a) if isinstance(a, torch.dtype) else a)


def _promoted_tensor(tensor: torch.Tensor) -> torch.Tensor:
    wide = _WIDE.get(tensor.dtype)
    return tensor.detach() if wide is None else tensor.detach().to(wide)


def _shapes(value: Any) -> list[Any]:
    return [leaf.shape if isinstance(leaf, torch.Tensor) else None for leaf in pytree.tree_leaves(value)]
