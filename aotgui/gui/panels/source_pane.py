"""The user's source: which lines have nodes, and which line the selected node comes from."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from aotgui.gui.panels.code_browser import CodeBrowser
from aotgui.gui.panels.code_gutter import LineMark
from aotgui.gui.panels.look import MARGIN
from aotgui.gui.session.breakpoint_places import marked_lines, toggle_line
from aotgui.gui.session.session import Session
from aotgui.model.graph import Frame, GraphKind, user_frame
from aotgui.model.text import place_text


class SourcePane(QWidget):
    """The files that nodes come from.

    A click on a line selects its nodes in the graph shown, or, where that has none, in the first graph that has.

    Signals:
        notice: one sentence about what a person did here.

    Attributes:
        session: the truth.
        files: chooser of the file, hidden while there is only one.
        code: the text.
    """

    notice = Signal(str)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.files = QComboBox()
        self.code = CodeBrowser("The lines that the graphs come from appear here after a run.")
        self.files.setAccessibleName("Source file")
        self.files.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self._chooser = QWidget()
        chooser = QVBoxLayout(self._chooser)
        chooser.setContentsMargins(MARGIN, MARGIN, MARGIN, MARGIN)
        chooser.addWidget(self.files)
        layout.addWidget(self._chooser)
        layout.addWidget(self.code, 1)
        self.files.currentIndexChanged.connect(self._on_file_chosen)
        self.code.view.line_activated.connect(self.select_line)
        self.code.view.breakpoint_toggled.connect(self.toggle_breakpoint)
        session.breakpoints.changed.connect(self._show_breakpoints)
        session.capture_changed.connect(self._on_capture_changed)
        session.selection_changed.connect(self._on_selection_changed)
        session.stepping_changed.connect(self._on_stepping_changed)
        self._on_capture_changed()

    @property
    def file(self) -> str:
        """Path of the file shown; empty for none."""
        return self.files.currentData() or ""

    def show_place(self, file: str, line: int) -> None:
        """Show a line of a file, where its text is known."""
        if self._open(file):
            self.code.view.show_line(line)

    def select_line(self, line: int) -> None:
        """Select the nodes that a line (1-based) of the file shown gave."""
        kinds = [self.session.graph_shown, *GraphKind]
        for kind in kinds:
            graph = self.session.graph(kind)
            nodes = graph.nodes_by_line.get((self.file, line)) if graph else None
            if nodes:
                self.session.select(kind, nodes, reveal=True)
                return
        self.notice.emit(f"No node comes from line {line}.")

    def toggle_breakpoint(self, line: int) -> None:
        """Set or remove the breakpoint on a line (1-based) of the file shown."""
        if self.file:
            toggle_line(self.session, self.file, line)
        if self.file and line in self.code.view.breakpoints and not self._line_counts().get(line):
            self.notice.emit(f"No node comes from line {line}, so nothing stops there.")

    def _show_breakpoints(self) -> None:
        self.code.view.set_breakpoints(marked_lines(self.session, self.file))

    def _open(self, file: str) -> bool:
        place = self.files.findData(file)
        if place >= 0:
            self.files.setCurrentIndex(place)
        return place >= 0

    def _on_capture_changed(self) -> None:
        kept, place = self.file, self.code.view.verticalScrollBar().value()
        self._fill_files(kept)
        self._on_file_chosen()
        if self.file == kept:
            self.code.view.verticalScrollBar().setValue(place)

    def _fill_files(self, chosen: str) -> None:
        sources = self.session.capture.sources if self.session.capture else {}
        self.files.blockSignals(True)
        self.files.clear()
        for file in sources:
            self.files.addItem(place_text(file), file)
            self.files.setItemData(self.files.count() - 1, file, Qt.ItemDataRole.ToolTipRole)
        self.files.setCurrentIndex(max(0, self.files.findData(chosen)) if sources else -1)
        self.files.blockSignals(False)
        self._chooser.setVisible(len(sources) > 1)

    def _on_file_chosen(self) -> None:
        capture = self.session.capture
        text = capture.sources.get(self.file, "") if capture else ""
        self.files.setToolTip(self.file)
        self.code.set_code(text)
        self.code.view.set_counts(self._line_counts())
        self._show_breakpoints()
        self._show_marks()

    def _line_counts(self) -> dict[int, int]:
        """Nodes of each line in the graph that has all of them: joint, or the one of an inference region."""
        graph = self.session.region.main_graph if self.session.region else None
        if graph is None:
            return {}
        return {line: len(nodes) for (file, line), nodes in graph.nodes_by_line.items() if file == self.file}

    def _on_selection_changed(self) -> None:
        frame = user_frame(self._selected_stack())
        if frame and not self._came_from_here() and self._open(frame.file):
            self.code.view.show_line(frame.line)
        self._show_marks()

    def _came_from_here(self) -> bool:
        """Whether the person has just chosen a line of the node in this pane: then the text stays where it is."""
        lines = {frame.line for frame in self._selected_stack() if frame.file == self.file}
        return self.code.view.hasFocus() and self.code.view.current_line() in lines

    def _selected_stack(self) -> list[Frame]:
        selection = self.session.selection
        graph = self.session.graph(selection.graph)
        return graph.stack(selection.current) if graph and selection.nodes else []

    def _next_frame(self) -> Frame | None:
        """Where the node comes from that the debugger would run next."""
        stepping = self.session.stepping
        graph = self.session.graph(stepping.graph)
        if not stepping.active or graph is None or not 0 <= stepping.node < len(graph):
            return None
        return graph.source(stepping.node)

    def _on_stepping_changed(self) -> None:
        frame = self._next_frame()
        if frame and not self.session.stepping.running and self._open(frame.file):
            self.code.view.show_line(frame.line)
        self._show_marks()

    def _show_marks(self) -> None:
        stack = self._selected_stack()
        marks = {frame.line: LineMark.CALLER for frame in stack if frame.file == self.file}
        innermost = user_frame(stack)
        if innermost and innermost.file == self.file:
            marks[innermost.line] = LineMark.CURRENT
        following = self._next_frame()
        if following and following.file == self.file:
            marks[following.line] = LineMark.NEXT
        self.code.view.set_marks(marks)
