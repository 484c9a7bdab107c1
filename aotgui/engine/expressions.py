"""Python expressions of the person who debugs: conditions, log messages, watches, replacements.

They are evaluated in the engine's process only, where the person's script runs already. They see names of nodes as
values, ``torch`` and ``math``, and what the place adds (``value``, ``args``, ``node``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from types import CodeType
from typing import Any, Final

import torch

from aotgui.engine.errors import one_line

Lookup = Callable[[str], Any]
"""Gives the value of a node by its name; raises ``NameError`` where there is none."""

_FILE: Final = "<expression>"


class ExpressionError(Exception):
    """An expression cannot be evaluated; the text says why."""


def evaluate(expression: str, names: Mapping[str, Any], lookup: Lookup) -> Any:
    """Evaluates an expression.

    Args:
        expression: Python.
        names: what it sees under fixed names; before node names.
        lookup: of node names.

    Raises:
        ExpressionError: it is no expression, or it raises.
    """
    try:
        code = _compiled(expression.strip())
        known: dict[str, Any] = {"torch": torch, "math": math, **names}
        known.update((name, value) for name in _names_of(code) if name not in known for value in _found(name, lookup))
        return eval(code, known)  # what the person typed, in the process of the person's script
    except Exception as error:
        raise ExpressionError(one_line(error, 200)) from error


def filled_in(template: str, names: Mapping[str, Any], lookup: Lookup) -> str:
    """A log message with the expressions in its braces evaluated, as in an f-string.

    Raises:
        ExpressionError: one of them cannot be.
    """
    quoted = template.replace('"""', "'''")
    return str(evaluate(f'f"""{quoted} """', names, lookup))[:-1]  # the space keeps a quote at its end apart


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> CodeType:
    return compile(expression, _FILE, "eval")


def _names_of(code: CodeType) -> Iterator[str]:
    """Global names that code mentions, those of comprehensions and lambdas in it included."""
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names_of(constant)


def _found(name: str, lookup: Lookup) -> Iterator[Any]:
    try:
        yield lookup(name)
    except NameError:
        return  # an attribute, a builtin, or a name that evaluating will complain about
