"""A line in which a breakpoint is typed as on the command line."""

from __future__ import annotations

from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QLineEdit, QWidget

from aotgui.gui.panels.breakpoint_words import problem_of
from aotgui.gui.panels.look import code_font, graph_palette
from aotgui.gui.session.breakpoints import Breakpoints
from aotgui.model.breakpoint import Breakpoint
from aotgui.model.breakpoint_text import SYNTAX, BreakpointTextError, parse_breakpoint


class BreakpointField(QLineEdit):
    """Enter sets the breakpoint; what is none stays, with a sentence why.

    Attributes:
        problem: the sentence, to be placed by the owner; hidden while there is none.
    """

    def __init__(self, points: Breakpoints, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._points = points
        self.problem = QLabel(wordWrap=True)
        self.problem.hide()
        self.setPlaceholderText("aten.mm if value.max() > 1e4")
        self.setFont(code_font())
        self.setClearButtonEnabled(True)
        self.setAccessibleName("A new breakpoint")
        self.setToolTip(f"{SYNTAX}. Enter sets it.")
        self.returnPressed.connect(self._on_typed)
        self.textEdited.connect(lambda _text: self.problem.hide())

    def _on_typed(self) -> None:
        if not self.text().strip():
            return
        try:
            point: Breakpoint | None = parse_breakpoint(self.text(), self._points.new_id())
            why = problem_of(point) if point else ""
        except BreakpointTextError as error:
            point, why = None, str(error)
        if point is not None and not why:
            self._points.put(point)
            self.clear()
            self.problem.hide()
        else:
            self._say(why)

    def _say(self, why: str) -> None:
        colors = QPalette()
        colors.setColor(QPalette.ColorRole.WindowText, QColor(graph_palette(self).error))
        self.problem.setPalette(colors)
        self.problem.setText(why.partition(": write ")[0].rstrip(".") + "." if SYNTAX in why else why)
        self.problem.setToolTip(why)
        self.problem.show()
