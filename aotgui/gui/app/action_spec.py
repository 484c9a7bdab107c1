"""What an action is, the names of all of them and of the menus that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ActionId(StrEnum):
    """Names of the actions."""

    OPEN = "open"
    RECORD = "record"
    RELOAD = "reload"
    CLOSE = "close"
    SAVE_CAPTURE = "save_capture"
    EXPORT_SVG = "export_svg"
    EXPORT_PNG = "export_png"
    EXPORT_PDF = "export_pdf"
    EXPORT_SELECTION = "export_selection"
    EXPORT_DOT = "export_dot"
    EXPORT_GRAPHML = "export_graphml"
    EXPORT_JSON = "export_json"
    EXPORT_TABLE = "export_table"
    EXPORT_REPORT = "export_report"
    COMPARE_FILE = "compare_file"
    COMPARE_RUNS = "compare_runs"
    EXPORT_FORWARD = "export_forward"
    EXPORT_BUNDLE = "export_bundle"
    EXPORT_FX = "export_fx"
    COMPARE_COMPILERS = "compare_compilers"
    FIND_CULPRIT = "find_culprit"
    COMPILER_OPTIONS = "compiler_options"
    EXPORT_BACKWARD = "export_backward"
    QUIT = "quit"
    SHOW_JOINT = "show_joint"
    SHOW_FORWARD = "show_forward"
    SHOW_BACKWARD = "show_backward"
    EXPAND_LEVEL = "expand_level"
    COLLAPSE_LEVEL = "collapse_level"
    EXPAND_ALL = "expand_all"
    COLLAPSE_ALL = "collapse_all"
    FLAT = "flat"
    FIT = "fit"
    FIT_SELECTION = "fit_selection"
    ZOOM_IN = "zoom_in"
    ZOOM_OUT = "zoom_out"
    ACTUAL_SIZE = "actual_size"
    SELECT_ANCESTORS = "select_ancestors"
    SELECT_DESCENDANTS = "select_descendants"
    SELECT_PATH = "select_path"
    ISOLATE = "isolate"
    HIDE_SELECTION = "hide_selection"
    SHOW_EVERYTHING = "show_everything"
    COPY_NAMES = "copy_names"
    EXPAND_TO_REVEAL = "expand_to_reveal"
    SPLIT = "split"
    RESET_LAYOUT = "reset_layout"
    FIND = "find"
    FIND_NEXT = "find_next"
    FIND_PREVIOUS = "find_previous"
    RUN = "run"
    STOP = "stop"
    FINISH_RECORDING = "finish_recording"
    CHOOSE_TARGET = "choose_target"
    CONTINUE = "continue"
    PAUSE = "pause"
    STEP = "step"
    STEP_INTO = "step_into"
    STEP_OUT = "step_out"
    STEP_BACK = "step_back"
    REVERSE_CONTINUE = "reverse_continue"
    STEP_BY_NODE = "step_by_node"
    STEP_BY_LINE = "step_by_line"
    STEP_BY_MODULE = "step_by_module"
    RUN_TO = "run_to"
    GO_TO = "go_to"
    RUN_TO_NONFINITE = "run_to_nonfinite"
    RESTART = "restart"
    END = "end"
    BREAKPOINT = "breakpoint"
    NEW_BREAKPOINT = "new_breakpoint"
    FIND_CAUSE = "find_cause"
    REFERENCE = "reference"
    GO_TO_ERROR = "go_to_error"
    REPLACE_VALUE = "replace_value"
    RESTORE_VALUES = "restore_values"
    SAVE_VALUE = "save_value"
    MEMORY_LIMIT = "memory_limit"
    SHOW_WHY = "show_why"
    SHOW_NETWORK = "show_network"
    CLEAR_MARKS = "clear_marks"
    FORCE_SAVE = "force_save"
    FORCE_RECOMPUTE = "force_recompute"
    RESET_DECISION = "reset_decision"
    UNDO_DECISION = "undo_decision"
    REDO_DECISION = "redo_decision"
    RUN_WITH_DECISIONS = "run_with_decisions"
    RUN_WITHOUT_DECISIONS = "run_without_decisions"
    EXPORT_POLICY = "export_policy"
    COMPARE_PARTITIONS = "compare_partitions"
    SHOW_PEAK = "show_peak"
    EXPORT_SAVED = "export_saved"
    COMMANDS = "commands"
    SHORTCUTS = "shortcuts"
    ABOUT = "about"


@dataclass(frozen=True, slots=True)
class ActionSpec:
    """One action.

    Attributes:
        id: its name.
        menu: title of the menu that holds it.
        text: what the menu says; ``&`` marks the mnemonic.
        tip: one sentence.
        icon: Material Design name, or empty.
        shortcut: portable text, or empty.
        label: shorter text on a button, or empty for ``text``.
        second_shortcut: another one that does the same, or empty.
        checkable: whether it is on or off.
        canvas_keys: portable text of keys that only a graph with the focus takes, or empty; shown, but no shortcut.
    """

    id: ActionId
    menu: str
    text: str
    tip: str
    icon: str = ""
    shortcut: str = ""
    label: str = ""
    second_shortcut: str = ""
    checkable: bool = False
    canvas_keys: str = ""


FILE: Final = "&File"
EDIT: Final = "&Edit"
VIEW: Final = "&View"
MODULES: Final = "&Modules"
ZOOM: Final = "&Zoom"
"""Menus inside of the view's."""
SELECTION: Final = "&Selection"
"""A menu inside of that for editing."""
RUN: Final = "&Run"
DEBUG: Final = "&Debug"
STEP_BY: Final = "Step B&y"
"""A menu inside of the debugger's."""
MEMORY: Final = "&Memory"
HELP: Final = "&Help"
