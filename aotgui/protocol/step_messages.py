"""Messages about stepping through a graph and the values that this computes."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from aotgui.model.breakpoint import Breakpoint, BreakpointHit
from aotgui.model.capture import Problem
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Edit, Granularity, Mutation, NestedFrame, NodeError, Replacement, WatchValue
from aotgui.model.values import ValueSlice, ValueStats
from aotgui.protocol.message import Event, Request

DEFAULT_MEMORY_LIMIT_BYTES: Final = 2 << 30
"""Of the values kept for going back."""


class StartStepping(Request, frozen=True, kw_only=True):
    """Begin a stepping session on the last run's graphs, stopped before the first node.

    Answered by ``Stepped``; a session that is under way is replaced. Needs a run that reached its end.

    Attributes:
        session: id of the session.
        region: index of the region.
        graph: forward, backward or inference.
        breakpoints: graph kind to names of nodes to stop before.
        points: further breakpoints.
        watches: expressions that each stop evaluates.
        edits: values that are replaced from the start on.
        statistics: whether each executed node's statistics are computed; else only shape and dtype are known, and
            ``ReadStats`` asks for the rest.
        reference: whether the graph also runs in float64 beside it.
        memory_limit_bytes: of values kept for going back; above it those no longer needed are dropped, and computed
            again when asked for. Arguments, constants and what later nodes still read do not count.
    """

    session: int
    region: int
    graph: GraphKind
    breakpoints: dict[GraphKind, list[str]] = {}
    points: list[Breakpoint] = []
    watches: list[str] = []
    edits: list[Edit] = []
    statistics: bool = True
    reference: bool = False
    memory_limit_bytes: int = DEFAULT_MEMORY_LIMIT_BYTES


class StepAction(StrEnum):
    """What a stepping session is told to do.

    Attributes:
        STEP: over a node, a source line or a module (``Step.granularity``).
        STEP_INTO: into the nested graph of the node that is next (``cond``, ``invoke_subgraph``), else to the next node
            that has one or that enters another module, else over one node.
        STEP_OUT: to the end of the nested graph, else out of the module; with ``MODULE`` out of the module around it.
        STEP_BACK: to the beginning of the node, line or module before. Nothing is lost: values stay known.
        CONTINUE: to the next breakpoint or the end.
        REVERSE_CONTINUE: back to the breakpoint before, or the entry. Hit counts and log messages do not count.
        RUN_TO: like ``CONTINUE``, at most to before a node; one that was passed is gone back to.
        GO_TO: to before a node, backwards or forwards, past breakpoints.
        RUN_TO_NONFINITE: to after the first node that gives NaN or Inf.
        PAUSE: stop after the node at work.
        RESTART: void everything and begin again; edits stay.
        END: end the session; answered by ``SteppingEnded``.
    """

    STEP = "step"
    STEP_INTO = "step_into"
    STEP_OUT = "step_out"
    STEP_BACK = "step_back"
    CONTINUE = "continue"
    REVERSE_CONTINUE = "reverse_continue"
    GO_TO = "go_to"
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
        node: name of the node to run to, for ``RUN_TO`` and ``GO_TO``.
        graph: the graph that holds ``node``.
        granularity: how far ``STEP``, ``STEP_OUT`` and ``STEP_BACK`` go.
    """

    session: int
    action: StepAction
    node: str = ""
    graph: GraphKind | None = None
    granularity: Granularity = Granularity.NODE


class SetBreakpoints(Request, frozen=True, kw_only=True):
    """Replace the breakpoints of a session, also while it runs; not answered.

    Attributes:
        session: the stepping session.
        breakpoints: graph kind to names of nodes to stop before.
        points: further breakpoints. A mismatch always stops, unless a disabled ``MISMATCH`` is among them.
    """

    session: int
    breakpoints: dict[GraphKind, list[str]] = {}
    points: list[Breakpoint] = []


class SetWatches(Request, frozen=True, kw_only=True):
    """Replace the watch expressions; answered by ``Watched``, and every later ``Stepped`` brings them.

    An expression sees the values of executed nodes by name (those of the current graph first), ``value`` (of the last
    executed node), ``torch`` and ``math``.
    """

    session: int
    expressions: list[str]


