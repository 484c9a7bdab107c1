"""The debugger's side of a stepping session: what a person asks for, and where the engine stands."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, QTimer

from aotgui.gui.session.breakpoint_places import first_operator, stops_at_input
from aotgui.gui.session.debug_state import DebugOptions
from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.session import Session, SteppingState
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Replacement
from aotgui.protocol.messages import (
    AnyEvent,
    EngineProblem,
    ReplaceValue,
    Request,
    RestoreValue,
    SetBreakpoints,
    SetReference,
    SetWatches,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    SteppingEnded,
    StopReason,
    Watched,
)

END_SECONDS: Final = 2.5
"""How long a session that was told to end may take: a node that does not return by then does not return at all."""
KILLED: Final = (
    "An operator did not return when the debugger was told to end, so the engine was ended. Run again to step on."
)
_BEGINS: Final = frozenset({StepAction.STEP, StepAction.STEP_INTO, StepAction.RESTART})
"""What does no more than begin where there is no session yet."""
_NEEDS_SESSION: Final = frozenset(
    {StepAction.PAUSE, StepAction.STEP_BACK, StepAction.STEP_OUT, StepAction.REVERSE_CONTINUE}
)
_AIMED: Final = frozenset({StepAction.RUN_TO, StepAction.GO_TO})
_WHILE_RUNNING: Final = frozenset({StepAction.PAUSE, StepAction.RESTART})


class StepControl(QObject):
    """Starts and drives stepping sessions; what comes from an older session is dropped.

    Attributes:
        session_id: of the session under way, or of the one before.
    """

    def __init__(self, session: Session, pool: EnginePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pool = pool
        self.session_id = 0
        self._pending: Step | None = None
        self._is_passing_inputs = False
        self._told: DebugOptions | None = None
        self._deadline = QTimer(self, interval=int(END_SECONDS * 1000), singleShot=True)
        self._deadline.timeout.connect(self._on_deadline)
        session.breakpoints.changed.connect(self._on_breakpoints_changed)
        session.debug.options_changed.connect(self._on_options_changed)
        session.debug.watches_changed.connect(self._on_watches_changed)
        self._watched = session.debug.expressions

    # --- What a person wants ----------------------------------------------------------------------------------

    def start(self, graph: GraphKind | None = None) -> None:
        """Begins stepping, by default of the graph shown or else the first that runs.

        The first stop is before the first operator: there is nothing to see while dozens of inputs are taken.
        """
        kind, session = graph or self._default_graph(), self._session
        if session.engine_obstacle or session.graph(kind) is None or kind is None:
            return
        self._begin_session()
        session.clear_values()
        session.debug.clear()
        session.breakpoints.forget_hits()
        session.set_stepping(SteppingState(active=True, running=True, graph=kind, node=0))
        self._told, self._watched = session.debug.options, session.debug.expressions
        self._send(
            StartStepping(
                session=self.session_id,
                region=session.region_index,
                graph=kind,
                points=list(session.breakpoints.points),
                watches=list(session.debug.expressions),
                reference=session.debug.options.reference,
                memory_limit_bytes=session.debug.options.memory_limit_bytes,
            )
        )

    def perform(self, action: StepAction, graph: GraphKind | None = None, node: str = "") -> None:
        """Tells the session what to do; without a session it begins one first.

        Args:
            action: what to do.
            graph: the graph that holds ``node``; the joint graph stands for whichever half runs it.
            node: name of the node to run or to go to.
        """
        if node and graph is GraphKind.JOINT:
            graph, node = self._in_a_half(node)
        if action in _AIMED and (not node or graph is None):
            return
        if action is StepAction.END:
            self._end()
        elif self._has_session():
            self._perform(self._step(action, graph, node))
        elif action not in _NEEDS_SESSION:
            self.start(graph)
            if self._has_session() and action not in _BEGINS:
                self._pending = self._step(action, graph, node)

    def replace(self, graph: GraphKind, node: int, replacement: Replacement, item: int = 0) -> None:
        """Replaces the value of an executed node; everything computed after it is void."""
        if self._session.stepping.active:
            self._send(
                ReplaceValue(session=self.session_id, graph=graph, node=node, replacement=replacement, item=item)
            )

    def restore(self, graph: GraphKind | None = None, node: int = 0) -> None:
        """Takes back what replaced the value of a node, or without a graph everything that was replaced."""
        if self._session.stepping.active:
            self._send(RestoreValue(session=self.session_id, graph=graph, node=node))

    def reset(self) -> None:
        """The graphs or the engine are others: there is no session any more."""
        self._deadline.stop()
        self._begin_session()
        self._session.set_stepping(SteppingState())

    def close(self) -> None:
        """Waits for nothing any more."""
        self._deadline.stop()

    # --- What the engine says ---------------------------------------------------------------------------------

    def handle(self, event: AnyEvent) -> None:
        """Takes an event of the engine; those of other sessions are dropped."""
        match event:
            case Stepped(session=self.session_id):
                self._on_stepped(event)
            case Watched(session=self.session_id, watches=watches):
                self._session.debug.set_watches(watches)
            case SteppingEnded(session=ended):
                self._deadline.stop()
                if ended == self.session_id and self._has_session():
                    self.reset()  # the engine says why it ended by itself
            case EngineProblem(problem=problem) if problem.stage == "step" and self._waits_for_entry:
                self.reset()  # the engine of a run that failed has nothing to step through

    @property
    def _waits_for_entry(self) -> bool:
        stepping = self._session.stepping
        return stepping.active and stepping.reason is None

    def _has_session(self) -> bool:
        return self._session.stepping.active

    def _step(self, action: StepAction, graph: GraphKind | None, node: str) -> Step:
        granularity = self._session.debug.options.granularity
        return Step(session=self.session_id, action=action, node=node, graph=graph, granularity=granularity)

    def _begin_session(self) -> None:
        self.session_id += 1
        self._pending = None
        self._is_passing_inputs = False

    def _perform(self, step: Step) -> None:
        if self._session.stepping.running and step.action not in _WHILE_RUNNING:
            return
        self._send(step)

    def _end(self) -> None:
        if self._session.stepping.active:
            self._send(Step(session=self.session_id, action=StepAction.END))
            self.reset()
            self._deadline.start()

    def _on_deadline(self) -> None:
        """A node holds the engine and will not let go: another engine takes its place."""
        self._pool.replace_current(ask=False)
        self._session.add_problem(Problem(severity=Severity.WARNING, stage="step", message=KILLED))

    def _on_stepped(self, event: Stepped) -> None:
        session = self._session
        if event.restarted:
            session.clear_values()
            session.debug.void()
            session.debug.clear_log()
            session.breakpoints.forget_hits()
        for kind, first in event.voided.items():
            session.void_values(kind, first)
            session.debug.void(kind, first)
        session.add_values(event.executed)
        session.debug.take(event)
        session.breakpoints.count([*event.hits, *event.logs])
        is_elsewhere = event.reason is StopReason.ENTRY or event.graph is not session.stepping.graph
        reason = self._pass_inputs(event)
        running = reason is StopReason.RUNNING
        session.set_stepping(
            SteppingState(
                active=session.stepping.active,
                running=running,
                graph=event.graph,
                node=event.node,
                reason=reason,
                problem=event.problem,
            )
        )
        if event.problem:
            session.add_problem(event.problem)
        # The joint graph shows both halves: who looks at it need not be taken elsewhere.
        if is_elsewhere and session.graph_shown is not GraphKind.JOINT:
            session.show_graph(event.graph)
        if not running:
            self._send_pending()

    def _pass_inputs(self, event: Stepped) -> StopReason:
        """Goes on from the entry of a graph to its first operator; why it stands where it does, for a person."""
        if self._is_passing_inputs:
            self._is_passing_inputs = event.reason is StopReason.RUNNING
            return StopReason.ENTRY if event.reason is StopReason.REACHED else event.reason
        graph = self._session.graph(event.graph)
        if event.reason is not StopReason.ENTRY or self._pending or graph is None:
            return event.reason
        first = first_operator(graph)
        has_been_there = event.frontier.get(event.graph, 0) >= first
        if has_been_there or not event.node < first < len(graph) or stops_at_input(self._session, graph, first):
            return event.reason
        self._is_passing_inputs = True
        name = graph.names[first]
        self._send(Step(session=self.session_id, action=StepAction.RUN_TO, node=name, graph=event.graph))
        return StopReason.RUNNING

    def _send_pending(self) -> None:
        pending, self._pending = self._pending, None
        if pending:
            self._send(pending)

    # --- What changed in the session --------------------------------------------------------------------------

    def _on_breakpoints_changed(self) -> None:
        if self._session.stepping.active:
            self._send(SetBreakpoints(session=self.session_id, points=list(self._session.breakpoints.points)))

    def _on_options_changed(self) -> None:
        options, told = self._session.debug.options, self._told
        self._told = options
        if self._session.stepping.active and told is not None and told.reference != options.reference:
            self._send(SetReference(session=self.session_id, enabled=options.reference))

    def _on_watches_changed(self) -> None:
        expressions = self._session.debug.expressions
        if self._session.stepping.active and expressions != self._watched:
            self._watched = expressions
            self._send(SetWatches(session=self.session_id, expressions=list(expressions)))

    def _default_graph(self) -> GraphKind | None:
        region = self._session.region
        kinds = (self._session.graph_shown, GraphKind.FORWARD, GraphKind.INFERENCE)
        return next((kind for kind in kinds if region and kind in region.graphs and kind is not GraphKind.JOINT), None)

    def _in_a_half(self, node: str) -> tuple[GraphKind | None, str]:
        """Where a node of the joint graph runs first: its half and name, or None."""
        region, joint = self._session.region, self._session.graph(GraphKind.JOINT)
        if region is None or joint is None or node not in joint.index_of:
            return None, ""
        copies = region.counterparts(GraphKind.JOINT, joint.index_of[node])
        for half in (GraphKind.FORWARD, GraphKind.BACKWARD):
            if copies.get(half):
                return half, region.graphs[half].names[copies[half][0]]
        return None, ""

    def _send(self, request: Request) -> None:
        if self._pool.current:
            self._pool.current.send(request)
