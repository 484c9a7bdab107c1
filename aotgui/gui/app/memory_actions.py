"""The part of the table of actions that is about what is saved and what memory that takes."""

from __future__ import annotations

from typing import Final

from aotgui.gui.app.action_spec import MEMORY, ActionId, ActionSpec

MEMORY_ACTIONS: Final = (
    ActionSpec(
        ActionId.SHOW_WHY,
        MEMORY,
        "Show &Why on the Canvas",
        "Mark the path from the selected node to the backward that needs it, or the cut behind it.",
        "map-marker-path",
        "Ctrl+Y",
    ),
    ActionSpec(
        ActionId.SHOW_NETWORK,
        MEMORY,
        "Min-Cut &Network",
        "Show the network around the selected node that decides what is saved.",
        "graph-outline",
        "Ctrl+Shift+Y",
    ),
    ActionSpec(ActionId.CLEAR_MARKS, MEMORY, "&Clear Marks", "Mark no path and no differences any more."),
    ActionSpec(
        ActionId.FORCE_SAVE,
        MEMORY,
        "Force &Save",
        "See what it would change if the selected nodes were saved for the backward.",
        "content-save-check-outline",
    ),
    ActionSpec(
        ActionId.FORCE_RECOMPUTE,
        MEMORY,
        "Force &Recompute",
        "See what it would change if the selected nodes were computed again in the backward.",
        "refresh",
    ),
    ActionSpec(
        ActionId.RESET_DECISION,
        MEMORY,
        "&Leave to the Partitioner",
        "Take what you decided for the selected nodes back.",
    ),
    ActionSpec(ActionId.UNDO_DECISION, MEMORY, "&Undo Decision", "Take the last decision back.", "undo"),
    ActionSpec(ActionId.REDO_DECISION, MEMORY, "Redo &Decision", "Decide again what was taken back.", "redo"),
    ActionSpec(
        ActionId.RUN_WITH_DECISIONS,
        MEMORY,
        "Run wi&th These Decisions",
        "Run again with what you decided for nodes: to check, step through, export and compare compilers with it.",
        "play-box-multiple-outline",
    ),
    ActionSpec(
        ActionId.RUN_WITHOUT_DECISIONS,
        MEMORY,
        "Run Without Dec&isions",
        "Run again and leave every node to the partitioner; your decisions stay in the list.",
    ),
    ActionSpec(
        ActionId.EXPORT_POLICY,
        MEMORY,
        "Export &Policy…",
        "Save the decisions as a checkpoint policy function for your script, tried out by capturing with it.",
        "file-export-outline",
    ),
    ActionSpec(
        ActionId.COMPARE_PARTITIONS,
        MEMORY,
        "Com&pare Partitions",
        "Work out what torch's partitioners and smaller memory budgets would save and recompute.",
        "scale-balance",
    ),
    ActionSpec(
        ActionId.SHOW_PEAK,
        MEMORY,
        "Go to the Memory Pea&k",
        "Select the node after which most bytes are alive, and list what they are.",
        "chart-areaspline",
    ),
    ActionSpec(
        ActionId.EXPORT_SAVED, MEMORY, "&Export Saved Values…", "Save the ledger of saved values as a CSV table."
    ),
)
