"""Builds every view and connects it to the session and the controller: the one place where they meet."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject, Signal

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.docks import DockSpec, Place
from aotgui.gui.app.scrolling_panel import ScrollingPanel
from aotgui.gui.app.search_dimming import SearchDimming
from aotgui.gui.canvas.canvas_pane import CanvasPane
from aotgui.gui.canvas.layout_process import LayoutProcess
from aotgui.gui.canvas.nested_following import NestedFollowing
from aotgui.gui.canvas.network_panel import NetworkPanel
from aotgui.gui.panels.breakpoints_panel import BreakpointsPanel
from aotgui.gui.panels.cause_panel import CausePanel
from aotgui.gui.panels.code_pane import CodePane
from aotgui.gui.panels.compare_panel import ComparePanel
from aotgui.gui.panels.console_panel import ConsolePanel
from aotgui.gui.panels.culprit_panel import CulpritPanel
from aotgui.gui.panels.debugger_panel import DebuggerPanel
from aotgui.gui.panels.decisions_panel import DecisionsPanel
from aotgui.gui.panels.findings_panel import FindingsPanel
from aotgui.gui.panels.inputs_panel import InputsPanel
from aotgui.gui.panels.inspector import Inspector
from aotgui.gui.panels.log_panel import LogPanel
from aotgui.gui.panels.memory_panel import MemoryPanel
from aotgui.gui.panels.outline_panel import OutlinePanel
from aotgui.gui.panels.partitions_panel import PartitionsPanel
from aotgui.gui.panels.policies_panel import PoliciesPanel
from aotgui.gui.panels.problems_panel import ProblemsPanel
from aotgui.gui.panels.result_panel import ResultPanel
from aotgui.gui.panels.saved_panel import SavedPanel
from aotgui.gui.panels.search_bar import SearchBar
from aotgui.gui.panels.source_pane import SourcePane
from aotgui.gui.panels.value_view import ValueView
from aotgui.gui.panels.values_panel import ValuesPanel
from aotgui.gui.panels.watch_panel import WatchPanel
from aotgui.gui.session.breakpoint_places import breakpoint_for
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.search import Search
from aotgui.gui.session.view_state import ViewState
from aotgui.model.capture import Problem, Severity
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StepAction

STEP_ACTIONS: Final = {
    StepAction.STEP: ActionId.STEP,
    StepAction.CONTINUE: ActionId.CONTINUE,
    StepAction.PAUSE: ActionId.PAUSE,
    StepAction.STEP_INTO: ActionId.STEP_INTO,
    StepAction.STEP_OUT: ActionId.STEP_OUT,
    StepAction.STEP_BACK: ActionId.STEP_BACK,
    StepAction.REVERSE_CONTINUE: ActionId.REVERSE_CONTINUE,
    StepAction.RUN_TO: ActionId.RUN_TO,
    StepAction.GO_TO: ActionId.GO_TO,
    StepAction.RUN_TO_NONFINITE: ActionId.RUN_TO_NONFINITE,
    StepAction.RESTART: ActionId.RESTART,
    StepAction.END: ActionId.END,
}
DEBUGGER_EXTRAS: Final = (ActionId.BREAKPOINT, ActionId.FIND_CAUSE, ActionId.GO_TO_ERROR, ActionId.REPLACE_VALUE)
"""Further buttons of the debugger's panel."""
VALUE_ACTIONS: Final = (ActionId.FIND_CAUSE, ActionId.REPLACE_VALUE, ActionId.SAVE_VALUE)
"""What the menu of a node offers for its value."""


