"""Connects the debugger's actions that are about a selected value, a breakpoint or how one steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.files import ask_save
from aotgui.gui.app.views import Views
from aotgui.gui.panels.replace_dialog import ReplaceDialog
from aotgui.gui.session.breakpoint_places import toggle_node
from aotgui.gui.session.controller import Controller
from aotgui.model.graph import GraphKind
from aotgui.model.stepping import Granularity
from aotgui.model.text import number_text
from aotgui.protocol.messages import ValueSaved

GRANULARITIES: Final = {
    ActionId.STEP_BY_NODE: Granularity.NODE,
    ActionId.STEP_BY_LINE: Granularity.LINE,
    ActionId.STEP_BY_MODULE: Granularity.MODULE,
}
_NEED_ENGINE: Final = (
    ActionId.REFERENCE,
    ActionId.FIND_CAUSE,
    ActionId.REPLACE_VALUE,
    ActionId.RESTORE_VALUES,
    ActionId.SAVE_VALUE,
)
VALUE_FILES: Final = "NumPy (*.npy);;PyTorch (*.pt)"
GIB: Final = 1 << 30


class DebugCommands(QObject):
    """What the menu and the keys do to breakpoints, values and the way one steps.

    Signals:
        notice: one sentence for the status bar.
    """

    notice = Signal(str)

    def __init__(self, controller: Controller, actions: Actions, views: Views, window: QWidget) -> None:
        super().__init__(window)
        self._controller, self._session = controller, controller.session
        self._actions, self._views, self._window = actions, views, window
        self._explained = ""
        self._connect_actions()
        views.value.save_requested.connect(self._save)
        views.value.replace_requested.connect(self._ask_replacement)
        views.value.cause_requested.connect(self._find_cause)
        session = self._session
        session.debug.value_saved.connect(self._on_value_saved)
        session.debug.cause_changed.connect(self._on_cause_changed)
        for signal in (
            session.source_changed,
            session.progress_changed,
            session.capture_changed,
            session.selection_changed,
            session.stepping_changed,
            session.debug.options_changed,
            session.debug.edits_changed,
            session.debug.inner_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enables what can be done now."""
        session, debug = self._session, self._session.debug
        has_region, obstacle = session.region is not None, session.engine_obstacle
        is_standing = session.stepping.active and not session.stepping.running
        executed = self._views.value.ref
        is_inner = executed is not None and executed.inside > 0
        stats = session.values(executed.kind).get(executed.node) if executed and not is_inner else None
        for name, can in {
            ActionId.BREAKPOINT: session.selection.current >= 0 or has_region,
            ActionId.NEW_BREAKPOINT: has_region,
            ActionId.REFERENCE: has_region and not session.progress.is_running and not obstacle,
            ActionId.GO_TO_ERROR: any(debug.errors(kind) for kind in GraphKind),
            ActionId.FIND_CAUSE: session.stepping.active and stats is not None and not stats.is_finite,
            ActionId.REPLACE_VALUE: is_standing and executed is not None and not is_inner,
            ActionId.SAVE_VALUE: session.stepping.active and executed is not None,
            ActionId.RESTORE_VALUES: is_standing and bool(debug.edits),
        }.items():
            self._actions[name].setEnabled(can)
        for name, granularity in GRANULARITIES.items():
            self._actions[name].setChecked(debug.options.granularity is granularity)
        self._actions[ActionId.REFERENCE].setChecked(debug.options.reference)
        if obstacle != self._explained:
            self._explained = obstacle
            for name in _NEED_ENGINE:
                self._actions.explain(name, obstacle)

    def _connect_actions(self) -> None:
        for name, do in (
            (ActionId.BREAKPOINT, self._toggle_breakpoint),
            (ActionId.NEW_BREAKPOINT, self._views.breakpoints.ask_new),
            (ActionId.GO_TO_ERROR, self.go_to_error),
            (ActionId.FIND_CAUSE, self._find_cause_of_selected),
            (ActionId.REPLACE_VALUE, self._views.value.replace_button.click),
            (ActionId.SAVE_VALUE, self._views.value.save_button.click),
            (ActionId.RESTORE_VALUES, self._controller.steps.restore),
            (ActionId.MEMORY_LIMIT, self._ask_memory_limit),
        ):
            self._connect(name, do)
        for name, granularity in GRANULARITIES.items():
            self._connect(name, partial(self._set, granularity=granularity))
        reference = self._actions[ActionId.REFERENCE]
        reference.triggered.connect(lambda: self._set(reference=reference.isChecked()))

    def _connect(self, name: ActionId, do: Callable[[], object]) -> None:
        self._actions[name].triggered.connect(lambda _checked=False: do())

    def _set(self, **changed: object) -> None:
        self._session.debug.set_options(msgspec.structs.replace(self._session.debug.options, **changed))
        self.refresh()

    def _toggle_breakpoint(self) -> None:
        """On the line where the cursor is in the source, else on the selected node."""
        session, code = self._session, self._views.source.code.view
        kind, graph = session.selection.graph, session.graph(session.selection.graph)
        if code.hasFocus():
            self._views.source.toggle_breakpoint(code.current_line())
        elif kind is not None and graph is not None and session.selection.current >= 0:
            toggle_node(session, kind, graph.names[session.selection.current])
        else:
            self.notice.emit("Select a node to stop before it.")

    def go_to_error(self) -> None:
        """Selects the first executed node whose error exceeds the limit of the breakpoint for errors."""
        session, limit = self._session, self._session.breakpoints.limit()
        for kind in (GraphKind.FORWARD, GraphKind.INFERENCE, GraphKind.BACKWARD):
            large = [node for node, error in session.debug.errors(kind).items() if error.relative > limit]
            if large:
                session.show_graph(kind)
                session.select(kind, [min(large)], reveal=True)
                return
        self.notice.emit(f"The error of no executed node exceeds {number_text(limit)}.")

    # --- The selected value -----------------------------------------------------------------------------------

    def _find_cause_of_selected(self) -> None:
        if ref := self._views.value.ref:
            self._find_cause(ref.kind, ref.node)

    def _find_cause(self, kind: GraphKind, node: int) -> None:
        self._controller.values.find_cause(kind, node)

    def _on_cause_changed(self) -> None:
        if self._session.debug.cause is not None:
            self._views.panel_wanted.emit("Cause")

    def _ask_replacement(self, kind: GraphKind, node: int, item: int) -> None:
        graph = self._session.graph(kind)
        if graph is None:
            return
        tensors = graph.tensors(node)
        description = str(tensors[item]) if item < len(tensors) else ""
        dialog = ReplaceDialog(graph.names[node], description, self._window)
        dialog.chosen.connect(lambda new: self._controller.steps.replace(kind, node, new, item))
        dialog.open()

    def _save(self, kind: GraphKind, node: int, item: int, inside: int) -> None:
        graph = self._session.graph_inside(kind, inside)
        if graph is None:
            return
        folder = Path(self._session.source).parent if Path(self._session.source).is_file() else Path()
        path = ask_save(self._window, "Save Value", str(folder / f"{graph.names[node]}.npy"), VALUE_FILES)
        if path:
            self._controller.values.save(kind, node, item, path, inside)

    def _on_value_saved(self, event: ValueSaved) -> None:
        if event.problem is not None:
            self._session.add_problem(event.problem)
            self.notice.emit(event.problem.message)
        else:
            self.notice.emit(f"Saved {event.path}: {event.detail}" if event.detail else f"Saved {event.path}.")

    def _ask_memory_limit(self) -> None:
        options = self._session.debug.options
        label = (
            "Values of executed nodes are kept in the engine, so that going back is instant. Above this many GiB the\n"
            "oldest and largest are dropped, and computed again when you ask for them. Counts from the next start on."
        )
        gib, accepted = QInputDialog.getDouble(
            self._window, "Memory for Going Back", label, options.memory_limit_bytes / GIB, 0.0, 4096.0, 2
        )
        if accepted:
            self._set(memory_limit_bytes=round(gib * 1024) << 20)
            self.notice.emit(f"Going back may take {gib:g} GiB from the next start on.")
