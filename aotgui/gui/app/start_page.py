"""What the window shows while nothing is open: how to begin, recent files, and the gallery of examples."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from aotgui.gui.app.examples import Example
from aotgui.gui.app.link_row import PADDING, LinkRow

MAX_WIDTH: Final = 1040
SHOWN_RECENT: Final = 6

_HOW: Final = (
    "A script gives <b>model</b> or <b>fn</b> and <b>example_inputs</b>. aotgui captures its joint, forward and "
    "backward graphs, shows what is saved and what is recomputed, steps through them, and checks the result "
    "against eager."
)


class StartPage(QScrollArea):
    """The empty state of the window.

    Signals:
        open_requested: the person wants to choose a file.
        source_chosen: the person chose a recent file or an example.
    """

    open_requested = Signal()
    source_chosen = Signal(str)

    def __init__(self, examples: Iterable[Example], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._recent = QVBoxLayout()
        self._recent_title = _heading("Recent")
        page = QWidget()
        outer = QHBoxLayout(page)
        outer.setContentsMargins(40, 36, 40, 16)
        column = QWidget()
        column.setMaximumWidth(MAX_WIDTH)
        outer.addWidget(column, 1)
        self._fill(QVBoxLayout(column), list(examples))
        outer.setAlignment(column, Qt.AlignmentFlag.AlignTop)
        self.setWidget(page)
        self.set_recent(())

    def set_recent(self, sources: Iterable[str]) -> None:
        """Shows these as recent files."""
        _clear(self._recent)
        shown = list(sources)[:SHOWN_RECENT]
        for source in shown:
            row = self._row(Path(source).name, str(Path(source).parent), source)
            self._recent.addWidget(row)
        if not shown:
            self._recent.addWidget(_hint("Files that you open are listed here."))
        self._recent.addStretch(1)

    def _fill(self, column: QVBoxLayout, examples: list[Example]) -> None:
        title = QLabel("aotgui")
        font = title.font()
        font.setPointSizeF(font.pointSizeF() * 2.2)
        font.setBold(True)
        title.setFont(font)
        how = QLabel(_HOW, wordWrap=True)
        title.setContentsMargins(PADDING, 0, 0, 0)
        how.setContentsMargins(PADDING, 0, PADDING, 0)
        column.setSpacing(10)
        column.addWidget(title)
        column.addWidget(how)
        column.addSpacing(6)
        column.addLayout(self._open_row())
        column.addSpacing(18)
        column.addLayout(self._lists(examples))
        column.addStretch(1)

    def _open_row(self) -> QHBoxLayout:
        button = QPushButton("Open…", default=True)
        button.setMinimumSize(150, 34)
        button.clicked.connect(self.open_requested)
        row = QHBoxLayout()
        row.setContentsMargins(PADDING, 0, 0, 0)
        row.setSpacing(12)
        row.addWidget(button)
        row.addWidget(_hint("or drop a script, an exported model or a saved capture anywhere in this window"), 1)
        return row

    def _lists(self, examples: list[Example]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(32)
        grid.setColumnStretch(0, 3)
        grid.setColumnStretch(1, 2)
        gallery = QVBoxLayout()
        for layout in (gallery, self._recent):
            layout.setSpacing(0)
            layout.setContentsMargins(0, 0, 0, 0)
        for example in examples:
            gallery.addWidget(self._row(example.title, example.sentence, str(example.path), wraps=True))
        gallery.addStretch(1)
        grid.addWidget(_heading("Examples"), 0, 0)
        grid.addWidget(self._recent_title, 0, 1)
        grid.addLayout(gallery, 1, 0)
        grid.addLayout(self._recent, 1, 1)
        return grid

    def _row(self, title: str, description: str, source: str, *, wraps: bool = False) -> LinkRow:
        row = LinkRow(title, description, wraps=wraps)
        row.clicked.connect(lambda: self.source_chosen.emit(source))
        return row


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    font = label.font()
    font.setBold(True)
    label.setFont(font)
    label.setContentsMargins(PADDING, 0, 0, 4)
    return label


def _hint(text: str) -> QLabel:
    label = QLabel(text, wordWrap=True)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    label.setContentsMargins(PADDING, 0, 0, 0)
    return label


def _clear(layout: QVBoxLayout) -> None:
    while item := layout.takeAt(0):
        if widget := item.widget():
            widget.hide()  # it is deleted later, and would be painted until then
            widget.deleteLater()
