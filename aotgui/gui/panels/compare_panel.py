"""Compilers and partitioners compared on what is open."""

from __future__ import annotations

from typing import Final

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDoubleSpinBox, QMenu, QPushButton, QVBoxLayout, QWidget

from aotgui.export.compare_report import compare_csv, compare_markdown
from aotgui.gui.panels.flow_layout import FlowLayout
from aotgui.gui.panels.look import MARGIN, SPACING, MutedLabel
from aotgui.gui.panels.trial_table import EMPTY, TrialTable
from aotgui.gui.session.compiler_trials import TrialEntry
from aotgui.gui.session.session import Session
from aotgui.gui.session.trial_control import TrialControl
from aotgui.model.comparison import Candidate, Verdict
from aotgui.model.presets import PRESETS
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CompilerInfo

PARTITIONERS: Final = (("min_cut", None), ("min_cut", 0.5), ("default", None))
USUAL: Final = ("nop", "ts_compile")
"""Compilers that are ticked at first, beside that of the run."""
OF_THE_RUN: Final = "The compiler that is chosen for the run."


class ComparePanel(QWidget):
    """Chooses what is compared, and shows it as it is measured.

    Signals:
        save_requested: (title, suggested name, filter, text) of a table that the person wants to save.
        settings_requested: ``Settings`` to run with.
        culprit_wanted: a search for a node began.

    Attributes:
        table: the rows.
        compilers: menu of the compilers to compare.
        partitioners: menu of the partitioners to compare them with.
        seconds: time for the timed calls of a row.
        compare_button: begins, or stops what is under way.
        use_button: runs with the chosen row's compiler.
        culprit_button: looks for the node at which the chosen row's compiler goes wrong.
    """

    save_requested = Signal(str, str, str, str)
    settings_requested = Signal(object)
    culprit_wanted = Signal()

    def __init__(self, session: Session, control: TrialControl, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.control = session, control
        self.table = TrialTable(session)
        self.compilers, self.partitioners = QMenu(self), QMenu(self)
        self.seconds = QDoubleSpinBox()
        self.compare_button = QPushButton("Compare")
        self.use_button = QPushButton("Use This")
        self.culprit_button = QPushButton("Find Culprit")
        self.status = MutedLabel()
        self._save_button = QPushButton("Export")
        self._set_up_controls()
        self._set_up_layout()
        self._connect()
        self._fill_partitioners()
        self._fill_compilers()
        self._refresh()

    def candidates(self) -> list[Candidate]:
        """What is ticked: every compiler with every partitioner; the run's own partitioner where none is."""
        names = [action.data() for action in self.compilers.actions() if action.isChecked()]
        chosen = [action.data() for action in self.partitioners.actions() if action.isChecked()] or [("", None)]
        found = [
            Candidate(compiler=name, partitioner=partitioner, memory_budget=budget)
            for name in names
            if isinstance(name, str)
            for partitioner, budget in chosen
        ]
        return found + [preset.candidate for preset in PRESETS if self._is_ticked(preset)]

    def _is_ticked(self, preset: object) -> bool:
        return any(action.data() is preset and action.isChecked() for action in self.compilers.actions())

    def _set_up_controls(self) -> None:
        self.seconds.setRange(0.2, 60.0)
        self.seconds.setValue(1.0)
        self.seconds.setSingleStep(0.5)
        self.seconds.setSuffix(" s a row")
        self.seconds.setToolTip("How long the timed calls of one row may take; more time gives steadier figures.")
        self.compare_button.setToolTip("Measure what is ticked, one after the other; the run on screen stays as it is.")
        self.use_button.setToolTip("Run again with the compiler and partitioner of the chosen row.")
        self.culprit_button.setToolTip("Find the first node at which the chosen row's compiler goes wrong.")
        save = QMenu(self)
        save.addAction("As &CSV…", self._save_csv)
        save.addAction("As &Markdown…", self._save_markdown)
        self._save_button.setToolTip("Save the rows that were measured.")
        self._save_button.setMenu(save)

    def _set_up_layout(self) -> None:
        head = QWidget()
        head.setContentsMargins(MARGIN, 0, MARGIN, 0)
        tools = FlowLayout(head, spacing=SPACING)
        for widget in (
            self._chooser("Compilers", self.compilers, "Which compilers are compared."),
            self._chooser("Partitioners", self.partitioners, "With which partitioners; none means that of the run."),
            self.seconds,
            self.compare_button,
            self.use_button,
            self.culprit_button,
            self._save_button,
        ):
            tools.addWidget(widget)
        self.status.setContentsMargins(MARGIN, 0, MARGIN, 0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SPACING, 0, SPACING)
        layout.setSpacing(SPACING)
        layout.addWidget(head)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.status)

    def _chooser(self, title: str, menu: QMenu, tip: str) -> QPushButton:
        menu.setToolTipsVisible(True)
        button = QPushButton(title)
        button.setToolTip(tip)
        button.setMenu(menu)
        return button

    def _connect(self) -> None:
        self.compare_button.clicked.connect(self._on_compare_clicked)
        self.use_button.clicked.connect(self._use)
        self.culprit_button.clicked.connect(self._find_culprit)
        self.table.row_activated.connect(lambda _entry: self._use())
        self.table.view.selectionModel().selectionChanged.connect(self._refresh)
        self.session.trials.entries_changed.connect(self._refresh)
        self.control.working_changed.connect(self._refresh)
        for changed in (self.session.compilers_changed, self.session.settings_changed):
            changed.connect(self._fill_compilers)
        for signal in (self.session.progress_changed, self.session.capture_changed, self.session.recording_changed):
            signal.connect(self._refresh)
        for menu in (self.compilers, self.partitioners):
            menu.triggered.connect(self._refresh)

    def _fill_partitioners(self) -> None:
        for partitioner, budget in PARTITIONERS:
            title = Candidate(partitioner=partitioner, memory_budget=budget).partitioner_label
            action = self.partitioners.addAction(title)
            action.setData((partitioner, budget))
            action.setCheckable(True)

    def _fill_compilers(self) -> None:
        before = {action.text(): action.isChecked() for action in self.compilers.actions()}
        actions = []
        for info in (*self.session.compilers, *self._run_compilers()):
            is_usual = info.name in USUAL or info.description == OF_THE_RUN
            actions.append(_compiler_action(info, before.get(info.name, is_usual), self.compilers))
        self.compilers.clear()
        self.compilers.addActions(actions)
        self.compilers.addSeparator()
        for preset in PRESETS:
            action = self.compilers.addAction(preset.name)
            action.setToolTip(preset.description)
            action.setCheckable(True)
            action.setChecked(before.get(preset.name, False))
            action.setData(preset)
        self._refresh()

    def _run_compilers(self) -> list[CompilerInfo]:
        """Those of the run that the engine does not list: functions of the script, or with options."""
        settings, known = self.session.settings, {info.name for info in self.session.compilers}
        names = dict.fromkeys(filter(None, (settings.forward_compiler, settings.backward_compiler)))
        return [CompilerInfo(name=name, description=OF_THE_RUN) for name in names if name not in known]

    def _refresh(self) -> None:
        obstacle, count = self.control.compare_obstacle, len(self.candidates())
        is_comparing, entry = self.control.is_comparing, self.table.chosen()
        row = entry.row if entry else None
        self.compare_button.setText("Stop" if is_comparing else f"Compare {count}" if count else "Compare")
        self.compare_button.setEnabled(is_comparing or (not obstacle and count > 0))
        self.use_button.setEnabled(entry is not None and not self.control.obstacle)
        self.culprit_button.setEnabled(
            row is not None and row.verdict is not Verdict.MATCH and not self.control.obstacle and not is_comparing
        )
        self._save_button.setEnabled(bool(self.session.trials.rows))
        self.table.set_empty_text(obstacle or EMPTY)
        self.status.setText(self._status_text(entry, obstacle))
        self.status.setVisible(bool(self.status.text()))

    def _status_text(self, entry: TrialEntry | None, obstacle: str) -> str:
        if entry is not None and entry.row is not None and entry.row.problem is not None:
            return str(entry.row.problem)
        if self.control.is_comparing:
            done = len(self.session.trials.rows)
            return f"Measuring {done + 1} of {len(self.session.trials.entries)}; what is measured stays when you stop."
        return obstacle if self.session.trials.entries else ""

    def _on_compare_clicked(self) -> None:
        if self.control.is_comparing:
            self.control.stop()
        else:
            self.control.compare(self.candidates(), self.seconds.value())

    def _use(self) -> None:
        entry = self.table.chosen()
        if entry is not None and not self.control.obstacle:
            self.settings_requested.emit(settings_with(self.session.settings, entry.candidate))

    def _find_culprit(self) -> None:
        entry = self.table.chosen()
        if entry is not None:
            self.culprit_wanted.emit()
            self.control.find_culprit(entry.candidate.compiler)

    def _save_csv(self) -> None:
        text = compare_csv(self.session.trials.rows)
        self.save_requested.emit("Save the Comparison", "compilers.csv", "Table (*.csv)", text)

    def _save_markdown(self) -> None:
        text = compare_markdown(self.session.trials.rows, {})
        self.save_requested.emit("Save the Comparison", "compilers.md", "Markdown (*.md)", text)


def settings_with(settings: Settings, candidate: Candidate) -> Settings:
    """The settings that a candidate stands for."""
    changes: dict[str, object] = {}
    if candidate.compiler:
        changes |= {"forward_compiler": candidate.compiler, "backward_compiler": candidate.backward_compiler}
        changes["inference_compiler"] = ""
    if candidate.partitioner:
        budget = 1.0 if candidate.memory_budget is None else candidate.memory_budget
        changes |= {"partitioner": candidate.partitioner, "memory_budget": budget}
    if candidate.decompositions:
        changes["decompositions"] = candidate.decompositions
    return msgspec.structs.replace(settings, **changes)


def _compiler_action(info: CompilerInfo, is_ticked: bool, parent: QMenu) -> QAction:
    action = QAction(info.name, parent)
    action.setToolTip(info.unavailable or info.description)
    action.setCheckable(True)
    action.setEnabled(not info.unavailable)
    action.setChecked(is_ticked and not info.unavailable)
    action.setData(info.name)
    return action
