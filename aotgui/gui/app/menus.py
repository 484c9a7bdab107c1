"""The menu bar, from the table of actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QMenuBar

from aotgui.gui.app.actions import (
    DEBUG,
    EDIT,
    FILE,
    HELP,
    MEMORY,
    MODULES,
    RUN,
    SELECTION,
    STEP_BY,
    VIEW,
    ZOOM,
    ActionId,
    Actions,
)
from aotgui.gui.app.theme import Theme

_EXPORTS = (
    (ActionId.EXPORT_SVG, ActionId.EXPORT_PNG, ActionId.EXPORT_PDF, ActionId.EXPORT_SELECTION),
    (ActionId.EXPORT_REPORT,),
    (ActionId.EXPORT_DOT, ActionId.EXPORT_GRAPHML, ActionId.EXPORT_JSON, ActionId.EXPORT_TABLE),
    (ActionId.EXPORT_FORWARD, ActionId.EXPORT_BACKWARD, ActionId.EXPORT_BUNDLE, ActionId.EXPORT_FX),
)

_DEBUG_GROUPS = (
    ActionId.STEP_BACK,
    ActionId.RUN_TO,
    ActionId.RESTART,
    ActionId.BREAKPOINT,
    ActionId.FIND_CAUSE,
    ActionId.REPLACE_VALUE,
    ActionId.MEMORY_LIMIT,
)
"""Actions of the debugger's menu that begin a group."""

_MEMORY_GROUPS = (ActionId.FORCE_SAVE, ActionId.COMPARE_PARTITIONS)
"""Likewise of the menu about memory."""


class Menus(QObject):
    """Fills a menu bar.

    Signals:
        source_chosen: a recent source.
        recent_cleared: the person wants recent sources forgotten.
        theme_chosen: a ``Theme``.
    """

    source_chosen = Signal(str)
    recent_cleared = Signal()
    theme_chosen = Signal(object)

    def __init__(self, bar: QMenuBar, actions: Actions) -> None:
        super().__init__(bar)
        self._bar = bar
        self._actions = actions
        self._recent = QMenu("Open &Recent", bar)
        self._panels = QMenu("&Panels", bar)
        self._panels.setEnabled(False)
        self._themes: dict[Theme, QAction] = {}
        self._fill_file(bar.addMenu(FILE))
        edit = bar.addMenu(EDIT)
        edit.addActions(actions.in_menu(EDIT))
        edit.addMenu(SELECTION).addActions(actions.in_menu(SELECTION))
        self._fill_view(bar.addMenu(VIEW))
        bar.addMenu(RUN).addActions(actions.in_menu(RUN))
        self._fill_debug(bar.addMenu(DEBUG))
        self._fill_memory(bar.addMenu(MEMORY))
        bar.addMenu(HELP).addActions(actions.in_menu(HELP))

    def set_recent(self, sources: Iterable[str]) -> None:
        """Shows these as recent sources."""
        self._recent.clear()
        for source in sources:
            action = self._recent.addAction(Path(source).name.replace("&", "&&"))
            action.setStatusTip(source)
            action.setToolTip(source)
            action.triggered.connect(self._chooser(source))
        self._recent.setEnabled(not self._recent.isEmpty())
        if not self._recent.isEmpty():
            self._recent.addSeparator()
            self._recent.addAction("&Clear This List").triggered.connect(self.recent_cleared)

    def set_panels(self, toggles: Iterable[QAction]) -> None:
        """Offers to show and hide these."""
        self._panels.addActions(list(toggles))
        self._panels.setEnabled(True)

    def set_theme(self, theme: Theme) -> None:
        """Checks the chosen theme."""
        self._themes[theme].setChecked(True)

    def _fill_file(self, menu: QMenu) -> None:
        actions = self._actions
        menu.addActions([actions[ActionId.OPEN], actions[ActionId.RECORD]])
        self._recent.setToolTipsVisible(True)
        menu.addMenu(self._recent)
        menu.addAction(actions[ActionId.RELOAD])
        menu.addSeparator()
        menu.addAction(actions[ActionId.SAVE_CAPTURE])
        export = menu.addMenu("&Export")
        for group in _EXPORTS:
            export.addActions([actions[name] for name in group])
            export.addSeparator()
        menu.addAction(actions[ActionId.COMPARE_FILE])
        menu.addSeparator()
        menu.addActions([actions[ActionId.CLOSE], actions[ActionId.QUIT]])

    def _fill_debug(self, menu: QMenu) -> None:
        for action in self._actions.in_menu(DEBUG):
            if action.objectName() in _DEBUG_GROUPS:
                menu.addSeparator()
            menu.addAction(action)
            if action.objectName() == ActionId.REVERSE_CONTINUE:
                steps = menu.addMenu(STEP_BY)
                group = QActionGroup(steps)
                for granularity in self._actions.in_menu(STEP_BY):
                    steps.addAction(group.addAction(granularity))

    def _fill_memory(self, menu: QMenu) -> None:
        for action in self._actions.in_menu(MEMORY):
            if action.objectName() in _MEMORY_GROUPS:
                menu.addSeparator()
            menu.addAction(action)

    def _fill_view(self, menu: QMenu) -> None:
        shown = [action for action in self._actions.in_menu(VIEW) if action.objectName() != ActionId.RESET_LAYOUT]
        menu.addActions(shown)
        for inner in (MODULES, ZOOM):
            menu.addMenu(inner).addActions(self._actions.in_menu(inner))
        menu.addSeparator()
        menu.addMenu(self._panels)
        menu.addAction(self._actions[ActionId.RESET_LAYOUT])
        menu.addSeparator()
        group = QActionGroup(menu)
        themes = menu.addMenu("&Theme")
        for theme in Theme:
            action = group.addAction(theme.label)
            action.setCheckable(True)
            action.triggered.connect(lambda _checked=False, theme=theme: self.theme_chosen.emit(theme))
            themes.addAction(action)
            self._themes[theme] = action

    def _chooser(self, source: str) -> Callable[[], None]:
        return lambda: self.source_chosen.emit(source)
