"""What a stepping session told beyond where it stands and what it executed.

Errors against the reference, differences of a what-if, writes into values, watches, log messages, edits, nested
graphs, and the answers to questions about single values.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec
from PySide6.QtCore import QObject, Signal

from aotgui.model.breakpoint import BreakpointHit
from aotgui.model.cause import Cause
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Edit, Granularity, Mutation, NestedFrame, NodeError, WatchValue
from aotgui.model.values import Histogram, ValuePlane
from aotgui.protocol.messages import Stepped, StopReason, ValueSaved
from aotgui.protocol.step_messages import DEFAULT_MEMORY_LIMIT_BYTES


class DebugOptions(msgspec.Struct, frozen=True):
    """How one steps.

    Attributes:
        granularity: how far one step goes.
        reference: whether the graph also runs in float64 beside it.
        memory_limit_bytes: of the values kept for going back.
    """

    granularity: Granularity = Granularity.NODE
    reference: bool = False
    memory_limit_bytes: int = DEFAULT_MEMORY_LIMIT_BYTES


class LogLine(msgspec.Struct, frozen=True):
    """Something a breakpoint said.

    Attributes:
        number: from 1, in the order in which they were said.
        hit: what it said, and where.
    """

    number: int
    hit: BreakpointHit


class InnerNode(msgspec.Struct, frozen=True):
    """A node of a nested graph that the session stands in.

    Attributes:
        kind: the graph around it all.
        inside: of the n-th nested graph, from 1.
        node: its index there.
    """

    kind: GraphKind
    inside: int
    node: int


class Stop(msgspec.Struct, frozen=True):
    """More about where the session stands.

    Attributes:
        hits: the breakpoints that stopped it.
        frames: nested graphs that it stands in, outermost first.
        note: a sentence about what could not be done, or empty.
        kept_bytes: of values kept for going back.
        dropped: number of values that would be computed again.
        frontier: for each graph how many of its nodes have been executed.
    """

    hits: tuple[BreakpointHit, ...] = ()
    frames: tuple[NestedFrame, ...] = ()
    note: str = ""
    kept_bytes: int = 0
    dropped: int = 0
    frontier: dict[GraphKind, int] = {}


class DebugState(QObject):
    """The debugger's memory, for views to read.

    Signals:
        options_changed: ``options`` changed.
        stop_changed: ``stop`` changed.
        errors_changed: (graph, nodes) have another error; with an empty list all of that graph may.
        differences_changed: likewise for differences.
        log_changed: ``log`` changed.
        watches_changed: ``expressions`` or ``watches`` changed.
        edits_changed: ``edits`` changed.
        mutations_changed: ``mutations`` changed.
        plane_read: (graph, ``ValuePlane``) arrived.
        histogram_read: (graph, ``Histogram``) arrived.
        value_saved: a ``ValueSaved`` arrived.
        cause_changed: ``cause`` changed.
        inner_changed: ``inner`` changed.
    """

    options_changed = Signal()
    stop_changed = Signal()
    errors_changed = Signal(object, object)
    differences_changed = Signal(object, object)
    log_changed = Signal()
    watches_changed = Signal()
    edits_changed = Signal()
    mutations_changed = Signal()
    plane_read = Signal(object, object)
    histogram_read = Signal(object, object)
    value_saved = Signal(object)
    cause_changed = Signal()
    inner_changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._options = DebugOptions()
        self._stop = Stop()
        self._errors: dict[GraphKind, dict[int, NodeError]] = {}
        self._differences: dict[GraphKind, dict[int, NodeError]] = {}
        self._mutations: dict[GraphKind, list[Mutation]] = {}
        self._log: list[LogLine] = []
        self._expressions: tuple[str, ...] = ()
        self._watches: dict[str, WatchValue] = {}
        self._edits: tuple[Edit, ...] = ()
        self._cause: tuple[GraphKind, int, Cause] | None = None
        self._inner: InnerNode | None = None

    # --- Read -------------------------------------------------------------------------------------------------

    @property
    def options(self) -> DebugOptions:
        """How one steps."""
        return self._options

    @property
    def stop(self) -> Stop:
        """More about where the session stands."""
        return self._stop

    def errors(self, kind: GraphKind) -> dict[int, NodeError]:
        """Errors against the reference run, by node. Do not change."""
        return self._errors.get(kind, {})

    def differences(self, kind: GraphKind) -> dict[int, NodeError]:
        """Differences to the run without edits, by node. Do not change."""
        return self._differences.get(kind, {})

    def mutations(self, kind: GraphKind) -> list[Mutation]:
        """Writes into values, in their order. Do not change."""
        return self._mutations.get(kind, [])

    @property
    def log(self) -> list[LogLine]:
        """What breakpoints said. Do not change."""
        return self._log

    @property
    def expressions(self) -> tuple[str, ...]:
        """The watch expressions."""
        return self._expressions

    @property
    def watches(self) -> list[WatchValue]:
        """What the watch expressions gave at the last stop; one that was not evaluated yet has an empty text."""
        return [self._watches.get(text, WatchValue(expression=text, text="")) for text in self._expressions]

    @property
    def edits(self) -> tuple[Edit, ...]:
        """All values that are replaced."""
        return self._edits

    @property
    def cause(self) -> tuple[GraphKind, int, Cause] | None:
        """Graph and node of the last question where a NaN comes from, and its answer."""
        return self._cause

    @property
    def inner(self) -> InnerNode | None:
        """What is selected in a nested graph, if that is where one looks."""
        return self._inner

    # --- Written by a person ----------------------------------------------------------------------------------

    def set_options(self, options: DebugOptions) -> None:
        """Steps otherwise from now on."""
        if options != self._options:
            self._options = options
            self.options_changed.emit()

    def set_inner(self, inner: InnerNode | None) -> None:
        """Looks at a node of a nested graph, or at none any more."""
        if inner != self._inner:
            self._inner = inner
            self.inner_changed.emit()

    def set_expressions(self, expressions: Iterable[str]) -> None:
        """Watches these, each once."""
        wanted = tuple(dict.fromkeys(text.strip() for text in expressions if text.strip()))
        if wanted != self._expressions:
            self._expressions = wanted
            self.watches_changed.emit()

    # --- Written by the engine --------------------------------------------------------------------------------

    def clear(self) -> None:
        """There is no session: everything is void but options and watch expressions."""
        self.void()
        self._watches = {}
        self.watches_changed.emit()
        self._set_stop(Stop())
        self._set_edits(())
        self.clear_log()
        self.set_cause(None)

    def clear_log(self) -> None:
        """Forgets what was said."""
        if self._log:
            self._log = []
            self.log_changed.emit()

    def void(self, kind: GraphKind | None = None, first: int = 0) -> None:
        """What was told of the nodes of a graph (None: of all graphs) from an index on does not hold any more."""
        for graph in [kind] if kind else list(GraphKind):
            for facts, changed in (
                (self._errors, self.errors_changed),
                (self._differences, self.differences_changed),
            ):
                if any(node >= first for node in facts.get(graph, ())):
                    facts[graph] = {node: fact for node, fact in facts[graph].items() if node < first}
                    changed.emit(graph, [])
            if any(write.node >= first for write in self._mutations.get(graph, ())):
                self._mutations[graph] = [write for write in self._mutations[graph] if write.node < first]
                self.mutations_changed.emit()

    def take(self, event: Stepped) -> None:
        """Takes what a report brings; void what it voids before."""
        self._add(self._errors, event.errors)
        self._add(self._differences, event.differences)
        for kind, writes in event.mutated.items():
            self._mutations.setdefault(kind, []).extend(writes)
        if event.mutated:
            self.mutations_changed.emit()
        if event.logs:
            self._log += [LogLine(number, hit) for number, hit in enumerate(event.logs, start=len(self._log) + 1)]
            self.log_changed.emit()
        if event.reason is not StopReason.RUNNING:
            self._set_edits(tuple(event.edits))
            self.set_watches(event.watches)
        self._set_stop(
            Stop(tuple(event.hits), tuple(event.frames), event.note, event.kept_bytes, event.dropped, event.frontier)
        )
        for kind, errors in event.errors.items():
            self.errors_changed.emit(kind, [error.node for error in errors])
        for kind, errors in event.differences.items():
            self.differences_changed.emit(kind, [error.node for error in errors])

    def set_watches(self, watches: Iterable[WatchValue]) -> None:
        """What the watch expressions give where the session stands."""
        given = {watch.expression: watch for watch in watches}
        if given != self._watches:
            self._watches = given
            self.watches_changed.emit()

    def set_cause(self, cause: tuple[GraphKind, int, Cause] | None) -> None:
        """Where the NaN of a node comes from."""
        self._cause = cause
        self.cause_changed.emit()

    def add_plane(self, kind: GraphKind, plane: ValuePlane) -> None:
        """A picture of a value arrived; it is shown, not kept."""
        self.plane_read.emit(kind, plane)

    def add_histogram(self, kind: GraphKind, histogram: Histogram) -> None:
        """A distribution arrived; it is shown, not kept."""
        self.histogram_read.emit(kind, histogram)

    def tell_saved(self, event: ValueSaved) -> None:
        """A value was written to a file, or not."""
        self.value_saved.emit(event)

    def _add(self, facts: dict[GraphKind, dict[int, NodeError]], told: dict[GraphKind, list[NodeError]]) -> None:
        for kind, errors in told.items():
            facts.setdefault(kind, {}).update((error.node, error) for error in errors)

    def _set_stop(self, stop: Stop) -> None:
        if stop == self._stop:
            return
        self._stop = stop
        if self._inner is not None and len(stop.frames) < self._inner.inside:
            self.set_inner(None)
        self.stop_changed.emit()

    def _set_edits(self, edits: tuple[Edit, ...]) -> None:
        if edits != self._edits:
            self._edits = edits
            self.edits_changed.emit()
