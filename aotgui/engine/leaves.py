"""The leaves of a nested output: tensors, numbers, strings and None, each with the name a person would use."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any, Final

import torch

_MAX_DEPTH: Final = 12
"""Objects nested deeper in an output are not looked into."""

SCALARS: Final = (int, float, bool, complex, str, type(None))


class Leaves(dict[str, Any]):
    """An output that is flat already: name to leaf."""


def flatten_output(output: Any) -> dict[str, Any]:
    """The leaves of a nested output by name: tuples, lists, dicts, dataclasses, and plain objects' attributes.

    Leaves are tensors, numbers, bools, strings and None; anything else is left out.
    """
    if isinstance(output, Leaves):
        return output
    leaves: dict[str, Any] = {}
    _collect_leaves(output, "out", leaves, 0, set())
    return leaves


def _collect_leaves(value: Any, name: str, leaves: dict[str, Any], depth: int, seen: set[int]) -> None:
    if isinstance(value, (torch.Tensor, torch.SymInt, torch.SymFloat, torch.SymBool, *SCALARS)):
        leaves[name] = value
        return
    if depth > _MAX_DEPTH or id(value) in seen:
        return
    seen = seen | {id(value)}
    for part, inner in _parts(value):
        _collect_leaves(inner, f"{name}{part}", leaves, depth + 1, seen)


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Mapping):
        by_attribute = hasattr(value, "to_tuple")  # transformers' ModelOutput reads like an object
        for key, inner in value.items():
            yield (f".{key}" if by_attribute else f"[{key!r}]"), inner
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        yield from ((f".{key}", getattr(value, key)) for key in value._fields)
    elif isinstance(value, (list, tuple)):
        yield from ((f"[{index}]", inner) for index, inner in enumerate(value))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        yield from ((f".{f.name}", getattr(value, f.name, None)) for f in dataclasses.fields(value))
    elif hasattr(value, "__dict__") and not isinstance(value, (type, torch.nn.Module)) and not callable(value):
        yield from ((f".{key}", inner) for key, inner in vars(value).items() if not key.startswith("_"))