class Watched(Event, frozen=True, kw_only=True):
    """What the watch expressions give where the session stands."""

    session: int
    watches: list[WatchValue]


class ReplaceValue(Request, frozen=True, kw_only=True):
    """Replace the value of an executed node and go back to right after it.

    Everything computed after it is void. Answered by ``Stepped(EDITED)``, or by one with a ``note`` that says why not.

    Attributes:
        session: the stepping session.
        graph: which graph.
        node: index of the node.
        replacement: by what.
        item: which item of a tuple.
    """

    session: int
    graph: GraphKind
    node: int
    replacement: Replacement
    item: int = 0


class RestoreValue(Request, frozen=True, kw_only=True):
    """Take edits back, and go back to right after the first of their nodes that was executed; answered as an edit is.

    Attributes:
        session: the stepping session.
        graph: which graph; None for all edits.
        node: index of the node.
    """

    session: int
    graph: GraphKind | None = None
    node: int = 0


class SetReference(Request, frozen=True, kw_only=True):
    """Switch the float64 run beside the session on or off; answered by ``Stepped`` once it has caught up."""

    session: int
    enabled: bool


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
        at: the value as it stood before the node with this index ran; -1 for as it stands at the session's position.
        inside: 0 for a node of ``graph``, n for one of the n-th nested graph that the session stands in.
    """

    request: int
    session: int
    graph: GraphKind
    node: int
    item: int = 0
    index: tuple[int, ...] = ()
    row: int = 0
    column: int = 0
    at: int = -1
    inside: int = 0


class StopReason(StrEnum):
    """Why stepping stopped.

    ``BREAKPOINT`` comes with ``Stepped.hits``; ``REACHED`` is the aim of ``RUN_TO`` and ``GO_TO``; ``ENTRY`` is also
    where going back ends.
    """

    ENTRY = "entry"
    STEP = "step"
    BREAKPOINT = "breakpoint"
    REACHED = "reached"
    PAUSED = "paused"
    NONFINITE = "nonfinite"
    MISMATCH = "mismatch"
    EDITED = "edited"
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
        frontier: for each graph how many of its nodes have been executed; more than ``node`` after going back.
        voided: for each graph the index from which on what was executed before is void; comes before ``executed``.
        hits: the breakpoints that stopped it.
        logs: log messages since the last ``Stepped``.
        watches: the watch expressions, at a stop.
        mutated: writes into values computed before, since the last ``Stepped``.
        edits: all values that are replaced.
        differences: with edits, how far values are from the unmodified run, since the last ``Stepped``.
        errors: with a reference, how far values are from float64, since the last ``Stepped``.
        frames: nested graphs that it stands in, outermost first; then ``node`` is the node around them.
        note: a sentence about what was asked for and could not be done, or empty.
        kept_bytes: of values kept for going back.
        dropped: number of values that would have to be computed again.
    """

    session: int
    region: int
    graph: GraphKind
    node: int
    reason: StopReason
    executed: dict[GraphKind, list[ValueStats]] = {}
    problem: Problem | None = None
    restarted: bool = False
    frontier: dict[GraphKind, int] = {}
    voided: dict[GraphKind, int] = {}
    hits: list[BreakpointHit] = []
    logs: list[BreakpointHit] = []
    watches: list[WatchValue] = []
    mutated: dict[GraphKind, list[Mutation]] = {}
    edits: list[Edit] = []
    differences: dict[GraphKind, list[NodeError]] = {}
    errors: dict[GraphKind, list[NodeError]] = {}
    frames: list[NestedFrame] = []
    note: str = ""
    kept_bytes: int = 0
    dropped: int = 0


class SteppingEnded(Event, frozen=True, kw_only=True):
    """A session's thread has ended. Where this does not come, a node does not return: end the engine's process."""

    session: int


class ValueRead(Event, frozen=True, kw_only=True):
    """A slice of a value, or a sentence in ``value.text`` why there is none."""

    request: int
    graph: GraphKind
    value: ValueSlice