class Views(QObject):
    """The canvases and panels.

    Signals:
        panel_wanted: name of a dock to bring to the front.
        notice: one sentence for the status bar.
        save_requested: (title, suggested name, filter, text) of a file that the person wants to save.

    Attributes:
        search: what is searched for in all graphs.
        search_bar: the line in which it is typed.
        layouts: lays large graphs out.
    """

    panel_wanted = Signal(str)
    notice = Signal(str)
    save_requested = Signal(str, str, str, str)

    def __init__(self, controller: Controller, actions: Actions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        session = self._session = controller.session
        self._controller = controller
        self._panes: list[CanvasPane] = []
        self._expands_to_reveal = True
        self.layouts = LayoutProcess(parent=self)
        self.layouts.trouble.connect(self.notice)
        self.inspector = Inspector(session)
        self.outline = OutlinePanel(session)
        self.source = SourcePane(session)
        self.debugger = DebuggerPanel(session)
        self.breakpoints = BreakpointsPanel(session)
        self.cause = CausePanel(session)
        self.value = ValueView(session)
        self.problems = ProblemsPanel(session)
        self.findings = FindingsPanel(session)
        self.saved = SavedPanel(session)
        self.memory = MemoryPanel(session)
        self.partitions = PartitionsPanel(session, controller.partitions)
        self.decisions = DecisionsPanel(session, controller.partitions)
        self.network = NetworkPanel(session)
        self.result = ResultPanel(session)
        self.compare = ComparePanel(session, controller.trials)
        self.culprit = CulpritPanel(session, controller.trials)
        self.search = Search(session, self)
        self.search_bar = SearchBar(session, self.search)
        extras = [actions[name] for name in DEBUGGER_EXTRAS]
        self._value_actions = [actions[name] for name in VALUE_ACTIONS]
        self.debugger.set_actions({step: actions[name] for step, name in STEP_ACTIONS.items()}, extras)
        self._connect()

    def dock_specs(self) -> list[DockSpec]:
        """The docks in their order."""
        session = self._session
        return [
            DockSpec("Inspector", "Inspector", self.inspector, Place.RIGHT),
            DockSpec("Outline", "Outline", self.outline, Place.RIGHT),
            DockSpec("Inputs", "Inputs", InputsPanel(session), Place.RIGHT),
            DockSpec("Source", "Source", self.source, Place.RIGHT_BELOW),
            DockSpec("Code", "Code", CodePane(session), Place.RIGHT_BELOW),
            DockSpec("MinCut", "Min-Cut", self.network, Place.RIGHT_BELOW),
            DockSpec("Debugger", "Debugger", ScrollingPanel(self.debugger), Place.BOTTOM),
            DockSpec("Breakpoints", "Breakpoints", ScrollingPanel(self.breakpoints), Place.BOTTOM),
            DockSpec("Watch", "Watch", WatchPanel(session), Place.BOTTOM),
            DockSpec("Log", "Log", LogPanel(session), Place.BOTTOM),
            DockSpec("Values", "Values", ValuesPanel(session), Place.BOTTOM_BESIDE),
            DockSpec("Value", "Value", self.value, Place.BOTTOM_BESIDE),
            DockSpec("Saved", "Saved", self.saved, Place.BOTTOM_BESIDE),
            DockSpec("Memory", "Memory", self.memory, Place.BOTTOM_BESIDE),
            DockSpec("Partitions", "Partitions", self.partitions, Place.BOTTOM_BESIDE),
            DockSpec("Result", "Result", self.result, Place.BOTTOM_BESIDE),
            DockSpec("Compare", "Compare", self.compare, Place.BOTTOM_BESIDE),
            DockSpec("Problems", "Problems", self.problems, Place.BOTTOM_BESIDE),
            DockSpec("Findings", "Findings", self.findings, Place.BOTTOM_BESIDE),
            DockSpec("Console", "Console", ConsolePanel(session), Place.BOTTOM_BESIDE),
            DockSpec("Cause", "Cause", self.cause, Place.BOTTOM_BESIDE, is_shown=False),
            DockSpec("WhatIf", "What If", self.decisions, Place.BOTTOM_BESIDE, is_shown=False),
            DockSpec("Policies", "Policies", PoliciesPanel(session), Place.BOTTOM_BESIDE, is_shown=False),
            DockSpec("Culprit", "Culprit", self.culprit, Place.BOTTOM_BESIDE, is_shown=False),
        ]

    def build_pane(self, kind: GraphKind, state: ViewState | None = None) -> CanvasPane:
        """The canvas of a graph; ``state`` is how it was looked at before."""
        pane = CanvasPane(self._session, kind, state, work=self.layouts.arrange)
        pane.expands_to_reveal = self._expands_to_reveal
        pane.value_actions = self._value_actions
        SearchDimming(self._session, self.search, pane)
        NestedFollowing(self._session, pane)
        pane.run_to_requested.connect(self._run_to)
        pane.go_to_requested.connect(self._go_to)
        pane.breakpoint_requested.connect(self._ask_breakpoint)
        pane.node_activated.connect(lambda _kind, _node: self.panel_wanted.emit("Inspector"))
        pane.layout_failed.connect(self._on_layout_failed)
        pane.decision_requested.connect(self.decide)
        self._panes.append(pane)
        return pane

    def set_expands_to_reveal(self, wanted: bool) -> None:
        """Whether modules open to show a node that is asked for."""
        self._expands_to_reveal = wanted
        for pane in self._panes:
            pane.expands_to_reveal = wanted

    def close(self) -> None:
        """Gives up layouts at work."""
        for pane in self._panes:
            pane.close_background()
        self.network.close_background()
        self.outline.close_background()
        self.layouts.close()

    def show_network(self) -> None:
        """Brings the min-cut network around the selected node to the front."""
        self.panel_wanted.emit("MinCut")

    def show_peak(self) -> None:
        """Brings the memory over time to the front and chooses its peak."""
        self.panel_wanted.emit("Memory")
        self.memory.choose_peak()

    def decide(self, names: list[str], decision: Decision | None) -> None:
        """Wants something for nodes of the joint graph, and shows what comes of it."""
        self.panel_wanted.emit("WhatIf")
        self._controller.partitions.decide(names, decision)

    def _connect(self) -> None:
        steps = self._controller.steps
        self.debugger.start_requested.connect(steps.start)
        self.source.notice.connect(self.notice)
        values = self._controller.values
        self.value.numbers.read_requested.connect(values.read)
        self.value.heat_map.plane_requested.connect(values.read_plane)
        self.value.histogram.histogram_requested.connect(values.read_histogram)
        for panel in (
            self.inspector,
            self.problems,
            self.findings,
            self.saved,
            self.breakpoints,
            self.cause,
            self.culprit,
        ):
            panel.source_requested.connect(self._show_place)
        self.inspector.network_requested.connect(self.show_network)
        self._session.problems_changed.connect(self._tell_problem)
        for table in (self.saved, self.compare):
            table.save_requested.connect(self.save_requested)

    def _tell_problem(self) -> None:
        """What goes wrong between runs, such as an engine that dies, is in no result: the status bar says it."""
        session = self._session
        is_between = session.region is not None and not session.progress.is_running
        if is_between and session.problems and session.problems[-1].severity is Severity.ERROR:
            self.notice.emit(session.problems[-1].message)

    def _show_place(self, file: str, line: int) -> None:
        self.source.show_place(file, line)
        self.panel_wanted.emit("Source")

    def _go_to(self, kind: GraphKind, node: int) -> None:
        graph = self._session.graph(kind)
        if graph is not None:
            self._controller.steps.perform(StepAction.GO_TO, kind, graph.names[node])

    def _ask_breakpoint(self, kind: GraphKind, node: int) -> None:
        """A breakpoint on a node, with a condition or a message."""
        for point in breakpoint_for(self._session, kind, node):
            self.breakpoints.ask(point)

    def _run_to(self, kind: GraphKind, node: int) -> None:
        graph = self._session.graph(kind)
        if graph is not None:
            self._controller.steps.perform(StepAction.RUN_TO, kind, graph.names[node])

    def _on_layout_failed(self, kind: GraphKind, reason: str) -> None:
        message = f"The {kind} graph could not be laid out, so it is not drawn."
        self._session.add_problem(Problem(severity=Severity.ERROR, stage="layout", message=message, details=reason))
