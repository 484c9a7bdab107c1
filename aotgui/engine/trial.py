"""One compilation on trial: does a compiled part of a graph give what the part itself gives?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from aotgui.engine.checking import compare_value, largest_magnitude
from aotgui.engine.compiler import CompileFailed, Compiler
from aotgui.engine.half import RandomState
from aotgui.engine.subgraph import Part
from aotgui.engine.wide import run_both
from aotgui.model.capture import CheckStatus, Comparison
from aotgui.model.comparison import CulpritKind


@dataclass(frozen=True)
class Outcome:
    """What a trial showed.

    Attributes:
        kind: how the compiler goes wrong; None where it is right.
        comparison: of the first value that differs, with the value's name; None where none was computed.
        expected: that value as the part itself computes it.
        actual: as compiled.
        error: what the compiler or the compiled code raised, or None.
    """

    kind: CulpritKind | None = None
    comparison: Comparison | None = None
    expected: Any = None
    actual: Any = None
    error: Exception | None = None

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong."""
        return self.kind is None


class Court:
    """Puts parts of one graph on trial and counts.

    Attributes:
        compilations: number of compilations so far.
    """

    def __init__(self, compiler: Compiler, random_state: RandomState) -> None:
        """Prepares.

        Args:
            compiler: under suspicion.
            random_state: of the generators when a part begins to run.
        """
        self.compilations = 0
        self._compiler = compiler
        self._random_state = random_state

    def values(self, part: Part, args: Sequence[Any]) -> list[Any]:
        """What a part itself computes; its arguments are not changed."""
        self._random_state.restore()
        with torch.no_grad():
            return list(part.module(*part.protected(args)))

    def judge(self, part: Part, args: Sequence[Any]) -> Outcome:
        """Compiles and runs a part and compares every value that it returns or writes, in order.

        Args:
            part: not changed.
            args: one an input of the part; not changed.
        """
        self.compilations += 1
        try:
            # What is no tensor is known to AOT Autograd by its value only.
            examples = [
                arg if example is None else example for example, arg in zip(part.example_inputs, args, strict=True)
            ]
            compiled = self._compiler.compile_module(part.module_copy(), examples)
        except CompileFailed as error:
            return Outcome(CulpritKind.COMPILE, error=error)
        given = part.protected(args)
        self._random_state.restore()
        try:
            with torch.no_grad():
                actual = list(compiled.call(list(given)))
        except Exception as error:
            return Outcome(CulpritKind.RUN, error=error)
        wanted = part.protected(args)
        self._random_state.restore()
        expected, wide = run_both(part.module, wanted)
        written = [position for position, (old, new) in enumerate(zip(args, wanted, strict=True)) if old is not new]
        names = [*part.output_names, *(f"{part.inputs[position].name} after the call" for position in written)]
        return _first_difference(
            names,
            [*expected, *(wanted[position] for position in written)],
            [*actual, *(given[position] for position in written)],
            [*wide, *(None for _ in written)],
            largest_magnitude([*args, *expected]),
        )


def _first_difference(
    names: Sequence[str], expected: Sequence[Any], actual: Sequence[Any], wide: Sequence[Any], scale: float
) -> Outcome:
    if len(actual) != len(expected):
        error = ValueError(f"it returns {len(actual)} values instead of {len(expected)}")
        return Outcome(CulpritKind.RUN, error=error)
    for values in zip(names, expected, actual, wide, strict=True):
        comparison = compare_value(*values, scale)
        if comparison.status is CheckStatus.MISMATCH:
            return Outcome(CulpritKind.WRONG, comparison, values[1], values[2])
    return Outcome()
