"""Controls of the stepping debugger, and where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QAction, QColor, QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel, graph_palette
from aotgui.gui.panels.step_words import memory_text, panel_text, stop_lines
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.stepping import Granularity
from aotgui.protocol.messages import StepAction

STARTABLE: Final = (GraphKind.FORWARD, GraphKind.BACKWARD, GraphKind.INFERENCE)
START_TIP: Final = "Execute the {kind} graph node by node, stopped before the first operator"
TOOLBAR: Final = (
    StepAction.CONTINUE,
    StepAction.PAUSE,
    StepAction.STEP,
    StepAction.STEP_INTO,
    StepAction.STEP_OUT,
    None,
    StepAction.STEP_BACK,
    StepAction.REVERSE_CONTINUE,
    None,
    StepAction.RESTART,
    StepAction.END,
    None,
    StepAction.RUN_TO,
    StepAction.GO_TO,
    StepAction.RUN_TO_NONFINITE,
)
"""The buttons from left to right; None is a gap."""
ICON_PX: Final = 17
_GRANULARITY_WORDS: Final = {
    Granularity.NODE: "Node",
    Granularity.LINE: "Source line",
    Granularity.MODULE: "Module",
}


class DebuggerPanel(QWidget):
    """Starts, steps and ends a stepping session; says where it stands.

    Signals:
        start_requested: begin stepping a graph (``GraphKind``).

    Attributes:
        session: the truth.
        status: where the debugger stands.
        more: which breakpoints stopped it, what could not be done.
        problem: what went wrong where it stopped.
        granularity: how far one step goes.
        reference: whether the graph also runs in float64.
        start_buttons: by graph.
        step_buttons: by action, once ``set_actions`` was called.
        extra_buttons: of the further actions.
    """

    start_requested = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.status, self.problem = QLabel(wordWrap=True), QLabel(wordWrap=True)
        self.more, self.memory = MutedLabel(), MutedLabel()
        self.show_next = QPushButton("Show")
        self.granularity = QComboBox()
        self.reference = QCheckBox("Reference run in float64")
        self.start_buttons = {kind: self._start_button(kind) for kind in STARTABLE}
        self.step_buttons: dict[StepAction, QToolButton] = {}
        self.extra_buttons: list[QToolButton] = []
        self._toolbar = QWidget()
        self._flow = FlowLayout(self._toolbar, spacing=1)
        self._set_up_options()
        self._lay_out()
        self.show_next.clicked.connect(self._on_show_next)
        for signal in (
            session.stepping_changed,
            session.capture_changed,
            session.progress_changed,
            session.debug.stop_changed,
            session.debug.edits_changed,
        ):
            signal.connect(self._show_state)
        session.debug.options_changed.connect(self._show_options)
        self._show_options()
        self._show_state()

    def set_actions(self, actions: Mapping[StepAction, QAction], extra: Iterable[QAction] = ()) -> None:
        """Fills the row of buttons with actions of the application, which decide when they can be pressed."""
        for name in TOOLBAR:
            if name is None:
                self._flow.addWidget(self._gap())
            else:
                self.step_buttons[name] = self._tool_button(actions[name])
                self._flow.addWidget(self.step_buttons[name])
        self._flow.addWidget(self._gap())
        for action in extra:
            self.extra_buttons.append(self._tool_button(action))
            self._flow.addWidget(self.extra_buttons[-1])

    def _start_button(self, kind: GraphKind) -> QPushButton:
        button = QPushButton(f"Start {kind.value.capitalize()}")
        button.clicked.connect(lambda: self.start_requested.emit(kind))
        return button

    def _tool_button(self, action: QAction) -> QToolButton:
        button = QToolButton()
        button.setDefaultAction(action)
        button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        button.setIconSize(QSize(ICON_PX, ICON_PX))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.setAccessibleName(action.text().replace("&", "").rstrip("…"))
        return button

    def _gap(self) -> QWidget:
        gap = QWidget()
        gap.setFixedSize(2, ICON_PX)
        return gap

    def _set_up_options(self) -> None:
        for granularity, words in _GRANULARITY_WORDS.items():
            self.granularity.addItem(words, granularity)
        self.granularity.setAccessibleName("Step by")
        self.granularity.setToolTip("How far one step goes, also backwards: a node, a line of your source, or a module")
        self.granularity.activated.connect(self._on_option_chosen)
        self.reference.setToolTip(
            "Run the graph in float64 beside it: every node gets its error, in the Values table and as colours "
            "(Error against reference)"
        )
        self.reference.clicked.connect(self._on_option_chosen)

    def _lay_out(self) -> None:
        for label in (self.status, self.problem):
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.show_next.setToolTip("Select the node that would run next and bring it into view")
        steps = QWidget()
        pair = QHBoxLayout(steps)
        pair.setContentsMargins(0, 0, 0, 0)
        pair.setSpacing(SPACING)
        pair.addWidget(QLabel("Step by"))
        pair.addWidget(self.granularity)
        options = QWidget()
        flow = FlowLayout(options, spacing=2 * MARGIN)
        flow.addWidget(steps)
        flow.addWidget(self.reference)
        status = QHBoxLayout()
        status.addWidget(self.status, 1)
        status.addWidget(self.show_next, 0, Qt.AlignmentFlag.AlignTop)
        starts = QHBoxLayout()
        for start in self.start_buttons.values():
            starts.addWidget(start, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        layout.setSpacing(SPACING)
        layout.addWidget(self._toolbar)
        layout.addLayout(status)  # before the options: a low window shows no more than the first lines
        layout.addWidget(options)
        for widget in (self.more, self.problem, self.memory):
            layout.addWidget(widget)
        layout.addLayout(starts)
        layout.addStretch(1)

    def _next_graph(self) -> Graph | None:
        """The graph that holds the node that would run next; None where none would."""
        stepping = self.session.stepping
        graph = self.session.graph(stepping.graph)
        return graph if stepping.active and graph and 0 <= stepping.node < len(graph) else None

    def _show_state(self) -> None:
        stepping, obstacle = self.session.stepping, self.session.engine_obstacle
        self.status.setText(panel_text(self.session))
        self._say(self.more, "\n".join(stop_lines(self.session)))
        self._say(self.problem, str(stepping.problem) if stepping.problem else "")
        self._say(self.memory, memory_text(self.session))
        self._color_problem()
        self.show_next.setVisible(self._next_graph() is not None and not stepping.running)
        for kind, button in self.start_buttons.items():
            button.setVisible(not stepping.active and self.session.graph(kind) is not None)
            button.setEnabled(not obstacle)
            button.setToolTip(obstacle or START_TIP.format(kind=kind))

    def _say(self, label: QLabel, text: str) -> None:
        label.setText(text)
        label.setVisible(bool(text))

    def _show_options(self) -> None:
        options = self.session.debug.options
        self.granularity.setCurrentIndex(self.granularity.findData(options.granularity))
        with QSignalBlocker(self.reference):
            self.reference.setChecked(options.reference)

    def _on_option_chosen(self) -> None:
        options = msgspec.structs.replace(
            self.session.debug.options,
            granularity=Granularity(self.granularity.currentData()),
            reference=self.reference.isChecked(),
        )
        self.session.debug.set_options(options)

    def _color_problem(self) -> None:
        colors = self.problem.palette()
        colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.problem.setPalette(colors)

    def _on_show_next(self) -> None:
        graph = self._next_graph()
        if graph:
            self.session.select(graph.kind, [self.session.stepping.node], reveal=True)
