"""The window: puts bars, pages and docks in their places and remembers them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from PySide6.QtCore import QByteArray, QEvent, QPoint, QSize
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QStackedWidget, QToolBar, QVBoxLayout, QWidget

from aotgui.gui.app.actions import ActionId, Actions
from aotgui.gui.app.changed_bar import ChangedBar
from aotgui.gui.app.commands import Commands
from aotgui.gui.app.comparisons import Comparisons
from aotgui.gui.app.examples import find_examples
from aotgui.gui.app.exports import Exports
from aotgui.gui.app.files import ask_open, dropped_source
from aotgui.gui.app.menus import Menus
from aotgui.gui.app.options_bar import OptionsBar
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.result_bar import ResultBar
from aotgui.gui.app.source_questions import SourceQuestions
from aotgui.gui.app.start_page import StartPage
from aotgui.gui.app.theme import Theme, apply_theme
from aotgui.gui.app.wait_page import WaitPage
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import RecordingOptions, Session
from aotgui.gui.session.source_key import normal_source
from aotgui.model.graph import GraphKind
from aotgui.model.settings import Settings

if TYPE_CHECKING:
    from aotgui.gui.app.workspace import Workspace
    from aotgui.gui.panels.search_bar import SearchBar

DEFAULT_SIZE: Final = (1600, 1000)
MESSAGE_MS: Final = 8000


class MainWindow(QMainWindow):
    """The window of the program.

    Attributes:
        session: what it shows.
        controller: what it tells.
        actions_table: every action.
        result_bar: what happens, and whether the result is right.
    """

    def __init__(self, controller: Controller, store: PreferencesStore) -> None:
        super().__init__()
        self.session: Session = controller.session
        self.controller = controller
        self._store = store
        self._icons_shown = False
        self.setAcceptDrops(True)
        self.setUnifiedTitleAndToolBarOnMac(True)
        self.actions_table = Actions(self)
        self._commands = Commands(self.actions_table, controller, self)
        self._exports = Exports(self.session, controller, self)
        self._comparisons = Comparisons(self.session, self, lambda: self.workspace.views.layouts.arrange)
        self._questions = SourceQuestions(controller, store, self)
        self._options_bar = OptionsBar(self.session, self.actions_table, self)
        self.addToolBar(self._options_bar)
        self._add_result_bar()
        self._workspace: Workspace | None = None
        self.setCentralWidget(self._build_middle())
        self._menus = Menus(self.menuBar(), self.actions_table)
        self.statusBar().setSizeGripEnabled(False)
        self._connect()
        self._restore()
        self._show_page()
        self._show_title()

    @property
    def workspace(self) -> Workspace:
        """Graphs and panels, built when first needed: the start page does without them for 0.2 s."""
        if self._workspace is None:
            from aotgui.gui.app.workspace import Workspace  # brings numpy, the canvas and every panel

            self._workspace = Workspace(self, self.controller, self.actions_table, self._store)
            self._pages.addWidget(self._workspace.page)
            self._workspace.views.notice.connect(lambda sentence: self.statusBar().showMessage(sentence, MESSAGE_MS))
            self._workspace.views.save_requested.connect(self._exports.save_text)
            self._restore_searches(self._workspace.views.search_bar)
            self._menus.set_panels(self._workspace.docks.toggles())
        return self._workspace

    def prepare(self) -> None:
        """Builds the workspace ahead, while the person looks at the start page or the engine traces."""
        if not self.session.source:
            self.workspace.docks.suspend()
        self.workspace.tabs.build_ahead()

    def open(self, source: str, settings: Settings | None = None, *, trusted: bool = False) -> None:
        """Opens and runs a source with given settings, else with those that it had last, else with the defaults.

        Args:
            source: a script, model, capture or ``package.module:name``.
            settings: for the run.
            trusted: it may run code when it is opened, wherever it lies.
        """
        source = normal_source(source)
        preferences = self._store.value.with_opened(source)
        self._store.update(preferences)
        self.controller.open(
            source,
            settings or preferences.files.get(source, Settings()),
            preferences.choice_of(source),
            trusted=trusted or preferences.trusts(Path(source)),
        )
        self._show_recent()

    def record(self, script: str, recording: RecordingOptions) -> None:
        """Runs a script as it is and captures what it compiles, with the settings that it had last."""
        script = normal_source(script)
        preferences = self._store.value.with_opened(script).with_recording(script, recording)
        self._store.update(preferences)
        self.changed_bar.hide()
        self.controller.record(script, recording, preferences.files.get(script, Settings()))
        self._show_recent()

    def show_icons(self) -> None:
        """Gives actions and bars their icons; costs 0.15 s the first time."""
        self._icons_shown = True
        self.actions_table.show_icons(self.palette())
        self._options_bar.show_icons()
        self.result_bar.show_icons()

    def _add_result_bar(self) -> None:
        self.result_bar = ResultBar(self.session)
        self._result_holder = QToolBar("Result", self)
        self._result_holder.setObjectName("ResultHolder")
        self._result_holder.setMovable(False)
        self._result_holder.addWidget(self.result_bar)
        layout = self._result_holder.layout()
        assert layout is not None
        layout.setContentsMargins(0, 0, 0, 0)
        self.addToolBarBreak()
        self.addToolBar(self._result_holder)

    def _build_middle(self) -> QWidget:
        self.changed_bar = ChangedBar()
        self.start_page = StartPage(find_examples())
        self.wait_page = WaitPage(self.session)
        self._pages = QStackedWidget()
        for page in (self.start_page, self.wait_page):
            self._pages.addWidget(page)
        middle = QWidget()
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.changed_bar, self._pages):
            column.addWidget(widget)
        column.setStretchFactor(self._pages, 1)
        return middle

    def _connect(self) -> None:
        session, menus = self.session, self._menus
        do = {
            ActionId.OPEN: self._ask_open,
            ActionId.CLOSE: self._show_start,
            ActionId.QUIT: self.close,
            ActionId.RESET_LAYOUT: lambda: self.workspace.docks.reset(),
            ActionId.RECORD: self._questions.record,
            ActionId.CHOOSE_TARGET: self._questions.choose_target,
            ActionId.COMMANDS: self._show_commands,
            ActionId.SHORTCUTS: self._show_shortcuts,
            ActionId.ABOUT: self._show_about,
            ActionId.SAVE_CAPTURE: self._exports.save_capture,
            ActionId.EXPORT_SVG: lambda: self._export_picture("svg"),
            ActionId.EXPORT_PNG: lambda: self._export_picture("png"),
            ActionId.EXPORT_PDF: lambda: self._export_picture("pdf"),
            ActionId.EXPORT_DOT: lambda: self._exports.save_dot(selection_only=self._exports_selection()),
            ActionId.EXPORT_GRAPHML: lambda: self._exports.save_graphml(selection_only=self._exports_selection()),
            ActionId.EXPORT_JSON: lambda: self._exports.save_json(selection_only=self._exports_selection()),
            ActionId.EXPORT_TABLE: lambda: self._exports.save_table(selection_only=self._exports_selection()),
            ActionId.EXPORT_REPORT: self._exports.save_report,
            ActionId.COMPARE_FILE: self._comparisons.compare_with_file,
            ActionId.COMPARE_RUNS: self._comparisons.compare_runs,
            ActionId.EXPORT_FORWARD: self._export_forward,
            ActionId.EXPORT_BACKWARD: lambda: self._exports.save_torchscript(GraphKind.BACKWARD),
        }
        for name, slot in do.items():
            self.actions_table[name].triggered.connect(lambda _checked=False, slot=slot: slot())
        self._questions.recording_chosen.connect(self.record)
        for chooser in (self.start_page, menus):
            chooser.source_chosen.connect(self.open)
        self.start_page.open_requested.connect(self._ask_open)
        menus.theme_chosen.connect(self._choose_theme)
        menus.recent_cleared.connect(self._clear_recent)
        self.changed_bar.reload_requested.connect(self.controller.reload)
        self.wait_page.reload_requested.connect(self.controller.reload)
        self.wait_page.target_requested.connect(self._questions.choose_target)
        self.wait_page.problems_requested.connect(lambda: self.workspace.docks.bring_to_front("Problems"))
        self.result_bar.problem_clicked.connect(lambda _problem: self.workspace.docks.bring_to_front("Problems"))
        self.controller.runs.started.connect(self.changed_bar.hide)
        self.controller.changed_on_disk.connect(self._on_changed_on_disk)
        self._exports.done.connect(self._on_export_done)
        self._comparisons.failed.connect(lambda sentence: self.statusBar().showMessage(sentence, MESSAGE_MS))
        self._comparisons.changed.connect(self._show_comparable)
        self._show_comparable()
        session.source_changed.connect(self._show_page)
        session.source_changed.connect(self._show_title)
        session.capture_changed.connect(self._show_page)
        session.settings_changed.connect(self._remember_settings)

    def _restore(self) -> None:
        preferences = self._store.value
        self.resize(QSize(*DEFAULT_SIZE).boundedTo(self.screen().availableSize()))
        if preferences.geometry:
            self.restoreGeometry(QByteArray(preferences.geometry))
        self._menus.set_theme(preferences.theme)
        self._show_recent()

    def _restore_searches(self, bar: SearchBar) -> None:
        bar.set_history(self._store.value.searches)
        bar.history_changed.connect(
            lambda searches: self._store.update(msgspec.structs.replace(self._store.value, searches=searches))
        )

    def _show_page(self) -> None:
        if not self.session.source:
            self._pages.setCurrentWidget(self.start_page)
            if self._workspace:
                self._workspace.docks.suspend()
        else:
            self._pages.setCurrentWidget(self.workspace.page if self.session.capture else self.wait_page)
            self.workspace.docks.resume()
        self._result_holder.setVisible(bool(self.session.source))

    def _show_title(self) -> None:
        name = Path(self.session.source).name
        self.setWindowTitle(f"{name} — aotgui" if name else "aotgui")
        self.setWindowFilePath(self.session.source if Path(self.session.source).is_file() else "")

    def _show_recent(self) -> None:
        self._menus.set_recent(self._store.value.recent)
        self.start_page.set_recent(self._store.value.recent)

    def _clear_recent(self) -> None:
        self._store.update(msgspec.structs.replace(self._store.value, recent=()))
        self._show_recent()

    def _remember_settings(self) -> None:
        if self.session.source and not self.session.is_stored:
            self._store.update(self._store.value.with_settings(self.session.source, self.session.settings))

    def _choose_theme(self, theme: Theme) -> None:
        self._store.update(msgspec.structs.replace(self._store.value, theme=theme))
        self._menus.set_theme(theme)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        apply_theme(app, theme)

    def _ask_open(self) -> None:
        recent = self._store.value.recent
        folder = str(Path(self.session.source or (recent[0] if recent else "")).parent)
        if path := ask_open(self, folder):
            self._questions.when_trusted(path, lambda: self.open(path))

    def _show_start(self) -> None:
        self.changed_bar.hide()
        self.controller.close_source()

    def _exports_selection(self) -> bool:
        """Whether only what is selected is exported."""
        return self.actions_table[ActionId.EXPORT_SELECTION].isChecked()

    def _export_picture(self, form: str) -> None:
        pane = self.workspace.tabs.pane(self.session.graph_shown)
        scene = pane.view.scene if pane else None
        only = self._exports_selection()
        graph, layout = (scene.graph, scene.layout) if scene else (None, None)
        self._exports.save_picture(form, graph, layout, selection_only=only)

    def _show_comparable(self) -> None:
        self.actions_table[ActionId.COMPARE_RUNS].setEnabled(self._comparisons.can_compare_runs)

    def _on_export_done(self, sentence: str, path: str) -> None:
        self.statusBar().showMessage(sentence, MESSAGE_MS)
        self.result_bar.announce(sentence if path else "", path)

    def _export_forward(self) -> None:
        region = self.session.region
        is_training = region is None or region.is_training
        self._exports.save_torchscript(GraphKind.FORWARD if is_training else GraphKind.INFERENCE)

    def _show_commands(self) -> None:
        from aotgui.gui.app.command_palette import CommandPalette  # not before the window is on the screen

        further = self.workspace.commands() if self.session.region is not None else {}
        for theme in Theme:
            further[f"Theme: {theme.label}"] = partial(self._choose_theme, theme)
        palette = CommandPalette(self.actions_table.all(), self, further)
        palette.move(self.mapToGlobal(self.rect().center()) - QPoint(palette.width() // 2, self.height() // 3))
        palette.show()

    def _show_shortcuts(self) -> None:
        from aotgui.gui.app.dialogs import shortcuts_dialog  # not before the window is on the screen

        shortcuts_dialog(self.actions_table, self).open()

    def _show_about(self) -> None:
        from aotgui.gui.app.dialogs import about_box  # not before the window is on the screen

        about_box(self.session.capture.torch if self.session.capture else "", self).open()

    def _on_changed_on_disk(self) -> None:
        self.changed_bar.announce(Path(self.session.source).name)

    def changeEvent(self, event: QEvent) -> None:
        """Icons follow the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and self._icons_shown:
            self.show_icons()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Takes files that can be opened."""
        if dropped_source(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Opens the dropped file."""
        if source := dropped_source(event.mimeData()):
            event.acceptProposedAction()
            self._questions.when_trusted(source, lambda: self.open(source))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low window gives its room to the graph."""
        super().resizeEvent(event)
        if self._workspace:
            self._workspace.docks.follow_height(event.oldSize().height(), event.size().height())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers the window and ends the engines."""
        self._comparisons.close()
        if self._workspace:
            self._workspace.close()
        preferences = msgspec.structs.replace(self._store.value, geometry=bytes(self.saveGeometry().data()))
        if self._workspace:
            preferences = msgspec.structs.replace(preferences, layout=self._workspace.docks.save())
        self._store.update(preferences)
        self._exports.close()
        self.controller.close()
        super().closeEvent(event)
