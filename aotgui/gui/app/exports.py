"""Saving what is shown: pictures and DOT by ourselves, TorchScript by the engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from aotgui.export.files import ExportError, write_text_atomically
from aotgui.gui.app.files import ask_save
from aotgui.gui.app.theme import is_dark
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session
from aotgui.model.capture import Problem, Severity
from aotgui.model.graph import Graph, GraphKind
from aotgui.protocol.messages import Exported

if TYPE_CHECKING:
    from aotgui.layout.result import Layout  # brings numpy, which the empty window does without

SVG_FILTER: Final = "SVG picture (*.svg)"
DOT_FILTER: Final = "Graphviz (*.dot *.gv)"
TORCHSCRIPT_FILTER: Final = "TorchScript (*.pt)"


class Exports(QObject):
    """The export commands.

    Signals:
        done: an export is over; one sentence.
    """

    done = Signal(str)

    def __init__(self, session: Session, controller: Controller, window: QWidget) -> None:
        super().__init__(window)
        self._session = session
        self._controller = controller
        self._window = window
        controller.exported.connect(self._on_exported)

    def save_svg(self, graph: Graph | None, layout: Layout | None) -> None:
        """Asks where to, and saves a graph as it is laid out on the screen."""
        from aotgui.export.svg import svg_of  # needed only when somebody exports

        if graph is not None and layout is not None and (path := self._ask("Save as SVG", ".svg", SVG_FILTER)):
            self._write(path, svg_of(graph, layout, dark=is_dark(self._window.palette())))

    def save_dot(self) -> None:
        """Asks where to, and saves the graph shown for Graphviz."""
        from aotgui.export.dot import dot_of  # needed only when somebody exports

        graph = self._session.graph(self._session.graph_shown)
        if graph is not None and (path := self._ask("Save as DOT", ".dot", DOT_FILTER)):
            self._write(path, dot_of(graph))

    def save_torchscript(self, kind: GraphKind) -> None:
        """Asks where to, and lets the engine save a half."""
        if path := self._ask(f"Save the {kind} as TorchScript", ".pt", TORCHSCRIPT_FILTER, kind):
            self.done.emit(f"Exporting the {kind} as TorchScript…")
            self._controller.export_torchscript(kind, path)

    def _ask(self, title: str, suffix: str, name_filter: str, kind: GraphKind | None = None) -> str:
        source = Path(self._session.source.replace(":", "."))
        suggestion = source.with_name(f"{source.stem}_{kind or self._session.graph_shown}{suffix}")
        return ask_save(self._window, title, str(suggestion), name_filter)

    def _write(self, path: str, text: str) -> None:
        try:
            write_text_atomically(Path(path), text)
        except ExportError as error:
            self._session.add_problem(Problem(severity=Severity.ERROR, stage="export", message=str(error)))
            self.done.emit(str(error))
        else:
            self.done.emit(f"Saved {path}.")

    def _on_exported(self, event: Exported) -> None:
        self.done.emit(event.problem.message if event.problem else f"Saved {event.path}. {event.detail}".strip())
