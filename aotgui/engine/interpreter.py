"""``DebugInterpreter`` of torch, repaired: the interpreter under ``debug_nop``.

It runs a graph node by node and compares dtype, shape and strides of every value with what was traced.
"""

from __future__ import annotations

from typing import Any

import sympy  # type: ignore[import-untyped] # ships no type information
from torch import fx
from torch._functorch.compilers import DebugInterpreter

from aotgui.engine.expectations import Expectations, NodeMismatchError

__all__ = ["CheckedInterpreter", "NodeMismatchError"]


class CheckedInterpreter(DebugInterpreter):
    """Torch's ``DebugInterpreter`` with three repairs.

    WORKAROUND torch 2.13: the stock interpreter raises ``gm.shape_env must not be None`` on every graph (nobody sets
    it), ``KeyError: 'val'`` or ``Expected Tensor`` on placeholders of Python numbers, and cannot check sizes that are
    only known once computed. Here the symbols are bound without it.
    """

    def __init__(self, module: fx.GraphModule, garbage_collect_values: bool = True) -> None:
        super().__init__(module, garbage_collect_values)
        self.extra_traceback = False
        self.symbol_mapping: dict[sympy.Symbol, int] = {}
        self._expectations = Expectations(self.graph)

    def bind(self, args: list[Any]) -> None:
        """Takes the arguments of the next call and the symbols that they fix."""
        self.env = {}
        self.args_iter = iter(args)
        self._expectations.bind(args)
        self.symbol_mapping = self._expectations.symbols

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
        self._expectations.check(n, value, self.env.get)
        return value
