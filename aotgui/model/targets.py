"""What a source offers to capture, as a person chooses from it."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class TargetKind(StrEnum):
    """What kind of thing can be captured.

    Attributes:
        MODULE: an ``nn.Module`` that exists.
        FUNCTION: a function; one that returns a module when called without arguments is called for it.
        MODULE_CLASS: a class of modules that can be built without arguments.
    """

    MODULE = "module"
    FUNCTION = "function"
    MODULE_CLASS = "module class"


class Parameter(msgspec.Struct, frozen=True, kw_only=True):
    """One parameter of a target.

    Attributes:
        name: its name, with ``*`` or ``**`` in front where it takes any number.
        annotation: its annotation as text, or empty.
        default: its default as text; empty for none.
        required: whether a call must give it.
    """

    name: str
    annotation: str = ""
    default: str = ""
    required: bool = False

    def __str__(self) -> str:
        """``x: Tensor = None`` as in Python."""
        text = f"{self.name}: {self.annotation}" if self.annotation else self.name
        return f"{text} = {self.default}" if self.default else text


class TargetInfo(msgspec.Struct, frozen=True, kw_only=True):
    """One function or module that a source offers.

    Attributes:
        name: as ``Run.target`` wants it.
        kind: what it is.
        parameters: what a call takes; of a module its ``forward``, of a class the ``forward`` of what it builds.
        summary: first line of its docstring, or empty.
        type_name: class of a module, or empty.
        line: 1-based line of its definition in the source, 0 where unknown.
    """

    name: str
    kind: TargetKind
    parameters: tuple[Parameter, ...] = ()
    summary: str = ""
    type_name: str = ""
    line: int = 0
