"""The part of the table of actions that is about the graph in front: where one looks and what is selected.

Most have single keys, which only the graph itself takes while it has the focus: they would be typed elsewhere.
"""

from __future__ import annotations

from typing import Final

from aotgui.gui.app.action_spec import SELECTION, ZOOM, ActionId, ActionSpec

CANVAS_ACTIONS: Final = (
    ActionSpec(ActionId.FIT, ZOOM, "&Fit Graph", "Show the whole graph.", canvas_keys="Home"),
    ActionSpec(ActionId.FIT_SELECTION, ZOOM, "Fit &Selection", "Show the selected nodes as large as they fit."),
    ActionSpec(ActionId.ZOOM_IN, ZOOM, "Zoom &In", "Look closer.", canvas_keys="+"),
    ActionSpec(ActionId.ZOOM_OUT, ZOOM, "Zoom &Out", "See more.", canvas_keys="-"),
    ActionSpec(ActionId.ACTUAL_SIZE, ZOOM, "&Actual Size", "Show the graph at its own size.", canvas_keys="0"),
    ActionSpec(
        ActionId.SELECT_ANCESTORS,
        SELECTION,
        "Select All &Ancestors",
        "Select everything that the selection is computed from.",
        canvas_keys="A",
    ),
    ActionSpec(
        ActionId.SELECT_DESCENDANTS,
        SELECTION,
        "Select All &Descendants",
        "Select everything that is computed from the selection.",
        canvas_keys="D",
    ),
    ActionSpec(
        ActionId.SELECT_PATH,
        SELECTION,
        "Select &Path Between Two",
        "Select everything between two selected nodes, if one is computed from the other.",
        canvas_keys="P",
    ),
    ActionSpec(ActionId.ISOLATE, SELECTION, "&Isolate Selection", "Hide everything else.", canvas_keys="I"),
    ActionSpec(ActionId.HIDE_SELECTION, SELECTION, "&Hide Selection", "Hide the selected nodes.", canvas_keys="H"),
    ActionSpec(
        ActionId.SHOW_EVERYTHING,
        SELECTION,
        "Show &Everything Again",
        "Show every node that was hidden.",
        canvas_keys="Shift+H",
    ),
    ActionSpec(
        ActionId.COPY_NAMES,
        SELECTION,
        "&Copy Names",
        "Copy the names of the selected nodes, one a line.",
        canvas_keys="Ctrl+C",
    ),
)
