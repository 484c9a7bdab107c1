"""Which lines of what a compiler made belong to which nodes, where names allow it.

FX code names the node that a line computes on its left side. TorchScript names its values after the variables of the
code that it was scripted from (``%mm.1``); what freezing and optimizing put in is numbered and belongs to no node.
Inductor notes the nodes that a kernel was fused from in a comment.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

_PYTHON: Final = re.compile(r"^\s*([A-Za-z_]\w*)(?:\s*:[^=]+)?\s*=[^=]")
_IR_VALUE: Final = re.compile(r"%([A-Za-z_]\w*?)(?:\.\d+)? :")
_INDUCTOR: Final = re.compile(r"Source Nodes: \[([^\]]*)\]")
_DOT: Final = re.compile(r"^\s*\"?([A-Za-z_]\w*)\"? \[label=")


def links_of(text: str, language: str, names: Collection[str]) -> dict[int, list[str]]:
    """The nodes of each line.

    Args:
        text: an artifact, or the text of a step.
        language: of it, as the compilation says.
        names: of the nodes of the graph that was compiled.

    Returns:
        Line, counted from 0, to names of nodes in the order of the line; lines without any are left out.
    """
    known = names if isinstance(names, set | frozenset | dict) else frozenset(names)
    found = {}
    for line, content in enumerate(text.splitlines()):
        here = [name for name in dict.fromkeys(_names_in(content, language)) if name in known]
        if here:
            found[line] = here
    return found


def _names_in(line: str, language: str) -> list[str]:
    if language == "dot":
        return _DOT.findall(line)
    if language != "python":
        return _IR_VALUE.findall(line.partition(" = ")[0] if " = " in line else line)
    fused = _INDUCTOR.search(line)
    if fused is not None:
        return [name.strip() for name in fused[1].split(",")]
    return _PYTHON.findall(line)
