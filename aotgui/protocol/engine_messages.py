"""Messages about the engine itself."""

from __future__ import annotations

import msgspec

from aotgui.model.capture import Problem
from aotgui.protocol.message import Event, Request


class Quit(Request, frozen=True, kw_only=True):
    """End the engine; a closed pipe means the same."""


class CompilerOption(msgspec.Struct, frozen=True, kw_only=True):
    """One option of a compiler, chosen as ``name(option=value)``.

    Attributes:
        name: as written.
        description: one sentence.
        default: what it is without being chosen, as written.
        choices: the values that it takes; empty for free input.
    """

    name: str
    description: str
    default: str = ""
    choices: tuple[str, ...] = ()


class CompilerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A compiler that the engine knows.

    Attributes:
        name: as chosen in ``Settings``.
        description: one line.
        unavailable: why it cannot run here; empty if it can.
        makes_torchscript: whether its result can be exported as TorchScript.
        needs: what has to be on the machine, in words; empty for nothing beside PyTorch.
        options: what can be chosen.
        origin: ``torch``, ``aotgui``, or the installed package that brings it.
    """

    name: str
    description: str
    unavailable: str = ""
    makes_torchscript: bool = False
    needs: str = ""
    options: list[CompilerOption] = []
    origin: str = "torch"


class Hello(Event, frozen=True, kw_only=True):
    """Sent once torch is imported and the engine is ready.

    Attributes:
        version: of the protocol.
        torch: version of torch.
        python: version of Python.
        compilers: the compilers known to this engine.
    """

    version: int
    torch: str
    python: str
    compilers: list[CompilerInfo]


class EngineProblem(Event, frozen=True, kw_only=True):
    """A request could not be served and belongs to no run, or the engine itself has a fault."""

    problem: Problem
