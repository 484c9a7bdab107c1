"""What Dynamo knows of the placeholders of its graphs, and what a user would call them.

Private API: ``meta["grapharg"]`` is read by attribute, never imported; without it placeholders keep Dynamo's names.
"""

from __future__ import annotations

import re
from typing import Any, Final

from torch import fx

from aotgui.engine.provenance import plain_path

_DYNAMO_VARIABLE: Final = re.compile(r"""[LG]\[['"](?P<name>\w+)['"]\](?P<rest>.*)""")
_WRAPPERS: Final = ("self", "fn")
"""What the compiled module itself is called in Dynamo's expressions."""


def dynamo_label(expression: str) -> str:
    """``layers.0.weight`` or ``x`` from Dynamo's expression for where a value comes from."""
    match = _DYNAMO_VARIABLE.fullmatch(expression)
    if match is None:
        return expression
    name, rest = match["name"], match["rest"]
    is_module_path = "._" in rest
    path = plain_path(f"L['self']{rest}") if is_module_path else rest.lstrip(".")
    if name in _WRAPPERS and (is_module_path or name == "self"):
        return path or name
    return f"{name}{'' if path.startswith('[') or not path else '.'}{path}"


def source_of(node: fx.Node) -> str:
    """Dynamo's expression for where a placeholder's value comes from, or empty."""
    name = getattr(getattr(node.meta.get("grapharg"), "source", None), "name", None)
    expression = name() if callable(name) else name
    return expression if isinstance(expression, str) else ""


def example_of(node: fx.Node) -> Any:
    """The real value behind a placeholder, or None."""
    try:
        return node.meta["grapharg"].example
    except (AttributeError, AssertionError, KeyError):
        return None
