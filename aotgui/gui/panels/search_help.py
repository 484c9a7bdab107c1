"""The popup that explains the search language."""

from __future__ import annotations

from html import escape
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from aotgui.gui.panels.look import MARGIN
from aotgui.model.query_terms import KEYS

INTRODUCTION: Final = (
    "Words are looked for in names, human names and operators. Terms side by side must all hold; "
    "<b>and</b>, <b>or</b>, <b>not</b> and brackets combine them; quotes keep spaces; * stands for anything."
)
EXAMPLES: Final = (
    ("fate:saved bytes>1MB", "what keeps memory between forward and backward"),
    ("module:layers.3 not op:view", "one block without its views"),
    ("fate:recomputed or fate:moved", "what backward runs again, or alone"),
)
WIDTH: Final = 620


class SearchHelp(QFrame):
    """Keys with examples; a click on one puts it into the search.

    Signals:
        example_chosen: text of the example.
    """

    example_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.label = QLabel(help_html())
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setWordWrap(True)
        self.label.setFixedWidth(WIDTH)
        self.label.linkActivated.connect(self.example_chosen)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * MARGIN, MARGIN, 2 * MARGIN, MARGIN)
        layout.addWidget(self.label)


def help_html() -> str:
    """The keys and some whole searches as two tables."""
    keys = "".join(_row(entry.example, entry.meaning) for entry in KEYS)
    examples = "".join(_row(example, meaning) for example, meaning in EXAMPLES)
    return f"<p>{INTRODUCTION}</p><table>{keys}</table><p>For example</p><table>{examples}</table>"


def _row(example: str, meaning: str) -> str:
    link = f'<a href="{escape(example, quote=True)}"><code>{escape(example)}</code></a>'
    return f'<tr><td style="padding-right: 14px; white-space: nowrap">{link}</td><td>{escape(meaning)}</td></tr>'
