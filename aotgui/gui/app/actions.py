"""Every action of the program, declared once: menus, toolbars, shortcuts and help are built from this table."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QIcon, QKeySequence, QPalette

from aotgui.gui.app.action_spec import (
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
    ActionSpec,
)
from aotgui.gui.app.canvas_actions import CANVAS_ACTIONS
from aotgui.gui.app.compiler_actions import COMPILER_ACTIONS
from aotgui.gui.app.debug_actions import DEBUG_ACTIONS
from aotgui.gui.app.export_actions import EXPORT_ACTIONS
from aotgui.gui.app.icons import font_icon
from aotgui.gui.app.memory_actions import MEMORY_ACTIONS

__all__ = [
    "ACTIONS",
    "DEBUG",
    "EDIT",
    "FILE",
    "HELP",
    "MEMORY",
    "MODULES",
    "RUN",
    "SELECTION",
    "STEP_BY",
    "VIEW",
    "ZOOM",
    "ActionId",
    "ActionSpec",
    "Actions",
]


ACTIONS: Final = (
    ActionSpec(
        ActionId.OPEN,
        FILE,
        "&Open…",
        "Open a Python script, an exported model or a saved capture.",
        "folder-open-outline",
        "Ctrl+O",
        "Open",
    ),
    ActionSpec(
        ActionId.RECORD,
        FILE,
        "Re&cord Script…",
        "Run a training script as it is and capture what it compiles.",
        "record-rec",
        "Ctrl+Shift+O",
    ),
    ActionSpec(
        ActionId.RELOAD, FILE, "Re&load", "Read the open file again in a fresh engine.", "refresh", "Ctrl+Shift+R"
    ),
    ActionSpec(
        ActionId.SAVE_CAPTURE,
        FILE,
        "&Save Capture As…",
        "Save everything that is shown to a file that opens later and elsewhere, without torch.",
        "content-save-outline",
        "Ctrl+S",
    ),
    *EXPORT_ACTIONS,
    ActionSpec(ActionId.CLOSE, FILE, "&Start Page", "Close the file and go back to the start page.", "", "Ctrl+W"),
    ActionSpec(ActionId.QUIT, FILE, "&Quit", "Close the window.", "", "Ctrl+Q"),
    ActionSpec(
        ActionId.FIND,
        EDIT,
        "&Find Nodes…",
        "Search the graphs by name, operator, fate, module, size and more.",
        "text-search",
        "Ctrl+F",
        second_shortcut="/",
    ),
    ActionSpec(ActionId.FIND_NEXT, EDIT, "Find &Next", "Select the next node found.", "", "F3"),
    ActionSpec(ActionId.FIND_PREVIOUS, EDIT, "Find &Previous", "Select the node found before.", "", "Shift+F3"),
    ActionSpec(ActionId.SHOW_JOINT, VIEW, "&Joint Graph", "The graph as traced: both sides.", "", "Ctrl+1"),
    ActionSpec(ActionId.SHOW_FORWARD, VIEW, "&Forward Graph", "What runs in the forward.", "", "Ctrl+2"),
    ActionSpec(ActionId.SHOW_BACKWARD, VIEW, "&Backward Graph", "What runs in the backward.", "", "Ctrl+3"),
    ActionSpec(
        ActionId.SPLIT,
        VIEW,
        "S&plit",
        "Show a second graph beside the first; what is selected in one is shown in the other.",
        "view-split-vertical",
        "Ctrl+\\",
        checkable=True,
    ),
    ActionSpec(ActionId.EXPAND_LEVEL, MODULES, "E&xpand One Level", "Open every module that is seen.", "", "Ctrl+]"),
    ActionSpec(
        ActionId.COLLAPSE_LEVEL, MODULES, "C&ollapse One Level", "Close the innermost open modules.", "", "Ctrl+["
    ),
    ActionSpec(ActionId.EXPAND_ALL, MODULES, "&Expand All", "Open every module.", "", "Ctrl+Shift+]"),
    ActionSpec(ActionId.COLLAPSE_ALL, MODULES, "&Collapse All", "Close every module.", "", "Ctrl+Shift+["),
    ActionSpec(ActionId.FLAT, MODULES, "&Flat", "Show every node without modules, or the modules again.", "", "Ctrl+G"),
    ActionSpec(
        ActionId.EXPAND_TO_REVEAL,
        MODULES,
        "Expand to &Reveal",
        "Open the modules that hide a node when it is found or selected elsewhere.",
        checkable=True,
    ),
    *CANVAS_ACTIONS,
    ActionSpec(ActionId.RESET_LAYOUT, VIEW, "&Reset Layout", "Put every panel back where it was at first."),
    ActionSpec(ActionId.RUN, RUN, "&Run", "Capture, compile, run and check what is open.", "play", "Ctrl+R"),
    ActionSpec(
        ActionId.COMPARE_RUNS,
        RUN,
        "What C&hanged",
        "Show side by side what differs between the graphs of this run and of the run before.",
        "compare-horizontal",
        "Ctrl+D",
        "What Changed",
    ),
    ActionSpec(
        ActionId.CHOOSE_TARGET,
        RUN,
        "Choose &Target…",
        "Choose what of the file is captured, and with which inputs.",
        "target",
        "Ctrl+T",
    ),
    ActionSpec(
        ActionId.FINISH_RECORDING,
        RUN,
        "&Finish Recording",
        "End the script that is recorded and capture what there is.",
        "stop-circle-outline",
    ),
    ActionSpec(ActionId.STOP, RUN, "&Stop", "Stop at once, also an endless loop in the script.", "stop", "Ctrl+."),
    *COMPILER_ACTIONS,
    *DEBUG_ACTIONS,
    *MEMORY_ACTIONS,
    ActionSpec(ActionId.COMMANDS, HELP, "&Find Command…", "Search every command by name.", "magnify", "Ctrl+Shift+P"),
    ActionSpec(
        ActionId.SHORTCUTS, HELP, "Keyboard &Shortcuts", "All shortcuts in one table.", "keyboard-outline", "F1"
    ),
    ActionSpec(ActionId.ABOUT, HELP, "&About aotgui", "Version and licences."),
)


class Actions(QObject):
    """The ``QAction`` of every ``ActionId``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = {spec.id: self._build(spec) for spec in ACTIONS}

    def __getitem__(self, name: ActionId) -> QAction:
        return self._actions[name]

    def in_menu(self, menu: str) -> list[QAction]:
        """The actions of a menu, in order."""
        return [self._actions[spec.id] for spec in ACTIONS if spec.menu == menu]

    def all(self) -> list[QAction]:
        """Every action, in order."""
        return list(self._actions.values())

    def explain(self, name: ActionId, reason: str) -> None:
        """Says in the tips of an action why it cannot be used; an empty reason brings its own tips back."""
        spec = next(spec for spec in ACTIONS if spec.id is name)
        self._actions[name].setStatusTip(reason or spec.tip)
        self._actions[name].setToolTip(reason or _tool_tip(spec))

    def show_icons(self, palette: QPalette) -> None:
        """Gives every action its icon in the palette's colours."""
        for spec in ACTIONS:
            self._actions[spec.id].setIcon(font_icon(spec.icon, palette) if spec.icon else QIcon())

    def _build(self, spec: ActionSpec) -> QAction:
        keys = QKeySequence(spec.canvas_keys).toString(QKeySequence.SequenceFormat.NativeText)
        action = QAction(f"{spec.text}\t{keys}" if keys else spec.text, self)
        action.setObjectName(spec.id)
        action.setShortcuts([QKeySequence(keys) for keys in (spec.shortcut, spec.second_shortcut) if keys])
        action.setCheckable(spec.checkable)
        action.setStatusTip(spec.tip)
        action.setToolTip(_tool_tip(spec))
        if spec.label:
            action.setIconText(spec.label)
        return action


def _tool_tip(spec: ActionSpec) -> str:
    keys = spec.shortcut or spec.canvas_keys
    return f"{spec.tip} ({keys})" if keys else spec.tip
