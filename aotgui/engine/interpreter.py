"""``DebugInterpreter`` of torch, repaired: the interpreter under ``debug_nop`` and under the stepper.

It runs a graph node by node and compares dtype, shape and strides of every value with what was traced.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy  # type: ignore[import-untyped] # ships no type information
import torch
from torch import fx
from torch._functorch.compilers import DebugInterpreter
from torch._guards import detect_fake_mode
from torch.fx.experimental.symbolic_shapes import ShapeEnv
from torch.utils import _pytree as pytree

Symbols = Mapping[sympy.Symbol, int]


class NodeMismatchError(AssertionError):
    """A node's value differs from what was traced.

    Attributes:
        node: the node.
        value: what it returned.
        message: ``expected ..., got ...``, with the node's name in front.
    """

    def __init__(self, node: fx.Node, value: Any, message: str) -> None:  # a node may return anything
        super().__init__(message)
        self.node = node
        self.value = value
        self.message = message


@dataclass(frozen=True, slots=True)
class Expectation:
    """What was traced of one tensor, with the symbols of this call filled in.

    Attributes:
        dtype: of the elements.
        size: None for a size that is only known once computed (``nonzero``).
        stride: None where the stride does not matter: sizes 0 and 1, layouts without strides.
    """

    dtype: torch.dtype
    size: tuple[int | None, ...]
    stride: tuple[int | None, ...]

    @classmethod
    def of(cls, traced: torch.Tensor, symbols: Symbols) -> Expectation:
        """Fills ``symbols`` into the fake tensor ``traced``."""
        size = tuple(_fill(length, symbols) for length in traced.shape)
        if traced.layout is not torch.strided or 0 in size:
            return cls(traced.dtype, size, (None,) * len(size))
        strides = (_fill(length, symbols) for length in traced.stride())
        return cls(traced.dtype, size, tuple(None if n == 1 else s for n, s in zip(size, strides, strict=True)))

    def holds(self, value: torch.Tensor) -> bool:
        """Whether ``value`` is as traced."""
        if value.dtype is not self.dtype or not _agree(self.size, value.shape):
            return False
        return value.layout is not torch.strided or _agree(self.stride, value.stride())

    def difference(self, value: torch.Tensor) -> str:
        """``expected ..., got ...``; strides are only named where nothing else differs."""
        expected, got = _shape_text(self.dtype, self.size), _shape_text(value.dtype, value.shape)
        if expected == got:
            expected += f" with strides ({_joined(self.stride)})"
            got += f" with strides ({_joined(value.stride())})"
        return f"expected {expected}, got {got}"


class CheckedInterpreter(DebugInterpreter):
    """Torch's ``DebugInterpreter`` with three repairs.

    WORKAROUND torch 2.13: the stock interpreter raises ``gm.shape_env must not be None`` on every graph (nobody sets
    it), ``KeyError: 'val'`` or ``Expected Tensor`` on placeholders of Python numbers, and cannot check sizes that are
    only known once computed. Here the symbols are bound without it; what was traced is worked out once,
    because working it out with sympy at each node costs more than most operators.
    """

    def __init__(self, module: fx.GraphModule, garbage_collect_values: bool = True) -> None:
        super().__init__(module, garbage_collect_values)
        self.extra_traceback = False
        self.symbol_mapping: dict[sympy.Symbol, int] = {}
        self._expected: dict[fx.Node, list[Expectation | None]] | None = None

    def bind(self, args: list[Any]) -> None:
        """Takes the arguments of the next call and the symbols that they fix."""
        placeholders = self.graph.find_nodes(op="placeholder")
        self.env = {}
        self.args_iter = iter(args)
        symbols = bind_symbols([node.meta.get("val") for node in placeholders], args)
        if self._expected is None or symbols != self.symbol_mapping:
            self.symbol_mapping = symbols
            self._expected = {node: self._expectations(node) for node in self.graph.nodes if "val" in node.meta}

    def run(
        self,
        *args: Any,  # signature of torch
        initial_env: dict[fx.Node, Any] | None = None,
        enable_io_processing: bool = True,
    ) -> Any:  # signature of torch
        """Runs the graph.

        Raises:
            NodeMismatchError: a value is not as traced.
        """
        self.bind(list(args))
        return fx.Interpreter.run(self, *args, initial_env=initial_env, enable_io_processing=enable_io_processing)

    def run_node(self, n: fx.Node) -> Any:  # signature of torch
        """Runs a node whose inputs are in ``env`` and returns its value.

        Raises:
            NodeMismatchError: it is not as traced.
        """
        value = fx.Interpreter.run_node(self, n)
        expected = self._expected.get(n) if self._expected is not None else None
        if expected is not None:
            self._check(n, value, expected)
        return value

    def _check(self, node: fx.Node, value: Any, expected: list[Expectation | None]) -> None:
        leaves = [value] if isinstance(value, torch.Tensor) else pytree.tree_leaves(value)
        if len(leaves) != len(expected):
            raise NodeMismatchError(node, value, f"{node.name}: expected {len(expected)} values, got {len(leaves)}")
        for position, (leaf, traced) in enumerate(zip(leaves, expected, strict=True)):
            if traced is not None and isinstance(leaf, torch.Tensor) and not traced.holds(leaf):
                place = node.name if len(leaves) == 1 else f"{node.name}[{position}]"
                raise NodeMismatchError(node, value, f"{place}: {traced.difference(leaf)}{self._inputs_text(node)}")

    def _expectations(self, node: fx.Node) -> list[Expectation | None]:
        return [
            Expectation.of(leaf, self.symbol_mapping) if isinstance(leaf, torch.Tensor) else None
            for leaf in pytree.tree_leaves(node.meta["val"])
        ]

    def _inputs_text(self, node: fx.Node) -> str:
        values = [(source.name, self.env.get(source)) for source in node.all_input_nodes]
        texts = [f"{name} {_shape_text(v.dtype, v.shape)}" for name, v in values if isinstance(v, torch.Tensor)]
        return f" (from {', '.join(texts)})" if texts else ""


def bind_symbols(traced: list[Any], args: list[Any]) -> dict[sympy.Symbol, int]:
    """The values that a call gives to the symbols of a trace.

    Args:
        traced: for each placeholder its fake tensor, symbolic size, number or None.
        args: the flat arguments.

    Raises:
        AssertionError: two arguments disagree about a symbol.
    """
    symbolic = [
        value if isinstance(value, torch.SymInt) or _has_strides(value, arg) else None
        for value, arg in zip(traced, args, strict=False)
    ]
    mode = detect_fake_mode([value for value in symbolic if value is not None])
    shape_env = mode.shape_env if mode is not None and mode.shape_env is not None else ShapeEnv()
    return dict(shape_env.bind_symbols(symbolic, args))  # type: ignore[arg-type] # it also takes SymInt and None


def _has_strides(value: object, arg: object) -> bool:
    return all(isinstance(x, torch.Tensor) and x.layout is torch.strided for x in (value, arg))


def _fill(length: int | torch.SymInt, symbols: Symbols) -> int | None:
    if not isinstance(length, torch.SymInt):
        return length
    number = sympy.expand(length.node.expr.xreplace(dict(symbols)))
    return int(number) if number.is_number else None


def _agree(expected: tuple[int | None, ...], actual: tuple[int, ...]) -> bool:
    if expected == actual:
        return True
    return len(expected) == len(actual) and all(e is None or e == a for e, a in zip(expected, actual, strict=True))


def _joined(numbers: tuple[int | None, ...]) -> str:
    return ", ".join("any" if number is None else str(number) for number in numbers)


def _shape_text(dtype: torch.dtype, size: tuple[int | None, ...]) -> str:
    return f"{str(dtype).removeprefix('torch.')}[{_joined(size)}]"
