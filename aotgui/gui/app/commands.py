"""Connects every action to what it does and enables it while it can be done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.state import NO_ENGINE, TargetChoice
from aotgui.model.graph import GraphKind
from aotgui.protocol.messages import StepAction, StopReason

_STEPS = {
    ActionId.CONTINUE: StepAction.CONTINUE,
    ActionId.PAUSE: StepAction.PAUSE,
    ActionId.STEP: StepAction.STEP,
    ActionId.STEP_INTO: StepAction.STEP_INTO,
    ActionId.STEP_OUT: StepAction.STEP_OUT,
    ActionId.STEP_BACK: StepAction.STEP_BACK,
    ActionId.REVERSE_CONTINUE: StepAction.REVERSE_CONTINUE,
    ActionId.RUN_TO_NONFINITE: StepAction.RUN_TO_NONFINITE,
    ActionId.RESTART: StepAction.RESTART,
    ActionId.END: StepAction.END,
}
_NEED_SCRIPT = (ActionId.RUN, ActionId.CHOOSE_TARGET)
_NEED_ENGINE = (
    *_STEPS,
    ActionId.RUN_TO,
    ActionId.GO_TO,
    ActionId.EXPORT_FORWARD,
    ActionId.EXPORT_BACKWARD,
)
_GRAPHS = {
    ActionId.SHOW_JOINT: GraphKind.JOINT,
    ActionId.SHOW_FORWARD: GraphKind.FORWARD,
    ActionId.SHOW_BACKWARD: GraphKind.BACKWARD,
}


class Commands(QObject):
    """Actions that need nothing but the controller; the window connects those that need a dialog."""

    def __init__(self, actions: Actions, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = actions
        self._explained: dict[ActionId, str] = {}
        self._controller = controller
        self._session = session = controller.session
        self._connect(ActionId.RUN, controller.run)
        self._connect(ActionId.STOP, controller.stop)
        self._connect(ActionId.RELOAD, controller.reload)
        self._connect(ActionId.FINISH_RECORDING, controller.finish_recording)
        for name, aimed in ((ActionId.RUN_TO, StepAction.RUN_TO), (ActionId.GO_TO, StepAction.GO_TO)):
            self._connect(name, partial(self._aim_at_selected, aimed))
        for name, step in _STEPS.items():
            self._connect(name, partial(controller.steps.perform, step))
        for name, kind in _GRAPHS.items():
            self._connect(name, partial(session.show_graph, kind))
        for signal in (
            session.source_changed,
            session.progress_changed,
            session.capture_changed,
            session.result_changed,
            session.selection_changed,
            session.stepping_changed,
            session.offer_changed,
            session.choice_changed,
            session.recording_changed,
        ):
            signal.connect(self.refresh)
        controller.exporting_changed.connect(self.refresh)
        controller.trials.working_changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enables what can be done now."""
        obstacles = self._obstacles()
        for name, can in self._possible().items():
            self._actions[name].setEnabled(can and not obstacles.get(name))
        for name, obstacle in obstacles.items():
            if obstacle != self._explained.get(name, ""):
                self._explained[name] = obstacle
                self._actions.explain(name, obstacle)

    def _obstacles(self) -> dict[ActionId, str]:
        """Why there is no engine for an action; empty where there is one."""
        without_script = NO_ENGINE if self._session.is_stored else ""
        needs_script = dict.fromkeys(_NEED_SCRIPT, without_script)
        return needs_script | dict.fromkeys(_NEED_ENGINE, self._session.engine_obstacle)

    def _possible(self) -> dict[ActionId, bool]:
        session = self._session
        region, stepping = session.region, session.stepping
        is_running = session.progress.is_running
        can_step = region is not None and not is_running
        is_standing = can_step and not stepping.running
        is_stopped = is_standing and stepping.reason is not StopReason.FINISHED
        can_go_back = is_standing and stepping.active and (stepping.node > 0 or stepping.graph is GraphKind.BACKWARD)
        has_choice = session.offer is not None or session.choice != TargetChoice()
        has_node = session.selection.current >= 0
        exportable = {GraphKind.FORWARD, GraphKind.INFERENCE} & set(region.graphs if region else ())
        possible = {
            ActionId.RUN: bool(session.source) and not is_running,
            ActionId.CHOOSE_TARGET: has_choice and not is_running,
            ActionId.FINISH_RECORDING: is_running and session.recording is not None,
            ActionId.RELOAD: bool(session.source),
            ActionId.CLOSE: bool(session.source),
            ActionId.STOP: is_running or stepping.running or self._is_engine_asked(),
            ActionId.CONTINUE: is_stopped,
            ActionId.STEP: is_stopped,
            ActionId.STEP_INTO: is_stopped,
            ActionId.STEP_OUT: is_stopped and stepping.active,
            ActionId.STEP_BACK: can_go_back,
            ActionId.REVERSE_CONTINUE: can_go_back,
            ActionId.RUN_TO: is_standing and has_node,
            ActionId.GO_TO: is_standing and has_node,
            ActionId.RUN_TO_NONFINITE: is_stopped,
            ActionId.PAUSE: stepping.running,
            ActionId.RESTART: can_step and stepping.active,
            ActionId.END: stepping.active,
            ActionId.FIND: region is not None,
            ActionId.FIND_NEXT: region is not None,
            ActionId.FIND_PREVIOUS: region is not None,
            ActionId.SAVE_CAPTURE: region is not None,
            ActionId.EXPORT_SVG: region is not None,
            ActionId.EXPORT_PNG: region is not None,
            ActionId.EXPORT_PDF: region is not None,
            ActionId.EXPORT_SELECTION: has_node,
            ActionId.EXPORT_DOT: region is not None,
            ActionId.EXPORT_GRAPHML: region is not None,
            ActionId.EXPORT_JSON: region is not None,
            ActionId.EXPORT_TABLE: region is not None,
            ActionId.EXPORT_REPORT: session.capture is not None,
            ActionId.COMPARE_FILE: region is not None,
            ActionId.EXPORT_FORWARD: bool(exportable) and not is_running,
            ActionId.EXPORT_BACKWARD: region is not None and GraphKind.BACKWARD in region.graphs and not is_running,
        }
        shown = {name: region is not None and kind in region.graphs for name, kind in _GRAPHS.items()}
        return possible | shown

    def _is_engine_asked(self) -> bool:
        """Whether the engine works on something that is neither a run nor a step."""
        return self._controller.is_exporting or self._controller.trials.is_working

    def _connect(self, name: ActionId, do: Callable[[], None]) -> None:
        self._actions[name].triggered.connect(lambda _checked=False: do())

    def _aim_at_selected(self, action: StepAction) -> None:
        session = self._session
        graph = session.graph(session.selection.graph)
        if graph is not None and session.selection.current >= 0:
            name = graph.names[session.selection.current]
            self._controller.steps.perform(action, session.selection.graph, name)
