"""The bar under the toolbar: what happens, and whether the result is right."""

from __future__ import annotations

from pathlib import Path, PurePath
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QMouseEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QSizePolicy, QWidget

from aotgui.gui.app.icons import font_icon
from aotgui.gui.app.result_line import STAGES, ResultLine, ResultState, result_line
from aotgui.gui.app.theme import is_dark
from aotgui.gui.session.session import RunState, Session
from aotgui.model.capture import Problem
from aotgui.model.text import bytes_text, seconds_text

ICON_SIZE: Final = 18
HEIGHT: Final = 28
NEWS_MS: Final = 20_000
"""How long the bar speaks of an export."""

_ICONS: Final = {
    ResultState.BUSY: "timer-sand",
    ResultState.MATCH: "check-circle",
    ResultState.MISMATCH: "not-equal-variant",
    ResultState.FAILED: "alert-circle",
    ResultState.STOPPED: "stop-circle",
    ResultState.UNCHECKED: "information",
}
_LINKS: Final = Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
_GREEN: Final = {False: "#00704f", True: "#3ddc97"}
_RED: Final = {False: "#b4002f", True: "#ff7d8f"}


class ResultBar(QFrame):
    """One line about the run.

    Signals:
        problem_clicked: the person wants to see the problem behind the line.
    """

    problem_clicked = Signal(object)

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("ResultBar")
        self.setFixedHeight(HEIGHT)
        self._session = session
        self._line = ResultLine(ResultState.EMPTY, "")
        self._shows_icons = False
        self._icon = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        self._icon.setFixedSize(ICON_SIZE, ICON_SIZE)
        self._text = ElidedLabel()
        self._news = ""
        self._news_timer = QTimer(self, interval=NEWS_MS, singleShot=True)
        self._news_timer.timeout.connect(lambda: self.announce(""))
        self._facts = QLabel()
        self._facts.linkActivated.connect(lambda folder: QDesktopServices.openUrl(QUrl.fromLocalFile(folder)))
        self._facts.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._progress = QProgressBar(maximum=len(STAGES), textVisible=False)
        self._progress.setObjectName("RunProgress")
        self._progress.setFixedSize(180, 5)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(8)
        for widget in (self._icon, self._progress, self._text, self._facts):
            row.addWidget(widget)
        row.setStretchFactor(self._text, 1)
        for signal in (
            session.progress_changed,
            session.run_status_changed,
            session.result_changed,
            session.capture_changed,
            session.problems_changed,
        ):
            signal.connect(self.refresh)
        session.source_changed.connect(lambda: self.announce(""))
        session.progress_changed.connect(self._on_progress_changed)
        self.refresh()

    @property
    def line(self) -> ResultLine:
        """What is shown."""
        return self._line

    @property
    def facts(self) -> str:
        """What stands at the right."""
        return self._facts.text()

    def show_icons(self) -> None:
        """From now on icons are drawn: the window is on the screen."""
        self._shows_icons = True
        self.refresh()

    def announce(self, sentence: str, path: str = "") -> None:
        """Shows for a while what became of an export, and leads to the folder of the file; empty: no longer."""
        self._news_timer.stop()
        self._news = sentence
        if path:
            import html  # brings a table of every entity, and the window waits for it

            saved = Path(path)
            folder = html.escape(str(saved.parent), quote=True)
            self._news = f'Saved {html.escape(saved.name)}   ·   <a href="{folder}">Open Folder</a>'
        self._facts.setTextInteractionFlags(_LINKS if path else Qt.TextInteractionFlag.NoTextInteraction)
        if sentence:
            self._news_timer.start()
        self._facts.setToolTip(sentence)
        self.refresh()

    def refresh(self) -> None:
        """Shows the session as it is."""
        line = self._line = result_line(self._session)
        self._text.setText(line.text)
        self._text.setToolTip(line.detail)
        self._progress.setVisible(line.step >= 0)
        self._progress.setValue(max(line.step, 0))
        self._facts.setText(self._news or (self._fact_text() if line.step < 0 else ""))
        self._icon.setVisible(line.state not in {ResultState.EMPTY, ResultState.BUSY})
        self.setCursor(Qt.CursorShape.PointingHandCursor if line.problem else Qt.CursorShape.ArrowCursor)
        self._colour()

    def _on_progress_changed(self) -> None:
        if self._news and self._session.progress.state is RunState.RUNNING:
            self.announce("")

    def _fact_text(self) -> str:
        capture, region = self._session.capture, self._session.region
        if capture is None or region is None:
            return ""
        if not self._session.shows_source:
            return f"still showing {PurePath(capture.source).name}"
        if self._session.is_outdated:
            return f"still showing an earlier run of {PurePath(capture.source).name}"
        facts = ["saved capture" if self._session.is_stored else "", capture.target]
        if region.is_training:
            facts.append(f"{bytes_text(region.saved_bytes)} saved for backward")
        if capture.stages:
            facts.append(seconds_text(sum(stage.seconds for stage in capture.stages)))
        return "   ·   ".join(fact for fact in facts if fact)

    def _colour(self) -> None:
        dark = is_dark(self.palette())
        colours = {ResultState.MATCH: _GREEN, ResultState.MISMATCH: _RED, ResultState.FAILED: _RED}
        colour = colours[self._line.state][dark] if self._line.state in colours else "palette(window-text)"
        self._text.setStyleSheet(f"color: {colour}")
        if self._shows_icons and (name := _ICONS.get(self._line.state)):
            palette = QPalette(self.palette())
            if self._line.state in colours:
                palette.setColor(QPalette.ColorRole.WindowText, colour)
            icon = font_icon(name, palette, QPalette.ColorRole.WindowText)
            self._icon.setPixmap(icon.pixmap(QSize(ICON_SIZE, ICON_SIZE), self.devicePixelRatio()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click shows the problem."""
        problem: Problem | None = self._line.problem
        if problem and event.button() is Qt.MouseButton.LeftButton:
            self.problem_clicked.emit(problem)

    def changeEvent(self, event: QEvent) -> None:
        """Follows the theme."""
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange and hasattr(self, "_line"):
            self._colour()


class ElidedLabel(QLabel):
    """A label that shows an ellipsis where the window is too narrow, and the whole text in its tooltip."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._whole = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def setText(self, text: str) -> None:
        """Shows a text."""
        self._whole = text
        self._elide()

    def text(self) -> str:
        """The whole text."""
        return self._whole

    def _elide(self) -> None:
        shown = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, self.width())
        super().setText(shown.replace("\n", " "))

    def resizeEvent(self, event: object) -> None:
        """Elides again."""
        self._elide()
