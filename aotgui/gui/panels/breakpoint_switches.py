"""Switches for the breakpoints of which there is one each: the first NaN, overflow, a mismatch, a large error."""

from __future__ import annotations

import math

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QWidget

from aotgui.gui.panels.breakpoint_words import KIND_HINTS, KIND_WORDS
from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import SPACING
from aotgui.gui.session.breakpoints import BUILT_IN, Breakpoints
from aotgui.model.breakpoint import BreakpointKind


class BreakpointSwitches(QWidget):
    """A check box for each built-in kind, and the limit of the last.

    Attributes:
        boxes: by kind.
        limit: the relative error above which it stops.
    """

    def __init__(self, points: Breakpoints, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = points
        self.boxes = {kind: QCheckBox(KIND_WORDS[kind]) for kind in BUILT_IN}
        self.limit = QLineEdit()
        for kind, box in self.boxes.items():
            box.setToolTip(KIND_HINTS[kind])
            box.toggled.connect(lambda on, kind=kind: points.set_built_in(kind, on))
        self.limit.setFixedWidth(self.fontMetrics().horizontalAdvance("0000000") + 2 * SPACING)
        self.limit.setAccessibleName("Relative error above which stepping stops")
        self.limit.setToolTip(KIND_HINTS[BreakpointKind.ERROR_ABOVE])
        self.limit.editingFinished.connect(self._on_limit_edited)
        self._lay_out()
        points.changed.connect(self._show)
        self._show()

    def _lay_out(self) -> None:
        flow = FlowLayout(self, spacing=SPACING + 4)
        for kind, box in self.boxes.items():
            if kind is not BreakpointKind.ERROR_ABOVE:
                flow.addWidget(box)
        pair = QWidget()
        row = QHBoxLayout(pair)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.boxes[BreakpointKind.ERROR_ABOVE])
        row.addWidget(self.limit)
        flow.addWidget(pair)

    def _show(self) -> None:
        for kind, box in self.boxes.items():
            with QSignalBlocker(box):
                box.setChecked(self._points.stops_at(kind))
        self.limit.setText(f"{self._points.limit():g}")

    def _on_limit_edited(self) -> None:
        """A number that is no number keeps the former one."""
        points = self._points
        try:
            limit = float(self.limit.text())
        except ValueError:
            limit = points.limit()
        if 0 < limit < math.inf and limit != points.limit():
            points.set_built_in(BreakpointKind.ERROR_ABOVE, points.stops_at(BreakpointKind.ERROR_ABOVE), limit)
        self.limit.setText(f"{points.limit():g}")
