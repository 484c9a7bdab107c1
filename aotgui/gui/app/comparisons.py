"""Comparing what is shown with another capture: one from a file, or that of the run before."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from aotgui.export.capture_files import open_capture
from aotgui.gui.app.exports import CAPTURE_FILTER
from aotgui.gui.session.background import Background
from aotgui.gui.session.session import Session
from aotgui.model.capture import Capture, Problem, Severity
from aotgui.model.capture_file import CaptureFileError

if TYPE_CHECKING:
    from aotgui.gui.app.diff_window import DiffWindow
    from aotgui.gui.canvas.arranging import Arrange  # brings numpy


class Comparisons(QObject):
    """Remembers the capture before the one shown, and opens windows that compare.

    Signals:
        changed: ``can_compare_runs`` may be another.
        failed: one sentence about a file that cannot be compared with.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, session: Session, window: QWidget, layout_work: Callable[[], Arrange]) -> None:
        """Begins with nothing to compare.

        Args:
            session: what is shown.
            window: owns the windows that compare.
            layout_work: gives what lays graphs out; asked when a window opens.
        """
        super().__init__(window)
        self._session = session
        self._window = window
        self._layout_work = layout_work
        self._opened: list[DiffWindow] = []
        self._shown: Capture | None = None
        self._before: Capture | None = None
        self._reading: Background[Capture] = Background(self)
        session.capture_changed.connect(self._on_capture_changed)
        session.result_changed.connect(self._on_result_changed)

    @property
    def can_compare_runs(self) -> bool:
        """Whether there was a capture of the same source before the one shown."""
        return self._before is not None and bool(self._before.regions) and self._session.region is not None

    def compare_runs(self) -> None:
        """Shows what differs between the run before and the one shown."""
        if self._before is not None and self.can_compare_runs:
            self._open(self._before)

    def compare_with_file(self) -> None:
        """Asks for a capture file and shows what differs from it."""
        folder = str(Path(self._session.source).parent)
        path, _filter = QFileDialog.getOpenFileName(self._window, "Compare with a Capture", folder, CAPTURE_FILTER)
        if path:
            self.compare_with(path)

    def compare_with(self, path: str) -> None:
        """Shows what differs between a capture file, as the older one, and what is shown."""
        self._reading.start(lambda: open_capture(Path(path)), lambda result: self._on_read(path, result))

    def close(self) -> None:
        """Waits for a file that is being read, and closes the windows: what they show is laid out elsewhere."""
        self._reading.close()
        for window in list(self._opened):
            window.close()

    def _on_read(self, path: str, result: Capture | Exception) -> None:
        if isinstance(result, Capture) and result.regions:
            self._open(result)
        elif isinstance(result, Capture):
            self._fail(f"{path} holds no graph, so there is nothing to compare with.")
        elif isinstance(result, CaptureFileError):
            self._fail(str(result))
        else:
            raise result

    def _fail(self, sentence: str) -> None:
        self._session.add_problem(Problem(severity=Severity.ERROR, stage="compare", message=sentence))
        self.failed.emit(sentence)

    def _open(self, old: Capture) -> None:
        from aotgui.gui.app.diff_window import DiffWindow  # brings the canvas, which the start page does without

        new = self._session.capture
        if new is not None:
            window = DiffWindow(old, new, self._window, self._layout_work())
            window.closed.connect(lambda: self._opened.remove(window))
            self._opened.append(window)
            window.show()

    def _on_capture_changed(self) -> None:
        capture = self._session.capture
        if capture is self._shown:
            return  # another region of it
        same = capture is not None and self._shown is not None and capture.source == self._shown.source
        self._before, self._shown = self._shown if same else None, capture
        self.changed.emit()

    def _on_result_changed(self) -> None:
        """The same graphs with another check or other compilations."""
        self._shown = self._session.capture
        self.changed.emit()
