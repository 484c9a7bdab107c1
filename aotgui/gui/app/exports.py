"""Saving what is shown: pictures, DOT and captures by ourselves, TorchScript by the engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from aotgui.export.capture_files import save_capture
from aotgui.export.files import ExportError, write_bytes_atomically, write_text_atomically
from aotgui.gui.app.files import ask_save, beside_source
from aotgui.gui.app.theme import is_dark
from aotgui.gui.session.background import Background
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session
from aotgui.model.capture import Problem, Severity
from aotgui.model.capture_file import ENDING, CaptureFileError
from aotgui.model.graph import Graph, GraphKind
from aotgui.model.induced import induced_graph
from aotgui.protocol.messages import Exported

if TYPE_CHECKING:
    from aotgui.layout.result import Layout  # brings numpy, which the empty window does without

PICTURES: Final = {"svg": "SVG picture (*.svg)", "png": "PNG picture (*.png)", "pdf": "PDF document (*.pdf)"}
DOT_FILTER: Final = "Graphviz (*.dot *.gv)"
GRAPHML_FILTER: Final = "GraphML (*.graphml)"
JSON_FILTER: Final = "Graph as JSON (*.json)"
TABLE_FILTER: Final = "Table (*.csv)"
REPORT_FILTER: Final = "Report (*.html)"
TORCHSCRIPT_FILTER: Final = "TorchScript (*.pt)"
CAPTURE_FILTER: Final = f"Capture (*{ENDING})"


class Exports(QObject):
    """The export commands.

    Signals:
        done: an export is over; one sentence, and the path of the file where there is one.
    """

    done = Signal(str, str)

    def __init__(self, session: Session, controller: Controller, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._controller = controller
        self._window = window
        self._background: Background[None] = Background(self)
        controller.exported.connect(self._on_exported)

    def close(self) -> None:
        """Waits for a file that is being written."""
        self._background.close()

    def save_picture(self, form: str, graph: Graph | None, layout: Layout | None, *, selection_only: bool) -> None:
        """Asks where to, and saves a graph as it is laid out on the screen, in the window's colours.

        Args:
            form: ``svg``, ``png`` or ``pdf``.
            graph: what is shown; nothing is saved where it is None.
            layout: how it is shown.
            selection_only: leave out what is not selected.
        """
        from aotgui.export.svg import svg_of  # needed only when somebody exports

        if graph is None or layout is None:
            return
        if path := self._ask(f"Save as {form.upper()}", f".{form}", PICTURES[form]):
            nodes = self._session.selected_in(graph.kind) if selection_only else []
            title = f"{Path(self._session.source).name}, {graph.kind} graph"
            svg = svg_of(graph, layout, dark=is_dark(self._window.palette()), title=title, nodes=nodes or None)
            if form == "svg":
                self._write(path, svg)
            else:
                self._save_drawn(form, svg, title, Path(path))

    def save_dot(self, *, selection_only: bool) -> None:
        """Asks where to, and saves the graph shown, or what is selected of it, for Graphviz."""
        from aotgui.export.dot import dot_of  # needed only when somebody exports

        graph = self._graph(selection_only)
        if graph is not None and (path := self._ask("Save as DOT", ".dot", DOT_FILTER)):
            self._write(path, dot_of(graph))

    def save_graphml(self, *, selection_only: bool) -> None:
        """Asks where to, and saves the graph shown, or what is selected of it, for other tools."""
        from aotgui.export.graphml import graphml_of  # brings networkx

        graph = self._graph(selection_only)
        if graph is not None and (path := self._ask("Save as GraphML", ".graphml", GRAPHML_FILTER)):
            self._in_background(path, lambda: write_bytes_atomically(Path(path), graphml_of(graph)))

    def save_json(self, *, selection_only: bool) -> None:
        """Asks where to, and saves all that is known of the graph shown, or of what is selected of it."""
        from aotgui.export.graph_json import graph_json  # needed only when somebody exports

        graph = self._graph(selection_only)
        if graph is not None and (path := self._ask("Save as JSON", ".json", JSON_FILTER)):
            self._in_background(path, lambda: write_text_atomically(Path(path), graph_json(graph)))

    def save_table(self, *, selection_only: bool) -> None:
        """Asks where to, and saves the nodes of the graph shown, or the selected ones, as a table."""
        from aotgui.export.tables import nodes_csv  # needed only when somebody exports

        graph = self._graph(selection_only)
        if graph is not None and (path := self._ask("Save the Nodes as a Table", ".csv", TABLE_FILTER)):
            self._write(path, nodes_csv(graph))

    def _graph(self, selection_only: bool) -> Graph | None:
        """The graph shown, or the part of it that is selected."""
        graph = self._session.graph(self._session.graph_shown)
        nodes = self._session.selected_in(graph.kind) if graph is not None and selection_only else []
        return induced_graph(graph, nodes) if graph is not None and nodes else graph

    def save_report(self) -> None:
        """Asks where to, and saves a page with everything, in the window's colours."""
        from aotgui.export.html_report import html_report  # needed only when somebody exports

        capture, dark = self._session.capture, is_dark(self._window.palette())
        if capture is None:
            return
        suggestion = beside_source(self._session.source, ".html")
        if path := ask_save(self._window, "Save a Report", str(suggestion), REPORT_FILTER):
            self._in_background(path, lambda: write_text_atomically(Path(path), html_report(capture, dark=dark)))

    def save_text(self, title: str, name: str, name_filter: str, text: str) -> None:
        """Asks where to, and saves the text of a panel.

        Args:
            title: of the question.
            name: ending of the suggested name, after that of the source.
            name_filter: of the question.
            text: what is saved.
        """
        suggestion = beside_source(self._session.source, f"_{name}")
        if path := ask_save(self._window, title, str(suggestion), name_filter):
            self._write(path, text)

    def save_capture(self) -> None:
        """Asks where to, and saves everything that is shown."""
        capture = self._session.capture
        if capture is None:
            return
        suggestion = beside_source(self._session.source, ENDING)
        if path := ask_save(self._window, "Save Capture As", str(suggestion), CAPTURE_FILTER):
            self._in_background(path, lambda: save_capture(Path(path), capture))

    def save_torchscript(self, kind: GraphKind) -> None:
        """Asks where to, and lets the engine save a half."""
        if path := self._ask(f"Save the {kind.value.capitalize()} as TorchScript", ".pt", TORCHSCRIPT_FILTER, kind):
            self.done.emit(f"Exporting the {kind} as TorchScript…", "")
            self._controller.export_torchscript(kind, path)

    def _save_drawn(self, form: str, svg: str, title: str, path: Path) -> None:
        """Drawing thousands of boxes takes seconds, so it is done on another thread."""
        from aotgui.gui.app.picture import pdf_of, png_of  # brings QtSvg

        def work() -> None:
            write_bytes_atomically(path, png_of(svg) if form == "png" else pdf_of(svg, title))

        self._in_background(str(path), work)

    def _in_background(self, path: str, work: Callable[[], None]) -> None:
        self.done.emit(f"Saving {Path(path).name}…", "")
        self._background.start(work, lambda result: self._on_written(path, result))

    def _on_written(self, path: str, result: Exception | None) -> None:
        if result is None:
            self.done.emit(f"Saved {path}.", path)
        elif isinstance(result, ExportError | CaptureFileError):
            self._fail(str(result))
        else:
            raise result

    def _ask(self, title: str, suffix: str, name_filter: str, kind: GraphKind | None = None) -> str:
        suggestion = beside_source(self._session.source, f"_{kind or self._session.graph_shown}{suffix}")
        return ask_save(self._window, title, str(suggestion), name_filter)

    def _write(self, path: str, text: str) -> None:
        try:
            write_text_atomically(Path(path), text)
        except ExportError as error:
            self._fail(str(error))
        else:
            self.done.emit(f"Saved {path}.", path)

    def _fail(self, sentence: str) -> None:
        self._session.add_problem(Problem(severity=Severity.ERROR, stage="export", message=sentence))
        self.done.emit(sentence, "")

    def _on_exported(self, event: Exported) -> None:
        if event.problem:
            self.done.emit(event.problem.message, "")
        else:
            self.done.emit(f"Saved {event.path}. {event.detail}".strip(), event.path)
