"""Controls of the stepping debugger, where it stands, and the breakpoints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QColor, QPalette
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.breakpoint_list import BreakpointList
from aotgui.gui.panels.look import MARGIN, SPACING, graph_palette
from aotgui.gui.session.session import Session, SteppingState
from aotgui.gui.session.state import NO_ENGINE
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.text import count_text
from aotgui.protocol.messages import StepAction, StopReason

BUTTONS: Final = (
    (StepAction.STEP, "Step", 0, 0, 2),
    (StepAction.CONTINUE, "Continue", 0, 2, 2),
    (StepAction.PAUSE, "Pause", 0, 4, 2),
    (StepAction.RUN_TO, "Run to Selected", 1, 0, 3),
    (StepAction.RUN_TO_NONFINITE, "Run to NaN or Inf", 1, 3, 3),
    (StepAction.RESTART, "Restart", 2, 0, 3),
    (StepAction.END, "End", 2, 3, 3),
)
"""Action, words, row, column and columns of each button in a grid of six columns."""

STARTABLE: Final = (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE)

_REASONS: Final = {
    StopReason.ENTRY: "at the start",
    StopReason.STEP: "after a step",
    StopReason.BREAKPOINT: "breakpoint",
    StopReason.REACHED: "the node to run to",
    StopReason.PAUSED: "paused",
    StopReason.NONFINITE: "NaN or Inf was computed",
    StopReason.MISMATCH: "a value differs from what was traced",
    StopReason.ERROR: "an operator failed",
}


def status_text(stepping: SteppingState, graph: Graph | None) -> str:
    """Where the debugger stands, in one sentence.

    Args:
        stepping: its state.
        graph: the graph being executed, or None where there is none.
    """
    if not stepping.active or graph is None:
        return "Not stepping."
    total = len(graph)
    if stepping.running:
        return f"Running in {graph.kind} ({stepping.node:,} of {total:,} nodes done)."
    if stepping.node >= total:
        return f"Finished {graph.kind}: {count_text(total, 'node')} executed."
    place = f"{graph.names[stepping.node]} in {graph.kind} ({stepping.node + 1:,} of {total:,})"
    reason = _REASONS.get(stepping.reason, "") if stepping.reason else ""
    return f"Stopped before {place}{': ' + reason if reason else ''}."


class DebuggerPanel(QWidget):
    """Starts, steps and ends a stepping session; says where it stands.

    Signals:
        start_requested: begin stepping a graph (``GraphKind``).
        step_requested: the person pressed one of the panel's own buttons (``StepAction``). Buttons that were given
            an action of the application by ``set_actions`` trigger that instead.

    Attributes:
        session: the truth.
        status: where the debugger stands.
        problem: what went wrong where it stopped.
        start_buttons: by graph.
        step_buttons: by action.
        breakpoints: the list of breakpoints.
    """

    start_requested = Signal(object)
    step_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.status = QLabel()
        self.problem = QLabel()
        self.show_next = QPushButton("Show")
        self.start_buttons = {kind: self._start_button(kind) for kind in STARTABLE}
        self._own_actions = {action: self._own_action(action, words) for action, words, *_ in BUTTONS}
        self.step_buttons = {action: self._step_button(action) for action, *_ in BUTTONS}
        self.breakpoints = BreakpointList(session)
        self._set_up_layout()
        self.show_next.clicked.connect(self._on_show_next)
        for signal in (session.stepping_changed, session.capture_changed, session.selection_changed):
            signal.connect(self._show_state)
        self._show_state()

    def set_actions(self, actions: Mapping[StepAction, QAction]) -> None:
        """Let buttons trigger actions of the application, which decide when they can be pressed."""
        for name, action in actions.items():
            # An action that stays behind would be offered in a menu of the button.
            self.step_buttons[name].removeAction(self.step_buttons[name].defaultAction())
            self.step_buttons[name].setDefaultAction(action)

    def _start_button(self, kind: GraphKind) -> QPushButton:
        button = QPushButton(f"Start {kind.value.capitalize()}")
        button.setToolTip(f"Execute the {kind} graph node by node, stopped before the first operator")
        button.clicked.connect(lambda: self.start_requested.emit(kind))
        return button

    def _own_action(self, name: StepAction, words: str) -> QAction:
        action = QAction(words, self)
        action.triggered.connect(lambda: self.step_requested.emit(name))
        return action

    def _step_button(self, name: StepAction) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(self._own_actions[name])
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _set_up_layout(self) -> None:
        for label in (self.status, self.problem):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.show_next.setToolTip("Select the node that would run next and bring it into view")
        status = QHBoxLayout()
        status.addWidget(self.status, 1)
        status.addWidget(self.show_next, 0, Qt.AlignmentFlag.AlignTop)
        starts = QHBoxLayout()
        for start in self.start_buttons.values():
            starts.addWidget(start, 1)
        grid = QGridLayout()
        grid.setSpacing(SPACING)
        for name, _, row, column, span in BUTTONS:
            grid.addWidget(self.step_buttons[name], row, column, 1, span)
        for column in range(6):
            grid.setColumnStretch(column, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(MARGIN)
        layout.addLayout(status)
        layout.addWidget(self.problem)
        layout.addLayout(starts)
        layout.addLayout(grid)
        layout.addWidget(self.breakpoints, 1)

    def _next_graph(self) -> Graph | None:
        """The graph that holds the node that would run next; None where none would."""
        stepping = self.session.stepping
        graph = self.session.graph(stepping.graph)
        return graph if stepping.active and graph and 0 <= stepping.node < len(graph) else None

    def _show_state(self) -> None:
        stepping = self.session.stepping
        self.status.setText(self._status())
        problem = stepping.problem
        self.problem.setText(str(problem) if problem else "")
        self.problem.setVisible(problem is not None)
        self._color_problem()
        self.show_next.setVisible(self._next_graph() is not None and not stepping.running)
        for kind, button in self.start_buttons.items():
            button.setVisible(not stepping.active and self.session.graph(kind) is not None)
            button.setEnabled(not self.session.is_stored)
        for name, step_button in self.step_buttons.items():
            step_button.setVisible(stepping.active)
            self._own_actions[name].setEnabled(self._can(name))

    def _status(self) -> str:
        if self.session.region is None:
            return "Open and run a script, then step through its graphs node by node."
        if self.session.is_stored:
            return NO_ENGINE
        stepping = self.session.stepping
        if not stepping.active:
            return "Step through a graph node by node and look at every value."
        return status_text(stepping, self.session.graph(stepping.graph))

    def _color_problem(self) -> None:
        colors = self.problem.palette()
        colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.problem.setPalette(colors)

    def _can(self, name: StepAction) -> bool:
        stepping = self.session.stepping
        if not stepping.active:
            return False
        if name in (StepAction.RESTART, StepAction.END):
            return True
        if name is StepAction.PAUSE:
            return stepping.running
        if name is StepAction.RUN_TO:
            return not stepping.running and len(self.session.selection.nodes) == 1
        return not stepping.running

    def _on_show_next(self) -> None:
        graph = self._next_graph()
        if graph:
            self.session.select(graph.kind, [self.session.stepping.node], reveal=True)
