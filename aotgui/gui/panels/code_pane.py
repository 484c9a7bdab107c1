"""The generated Python code of the graph shown; lines and nodes select each other."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from aotgui.gui.panels.code_browser import CodeBrowser
from aotgui.gui.panels.code_gutter import LineMark
from aotgui.gui.panels.look import is_behind
from aotgui.gui.session.breakpoint_places import marked_nodes, toggle_node
from aotgui.gui.session.session import Session
from aotgui.model.graph import Graph, GraphKind

_ASSIGNMENT: Final = re.compile(r"^\s+(\w+)(?:\s*:\s*[^=]+?)?\s*=(?!=)")
"""``mm = ...`` or ``mm: "f32[4, 4]" = ...``, indented as in the body of ``forward``."""
_ARGUMENT: Final = re.compile(r"[(,]\s*\*?(\w+)")


def lines_of_nodes(graph: Graph) -> dict[int, int]:
    """For each node index the 1-based line of ``graph.code`` that makes its value.

    A placeholder is made where ``forward`` names it, which is one line for all of them unless torch wraps it.
    """
    found: dict[int, int] = {}
    for number, line in enumerate(graph.code.split("\n"), start=1):
        if "def forward(" in line:
            names = _ARGUMENT.findall(line)
        elif match := _ASSIGNMENT.match(line):
            names = [match.group(1)]
        else:
            continue
        for name in names:
            index = graph.index_of.get(name)
            if index is not None:
                found.setdefault(index, number)
    return found


class _Shown:
    """The graph whose code is on screen, with its lines looked up once."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def lines(self) -> dict[int, int]:
        return lines_of_nodes(self.graph)

    def nodes_on(self, line: int) -> list[int]:
        return [node for node, place in self.lines.items() if place == line]


class CodePane(QWidget):
    """Generated code.

    Attributes:
        session: the truth.
        code: the text.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.code = CodeBrowser("The generated code of the graph in front appears here after a run.")
        self._shown: _Shown | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.code)
        self.code.view.line_activated.connect(self.select_line)
        self.code.view.breakpoint_toggled.connect(self.toggle_breakpoint)
        session.breakpoints.changed.connect(self._show_breakpoints)
        session.capture_changed.connect(self._on_graph_changed)
        session.graph_shown_changed.connect(self._on_graph_changed)
        session.selection_changed.connect(self._on_selection_changed)
        session.stepping_changed.connect(self._on_stepping_changed)
        self._on_graph_changed()

    def select_line(self, line: int) -> None:
        """Select the node or nodes that a line (1-based) makes."""
        nodes = self._shown.nodes_on(line) if self._shown else []
        if nodes:
            self.session.select(self.session.graph_shown, nodes, reveal=True)

    def toggle_breakpoint(self, line: int) -> None:
        """Set or remove the breakpoint on the node that a line (1-based) makes; on the line of all inputs nothing."""
        nodes = self._shown.nodes_on(line) if self._shown else []
        if self._shown and len(nodes) == 1:
            toggle_node(self.session, self.session.graph_shown, self._shown.graph.names[nodes[0]])

    def _show_breakpoints(self) -> None:
        if is_behind(self) or self._shown is None:
            return
        lines = self._shown.lines
        marked = marked_nodes(self.session, self.session.graph_shown)
        self.code.view.set_breakpoints({lines[node]: True for node in marked if node in lines})

    def _on_graph_changed(self) -> None:
        graph = self.session.graph(self.session.graph_shown)
        if is_behind(self) or (self._shown and graph is self._shown.graph):
            return
        self._shown = _Shown(graph) if graph else None
        self.code.set_code(graph.code if graph else "")
        self._show_breakpoints()
        self._on_selection_changed()

    def _selected_lines(self) -> list[int]:
        if self._shown is None:
            return []
        nodes = self.session.selected_in(self.session.graph_shown)
        return [self._shown.lines[node] for node in nodes if node in self._shown.lines]

    def _on_selection_changed(self) -> None:
        if is_behind(self):
            return
        lines = self._selected_lines()
        self._show_marks()
        if lines and not (self.code.view.hasFocus() and self.code.view.current_line() in lines):
            self.code.view.show_line(lines[0])

    def _next_line(self) -> int:
        """The line of the node that the debugger would run next; 0 where it is not in this graph."""
        session, stepping = self.session, self.session.stepping
        running = session.graph(stepping.graph)
        if not self._shown or not stepping.active or running is None or not 0 <= stepping.node < len(running):
            return 0
        is_seen = session.graph_shown in (GraphKind.JOINT, stepping.graph)
        here = session.copies_in(session.graph_shown, stepping.graph, [stepping.node]) if is_seen else []
        return self._shown.lines.get(here[0], 0) if here else 0

    def _on_stepping_changed(self) -> None:
        if is_behind(self):
            return
        line = self._next_line()
        if line and not self.session.stepping.running:
            self.code.view.show_line(line)
        self._show_marks()

    def _show_marks(self) -> None:
        lines = self._selected_lines()
        marks = dict.fromkeys(lines, LineMark.CALLER)
        if lines:
            marks[lines[0]] = LineMark.CURRENT
        if line := self._next_line():
            marks[line] = LineMark.NEXT
        self.code.view.set_marks(marks)

    def showEvent(self, event: QShowEvent) -> None:
        """What happened behind another tab is shown now."""
        super().showEvent(event)
        self._on_graph_changed()
        self._show_breakpoints()
        self._on_selection_changed()
        self._on_stepping_changed()
