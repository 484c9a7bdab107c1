"""What was traced of each node's value, and whether a computed value is as traced.

It is worked out once for a call: working it out with sympy at each node costs more than most operators.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sympy  # type: ignore[import-untyped] # ships no type information
import torch
from torch import fx
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
        exact: all strides as traced, those that do not matter included: equal ones need no closer look.
    """

    dtype: torch.dtype
    size: tuple[int | None, ...]
    stride: tuple[int | None, ...]
    exact: tuple[int | None, ...] = ()

    @classmethod
    def of(cls, traced: torch.Tensor, symbols: Symbols) -> Expectation:
        """Fills ``symbols`` into the fake tensor ``traced``."""
        size = tuple(_fill(length, symbols) for length in traced.shape)
        if traced.layout is not torch.strided or 0 in size:
            return cls(traced.dtype, size, (None,) * len(size))
        strides = tuple(_fill(length, symbols) for length in traced.stride())
        relevant = tuple(None if n == 1 else s for n, s in zip(size, strides, strict=True))
        return cls(traced.dtype, size, relevant, strides)

    def holds(self, value: torch.Tensor) -> bool:
        """Whether ``value`` is as traced."""
        if value.dtype is not self.dtype or not _agree(self.size, value.shape):
            return False
        if value.layout is not torch.strided:
            return True
        strides = value.stride()
        return strides == self.exact or _agree(self.stride, strides)

    def difference(self, value: torch.Tensor) -> str:
        """``expected ..., got ...``; strides are only named where nothing else differs."""
        expected, got = _shape_text(self.dtype, self.size), _shape_text(value.dtype, value.shape)
        if expected == got:
            expected += f" with strides ({_joined(self.stride)})"
            got += f" with strides ({_joined(value.stride())})"
        return f"expected {expected}, got {got}"


class Expectations:
    """What was traced of each node of a graph, for the symbols of one call after the other."""

    def __init__(self, graph: fx.Graph) -> None:
        self.symbols: dict[sympy.Symbol, int] = {}
        self._graph = graph
        self._expected: dict[fx.Node, list[Expectation | None]] | None = None

    def bind(self, args: list[Any]) -> None:
        """Takes the symbols that the arguments of a call fix.

        Raises:
            AssertionError: two arguments disagree about a symbol.
        """
        placeholders = self._graph.find_nodes(op="placeholder")
        symbols = bind_symbols([node.meta.get("val") for node in placeholders], args)
        if self._expected is None or symbols != self.symbols:
            self.symbols = symbols
            self._expected = {node: self._of(node) for node in self._graph.nodes if "val" in node.meta}

    def of(self, node: fx.Node) -> list[Expectation | None] | None:
        """What was traced of the leaves of a node's value; None for what is no tensor, or where nothing is known."""
        return self._expected.get(node) if self._expected is not None else None

    def check(self, node: fx.Node, value: Any, read: Callable[[fx.Node], Any]) -> None:
        """Compares a value with what was traced.

        Args:
            node: the node.
            value: what it returned.
            read: gives the value of another node, to be named in the error.

        Raises:
            NodeMismatchError: it is not as traced.
        """
        expected = self.of(node)
        if expected is None or (len(expected) == 1 and _is_as_traced(value, expected[0])):
            return
        leaves = [value] if isinstance(value, torch.Tensor) else pytree.tree_leaves(value)
        if len(leaves) != len(expected):
            raise NodeMismatchError(node, value, f"{node.name}: expected {len(expected)} values, got {len(leaves)}")
        for position, (leaf, traced) in enumerate(zip(leaves, expected, strict=True)):
            if traced is not None and isinstance(leaf, torch.Tensor) and not traced.holds(leaf):
                place = node.name if len(leaves) == 1 else f"{node.name}[{position}]"
                raise NodeMismatchError(node, value, f"{place}: {traced.difference(leaf)}{_inputs_text(node, read)}")

    def _of(self, node: fx.Node) -> list[Expectation | None]:
        return [
            Expectation.of(leaf, self.symbols) if isinstance(leaf, torch.Tensor) else None
            for leaf in pytree.tree_leaves(node.meta["val"])
        ]


def _is_as_traced(value: Any, traced: Expectation | None) -> bool:
    """The answer for nearly every node, quickly."""
    return type(value) is torch.Tensor and (traced is None or traced.holds(value))


def _inputs_text(node: fx.Node, read: Callable[[fx.Node], Any]) -> str:
    values = [(source.name, read(source)) for source in node.all_input_nodes]
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
