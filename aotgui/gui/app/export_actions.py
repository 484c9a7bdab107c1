"""The part of the table of actions that saves and compares."""

from __future__ import annotations

from typing import Final

from aotgui.gui.app.action_spec import FILE, ActionId, ActionSpec

EXPORT_ACTIONS: Final = (
    ActionSpec(
        ActionId.EXPORT_SVG,
        FILE,
        "Graph as &SVG…",
        "Save the graph as shown: text stays text, sharp at any zoom.",
        "image-outline",
        "Ctrl+E",
    ),
    ActionSpec(ActionId.EXPORT_PNG, FILE, "Graph as &PNG…", "Save the graph as shown as a bitmap."),
    ActionSpec(ActionId.EXPORT_PDF, FILE, "Graph as PD&F…", "Save the graph as shown as a page to print."),
    ActionSpec(
        ActionId.EXPORT_SELECTION,
        FILE,
        "Se&lected Nodes Only",
        "Graphs are saved with the selected nodes and the edges between them only.",
        checkable=True,
    ),
    ActionSpec(ActionId.EXPORT_DOT, FILE, "Graph as &DOT…", "Save the graph shown for Graphviz."),
    ActionSpec(
        ActionId.EXPORT_GRAPHML,
        FILE,
        "Graph as Graph&ML…",
        "Save the graph shown for Gephi, yEd, Cytoscape or networkx.",
    ),
    ActionSpec(ActionId.EXPORT_JSON, FILE, "Graph as &JSON…", "Save all that is known of the graph shown."),
    ActionSpec(
        ActionId.EXPORT_TABLE, FILE, "Nodes as a &Table…", "Save one line for each node of the graph shown, as CSV."
    ),
    ActionSpec(
        ActionId.EXPORT_REPORT,
        FILE,
        "&Report as HTML…",
        "Save one page with settings, verdict, graphs and saved values; it opens in any browser, offline.",
    ),
    ActionSpec(
        ActionId.EXPORT_FORWARD,
        FILE,
        "&Forward as TorchScript…",
        "Save the compiled forward; it is loaded and run in a fresh process first.",
    ),
    ActionSpec(
        ActionId.EXPORT_BACKWARD,
        FILE,
        "&Backward as TorchScript…",
        "Save the compiled backward; it is loaded and run in a fresh process first.",
    ),
    ActionSpec(
        ActionId.COMPARE_FILE,
        FILE,
        "Compare with &Capture…",
        "Show side by side what differs between a saved capture and what is shown.",
        "compare",
    ),
)
