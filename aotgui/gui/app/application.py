"""Starts the window: everything is built and wired from here."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from aotgui import __version__
from aotgui.gui.app.crash import CrashHandler
from aotgui.gui.app.garbage import GarbageCollection
from aotgui.gui.app.main_window import MainWindow
from aotgui.gui.app.preferences import PreferencesStore
from aotgui.gui.app.theme import apply_theme
from aotgui.gui.session.controller import Controller
from aotgui.gui.session.session import Session
from aotgui.model.resources import resource_path
from aotgui.model.settings import Settings
from aotgui.protocol.engine_process import ENGINE_COMMAND

SIGNAL_POLL_MS: Final = 250


def run(
    source: str | None = None,
    settings: Settings | None = None,
    *,
    trusted: bool = False,
    command: Sequence[str] = ENGINE_COMMAND,
) -> int:
    """Opens the window and stays until it is closed.

    Args:
        source: what to open, or None for the start page.
        settings: settings for it; None takes those that it had last.
        trusted: the source may run code when it is opened.
        command: the engine's command line.

    Returns:
        The exit status.
    """
    app = create_application()
    garbage_collection = GarbageCollection(app)
    crash_handler = CrashHandler(app)
    crash_handler.install()
    store = PreferencesStore()
    controller = Controller(Session(app), command, parent=app)
    controller.start()
    apply_theme(app, store.value.theme)
    follow_system_theme(app, store)
    window = MainWindow(controller, store)
    window.show()
    QTimer.singleShot(0, window, lambda: finish_window(window, source, settings, trusted=trusted))
    end_on_signals(app, window)
    status = app.exec()
    controller.close()
    garbage_collection.stop()
    return status


def finish_window(window: MainWindow, source: str | None, settings: Settings | None, *, trusted: bool = False) -> None:
    """What the first picture need not wait for: opening, icons, panels."""
    if source:
        window.open(source, settings, trusted=trusted)
    window.show_icons()
    window.prepare()
    window.workspace.views.layouts.start_ahead()


def create_application() -> QApplication:
    """The application object with its names and style."""
    existing = QApplication.instance()
    app = existing if isinstance(existing, QApplication) else QApplication(sys.argv[:1])
    app.setApplicationName("aotgui")
    app.setApplicationDisplayName("aotgui")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("aotgui")
    app.setWindowIcon(QIcon(str(resource_path("icons", "aotgui.svg"))))
    # Only Fusion paints every widget from the palette, on every platform.
    app.setStyle("Fusion")
    return app


def follow_system_theme(app: QApplication, store: PreferencesStore) -> None:
    """Applies the theme again when the system changes between light and dark."""
    app.styleHints().colorSchemeChanged.connect(lambda _scheme: apply_theme(app, store.value.theme))


def end_on_signals(app: QApplication, window: MainWindow) -> None:
    """Closes the window on Ctrl+C in the terminal and on a polite request of the system."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: window.close())
    # Python runs signal handlers only between its own instructions, which Qt's loop does not execute.
    timer = QTimer(app, interval=SIGNAL_POLL_MS)
    timer.timeout.connect(lambda: None)
    timer.start()
