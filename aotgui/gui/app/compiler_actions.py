"""The part of the table of actions that is about compilers."""

from __future__ import annotations

from typing import Final

from aotgui.gui.app.action_spec import FILE, RUN, ActionId, ActionSpec

COMPILER_ACTIONS: Final = (
    ActionSpec(
        ActionId.COMPARE_COMPILERS,
        RUN,
        "Compare Co&mpilers",
        "Measure compilers and partitioners on what is open: time, memory and whether the result is right.",
        "speedometer",
        "Ctrl+M",
    ),
    ActionSpec(
        ActionId.FIND_CULPRIT,
        RUN,
        "Find Cul&prit",
        "Find the first node at which the compiler of the last run goes wrong.",
        "target-account",
        "Ctrl+Shift+M",
    ),
    ActionSpec(
        ActionId.COMPILER_OPTIONS,
        RUN,
        "Compiler &Options…",
        "Choose the options of the forward and backward compiler.",
        "tune",
    ),
    ActionSpec(
        ActionId.EXPORT_BUNDLE,
        FILE,
        "TorchScript &Bundle…",
        "Save a folder with the compiled forward and backward, and a script that runs and checks both without aotgui.",
    ),
    ActionSpec(
        ActionId.EXPORT_FX,
        FILE,
        "Graphs as P&ython Files…",
        "Save a folder with each graph as Python code that runs by itself.",
    ),
)
