"""Messages about stepping through a graph and the values that this computes."""

from __future__ import annotations

from enum import StrEnum

from aotgui.model.capture import Problem
from aotgui.model.graph import GraphKind
from aotgui.model.values import ValueSlice, ValueStats
from aotgui.protocol.message import Event, Request


class StartStepping(Request, frozen=True, kw_only=True):
    """Begin a stepping session on the last run's graphs, stopped before the first node.

    Answered by ``Stepped``; a session that is under way is replaced. Needs a run that reached its end.

    Attributes:
        session: id of the session.
        region: index of the region.
        graph: forward, backward or inference.
        breakpoints: graph kind to names of nodes to stop before.
    """

    session: int
    region: int
    graph: GraphKind
    breakpoints: dict[GraphKind, list[str]] = {}


class StepAction(StrEnum):
    """What a stepping session is told to do."""

    STEP = "step"
    CONTINUE = "continue"
    RUN_TO = "run_to"
    RUN_TO_NONFINITE = "run_to_nonfinite"
    PAUSE = "pause"
    RESTART = "restart"
    END = "end"


class Step(Request, frozen=True, kw_only=True):
    """Tell the stepping session what to do; answered by ``Stepped`` when it stops again.

    Attributes:
        session: id of the session; others are ignored.
        action: what to do. From the forward's end, stepping goes on into the backward.
        node: name of the node to run to, for ``RUN_TO``.
        graph: the graph that holds ``node``.
    """

    session: int
    action: StepAction
    node: str = ""
    graph: GraphKind | None = None


class SetBreakpoints(Request, frozen=True, kw_only=True):
    """Replace the breakpoints of a session, also while it runs; not answered."""

    session: int
    breakpoints: dict[GraphKind, list[str]]


class ReadValue(Request, frozen=True, kw_only=True):
    """Ask for a slice of a computed value; answered by ``ValueRead``.

    Attributes:
        request: id.
        session: the stepping session.
        graph: which graph.
        node: index of the node.
        item: which item of a tuple.
        index: one index for each dimension but the last two; missing ones are 0.
        row: first row wanted.
        column: first column wanted.
    """

    request: int
    session: int
    graph: GraphKind
    node: int
    item: int = 0
    index: tuple[int, ...] = ()
    row: int = 0
    column: int = 0


class StopReason(StrEnum):
    """Why stepping stopped."""

    ENTRY = "entry"
    STEP = "step"
    BREAKPOINT = "breakpoint"
    REACHED = "reached"
    PAUSED = "paused"
    NONFINITE = "nonfinite"
    MISMATCH = "mismatch"
    ERROR = "error"
    FINISHED = "finished"
    RUNNING = "running"


class Stepped(Event, frozen=True, kw_only=True):
    """Where a stepping session stands.

    Sent at each stop, and with ``RUNNING`` about twenty times a second while it goes on.

    Attributes:
        session: id.
        region: index of the region.
        graph: the graph that ``node`` is in.
        node: index of the node that would run next; the number of nodes at the end of the graph.
        reason: why it stopped.
        executed: values of the nodes executed since the last ``Stepped``, by graph.
        problem: what went wrong, for ``MISMATCH`` and ``ERROR``.
        restarted: whether everything executed before is void.
    """

    session: int
    region: int
    graph: GraphKind
    node: int
    reason: StopReason
    executed: dict[GraphKind, list[ValueStats]] = {}
    problem: Problem | None = None
    restarted: bool = False


class ValueRead(Event, frozen=True, kw_only=True):
    """A slice of a value, or a sentence in ``value.text`` why there is none."""

    request: int
    graph: GraphKind
    value: ValueSlice
