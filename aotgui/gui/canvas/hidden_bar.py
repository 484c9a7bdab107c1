"""A line above a graph that says how much of it is hidden, with the way back."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QWidget

from aotgui.gui.canvas.dimming import Dimming
from aotgui.gui.canvas.graph_view import GraphView
from aotgui.model.text import count_text

MARGIN = 8


class HiddenBar(QWidget):
    """Visible while nodes of a view are hidden: nobody should take what is left for the whole graph.

    Signals:
        show_all_requested: nothing should be hidden any more.
    """

    show_all_requested = Signal()

    def __init__(self, view: GraphView, dimming: Dimming) -> None:
        super().__init__()
        self._dimming = dimming
        self.label = QLabel()
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.show_all = QPushButton("Show all")
        self.show_all.setToolTip("Show all nodes again (Shift+H).")
        self.show_all.clicked.connect(self.show_all_requested)
        row = QHBoxLayout(self)
        row.setContentsMargins(MARGIN, 3, MARGIN, 3)
        row.addWidget(self.label, 1)
        row.addWidget(self.show_all)
        self.hide()
        view.dimming_changed.connect(self._on_dimming_changed)

    def _on_dimming_changed(self) -> None:
        mask = self._dimming.hidden
        count = int(np.count_nonzero(mask)) if mask is not None else 0
        if count and mask is not None:
            verb = "is" if count == 1 else "are"
            self.label.setText(f"{count:,} of {count_text(len(mask), 'node')} {verb} hidden.")
        self.setVisible(count > 0)
