"""What each compiler made of a half, to read and search."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from aotgui.gui.panels.code_browser import CodeBrowser
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel
from aotgui.gui.session.session import Session
from aotgui.model.capture import Compilation
from aotgui.model.text import seconds_text


class CompilationView(QWidget):
    """What each compiler made, to read and search.

    Attributes:
        session: the truth.
        chooser: which compilation.
        code: its text.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.chooser = QComboBox()
        self.note = MutedLabel()
        self.code = CodeBrowser("What the compilers made of forward and backward appears here after a run.")
        self.chooser.setAccessibleName("Compilation")
        self.chooser.currentIndexChanged.connect(self._show_chosen)
        self._head = QWidget()
        head = QVBoxLayout(self._head)
        head.setContentsMargins(MARGIN, MARGIN, MARGIN, SPACING)
        head.setSpacing(SPACING)
        head.addWidget(self.chooser)
        head.addWidget(self.note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self._head)
        layout.addWidget(self.code, 1)
        session.capture_changed.connect(self._on_result_changed)
        session.result_changed.connect(self._on_result_changed)
        self._on_result_changed()

    def _compilations(self) -> list[Compilation]:
        return self.session.region.compilations if self.session.region else []

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
        found, place = self._compilations(), self.chooser.currentIndex()
        made = found[place] if 0 <= place < len(found) else None
        if made is None:
            self.code.set_code("")
            return
        export = "Can be exported as TorchScript." if made.exportable else ""
        empty = "" if made.artifact else "The compiler left nothing to read."
        self.note.setText(" ".join(filter(None, (f"Compiled in {seconds_text(made.seconds)}.", export, empty))))
        self.code.set_code(made.artifact, made.language)
