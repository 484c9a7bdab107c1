"""Connects the actions that are about compilers, and enables them while they can be done."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.files import PYTHON_FILTER, ask_folder, ask_save, beside_source
from aotgui.gui.app.views import Views
from aotgui.gui.session.controller import Controller
from aotgui.model.compiler_choice import ChoiceError, CompilerChoice, parse_choice
from aotgui.model.settings import Settings
from aotgui.protocol.messages import CompilerInfo, FolderForm

_FOLDERS: Final = {
    FolderForm.BUNDLE: ("Save a TorchScript Bundle", "_bundle"),
    FolderForm.FX: ("Save the Graphs as Python Files", "_graphs"),
}


class CompilerCommands(QObject):
    """What the Run and Export menus and the panels of this concern ask for."""

    def __init__(self, controller: Controller, actions: Actions, views: Views, window: QWidget) -> None:
        super().__init__(window)
        self._session = session = controller.session
        self._controller = controller
        self._actions = actions
        self._views = views
        self._window = window
        self._connect()
        for signal in (
            session.source_changed,
            session.progress_changed,
            session.capture_changed,
            session.settings_changed,
            session.compilers_changed,
            controller.trials.working_changed,
        ):
            signal.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Enables what can be done now, and says why the rest cannot."""
        trials = self._controller.trials
        idle = not trials.obstacle and not trials.is_working
        possible = {
            ActionId.COMPARE_COMPILERS: self._session.region is not None,
            ActionId.FIND_CULPRIT: idle,
            ActionId.COMPILER_OPTIONS: bool(self._compiler()),
            ActionId.EXPORT_BUNDLE: idle,
            ActionId.EXPORT_FX: idle,
        }
        for name, can in possible.items():
            self._actions[name].setEnabled(can)
        for name in (ActionId.FIND_CULPRIT, ActionId.EXPORT_BUNDLE, ActionId.EXPORT_FX):
            self._actions.explain(name, trials.obstacle)
        self._actions.explain(ActionId.COMPILER_OPTIONS, self._why_no_options())

    def use(self, settings: Settings) -> None:
        """Runs with other settings."""
        self._session.set_settings(settings)

    def find_culprit(self) -> None:
        """Looks for the node at which the compiler of the last run goes wrong."""
        self._views.panel_wanted.emit("Culprit")
        self._controller.trials.find_culprit()

    def save_repro(self) -> None:
        """Asks where to, and lets the engine write the smallest script that fails in the same way."""
        suggestion = beside_source(self._session.source, "_repro.py")
        if path := ask_save(self._window, "Save a Minimal Repro", str(suggestion), PYTHON_FILTER):
            self._views.notice.emit("Removing nodes while the script still fails, for at most half a minute…")
            self._controller.export_repro(path)

    def _connect(self) -> None:
        do: dict[ActionId, Callable[[], None]] = {
            ActionId.COMPARE_COMPILERS: partial(self._views.panel_wanted.emit, "Compare"),
            ActionId.FIND_CULPRIT: self.find_culprit,
            ActionId.COMPILER_OPTIONS: self._ask_options,
            ActionId.EXPORT_BUNDLE: partial(self._save_folder, FolderForm.BUNDLE),
            ActionId.EXPORT_FX: partial(self._save_folder, FolderForm.FX),
        }
        for name, slot in do.items():
            self._actions[name].triggered.connect(lambda _checked=False, slot=slot: slot())
        views = self._views
        views.compare.settings_requested.connect(self.use)
        views.compare.culprit_wanted.connect(partial(views.panel_wanted.emit, "Culprit"))
        views.culprit.repro_requested.connect(self.save_repro)
        views.result.culprit_wanted.connect(self.find_culprit)
        self._controller.trials.notice.connect(views.notice)

    def _save_folder(self, form: FolderForm) -> None:
        title, ending = _FOLDERS[form]
        if path := ask_folder(self._window, title, str(beside_source(self._session.source, ending))):
            self._views.notice.emit(f"Writing {Path(path).name} and running it with plain Python…")
            self._controller.export_folder(form, path)

    def _choice(self) -> CompilerChoice | None:
        try:
            return parse_choice(self._session.settings.forward_compiler)
        except ChoiceError:
            return None

    def _compiler(self) -> CompilerInfo | None:
        """The forward's compiler, where it has options."""
        choice = self._choice()
        known = (info for info in self._session.compilers if choice and info.name == choice.name)
        info = next(known, None)
        return info if info is not None and info.options else None

    def _why_no_options(self) -> str:
        name = self._session.settings.forward_compiler
        return "" if self._compiler() else f"{name} has no options to choose."

    def _ask_options(self) -> None:
        from aotgui.gui.app.compiler_options_dialog import CompilerOptionsDialog  # needed only when somebody asks

        info, choice = self._compiler(), self._choice()
        if info is None or choice is None:
            return
        dialog = CompilerOptionsDialog(info, choice, self._window)
        dialog.chosen.connect(self._set_compiler)
        dialog.open()

    def _set_compiler(self, text: str) -> None:
        self.use(msgspec.structs.replace(self._session.settings, forward_compiler=text))
