"""Faults of the program itself: said once, with what to report, and the window goes on."""

from __future__ import annotations

import sys
import threading
import traceback
from types import TracebackType

from PySide6.QtCore import QMessageLogContext, QObject, Qt, QtMsgType, Signal, qInstallMessageHandler
from PySide6.QtWidgets import QApplication, QMessageBox

from aotgui import __version__

_TITLE = "A fault in aotgui"
_TEXT = "Something went wrong in aotgui itself. What is on the screen is kept; save your work and start it again soon."


class CrashHandler(QObject):
    """Takes exceptions that nobody caught, on any thread, and messages of Qt.

    Signals:
        crashed: the text of an exception, delivered on the GUI thread.
    """

    crashed = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._box: QMessageBox | None = None
        self.crashed.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """From now on every uncaught exception and every message of Qt ends here."""
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread_exception
        qInstallMessageHandler(_on_qt_message)

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QApplication.quit()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        sys.stderr.write(text)
        self.crashed.emit(text)

    def _on_thread_exception(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._on_exception(args.exc_type, args.exc_value, args.exc_traceback)

    def _show(self, text: str) -> None:
        if self._box is not None:
            return  # one at a time: a fault in painting comes sixty times a second
        box = self._box = QMessageBox(QMessageBox.Icon.Critical, _TITLE, _TEXT)
        box.setInformativeText("Please report it with the details below.")
        box.setDetailedText(f"aotgui {__version__}, Python {sys.version.split()[0]}\n\n{text}")
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.finished.connect(self._forget_box)
        box.open()

    def _forget_box(self) -> None:
        self._box = None


def _on_qt_message(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    if kind is not QtMsgType.QtDebugMsg:
        sys.stderr.write(f"aotgui: Qt says: {message}\n")
