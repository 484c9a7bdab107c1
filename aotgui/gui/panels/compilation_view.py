"""What the compilers made of the halves: steps, warnings and the text of what came out, linked with the graphs."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from aotgui.gui.panels.code_browser import CodeBrowser
from aotgui.gui.panels.code_gutter import LineMark
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel, is_behind
from aotgui.gui.session.session import Session
from aotgui.model.artifact_links import links_of
from aotgui.model.capture import Compilation, CompileStep
from aotgui.model.graph import Graph
from aotgui.model.text import count_text, seconds_text

NOTHING: Final = "What the compilers made of forward and backward appears here after a run."


class _Text:
    """A text on screen, with the nodes of its lines looked up once."""

    def __init__(self, graph: Graph | None, text: str, language: str) -> None:
        self.graph, self.text, self.language = graph, text, language

    @cached_property
    def nodes(self) -> dict[int, list[int]]:
        """Line, counted from 1, to nodes."""
        if self.graph is None:
            return {}
        index_of = self.graph.index_of
        found = links_of(self.text, self.language, index_of)
        return {line + 1: [index_of[name] for name in names] for line, names in found.items()}


class CompilationView(QWidget):
    """What each compiler made, to read and search; a line of it selects its nodes, and a node marks its lines.

    Attributes:
        session: the truth.
        chooser: which compilation.
        steps: which step of it; hidden where the compiler tells of none.
        note: how long it took and what it said.
        code: its text.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.chooser, self.steps = QComboBox(), QComboBox()
        self.note = MutedLabel()
        self.code = CodeBrowser(NOTHING)
        self._shown = _Text(None, "", "")
        self._set_up()
        session.capture_changed.connect(self._on_result_changed)
        session.result_changed.connect(self._on_result_changed)
        session.selection_changed.connect(self._show_marks)
        self._on_result_changed()

    def _set_up(self) -> None:
        self.chooser.setAccessibleName("Compilation")
        self.steps.setAccessibleName("Step of the compiler")
        self.steps.setToolTip("What the graph looked like after each step of the compiler.")
        self.chooser.currentIndexChanged.connect(self._show_chosen)
        self.steps.currentIndexChanged.connect(self._show_step)
        self.code.view.line_activated.connect(self.select_line)
        self._head = QWidget()
        row = QHBoxLayout()
        row.addWidget(self.chooser, 1)
        row.addWidget(self.steps, 1)
        head = QVBoxLayout(self._head)
        head.setContentsMargins(MARGIN, MARGIN, MARGIN, SPACING)
        head.setSpacing(SPACING)
        head.addLayout(row)
        head.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self.code, 1)
        # A low panel squeezes the code, which scrolls, and not the choosers above it.
        self.code.setMinimumHeight(self.fontMetrics().lineSpacing())

    def select_line(self, line: int) -> None:
        """Selects the nodes that a line (1-based) stands for, where names tell."""
        made = self._chosen()
        nodes = self._shown.nodes.get(line, [])
        if made is not None and nodes:
            self.session.select(made.graph, nodes, reveal=True)

    def _compilations(self) -> list[Compilation]:
        return self.session.region.compilations if self.session.region else []

    def _chosen(self) -> Compilation | None:
        found, place = self._compilations(), self.chooser.currentIndex()
        return found[place] if 0 <= place < len(found) else None

    def _on_result_changed(self) -> None:
        found, kept = self._compilations(), max(0, self.chooser.currentIndex())
        self.chooser.blockSignals(True)
        self.chooser.clear()
        for made in found:
            self.chooser.addItem(f"{made.graph.value.capitalize()}: {made.compiler}")
        self.chooser.setCurrentIndex(min(kept, len(found) - 1))
        self.chooser.blockSignals(False)
        self._head.setVisible(bool(found))
        self._show_chosen()

    def _show_chosen(self) -> None:
        made = self._chosen()
        self.steps.blockSignals(True)
        self.steps.clear()
        if made is not None and made.steps:
            self.steps.addItem("Result", None)
            for step in made.steps:
                self.steps.addItem(_step_title(step), step)
        self.steps.blockSignals(False)
        self.steps.setVisible(made is not None and bool(made.steps))
        self._show_step()

    def _show_step(self) -> None:
        made, step = self._chosen(), self.steps.currentData()
        if made is None:
            self._show_text(None, "", "text")
        elif isinstance(step, CompileStep):
            unchanged = "" if step.text else " It changed nothing; this is what was there before."
            self.note.setText(f"Took {seconds_text(step.seconds)}.{unchanged}")
            seen = _after(made, self.steps.currentIndex() - 1)
            self._show_text(made, seen.text, seen.language)
        else:
            self.note.setText(_note(made))
            self._show_text(made, made.artifact, made.language)

    def _show_text(self, made: Compilation | None, text: str, language: str) -> None:
        self._shown = _Text(self.session.graph(made.graph) if made else None, text, language)
        self.code.set_code(text, language)
        self._show_marks()

    def _show_marks(self) -> None:
        made = self._chosen()
        if made is None or is_behind(self):
            return
        selected = set(self.session.selected_in(made.graph))
        lines = [line for line, nodes in self._shown.nodes.items() if selected.intersection(nodes)] if selected else []
        self.code.view.set_marks(dict.fromkeys(lines, LineMark.CURRENT))
        if lines and not self.code.view.hasFocus():
            self.code.view.show_line(lines[0])

    def showEvent(self, event: QShowEvent) -> None:
        """Marks what was selected meanwhile."""
        super().showEvent(event)
        self._show_marks()


def _after(made: Compilation, place: int) -> CompileStep:
    """The newest step up to a place that changed something, or the one at the place."""
    changed = [step for step in made.steps[: place + 1] if step.text]
    return changed[-1] if changed else made.steps[place]


def _step_title(step: CompileStep) -> str:
    return f"{step.name.capitalize()}  {seconds_text(step.seconds)}{'' if step.text else '  (no change)'}"


def _note(made: Compilation) -> str:
    parts = [f"Compiled in {seconds_text(made.seconds)}."]
    if made.problem is not None:
        parts = [f"{made.problem} The graph ran uncompiled."]
    elif made.exportable:
        parts.append("Can be exported as TorchScript.")
    if not made.artifact and made.problem is None:
        parts.append("The compiler left nothing to read.")
    if made.warnings:
        parts += [f"{count_text(len(made.warnings), 'warning')}:", *made.warnings]
    return " ".join(parts)
