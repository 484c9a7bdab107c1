"""The debugger's side of a stepping session: what a person asks for, and where the engine stands."""

from __future__ import annotations

from PySide6.QtCore import QObject

from aotgui.gui.session.engine_pool import EnginePool
from aotgui.gui.session.session import Session, SteppingState
from aotgui.model.graph import Graph, GraphKind, Op
from aotgui.protocol.messages import (
    AnyEvent,
    EngineProblem,
    ReadValue,
    Request,
    SetBreakpoints,
    StartStepping,
    Step,
    StepAction,
    Stepped,
    StopReason,
    ValueRead,
)


class StepControl(QObject):
    """Starts and drives stepping sessions and reads values; what answers an older request is dropped."""

    def __init__(self, session: Session, pool: EnginePool, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._pool = pool
        self._stepping = 0
        self._request = 0
        self._pending: Step | None = None
        self._is_passing_inputs = False
        session.breakpoints_changed.connect(self._on_breakpoints_changed)

    def start(self, graph: GraphKind | None = None) -> None:
        """Begins stepping, by default of the graph shown or else the first that runs.

        The first stop is before the first operator: there is nothing to see while dozens of inputs are taken.
        """
        kind = graph or self._default_graph()
        if self._session.is_stored or self._session.graph(kind) is None or kind is None:
            return
        self._stepping += 1
        self._pending = None
        self._is_passing_inputs = False
        self._session.clear_values()
        self._session.set_stepping(SteppingState(active=True, running=True, graph=kind, node=0))
        self._send(
            StartStepping(
                session=self._stepping,
                region=self._session.region_index,
                graph=kind,
                breakpoints=self._breakpoints(),
            )
        )

    def perform(self, action: StepAction, graph: GraphKind | None = None, node: str = "") -> None:
        """Tells the session what to do; without a session it begins one first.

        Args:
            action: what to do.
            graph: the graph that holds ``node``; the joint graph stands for whichever half runs it.
            node: name of the node to run to.
        """
        if node and graph is GraphKind.JOINT:
            graph, node = self._in_a_half(node)
        if action is StepAction.RUN_TO and (not node or graph is None):
            return
        stepping = self._session.stepping
        if action is StepAction.END:
            self._end()
        elif stepping.active:
            self._perform(Step(session=self._stepping, action=action, node=node, graph=graph))
        elif action is not StepAction.PAUSE:
            self.start(graph)
            if self._session.stepping.active and action not in {StepAction.STEP, StepAction.RESTART}:
                self._pending = Step(session=self._stepping, action=action, node=node, graph=graph)

    def read_value(
        self, graph: GraphKind, node: int, item: int = 0, index: tuple[int, ...] = (), row: int = 0, column: int = 0
    ) -> None:
        """Asks for a slice of a computed value; ``Session.value_read`` brings it."""
        if not self._session.stepping.active:
            return
        self._request += 1
        self._send(
            ReadValue(
                request=self._request,
                session=self._stepping,
                graph=graph,
                node=node,
                item=item,
                index=index,
                row=row,
                column=column,
            )
        )

    def reset(self) -> None:
        """The graphs or the engine are others: there is no session any more."""
        self._stepping += 1
        self._pending = None
        self._is_passing_inputs = False
        self._session.set_stepping(SteppingState())

    def handle(self, event: AnyEvent) -> None:
        """Takes an event of the engine; those of other sessions and older requests are dropped."""
        match event:
            case Stepped(session=self._stepping):
                self._on_stepped(event)
            case ValueRead(request=self._request, graph=graph, value=value):
                self._session.add_slice(graph, value)
            case EngineProblem(problem=problem) if problem.stage == "step" and self._waits_for_entry:
                self.reset()  # the engine of a run that failed has nothing to step through

    @property
    def _waits_for_entry(self) -> bool:
        stepping = self._session.stepping
        return stepping.active and stepping.reason is None

    def _perform(self, step: Step) -> None:
        stepping = self._session.stepping
        if stepping.running and step.action in {StepAction.STEP, StepAction.CONTINUE, StepAction.RUN_TO}:
            return
        self._send(step)

    def _end(self) -> None:
        if self._session.stepping.active:
            self._send(Step(session=self._stepping, action=StepAction.END))
            self.reset()

    def _on_stepped(self, event: Stepped) -> None:
        session = self._session
        if event.restarted:
            session.clear_values()
        session.add_values(event.executed)
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
        first = _first_operator(graph)
        stops = self._breakpoints().get(event.graph, ())
        if not event.node < first < len(graph) or any(graph.index_of.get(name, first) < first for name in stops):
            return event.reason
        self._is_passing_inputs = True
        self._send(Step(session=self._stepping, action=StepAction.RUN_TO, node=graph.names[first], graph=event.graph))
        return StopReason.RUNNING

    def _send_pending(self) -> None:
        pending, self._pending = self._pending, None
        if pending:
            self._send(pending)

    def _on_breakpoints_changed(self) -> None:
        if self._session.stepping.active:
            self._send(SetBreakpoints(session=self._stepping, breakpoints=self._breakpoints()))

    def _breakpoints(self) -> dict[GraphKind, list[str]]:
        """Breakpoints by the graphs that run; one set in the joint graph counts in each half that has the node."""
        region = self._session.region
        names: dict[GraphKind, set[str]] = {}
        if region is None:
            return {}
        for kind, marked in self._session.breakpoints.items():
            graph = region.graphs.get(kind)
            if kind is not GraphKind.JOINT:
                names.setdefault(kind, set()).update(marked)
            elif graph is not None:
                for node in (graph.index_of[name] for name in marked if name in graph.index_of):
                    for half, copies in region.counterparts(kind, node).items():
                        if half is not kind:
                            names.setdefault(half, set()).update(region.graphs[half].names[copy] for copy in copies)
        return {kind: sorted(marked) for kind, marked in names.items()}

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


def _first_operator(graph: Graph) -> int:
    """Index of the first node that computes something; the number of nodes where none does."""
    given = {Op.PLACEHOLDER, Op.GET_ATTR}
    return next((node for node, op in enumerate(graph.ops) if op not in given), len(graph))
