"""Breakpoints: where stepping stops, shared by the window that stores them and the engine that obeys them."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from aotgui.model.graph import GraphKind


class BreakpointKind(StrEnum):
    """What a breakpoint looks at.

    Attributes:
        NODE: a node by its name.
        OPERATOR: every call of ``aten.mm`` (any overload) or ``aten.mm.default``.
        MODULE: entering a module, ``layers.0``; with a condition every node in it.
        LINE: entering a source line; with a condition every node that comes from it.
        NONFINITE: a value with NaN where no input has NaN, or with Inf where every input is finite.
        OVERFLOW_FLOAT16: a finite value beyond what float16 holds, where no input is.
        OVERFLOW_BFLOAT16: likewise for bfloat16.
        MISMATCH: dtype, shape or strides differ from what was traced.
        ERROR_ABOVE: the error against the reference run exceeds ``limit``, where that of no input does.
    """

    NODE = "node"
    OPERATOR = "operator"
    MODULE = "module"
    LINE = "line"
    NONFINITE = "nonfinite"
    OVERFLOW_FLOAT16 = "overflow_float16"
    OVERFLOW_BFLOAT16 = "overflow_bfloat16"
    MISMATCH = "mismatch"
    ERROR_ABOVE = "error_above"

    @property
    def is_place(self) -> bool:
        """Whether it names a place in the graph, and not a property of values."""
        return self in _PLACES


_PLACES = frozenset({BreakpointKind.NODE, BreakpointKind.OPERATOR, BreakpointKind.MODULE, BreakpointKind.LINE})


class Breakpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One breakpoint.

    Without condition and log message a breakpoint on a place stops *before* the node. A condition and a log message
    look at the node's value, so they are evaluated, and stop, *after* it; so do the kinds that look at values.

    Attributes:
        id: chosen by who sets it, unique among those of a session.
        kind: what it looks at.
        graph: only in this graph; None for any that runs.
        where: name of a node, operator, module path, or file (whole path, its end after a ``/``, or empty for any).
        line: 1-based line of the file.
        condition: Python over ``value``, ``args``, ``kwargs``, ``node``, ``torch`` and ``math``; empty for always. One
            that raises stops and says so.
        hit_count: stops from this hit on; 0 and 1 stop at the first. Hits are counted from the (re)start on.
        log: said in place of a stop, with expressions in braces: ``{value.abs().max()}``.
        limit: relative error, for ``ERROR_ABOVE``.
        enabled: whether it counts.
    """

    id: str
    kind: BreakpointKind
    graph: GraphKind | None = None
    where: str = ""
    line: int = 0
    condition: str = ""
    hit_count: int = 0
    log: str = ""
    limit: float = 1e-3
    enabled: bool = True

    @property
    def is_after(self) -> bool:
        """Whether it stops after its node, once the value is known."""
        return bool(self.condition or self.log) or not self.kind.is_place


class BreakpointHit(msgspec.Struct, frozen=True, kw_only=True):
    """A breakpoint that stopped the session, or said something.

    Attributes:
        id: of the breakpoint.
        graph: of the node.
        node: index of the node that it is about: the next one to run, or, with ``after``, the last that ran.
        after: whether the node has been executed.
        text: what is to be said: the log message, what was found, or why the condition failed.
        failed: whether the condition or an expression of the log message raised.
    """

    id: str
    graph: GraphKind
    node: int
    after: bool = False
    text: str = ""
    failed: bool = False
