"""Connects the actions that are about what is saved, and enables them while they can be done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.files import PYTHON_FILTER, ask_save, beside_source
from aotgui.gui.app.views import Views
from aotgui.gui.panels.inspector_why import spot_of
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.partitions import decidable_names
from aotgui.model.decision import Decision
from aotgui.model.graph import GraphKind
from aotgui.model.why import why_of

_NEED_ENGINE = (
    ActionId.FORCE_SAVE,
    ActionId.FORCE_RECOMPUTE,
    ActionId.RESET_DECISION,
    ActionId.UNDO_DECISION,
    ActionId.REDO_DECISION,
    ActionId.EXPORT_POLICY,
    ActionId.COMPARE_PARTITIONS,
)
_RUN = (ActionId.RUN_WITH_DECISIONS, ActionId.RUN_WITHOUT_DECISIONS)


class MemoryCommands(QObject):
    """The Memory menu, and what the panels of this concern ask for."""

    def __init__(self, controller: Controller, actions: Actions, views: Views, window: QWidget) -> None:
        super().__init__(window)
        self._session = session = controller.session
        self._controller = controller
        self._actions = actions
        self._views = views
        self._window = window
        self._explained = ("", "")
        self._connect()
        for signal in (
            session.source_changed,
            session.progress_changed,
            session.capture_changed,
            session.selection_changed,
            session.spotlight.changed,
            session.partitions.decisions_changed,
            session.settings_changed,
            session.recording_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enables what can be done now, and says why the rest cannot."""
        for name, can in self._possible().items():
            self._actions[name].setEnabled(can)
        control = self._controller.partitions
        obstacles = (control.obstacle, control.run_obstacle)
        if obstacles != self._explained:
            self._explained = obstacles
            for names, obstacle in zip((_NEED_ENGINE, _RUN), obstacles, strict=True):
                for name in names:
                    self._actions.explain(name, obstacle)

    def _possible(self) -> dict[ActionId, bool]:
        session, partitions = self._session, self._session.partitions
        region = session.region
        can = not self._controller.partitions.obstacle
        names = self._selected_names()
        is_training = region is not None and region.is_training
        has_node = is_training and bool(session.selected_in(GraphKind.JOINT))
        return {
            ActionId.SHOW_WHY: has_node,
            ActionId.SHOW_NETWORK: has_node,
            ActionId.CLEAR_MARKS: session.spotlight.spot is not None,
            ActionId.FORCE_SAVE: can and bool(names),
            ActionId.FORCE_RECOMPUTE: can and bool(names),
            ActionId.RESET_DECISION: can and any(name in partitions.decisions for name in names),
            ActionId.UNDO_DECISION: can and partitions.can_undo,
            ActionId.REDO_DECISION: can and partitions.can_redo,
            **self._runs_possible(),
            ActionId.EXPORT_POLICY: can and bool(partitions.decisions),
            ActionId.COMPARE_PARTITIONS: can,
            ActionId.SHOW_PEAK: region is not None,
            ActionId.EXPORT_SAVED: is_training,
        }

    def _runs_possible(self) -> dict[ActionId, bool]:
        control = self._controller.partitions
        can = not control.run_obstacle
        return {
            ActionId.RUN_WITH_DECISIONS: can and not control.are_set,
            ActionId.RUN_WITHOUT_DECISIONS: can and bool(self._session.settings.decisions),
        }

    def _connect(self) -> None:
        control, views = self._controller.partitions, self._views
        do: dict[ActionId, Callable[[], None]] = {
            ActionId.SHOW_WHY: self.show_why,
            ActionId.SHOW_NETWORK: views.show_network,
            ActionId.CLEAR_MARKS: self._session.spotlight.clear,
            ActionId.FORCE_SAVE: partial(self._decide, Decision.SAVE),
            ActionId.FORCE_RECOMPUTE: partial(self._decide, Decision.RECOMPUTE),
            ActionId.RESET_DECISION: partial(self._decide, None),
            ActionId.UNDO_DECISION: control.undo,
            ActionId.REDO_DECISION: control.redo,
            ActionId.RUN_WITH_DECISIONS: control.run_with_decisions,
            ActionId.RUN_WITHOUT_DECISIONS: control.run_without_decisions,
            ActionId.EXPORT_POLICY: self.export_policy,
            ActionId.COMPARE_PARTITIONS: self._compare,
            ActionId.SHOW_PEAK: views.show_peak,
            ActionId.EXPORT_SAVED: views.saved.export_table,
        }
        for name, slot in do.items():
            self._actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())
        views.decisions.export_requested.connect(self.export_policy)

    def _selected_names(self) -> list[str]:
        selection = self._session.selection
        return decidable_names(self._session, selection.graph, selection.nodes)

    def _decide(self, decision: Decision | None) -> None:
        self._views.decide(self._selected_names(), decision)

    def _compare(self) -> None:
        self._views.panel_wanted.emit("Partitions")
        self._controller.partitions.compare()

    def show_why(self) -> None:
        """Marks why the selected node is saved or computed again; says so where there is no path to mark."""
        session, region = self._session, self._session.region
        joint, capture = session.graph(GraphKind.JOINT), session.capture
        node = next(iter(session.selected_in(GraphKind.JOINT)), -1)
        if region is None or joint is None or capture is None or node < 0:
            return
        why = why_of(region, node, capture.settings)
        spot = spot_of(joint, why)
        if spot is None:
            sentence = " ".join([why.headline, *(reason.text for reason in why.reasons[:1])])
            self._views.notice.emit(sentence)
        else:
            session.spotlight.show(spot)
        self._views.panel_wanted.emit("Inspector")

    def export_policy(self) -> None:
        """Asks where to, and lets the engine write the decisions as a policy and try it."""
        suggestion = beside_source(self._session.source, "_policy.py")
        path = ask_save(self._window, "Export the Decisions as a Checkpoint Policy", str(suggestion), PYTHON_FILTER)
        if path:
            self._views.notice.emit("Writing the policy and capturing with it…")
            self._controller.export_policy(path)
