"""Headers with room at both sides."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QTreeView

from aotgui.gui.panels.padded_cells import PaddedHeader


@pytest.mark.parametrize("title", ["Fwd", "Recomputed"])
def test_a_column_that_fits_its_content_shows_its_title_whole(qtbot, title):
    view = QTreeView()
    qtbot.addWidget(view)
    header = PaddedHeader(Qt.Orientation.Horizontal, view)
    view.setHeader(header)
    model = QStandardItemModel(1, 2, view)
    model.setHorizontalHeaderLabels([title, ""])
    view.setModel(model)
    header.setStretchLastSection(False)
    header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
    view.show()
    assert header.sectionSize(0) >= header.fontMetrics().horizontalAdvance(f"\u2002{title}\u2002")
