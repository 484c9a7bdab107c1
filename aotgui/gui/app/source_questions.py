"""What has to be asked before a source can be captured: whether it is trusted, what of it, with which inputs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QMessageBox, QWidget

from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import RecordingOptions, TargetChoice


class SourceQuestions(QObject):
    """Asks in dialogs that belong to the window, and remembers the answers.

    Signals:
        recording_chosen: path of a script to record and its ``RecordingOptions``.
    """

    recording_chosen = Signal(str, object)

    def __init__(self, controller: Controller, store: PreferencesStore, window: QWidget) -> None:
        super().__init__(window)
        self._controller = controller
        self._session = controller.session
        self._store = store
        self._window = window
        self._session.offer_changed.connect(self._on_offer_changed)
        controller.runs.trust_needed.connect(self._on_trust_needed)

    def when_trusted(self, source: str, go_on: Callable[[], None]) -> None:
        """Goes on with a script that was dropped or picked: at once from a folder known before, else after a yes."""
        folder = Path(source).parent
        if Path(source).suffix != ".py" or self._store.value.knows_folder(folder):
            go_on()
        else:
            text = f"{Path(source).name} is in a folder from which nothing was opened before:\n{folder}"
            self._ask(text, "Opening a script runs it.", folder, go_on)

    def record(self) -> None:
        """Asks which script to record, and how."""
        from aotgui.gui.app.record_dialog import RecordDialog  # not before the window is on the screen

        source = self._session.source
        script = source if source.endswith(".py") else next(reversed(self._store.value.recordings), "")
        options = self._store.value.recordings.get(script, RecordingOptions())
        dialog = RecordDialog(script, options, self._window)
        dialog.chosen.connect(self._on_recording_chosen)
        dialog.open()

    def _on_recording_chosen(self, script: str, options: RecordingOptions) -> None:
        self.when_trusted(script, lambda: self.recording_chosen.emit(script, options))

    def choose_target(self) -> None:
        """Asks what to capture; where the source has been asked before it is asked again what it offers."""
        if self._session.offer is not None:
            self._on_offer_changed()
        else:
            self._controller.capture(TargetChoice())

    def _on_offer_changed(self) -> None:
        from aotgui.gui.app.target_dialog import TargetDialog  # brings the form of inputs

        offer, source = self._session.offer, self._session.source
        if offer is None or not offer.targets:
            return
        remembered = self._store.value.choices.get(source, {})
        last = next(reversed(remembered), "")
        dialog = TargetDialog(offer, remembered, self._window, first=last)
        dialog.chosen.connect(self._on_chosen)
        dialog.open()

    def _on_chosen(self, choice: TargetChoice) -> None:
        self._store.update(self._store.value.with_choice(self._session.source, choice))
        self._controller.capture(choice)

    def _on_trust_needed(self, reason: str) -> None:
        folder = Path(self._session.source).parent
        self._ask(reason, "Open it only if you trust where it comes from.", folder, self._controller.run_trusted)

    def _ask(self, text: str, advice: str, folder: Path, go_on: Callable[[], None]) -> None:
        box = QMessageBox(QMessageBox.Icon.Warning, "Open a File That Runs Code", text, parent=self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setInformativeText(advice)
        remember = QCheckBox(f"Trust everything in {folder.name or folder} from now on")
        box.setCheckBox(remember)
        agree = box.addButton("Open", QMessageBox.ButtonRole.AcceptRole)
        box.addButton(QMessageBox.StandardButton.Cancel)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)

        def answered() -> None:
            if box.clickedButton() is agree:
                if remember.isChecked():
                    self._store.update(self._store.value.with_trusted(folder))
                go_on()

        box.finished.connect(answered)
        box.open()
